"""What other apps may listen to. Sent inside the transaction that makes it true."""

from dataclasses import dataclass

from django.dispatch import Signal

#: A game has its result. Arguments: `game`.
game_finished = Signal()

#: A game has ended without a result. Arguments: `game`.
game_voided = Signal()

# --- questions, whose answers are what receivers return --------------------------------------------------------------

#: Somebody at a running game wants it to end without a result. Arguments: `game_id`, `user_id`. False: he may not.
void_vote = Signal()

#: A CPU would get the seat of somebody who has done nothing yet, before the first trick is complete. Arguments:
#: `game_id`, `user_id`. True: the game ends without a result instead.
never_played = Signal()

#: The site was down for very long. Arguments: `to_at`, when that was over. An answer has the ids of running games,
#: opened before, that cannot go on.
long_outage = Signal()

#: Somebody at a game that is over wants another. Arguments: `game_id`, `seat`. An answer is a `Following`, by whoever
#: the game belongs to; it may raise `Rejected`. Without one the site itself opens the next game.
rematch_asked = Signal()


@dataclass(frozen=True, slots=True)
class Following:
    """The game that follows another, or None while the others have not agreed to it."""

    game_id: int | None


#: The page of a table is made. Arguments: `game`. An answer is put into what the page knows (`boot`).
table_shown = Signal()
