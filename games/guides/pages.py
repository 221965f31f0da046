"""The general pages: words of each game, how to use the table, etiquette, house rules, standards, privacy, terms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from games.guides.deals import deals
from games.guides.site import contact, privacy, terms
from games.kinds import KINDS
from games.kinds.kind import Kind, load
from games.rulebook.page import Items, Keys, Page, Paragraph, Section, Table, Terms
from games.rulebook.shared import clock
from games.rulebook.words import say
from games.rules.options import _


def _site_words() -> Section:
    """Words of this site, whatever is played."""
    told = (
        (say(_("A game")), say(_("One contest from its first deal to its result."))),
        (say(_("Table, seat")), say(_("Where a game is played, and the place of one player at it."))),
        (say(_("Dealer")), say(_("Whoever deals; that says who bids or leads first. It moves left with every deal."))),
        (say(_("CPU player")), say(_("The computer in a seat. It sees what a person there would see."))),
        (say(_("A stand-in")), say(_("A CPU player that has the seat of somebody who is away."))),
        (
            say(_("Game code")),
            say(_("A short text from which all cards of a game come: the same code, the same cards.")),
        ),
        (say(_("Party")), say(_("People who play together by rules that they have chosen."))),
        (say(_("Ladder")), say(_("Ranked games by fixed rules, with a rating for everyone."))),
    )
    return Section("site-words", say(_("Words of this site")), (Terms(told),))


def _words(kind: Kind) -> Page:
    rulebook = load(kind.rulebook)
    title, description = rulebook.words_page()
    return Page(
        title,
        description,
        say(_("What the words on the rules pages and at the table mean.")),
        (Section("words", say(_("Words of the game")), (rulebook.all_terms(),)), _site_words()),
    )


def _table() -> Page:
    start = (
        say(_("Press a button on the front page or under any rules: the cards are dealt at once, without a form.")),
        say(_("Your seat is at the bottom. Play goes clockwise, so the player on your left is next.")),
        say(_("A game without a limit can be closed at any time. Opened again in the same browser it goes on.")),
    )
    passing = (
        say(_("An arrow and a name show who gets your cards. In a deal without a pass the table says so.")),
        say(_("Tap cards to choose them, or draw a finger across them. The button lights up at exactly three.")),
    )
    playing = (
        say(_("Cards that may not be played are dimmed. Tap one and the table says which rule stops it.")),
        say(
            _(
                "With confirmation on, the first tap lifts a card and says what it does; the second plays it. It never "
                "costs you time on the clock."
            )
        ),
        say(_("A finished trick stays for a moment. Tap to go on, or look at the last trick again.")),
        say(_("The score sheet has every deal. Small numbers at the seats show tricks and points of this deal.")),
    )
    signs = Table(
        "presence",
        say(_("What a seat shows")),
        (say(_("Sign")), say(_("Meaning"))),
        (
            (say(_("Online")), say(_("The player is at the table."))),
            (say(_("Away")), say(_("Nothing has been heard of the player for 40 seconds."))),
            (say(_("Stand-in")), say(_("A CPU player has the seat until its owner presses “I'm back”."))),
            (say(_("CPU")), say(_("A CPU player's own seat. It sees what a person there would see, and no more."))),
        ),
    )
    keys = Keys(
        (
            (("←", "→", "↑", "↓"), say(_("Move over the hand"))),
            (("Space",), say(_("Choose the card or put it back; play it"))),
            (("Enter",), say(_("The same; pass the cards once enough are chosen"))),
            (("1", "…", "9", "0"), say(_("Take the first to the tenth card, or bid that number"))),
            (("H",), say(_("Back to the hand or to the question"))),
            (("L",), say(_("Last trick"))),
            (("S",), say(_("Score sheet"))),
            (("T",), say(_("Say something"))),
            (("N",), say(_("Go on at once after a trick or a deal"))),
            (("Esc",), say(_("Put the lifted card back, close a window"))),
            (("?",), say(_("Show the keys at the table"))),
        )
    )
    talk = (
        say(_("A window with phrases opens by its button. Everyone at the table reads them in their own language.")),
        say(
            _(
                "There you can also mute, block or report a player. The phrases of a muted player are not shown to "
                "you; with a blocked one you are not seated at a ranked table either. Neither learns of it."
            )
        ),
    )
    settings = (
        say(_("Confirmation before a card is played, sounds, and vibration on phones.")),
        say(_("Speed of the cards, from none to fast, and the pause after a trick.")),
        say(_("Size of the cards, four or two colours for the suits, light or dark.")),
        say(_("Language: the switch in the header. Everyone at a table reads it in their own.")),
    )
    code = say(
        _(
            "A game with one person shows its game code. The same code deals the same cards again, deal after deal: "
            "copy it to give somebody else the very same game."
        )
    )
    reading = say(
        _(
            "Everything that happens is also said to screen readers, the whole table can be used with the keyboard "
            "alone, and whoever prefers reduced motion sees none."
        )
    )
    return Page(
        say(_("How to use the table")),
        say(_("Choosing, passing and playing cards, keys, signs and settings of the table on phone and desk.")),
        say(_("Everything works with one thumb, with a mouse, or with the keyboard alone.")),
        (
            Section("start", say(_("Starting")), (Items(start),)),
            Section("passing", say(_("Passing cards")), (Items(passing),)),
            Section("playing", say(_("Playing a card")), (Items(playing),)),
            Section("keys", say(_("Keys")), (keys,)),
            Section("seats", say(_("Seats")), (signs,)),
            Section("talk", say(_("Talking")), (Items(talk),)),
            Section("settings", say(_("Settings")), (Items(settings), Paragraph(reading))),
            Section("game-code", say(_("Game code")), (Paragraph(code),)),
        ),
    )


def _etiquette() -> Page:
    greet = (
        say(_("Greet when the game starts and thank when it ends. One tap on a phrase is enough.")),
        say(_("Whoever does not answer may be new, or busy with the cards. Do not hold it against them.")),
    )
    patience = (
        say(_("Give everyone the time that the table allows. We have all been beginners.")),
        say(_("Do not comment on the play of others, whether it helped you or not.")),
    )
    stay = (
        say(_("Never walk out because you are losing: the others are still playing for their places.")),
        say(_("If you have to go, do so between two games. Before a long one make sure that you have the time.")),
        say(_("If the connection breaks, come back: your seat is kept.")),
    )
    trouble = (
        say(_("You can mute or block anybody. They do not learn of it.")),
        say(_("Report insults and games that were spoiled on purpose. Those who run the site read every report.")),
    )
    return Page(
        say(_("Etiquette")),
        say(_("Greet at the start and at the end, be patient, never walk out: manners at a table in the browser.")),
        say(_("At the other end are people. Three habits make every game pleasant.")),
        (
            Section("greet", say(_("Greet")), (Items(greet),)),
            Section("patience", say(_("Be patient")), (Items(patience),)),
            Section("stay", say(_("Never walk out")), (Items(stay),)),
            Section("trouble", say(_("If something is wrong")), (Items(trouble),)),
        ),
    )


def _house_rules() -> Page:
    return Page(
        say(_("House rules that are not offered")),
        say(_("Known variants of Hearts and Spades that this site does not offer, and why.")),
        say(
            _(
                "Much can be chosen here; every rules page lists all of it. These rules are known to us as well. They "
                "are left out for the reasons given."
            )
        ),
        tuple(
            Section(kind.name, say(kind.label), (load(kind.rulebook).house_rules_told(),)) for kind in KINDS.values()
        ),
    )


def _standards() -> Page:
    rows = (
        (
            say(_("Number of players")),
            say(_("Hearts 3 to 5, in parties 2 to 7; Spades 4. CPU players take the seats that are left.")),
        ),
        *clock(),
        (
            say(_("Leaving a ranked game")),
            say(
                _(
                    "In Hearts whoever leaves is placed after all who stay, in Spades it is a loss; what the stand-in "
                    "achieves does not count."
                )
            ),
        ),
        (say(_("Draws")), say(_("On a ladder those who end level have half a win against each other."))),
        (
            say(_("If the site goes down")),
            say(_("The time is given back to everyone: nobody loses a turn because of it.")),
        ),
        (
            say(_("Cards")),
            say(
                _(
                    "All deals of a game come from its game code and are fixed before the first card is dealt. Nobody "
                    "can change them after that, neither a player nor a CPU player."
                )
            ),
        ),
        (say(_("Rules")), say(_("They are chosen before the first deal and never change during a game."))),
        (say(_("Stakes")), say(_("None of any kind: no money, no coins, no prizes."))),
    )
    table = Table("standards", say(_("Standards of this site")), (say(_("Topic")), say(_("How it is here"))), rows)
    cpu = (
        say(_("A CPU player sees its own cards and what everyone has seen, and nothing else.")),
        say(_("It knows the rules of the table and the score, takes its time as a person would, and never stalls.")),
    )
    return Page(
        say(_("Standards of this site")),
        say(_("Players, time, leaving, draws, cards and CPU players: how every table of this site works.")),
        say(_("What holds at every table, whatever its rules.")),
        (
            Section("standards", say(_("At every table")), (table,)),
            Section("cpu", say(_("CPU players")), (Items(cpu),)),
        ),
    )


def guides() -> dict[str, Callable[[], Page]]:
    """Address of a general page: what makes it, in the order of the menu."""
    return {
        "table": _table,
        "etiquette": _etiquette,
        **{f"{kind.name}-words": partial(_words, kind) for kind in KINDS.values()},
        "house-rules": _house_rules,
        "standards": _standards,
        "deals": deals,
        "privacy": privacy,
        "terms": terms,
        "contact": contact,
    }


def guide(name: str) -> Page:
    """A general page by its address. KeyError if there is none."""
    return guides()[name]()
