"""`manage.py presets`: one line and an exit status, and a broken file changes nothing."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from games.models import PresetVersion, RulePreset
from games.presets import services as preset_store
from ladder.models import Ladder

pytestmark = pytest.mark.usefixtures("transactional_db")


def said(*args: str, **more: Any) -> str:
    out = io.StringIO()
    call_command("presets", *args, stdout=out, **more)
    return out.getvalue()


def test_everything_is_exported_and_comes_back_as_before(tmp_path: Path) -> None:
    file = tmp_path / "presets.json"
    assert said("export", "--output", str(file)) == f"9 presets exported to {file}.\n"
    assert file.read_text() == said("export") == preset_store.export(RulePreset.objects.all())
    assert said("import", str(file)) == "9 presets: 0 new, 0 with a new version, 0 changed, 9 as before.\n"
    Ladder.objects.all().delete()  # they keep what they are played by
    RulePreset.objects.all().delete()
    assert said("import", str(file)) == "9 presets: 9 new, 0 with a new version, 0 changed, 0 as before.\n"
    assert said("export") == file.read_text()


def test_some_are_exported_by_name() -> None:
    found = json.loads(said("export", "spades-short", "hearts-short"))
    assert [item["slug"] for item in found["presets"]] == ["hearts-short", "spades-short"]
    with pytest.raises(CommandError, match=r"There is no preset of the short name none\."):
        said("export", "none")


def test_a_dry_run_says_what_would_change_and_stores_nothing(tmp_path: Path) -> None:
    data = json.loads(said("export"))
    data["presets"][0]["options"]["end_score"] = 44
    data["presets"][1]["name"] = "Other"
    file = tmp_path / "presets.json"
    file.write_text(json.dumps(data))
    line = "9 presets: 0 new, 1 with a new version, 1 changed, 7 as before."
    assert said("import", str(file), "--dry-run") == f"{line} Nothing was stored.\n"
    assert PresetVersion.objects.count() == 9
    assert said("import", str(file)) == f"{line}\n"
    assert PresetVersion.objects.count() == 10


def test_a_broken_file_is_one_line_with_the_place_and_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "presets.json"
    data = json.loads(said("export"))
    data["presets"][0]["name"] = "Changed"
    data["presets"][5]["options"] = {"joker": 1}
    file.write_text(json.dumps(data))
    before = said("export")
    for more in ((), ("--dry-run",)):
        with pytest.raises(CommandError) as caught:
            said("import", str(file), *more)
        assert str(caught.value) == "Nothing was imported. presets[5].options.joker: There is no such option."
        assert caught.value.returncode == 1
    assert said("export") == before
    with pytest.raises(CommandError, match=r"cannot be read: No such file or directory\.$"):
        said("import", str(tmp_path / "none"))
    with pytest.raises(CommandError, match=r"cannot be written: Is a directory\.$"):
        said("export", "--output", str(tmp_path))


def test_standard_input_is_a_file_too(monkeypatch: pytest.MonkeyPatch) -> None:
    text = said("export")

    class Input:
        buffer = io.BytesIO(text.encode())

    monkeypatch.setattr(sys, "stdin", Input)
    assert "9 as before" in said("import", "-")
