#!/usr/bin/env python
"""Django's command line for this site, and `play`, which needs nothing to be set. README.md says how to use both."""

import os
import sys
from pathlib import Path


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        if sys.argv[1:] == ["play"]:
            from config.play import main as play

            sys.exit(play())
        from django.core.management import execute_from_command_line

        execute_from_command_line(sys.argv)
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if Path(__file__).with_name(package).exists():
            raise  # a fault of ours
        sys.exit(f"A package is missing: {missing}. `make clean` and `make play` install all of them again.")


if __name__ == "__main__":
    main()
