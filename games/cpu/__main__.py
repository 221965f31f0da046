"""A CPU player for other programs: `python -m games.cpu` runs `games.programs.cpu_player`, which needs more than this
folder may know."""

from runpy import run_module

run_module("games.programs.cpu_player", run_name="__main__", alter_sys=True)
