"""The referee: `python -m games.rules` runs `games.programs.referee`, which needs more than this folder may know."""

from runpy import run_module

run_module("games.programs.referee", run_name="__main__", alter_sys=True)
