"""A key taken back on the page *Keys*: its lines out of the config, all else kept; or the difference offered."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest

from console.house import text_of
from console.test_entrance import ADMIN, READER, hashed
from console.test_keys_page import FILE, Desk
from pointsman.console.edits.writing import read_text
from pointsman.console.keys.in_file import without_key
from pointsman.domain.errors import PointsmanError

DESK = f"""    - name: desk
      hash: "{"sha256:" + "b" * 64}"
      console: read
"""


def asked(desk: Desk, name: str, tongue: Any = "en") -> tuple[str, str]:
    """The page that asks, and the mark of the file that it shows."""
    page = html.unescape(text_of(desk.house.get(f"/ui/keys/take-back?name={name}", tongue)))
    found = re.search(r'name="mark" value="(\w+)"', page)
    return page, found.group(1) if found else ""


def taken_back(desk: Desk, name: str, mark: str, tongue: Any = "en") -> tuple[int, str]:
    reply = desk.house.post("/ui/keys/take-back", {"name": name, "mark": mark}, tongue)
    return reply.status, html.unescape(text_of(reply))


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_its_lines_go_and_all_else_stays(tmp_path: Path, tongue: Any) -> None:
    desk = Desk(tmp_path)
    page, mark = asked(desk, "desk", tongue)
    assert "-    - name: desk" in page and ("signed out" if tongue == "en" else "退出登录") in page
    assert desk.config.read_text(encoding="utf-8") == FILE
    status, page = taken_back(desk, "desk", mark, tongue)
    assert status == 200 and ("is taken back" if tongue == "en" else "已收回") in page and "-    - name: desk" in page
    assert desk.config.read_text(encoding="utf-8") == FILE.replace(DESK, "")
    assert [key.name for key in desk.setup.config.auth.keys] == ["ops"]
    assert taken_back(desk, "desk", mark)[0] == 404 and asked(desk, "nobody")[1] == ""


def test_the_last_one_leaves_an_empty_list(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for name in ("desk", "ops"):
        status, page = taken_back(desk, name, asked(desk, name)[1])
        assert status == 200, page
    text = desk.config.read_text(encoding="utf-8")
    assert "  keys: []\n" in text and "# the first" in text and desk.setup.config.auth.keys == []
    assert "It works from now on" in desk.make(name="one")[1]
    assert [key.name for key in desk.setup.config.auth.keys] == ["one"]


def test_what_follows_is_said_before(tmp_path: Path) -> None:
    text = f"auth:\n  loopback: key\n  keys:\n    - name: ops\n      hash: '{hashed(ADMIN)}'\n      admin: true\n"
    desk = Desk(tmp_path, text, here=False)
    desk.house.sign_in(ADMIN)
    page, _ = asked(desk, "ops")
    assert "signs you out" in page and "nobody can change anything" in page
    desk = Desk(tmp_path, text.replace("  loopback: key\n", ""))
    page, _ = asked(desk, "ops")
    assert "signs you out" not in page and "only this machine" in page


def test_nothing_is_taken_from_a_file_that_changed_meanwhile(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    _, mark = asked(desk, "desk")
    desk.config.write_text(FILE + "# more\n", encoding="utf-8")
    status, page = taken_back(desk, "desk", mark)
    assert status == 409 and "meanwhile" in page and desk.config.read_text(encoding="utf-8") == FILE + "# more\n"
    assert taken_back(desk, "desk", asked(desk, "desk")[1])[0] == 200


def test_what_the_gateway_refuses_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    _, mark = asked(desk, "desk")
    desk.refuses = True
    status, page = taken_back(desk, "desk", mark)
    assert status == 409 and "no room" in page and desk.config.read_text(encoding="utf-8") == FILE


def test_where_it_cannot_be_written_the_difference_is_offered(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.config.chmod(0o444)
    page, mark = asked(desk, "desk")
    assert "may not be written" in page and "-    - name: desk" in page and 'id="take-back"' not in page
    assert taken_back(desk, "desk", mark)[0] == 409 and desk.config.read_text(encoding="utf-8") == FILE


def test_a_list_in_brackets_is_left_to_its_owner(tmp_path: Path) -> None:
    desk = Desk(tmp_path, f'auth: {{keys: [{{name: ops, hash: "{hashed(ADMIN)}", admin: true}}]}}\n')
    page, _ = asked(desk, "ops")
    assert "Delete the entry named ops" in page and 'id="take-back"' not in page


def test_a_reader_takes_nothing_back(tmp_path: Path) -> None:
    desk = Desk(tmp_path, here=False)
    desk.house.sign_in(READER)
    assert "take-back" not in text_of(desk.house.get("/ui/keys"))
    assert desk.house.get("/ui/keys/take-back?name=desk").status == 403
    assert taken_back(desk, "desk", read_text(desk.config).mark)[0] == 403


@pytest.mark.parametrize(
    "text",
    [
        "auth: {keys: [{name: a}]}\n",
        "auth:\n  keys:\n    - name: a\n    - name: a\n",
        "auth:\n  keys:\n    - &one\n      name: a\n    - *one\n",
        "auth:\n  keys:\n    - name: ${NAME}\n",
        "keys:\n  - name: a\n",
    ],
)
def test_what_is_not_in_lines_of_its_own_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PointsmanError):
        without_key(read_text(path), "a")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("auth:\n  keys:   # who\n    - {name: a}   # one\na: {}\n", "auth:\n  keys: []   # who\na: {}\n"),
        ("auth:\r\n  keys:\r\n  - name: a\r\n  - name: b\r\n", "auth:\r\n  keys:\r\n  - name: b\r\n"),
        ("auth:\n  keys:\n    - name: b\n    - name: a", "auth:\n  keys:\n    - name: b\n"),
    ],
)
def test_only_its_lines_go(tmp_path: Path, text: str, left: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(text.encode())
    assert without_key(read_text(path), "a") == left
