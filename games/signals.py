"""What other apps may listen to. Sent inside the transaction that makes it true."""

from django.dispatch import Signal

#: A game has its result. Arguments: `game`.
game_finished = Signal()

#: A game has ended without a result. Arguments: `game`.
game_voided = Signal()
