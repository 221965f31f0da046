"""CPU players. They see views only: what a person in their seat would see, and nothing else.

What players of every kind share is in here; `games.kinds.cpu` asks the player of a kind.
"""

#: From weak to strong.
LEVELS = ("beginner", "normal", "expert")
