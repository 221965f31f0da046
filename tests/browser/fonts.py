"""The fonts that pages are measured in: they come with the packages of the tests, and Chromium is shown no others.

What a page's texts take depends on the fonts of the machine, so layouts that fit on one would be too long on another.
Chromium on Linux asks fontconfig, which reads a file of ours instead of the machine's own. On macOS it asks the
system, which has the same fonts everywhere.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from xml.sax.saxutils import escape

from playwright.sync_api import Page

LATIN, MONO, JAPANESE, JAPANESE_SERIF = "Noto Sans", "Roboto Mono", "Noto Sans JP", "Noto Serif JP"
PACKAGES = ("fontpkg_noto_sans", "fontpkg_roboto_mono", "pylopdf_fonts_jp")
ARE_OURS = sys.platform == "linux"

#: What the generic families of CSS stand for. Families that are named for other systems are not found, as intended.
GENERIC = {
    "sans-serif": (LATIN, JAPANESE),
    "serif": (JAPANESE_SERIF,),
    "monospace": (MONO, JAPANESE),
}

# A request without a generic family, as for `system-ui`, would get whichever font is listed first.
FILE = """\
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
{folders}
  <cachedir>{cache}</cachedir>
  <match target="pattern">
    <test qual="all" name="family" compare="not_eq"><string>sans-serif</string></test>
    <test qual="all" name="family" compare="not_eq"><string>serif</string></test>
    <test qual="all" name="family" compare="not_eq"><string>monospace</string></test>
    <edit name="family" mode="append_last"><string>sans-serif</string></edit>
  </match>
{aliases}
</fontconfig>
"""


def write_configuration(folder: Path) -> Path:
    """Writes the file that fontconfig is to read, and returns it. Raises ModuleNotFoundError for a missing package."""
    folders = [f"  <dir>{escape(str(_folder_of(package)))}</dir>" for package in PACKAGES]
    aliases = [
        f'  <alias binding="same"><family>{generic}</family>'
        f"<prefer>{''.join(f'<family>{family}</family>' for family in families)}</prefer></alias>"
        for generic, families in GENERIC.items()
    ]
    file, new = folder / "fonts.conf", folder / f"fonts.conf.{os.getpid()}"
    new.write_text(
        FILE.format(folders="\n".join(folders), cache=escape(str(folder / "fonts.cache")), aliases="\n".join(aliases))
    )
    new.replace(file)
    return file


def shown(page: Page, selector: str) -> set[str]:
    """The families that the text of an element, and of all within it, is really drawn in, as Chromium says."""
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    node = session.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
    used = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    session.detach()
    return {font["familyName"] for font in used}


def _folder_of(package: str) -> Path:
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(f"The fonts of the package {package} are missing: install it again.", name=package)
    return Path(found.origin).parent
