"""The check from the source: `python -m games.verify FILE` does what the one file `verify.py` does.

It builds that file and runs it, so it needs none of the packages that the modules beside the checks need.
"""

from __future__ import annotations

from games.verify import build

if __name__ == "__main__":
    code = compile(build.source(build.files_of_the_kinds()), "verify.py", "exec")
    exec(code, {"__name__": "__main__"})
