"""What other apps may listen to. Sent inside the transaction that makes it true."""

from django.dispatch import Signal

#: A game has its result. Arguments: `game`.
game_finished = Signal()

#: A game was closed without a result. Arguments: `game`, and `reason`, one of `games.services.VOID_REASONS`.
game_voided = Signal()
