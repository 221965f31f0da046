"""Pages about other players: whom one does not want to hear or meet, and what the administrators should look at."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from games.log.models import Game, Player
from games.people import services
from games.people.models import Block, Report

REASONS = {
    Report.Reason.LEAVING: _("Leaves games"),
    Report.Reason.STALLING: _("Plays slowly on purpose"),
    Report.Reason.COLLUSION: _("Plays together with somebody against the others"),
    Report.Reason.NAME: _("Has an offensive name"),
    Report.Reason.PHRASES: _("Pesters others with phrases"),
    Report.Reason.OTHER: _("Something else"),
}
SENTENCES = {
    "reported_before": _("You have reported this player for this game already. The administrators will look at it."),
    "too_many_reports": _(
        "Your earlier reports are still waiting for an administrator. Please wait until they are read."
    ),
    "yourself": _("That is you."),
}


class ReportForm(forms.Form):
    """What the administrators are told."""

    reason = forms.ChoiceField(label=_("What happened?"), choices=list(REASONS.items()), widget=forms.RadioSelect)
    text = forms.CharField(
        label=_("Details, if they help"),
        required=False,
        max_length=services.MOST_REPORT_TEXT,
        widget=forms.Textarea(attrs={"rows": 4}),
    )


@require_safe
@never_cache
def people_page(request: HttpRequest) -> HttpResponse:
    """Everybody whom the visitor has muted or blocked."""
    user = request.user if isinstance(request.user, User) else None
    blocks = Block.objects.filter(user=user).select_related("other").order_by("-created_at") if user else []
    return render(request, "games/people/people.html", {"blocks": blocks})


@require_POST
def set_block(request: HttpRequest) -> HttpResponse:
    """Mutes or blocks somebody from a game (`game`, `seat`) or from the list (`user`); `kind` empty takes it back."""
    user = _signed_in(request)
    kind = request.POST.get("kind", "")
    if kind not in ("", *Block.Kind.values):
        raise Http404
    other = _other(request, user)
    try:
        services.set_block(user=user, other=other, kind=kind or None)
    except services.Declined as declined:
        messages.error(request, SENTENCES[declined.code])
    else:
        said = {
            "": _("%(name)s can be heard and met again."),
            "mute": _("You will not see what %(name)s says any more."),
            "block": _("You will not be seated with %(name)s any more, nor see what is said."),
        }
        messages.success(request, said[kind] % {"name": other})
    return redirect("people")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def report(request: HttpRequest, game_id: int, seat: int) -> HttpResponse:
    """The form for telling the administrators about a player of a game that one plays, or played."""
    user = _signed_in(request)
    game = get_object_or_404(Game, pk=game_id, player__user=user)
    player = get_object_or_404(Player.objects.select_related("user"), game=game, seat=seat, user__isnull=False)
    if player.user is None or player.user == user:
        raise Http404
    form = ReportForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            services.report(
                reporter=user,
                reported=player.user,
                game=game,
                reason=form.cleaned_data["reason"],
                text=form.cleaned_data["text"],
            )
        except services.Declined as declined:
            form.add_error(None, SENTENCES[declined.code])
        else:
            messages.success(request, _("Thank you. An administrator will look at it."))
            return redirect("table", game.pk)
    context = {"form": form, "game": game, "heading": _("Report %(name)s") % {"name": player.user}}
    return render(request, "games/people/report.html", context, status=400 if form.errors else 200)


def _signed_in(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise Http404
    return request.user


def _other(request: HttpRequest, user: User) -> User:
    """The user that a form is about: somebody from an own game, or somebody on the own list."""
    game, seat, other = (request.POST.get(name, "") for name in ("game", "seat", "user"))
    if all(text.isdecimal() and len(text) < 10 for text in (game, seat)):
        mine = get_object_or_404(Game, pk=int(game), player__user=user)
        player = get_object_or_404(Player.objects.select_related("user"), game=mine, seat=int(seat))
        if player.user is not None:
            return player.user
    elif other.isdecimal() and len(other) < 10:
        return get_object_or_404(Block.objects.select_related("other"), user=user, other=int(other)).other
    raise Http404
