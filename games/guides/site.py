"""Privacy, terms and contact, in plain words."""

from __future__ import annotations

from games.rulebook.page import Items, Page, Section, Table
from games.rulebook.words import say
from games.rules.options import _


def privacy() -> Page:
    """What is stored and for how long."""
    rows = (
        (
            say(_("A visit")),
            say(_("Two cookies of one year: one protects forms, the other keeps your language if you choose one.")),
        ),
        (
            say(_("Playing as a guest")),
            say(
                _(
                    "A guest with a number for a name, your seats, and a cookie that ties them to this browser (one "
                    "year). No name, no address."
                )
            ),
        ),
        (
            say(_("Games")),
            say(
                _(
                    "Every action with its time: that is what the table, the replay and the statistics are made of. "
                    "Finished games are kept. Games of guests that were left unfinished for 30 days may be deleted."
                )
            ),
        ),
        (
            say(_("Who sees your games")),
            say(
                _(
                    "A finished game and the list of your finished games are open to everybody, under your name. Games "
                    "of a party that is found by its link only are for those who played them. Nothing of a running "
                    "game is shown."
                )
            ),
        ),
        (
            say(_("Recorded games that you open")),
            say(_("The record itself, for you alone, for 30 days; the latest twenty.")),
        ),
        (
            say(_("An account")),
            say(
                _(
                    "Display name, e-mail address, language, settings, ratings, and a password that not even we can "
                    "read. Kept until you close the account."
                )
            ),
        ),
        (
            say(_("Settings of the table")),
            say(_("Kept in your browser only, until you delete its data.")),
        ),
        (
            say(_("Reports")),
            say(_("What you report, of whom and when, for those who look after the site; as long as it is needed.")),
        ),
    )
    table = Table(
        "stored", say(_("What is stored, and for how long")), (say(_("Occasion")), say(_("What and how long"))), rows
    )
    never = (
        say(_("No advertising, no trackers, no statistics about visitors, nothing from other sites.")),
        say(_("The site keeps no list of visits. Its messages about faults hold no cards and no addresses.")),
        say(_("Nothing is sold or handed on.")),
    )
    yours = (
        say(_("You can have everything that is stored about you as a file.")),
        say(
            _(
                "You can close your account. Your name then goes from all games; the games themselves stay, since they "
                "are those of your opponents, too."
            )
        ),
    )
    return Page(
        say(_("Privacy")),
        say(_("What this site stores about you, for how long, and what it never does. In plain words.")),
        say(_("Little is stored, and this is all of it.")),
        (
            Section("stored", say(_("What is stored")), (table,)),
            Section("never", say(_("What never happens")), (Items(never),)),
            Section("yours", say(_("What you can ask for")), (Items(yours),)),
        ),
    )


def terms() -> Page:
    """What everyone who plays agrees to."""
    fair = (
        say(_("Play your own cards. Do not tell others at the table what you hold, by whatever way.")),
        say(_("One person, one account. Let no program play ranked games for you.")),
        say(_("Choose a name that insults nobody and pretends to be nobody else.")),
        say(_("Do not disturb the site or try to see what a seat may not see. If you find a fault, tell us.")),
    )
    ours = (
        say(_("Playing is free. There are no stakes and nothing to buy.")),
        say(_("Whoever spoils games for others may be muted, kept from ranked games, or shut out.")),
        say(_("A game that a fault has spoiled may be declared void; its ratings are then taken back.")),
        say(_("The site is run with care but without a promise that it is always there.")),
    )
    return Page(
        say(_("Terms of use")),
        say(_("What everyone who plays here agrees to. Short and in plain words.")),
        say(_("Whoever plays here agrees to this.")),
        (
            Section("fair", say(_("What we expect of you")), (Items(fair),)),
            Section("ours", say(_("What you may expect of us")), (Items(ours),)),
        ),
    )


def contact() -> Page:
    """How to reach whoever runs the site; the page adds the address, if one is set."""
    told = (
        say(_("About a player or a game: report it at the table, so that we know which one you mean.")),
        say(_("About a fault: tell us what you did, what you saw, and the number of the game in its address.")),
        say(_("About your data or your account: write from the address of the account.")),
    )
    return Page(
        say(_("Contact")),
        say(_("How to reach those who run this site, and what they need to know to help.")),
        say(_("We read everything and answer where an answer is wanted.")),
        (Section("how", say(_("What to write about")), (Items(told),)),),
    )
