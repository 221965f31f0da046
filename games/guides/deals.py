"""How cards are dealt and checked: what is shown when, a worked example, the shuffle to be written again by anybody,
and what all this does not prove. The figures of the example are computed as the page is made.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from games import verify
from games.rulebook import words
from games.rulebook.page import Block, Download, Example, Items, Page, Paragraph, Questions, Section, Table
from games.rulebook.words import literal, say
from games.rules.options import _

#: The worked example: Hearts with four players, the third of whom is a CPU player.
SECRET = bytes(range(32))
NONCES = (bytes.fromhex("c0ffee00"), bytes.fromhex("0123456789abcdef"), b"", bytes.fromhex("5eed"))
CHARACTER = "4"  # that its game code begins with
SHOWN = 13  # cards of the first pack


@dataclass(frozen=True, slots=True)
class Worked:
    """What follows from the secret and the nonces of the example."""

    commitment: str
    message: str
    digest: str
    code: str
    seed: str
    dealer: int
    pack: tuple[str, ...]


def worked() -> Worked:
    """The example, by the functions that the site deals with."""
    message = f"moonshot-{verify.SHUFFLE_VERSION}|nonces|" + "|".join(nonce.hex() for nonce in NONCES)
    code = verify.code_of(CHARACTER, verify.sealed_bits(SECRET, NONCES))
    seed = code[:-1].encode()
    return Worked(
        commitment=verify.commitment(SECRET),
        message=message,
        digest=hmac.digest(SECRET, message.encode(), "sha256").hex(),
        code="-".join(code[i : i + 4] for i in range(0, verify.CODE_LENGTH, 4)),
        seed=code[:-1],
        dealer=verify.first_dealer(seed, len(NONCES)),
        pack=verify.shuffle(seed, 1, 0),
    )


def deals() -> Page:
    """The page."""
    return Page(
        say(_("How the cards are dealt")),
        say(_("How every deal can be checked: the promise, the players' shares, the game code and the shuffle.")),
        say(
            _("Nobody has to believe that the cards are dealt fairly. Here is how you check it, and what it is worth.")
        ),
        (
            Section("steps", say(_("In four steps")), (Items(_steps(), ordered=True), Paragraph(_solo()))),
            Section("checked", say(_("What the check goes through")), (Items(_checked()), Paragraph(_how()))),
            Section("example", say(_("A worked example")), (_example(),)),
            Section("shuffle", say(_("The shuffle, for whoever wants to write it again")), _shuffle()),
            Section("by-yourself", say(_("Checking without this site")), _by_yourself()),
            Section("limits", say(_("What it does not prove")), (Items(_limits()),)),
            Section("questions", say(_("Questions")), (Questions(_questions()),)),
        ),
    )


def _steps() -> tuple[str, ...]:
    return (
        say(
            _(
                "The promise. The site draws a secret of 32 random bytes and shows everybody at the table its "
                "fingerprint (SHA-256). The secret can no longer be exchanged for another one: that would have "
                "another fingerprint."
            )
        ),
        say(
            _(
                "The shares. The browser of each player draws 16 random bytes and sends them. Nobody is told "
                "another's share before all are in. After five seconds the game begins without those that are missing."
            )
        ),
        say(
            _(
                "The deal. Secret and shares together give the game code, and the game code gives every card of "
                "every deal. Neither the site, which did not know the shares, nor a player, who did not know the "
                "secret, could choose the cards."
            )
        ),
        say(
            _(
                "The proof. When the game is over, the secret, the shares and the game code are shown. Your browser, "
                "which kept the fingerprint and its own share, deals everything again and compares."
            )
        ),
    )


def _solo() -> str:
    return say(
        _(
            "A game of one person against CPU players shows its game code from the start instead: there is nobody whom "
            "the site could favour but you. Its cards, too, follow from the code alone."
        )
    )


def _checked() -> tuple[str, ...]:
    return (
        say(_("The secret has the fingerprint that was shown, and it is the one that your browser was shown.")),
        say(_("Your own share is among the shares, unchanged.")),
        say(_("The game code follows from the secret and the shares, in the order of the seats.")),
        say(_("The first dealer and the pack of every deal follow from the game code.")),
        say(
            _(
                "The record of the game is in order: every pass, bid and card is one that the rules allowed then, "
                "and the scores lead to the result."
            )
        ),
    )


def _how() -> str:
    return say(
        _("“Check the deals” is at the end of a game and on its replay page. Your browser computes it all by itself.")
    )


def _example() -> Example:
    found = worked()
    rows = (
        (say(_("Secret")), literal(SECRET.hex())),
        (say(_("Fingerprint: SHA-256 of the secret")), literal(found.commitment)),
        *(
            (say(_("Share of seat %(seat)s"), seat=seat + 1), literal(nonce.hex()) if nonce else say(_("none")))
            for seat, nonce in enumerate(NONCES)
        ),
        (say(_("Message")), literal(found.message)),
        (say(_("HMAC-SHA-256 of the message with the secret as key")), literal(found.digest)),
        (say(_("Game code: its first 70 bits, between a table and a check character")), literal(found.code)),
        (say(_("First dealer")), say(_("seat %(seat)s"), seat=found.dealer + 1)),
        (
            say(_("First pack, its first %(count)s cards"), count=SHOWN),
            words.cards(found.pack[:SHOWN]),
        ),
    )
    table = Table("worked", say(_("From the secret to the cards")), (say(_("What")), say(_("Value"))), rows)
    return Example(
        "worked",
        say(_("Hearts with three people and a CPU player")),
        say(_("The CPU player in seat 3 gives no share. All values but the last two are hexadecimal or text.")),
        table,
        say(
            _(
                "The first card goes to the seat after the dealer, the next one to the seat after that, until all are "
                "dealt. Change one digit of the secret or of a share, and nothing of the rest stays the same."
            )
        ),
    )


def _shuffle() -> tuple[Items | Paragraph, ...]:
    start = f"moonshot-{verify.SHUFFLE_VERSION}"
    steps = (
        say(
            _(
                "Seed: the game code in upper case without hyphens and without its last character, 15 characters of "
                "ASCII."
            )
        ),
        say(
            _(
                "Stream: HMAC-SHA-256 with the seed as key, of the text %(first)s, then of %(second)s and so on, the "
                "results put end to end."
            ),
            first=literal("label|0"),
            second=literal("label|1"),
        ),
        say(
            _(
                "Drawing from n: take the next four bytes as a number, most significant byte first. If it is not "
                "below the greatest multiple of n within 4294967296, throw it away and take the next four. Else take "
                "the remainder of its division by n."
            )
        ),
        say(
            _(
                "First dealer: drawn from the number of players, with the label %(label)s. Seats count from 0, "
                "clockwise; the deal moves one seat on with every deal."
            ),
            label=literal(f"{start}|dealer"),
        ),
        say(
            _(
                "Pack: the cards of the table in order, clubs, diamonds, hearts, spades, each from two to ace. The "
                "label is %(label)s, where d is the number of the deal, from 1, and a that of the attempt, from 0 (it "
                "rises where a deal was called off)."
            ),
            label=literal(f"{start}|pack|d|a"),
        ),
        say(
            _(
                "Fisher and Yates: for i from the last place down to 1 (places count from 0) draw j from i + 1, and "
                "let the cards at i and j change places."
            )
        ),
        say(
            _(
                "Code of a sealed game: HMAC-SHA-256 with the secret as key, of %(label)s and the shares as hex in the "
                "order of the seats, put together with %(sign)s. Its first 70 bits, five at a time, are characters 2 "
                "to 15, out of %(alphabet)s. The first character names the table."
            ),
            label=literal(f"{start}|nonces|"),
            sign=literal("|"),
            alphabet=literal(verify.ALPHABET),
        ),
        say(
            _(
                "Last character: with each character as an element of GF(32), modulo x⁵ + x² + 1, the value that makes "
                "d1·x¹⁵ + d2·x¹⁴ + … + d15·x + d16 zero. It finds every single typing mistake."
            )
        ),
    )
    code = "4000-0000-0000-000K"
    seed = code.replace("-", "")[:-1].encode()
    vector = say(
        _(
            "To try your own program: the code %(code)s has the first dealer in seat %(dealer)s, counted from 0, and a "
            "pack that begins %(cards)s."
        ),
        code=literal(code),
        dealer=verify.first_dealer(seed, 4),
        cards=words.cards(verify.shuffle(seed, 1, 0)[:6]),
    )
    return Items(steps, ordered=True), Paragraph(vector)


def _by_yourself() -> tuple[Block, ...]:
    steps = (
        say(_("Save the game on its replay page as JSON.")),
        say(
            _(
                "Save the file %(file)s by the link below. It needs Python and nothing else, and is short enough to be "
                "read. From the source of this site the same file is made by %(command)s."
            ),
            file=literal("verify.py"),
            command=literal("python -m games.verify.build"),
        ),
        say(_("Run: %(command)s"), command=literal("python verify.py moonshot-1.json")),
        say(
            _(
                "It says OK, or what does not hold. Whoever runs the whole site has the same check, and one of the "
                "scores as well, as %(command)s."
            ),
            command=literal("manage.py verify_deal"),
        ),
    )
    return Items(steps, ordered=True), Download("verify_file", say(_("Save verify.py")))


def _limits() -> tuple[str, ...]:
    return (
        say(
            _(
                "A site in league with the player whose share comes last could try shares until the cards suit them. "
                "The site alone cannot, nor can players alone."
            )
        ),
        say(
            _(
                "If nobody gives a share, the site alone has decided the cards. That is why your browser gives one: "
                "your own share is enough for you."
            )
        ),
        say(
            _(
                "Whether the fingerprint was shown before the deal only those know who were at the table. Somebody who "
                "opens the replay later sees that everything fits together, not when it was shown."
            )
        ),
        say(
            _(
                "It says nothing about who saw which cards during the game, about players who tell each other their "
                "hands, or about how well a CPU player plays."
            )
        ),
        say(
            _(
                "The check in the browser is a program that this site has sent. If you do not trust it, use the file, "
                "or write your own."
            )
        ),
    )


def _questions() -> tuple[tuple[str, str], ...]:
    return (
        (
            say(_("Why do I see no game code while we play?")),
            say(_("It would tell all cards of the whole game. With several people it is shown when the game is over.")),
        ),
        (
            say(_("Can I play the same cards again?")),
            say(
                _(
                    "Yes: every finished game has its code, and “Same cards again” deals it against CPU players. Such "
                    "a game counts in no ranking, since its cards can be known."
                )
            ),
        ),
        (
            say(_("What if my connection fails while the cards are prepared?")),
            say(
                _(
                    "Your browser sends its share again when it is back. If that is too late, the game begins without "
                    "it, and you play all the same."
                )
            ),
        ),
    )
