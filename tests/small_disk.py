"""A disk of a set size, for tests of a full one: a folder that is such a disk for the processes that are started there.

It is a tmpfs in a mount namespace of its own, so nothing of it is left once its processes are gone. Root makes one
without more ado, an ordinary user inside a user namespace. That takes Linux, and a system that allows it: elsewhere
NoDisk says so.

    python small_disk.py FOLDER MEGABYTES         makes one, and holds it until standard input ends
    python small_disk.py --within PROCESS COMMAND ...  runs a command where that process is
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

NEW_MOUNTS, NEW_USERS = 0x00020000, 0x10000000  # CLONE_NEWNS, CLONE_NEWUSER
RECURSIVE, PRIVATE = 0x4000, 0x40000  # MS_REC, MS_PRIVATE


class NoDisk(Exception):
    """The message says what is missing."""


@dataclass(frozen=True)
class SmallDisk:
    """`within` goes before the command of a process that is to have the disk; `place` is its folder, seen from here."""

    within: tuple[str, ...]
    place: Path


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[SmallDisk]:
    command = [sys.executable, __file__, str(folder), str(megabytes)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        if (said := holder.stdout.readline().strip()) != "ready":
            raise NoDisk(f"A small disk for this test cannot be made here: {said or 'no word why'}.")
        number = str(holder.pid)
        yield SmallDisk((sys.executable, __file__, "--within", number), Path(f"/proc/{number}/root{folder}"))


def hold(folder: str, megabytes: int) -> None:
    users = 0 if os.geteuid() == 0 else NEW_USERS
    uid, gid = os.geteuid(), os.getegid()
    try:
        _call("unshare", users | NEW_MOUNTS)
        if users:
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
            Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
        _call("mount", b"none", b"/", None, RECURSIVE | PRIVATE, None)
        _call("mount", b"none", os.fsencode(folder), b"tmpfs", 0, f"size={megabytes}m".encode())
    except AttributeError:
        said = "it takes Linux"
    except OSError as error:
        who = "an ordinary user may have no namespaces of his own" if users else "root may mount nothing"
        said = f"{who} ({error.strerror})"
    else:
        said = "ready"
    sys.stdout.write(f"{said}\n")
    sys.stdout.flush()
    sys.stdin.read()


def run_within(number: int, command: list[str]) -> None:
    spaces, here = Path(f"/proc/{number}/ns"), Path.cwd()
    for name in ("user", "mnt"):
        if (spaces / name).stat().st_ino != Path("/proc/self/ns", name).stat().st_ino:
            descriptor = os.open(spaces / name, os.O_RDONLY)
            _call("setns", descriptor, 0)
            os.close(descriptor)
    os.chdir(here)
    os.execvp(command[0], command)


def _call(name: str, *arguments: object) -> None:
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    if sys.argv[1] == "--within":
        run_within(int(sys.argv[2]), sys.argv[3:])
    else:
        hold(sys.argv[1], int(sys.argv[2]))
