"""The three mistakes of a game: of what a player decided, that which has cost most by what the player could know.

Pure: it sees the log of a finished game, and of each decision the view that the seat had then, never a hidden card. The
same log, seat and seed give the same mistakes. `search.find` begins it; that module loads the compiled search of the
experts, so that only the worker that looks for mistakes imports it.
"""

from __future__ import annotations

#: Raised when mistakes are found in another way, so that what was found before is known to be old.
METHOD = 2
#: Mistakes that are told.
MOST = 3
