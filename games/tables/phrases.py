"""What players may say to each other: keys on the wire and in the database, sentences in each reader's language.

There is no free text at a table, so nobody has to be moderated and nobody reads what he cannot understand.
"""

from __future__ import annotations

from dataclasses import dataclass

from games.rules.options import _

#: Phrases that one seat may say in this many seconds; more would be noise.
MOST_PHRASES = 4
WITHIN_S = 12.0


@dataclass(frozen=True, slots=True)
class Phrase:
    """A sentence to choose. `group` is where it is offered: greeting, praise, reply, table, parting."""

    key: str
    group: str
    text: str


PHRASES: tuple[Phrase, ...] = (
    Phrase("good_game", "greeting", _("Have a good game")),
    Phrase("hello", "greeting", _("Hello")),
    Phrase("welcome_back", "greeting", _("Welcome back")),
    Phrase("first_time", "greeting", _("I am new to this game")),
    Phrase("nice_play", "praise", _("Nice play")),
    Phrase("great_bid", "praise", _("Great bid")),
    Phrase("well_defended", "praise", _("Well defended")),
    Phrase("what_a_moon", "praise", _("What a moon!")),
    Phrase("lucky", "praise", _("Lucky me")),
    Phrase("unlucky", "praise", _("Bad luck")),
    Phrase("thanks", "reply", _("Thank you")),
    Phrase("sorry", "reply", _("Sorry")),
    Phrase("my_mistake", "reply", _("My mistake")),
    Phrase("no_problem", "reply", _("No problem")),
    Phrase("yes", "reply", _("Yes")),
    Phrase("no", "reply", _("No")),
    Phrase("thinking", "table", _("Let me think")),
    Phrase("please_wait", "table", _("One moment, please")),
    Phrase("take_your_time", "table", _("Take your time")),
    Phrase("your_turn", "table", _("It is your turn")),
    Phrase("oh_no", "table", _("Oh no, the queen!")),
    Phrase("close_game", "table", _("What a close game")),
    Phrase("thank_you_game", "parting", _("Thank you for the game")),
    Phrase("again", "parting", _("Once more?")),
    Phrase("have_to_go", "parting", _("I have to go")),
    Phrase("goodbye", "parting", _("Goodbye")),
)
KEYS = frozenset(phrase.key for phrase in PHRASES)
#: What the table offers by itself, before the first card and after the last.
AT_START = "good_game"
AT_END = "thank_you_game"
