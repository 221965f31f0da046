"""Pages of parties. Every act is a form, so that a guest comes into being by a POST and never by a visit."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.services import is_new, player_of
from games.kinds.words import kind_label, level_name
from games.numbers import number_in
from games.parties import codes, games, selectors, words
from games.parties import services as parties
from games.parties.forms import SettingsForm
from games.parties.models import Party
from games.parties.selectors import PartyState
from games.parties.services import PartyRefused
from games.presets.models import PresetVersion
from games.presets.words import refusal_sentence
from games.rules import Refused

#: Statuses of an answer to a program, by code; all others are a conflict.
STATUSES = {"sent_away": 403, "blocked": 403, "not_host": 403, "not_sitting": 403, "closed": 410}


def sentence(code: str) -> str:
    """Why a party does not accept something, for whoever asked."""
    return {
        "closed": _("This party is over."),
        "full": _("The party is full: every seat was taken before you."),
        "seat_taken": _("Somebody else has taken that seat."),
        "sent_away": _("The host has sent you away from this party, so you cannot sit here again."),
        "blocked": _("You cannot sit at this party: its host does not play with you."),
        "running": _("The game has begun. Seats and rules can be changed when it is over."),
        "not_host": _("Only the host of the party can do that."),
        "not_sitting": _("Whoever that is about does not sit at this party."),
        "changed": _("The party has changed meanwhile. Please look again."),
        "first_game": _("The host begins the first game."),
        "not_first_game": _("The next game begins when everyone has agreed."),
        "confirm": _("Please confirm that so many are meant to play."),
        "too_few_seats": _("More people sit at the party than that number of players."),
        "bad_settings": _("A setting has a value that it cannot have here."),
        "too_many": _("You are the host of several open parties already. Leave one of them first."),
    }[code]


# --- making and finding one -------------------------------------------------------------------------------------------


@require_safe
def party_new(request: HttpRequest) -> HttpResponse:
    """The presets that a party can be made from."""
    return render(request, "games/parties/party_new.html", {"kinds": words.presets_to_choose()})


@require_POST
def party_open(request: HttpRequest) -> HttpResponse:
    """Makes a party from a preset, given by its slug; whoever is not signed in becomes a guest."""
    slug = request.POST.get("preset", "")
    version = PresetVersion.objects.offered().filter(preset__slug=slug).first() if "\0" not in slug else None
    if version is None:
        raise Http404
    try:
        party = parties.open_party(
            host=player_of(request), version=version, is_listed=request.POST.get("is_listed") == "on"
        )
    except PartyRefused as refused:
        messages.error(request, sentence(refused.code))
        return redirect("party_new")
    return redirect("party", party.code)


@require_safe
@never_cache
def party_find(request: HttpRequest) -> HttpResponse:
    """Leads to the party whose code was typed, however it was typed."""
    typed = request.GET.get("code", "")
    code = codes.read(typed)
    if code is not None and selectors.party_by_code(code) is not None:
        return redirect("party", code)
    return _no_party(request, typed)


def _no_party(request: HttpRequest, typed: str) -> HttpResponse:
    return render(request, "games/parties/party_none.html", {"typed": typed[:20]}, status=404)


# --- one party --------------------------------------------------------------------------------------------------------


@require_safe
@never_cache
def party(request: HttpRequest, code: str) -> HttpResponse:
    """The page of a party: who sits, the rules, what may be done."""
    found = selectors.party_by_code(codes.read(code) or "")
    if found is None:
        return _no_party(request, code)
    if found.code != code:
        return redirect("party", found.code)
    state = selectors.state_of(found)
    return _page(request, found, state) or _party_page(request, found, state)


@require_safe
@never_cache
def party_now(request: HttpRequest, code: str) -> HttpResponse:
    """The part of a party's page that changes, as this visitor sees it now."""
    found = selectors.party_by_code(code)
    if found is None:
        raise Http404
    state = selectors.state_of(found)
    return _page(request, found, state) or render(
        request, "games/parties/party_now.html", _context(request, found, state)
    )


def _page(request: HttpRequest, found: Party, state: PartyState) -> HttpResponse | None:
    """What is said instead to whoever was sent away, and of a party that is over."""
    if state.status == "closed":
        return render(request, "games/parties/party_over.html", {"party": found}, status=410)
    if request.user.pk is not None and request.user.pk in state.sent_away:
        return render(request, "games/parties/party_away.html", {"party": found}, status=403)
    return None


def _party_page(
    request: HttpRequest, found: Party, state: PartyState, form: SettingsForm | None = None
) -> HttpResponse:
    context = _context(request, found, state)
    if context["is_host"] and state.status != "playing":
        context["form"] = form or SettingsForm(found, len(state.members))
        context["form_is_open"] = form is not None
    return render(request, "games/parties/party.html", context, status=422 if form is not None else 200)


def _context(request: HttpRequest, found: Party, state: PartyState) -> dict[str, Any]:
    own = state.of(request.user.pk)
    preset = found.preset_version.preset
    return {
        "party": found,
        "state": state,
        "own": own,
        "own_plays": request.user.is_authenticated and selectors.plays(state, request.user.pk),
        "host_name": next((sitting.name for sitting in state.members if sitting.is_host), ""),
        "is_host": own is not None and own.is_host,
        "viewer": "visitor" if own is None else "host" if own.is_host else "member",
        "preset": preset,
        "preset_name": preset.local_name,
        "kind_label": kind_label(found.kind),
        "chips": words.rule_chips(state),
        "changes": words.changes_of(state),
        "sides": selectors.sides_of(state),
        "level": level_name(state.cpu_level),
        "cpus": state.players - len(state.members),
        "ready": sum(sitting.is_ready for sitting in state.members),
        "is_large": state.players >= parties.LARGE,
        "is_full": len(state.members) >= state.capacity,
        "link": request.build_absolute_uri(reverse("party", args=[found.code])),
    }


# --- acts -------------------------------------------------------------------------------------------------------------

Act = Callable[[HttpRequest, Party], "str | None"]


def _act(act: Act) -> Callable[[HttpRequest, str], HttpResponse]:
    """A view of an act: a page gets a redirect, or the sentence of a refusal on it; a script gets JSON.

    What the act returns is where to go; nothing stands for the party's page.
    """

    @require_POST
    @wraps(act)
    def view(request: HttpRequest, code: str) -> HttpResponse:
        found = selectors.party_by_code(code)
        if found is None:
            raise Http404
        by_script = request.headers.get("Accept", "").startswith("application/json")
        place = reverse("party", args=[found.code])
        try:
            place = act(request, found) or place
        except PartyRefused as refused:
            code, text = refused.code, sentence(refused.code)
        except Refused as refused:
            code, text = refused.code, refusal_sentence(found.kind, refused, found.options)
        else:
            return JsonResponse({"to": place}) if by_script else redirect(place)
        if by_script:
            return JsonResponse({"code": code, "text": text}, status=STATUSES.get(code, 409))
        messages.error(request, text)
        return redirect(place)

    return view


def _member(request: HttpRequest) -> User:
    """Who acts: somebody who sits at a party has a session already."""
    if not isinstance(request.user, User):
        raise PartyRefused("not_sitting")
    return request.user


def _number(request: HttpRequest, name: str) -> int | None:
    return number_in(request.POST.get(name, ""), 9)


@_act
def sit(request: HttpRequest, found: Party) -> str | None:
    """Sits down, or changes to another seat; a visitor becomes a guest where there is room for one."""
    if is_new(request):
        state = selectors.state_of(found)
        parties.check_room(state.status, len(state.members), state.capacity)
    parties.sit(party_id=found.pk, user=player_of(request), seat=_number(request, "seat"))
    return None


@_act
def leave(request: HttpRequest, found: Party) -> str | None:
    """Gets up and goes to the front page."""
    parties.leave(party_id=found.pk, user=_member(request))
    return reverse("home")


@_act
def send_away(request: HttpRequest, found: Party) -> str | None:
    """The host sends somebody away."""
    parties.send_away(party_id=found.pk, host=_member(request), member_id=_number(request, "member") or 0)
    return None


@_act
def shuffle(request: HttpRequest, found: Party) -> str | None:
    """The host has the seats drawn by lot."""
    parties.shuffle(party_id=found.pk, host=_member(request))
    return None


@_act
def start(request: HttpRequest, found: Party) -> str | None:
    """The host begins the first game."""
    game = games.start(
        party_id=found.pk,
        host=_member(request),
        revision=_number(request, "revision") or 0,
        confirmed=request.POST.get("confirmed") == "yes",
    )
    return reverse("table", args=[game.pk])


@_act
def agree(request: HttpRequest, found: Party) -> str | None:
    """Agrees to one more game, or takes it back; the last one to agree begins it."""
    game = games.agree(
        party_id=found.pk,
        user=_member(request),
        revision=_number(request, "revision") or 0,
        agreed=request.POST.get("agreed") != "no",
    )
    return None if game is None else reverse("table", args=[game.pk])


@require_POST
def change(request: HttpRequest, code: str) -> HttpResponse:
    """The host changes what the next game is played with; a bad combination is shown at its field."""
    found = selectors.party_by_code(code)
    if found is None:
        raise Http404
    state = selectors.state_of(found)
    answer = _page(request, found, state)
    if answer is not None:
        return answer
    form = SettingsForm(found, len(state.members), request.POST)
    try:
        if found.host_id != request.user.pk:
            raise PartyRefused("not_host")
        if form.is_valid():
            parties.change(
                party_id=found.pk,
                host=_member(request),
                seen=form.cleaned_data["seen"],
                settings=form.settings(),
            )
        elif state.status != "playing":
            return _party_page(request, found, state, form)
        else:
            raise PartyRefused("running")
    except PartyRefused as refused:
        messages.error(request, sentence(refused.code))
    except Refused as refused:
        messages.error(request, refusal_sentence(found.kind, refused, form.options))
    return redirect("party", found.code)
