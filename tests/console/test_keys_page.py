"""The page *Keys* over a real config: who there is, and a new key that is written, or offered."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from console.house import House, text_of
from console.test_entrance import READER
from pointsman.app.admission import quota_rules
from pointsman.app.build import build
from pointsman.app.console_keys import ConsoleKeys
from pointsman.config.load import load
from pointsman.console.keys.page import KeysPage
from pointsman.console.templates import Templates
from pointsman.console.visit import Route
from pointsman.domain.errors import PointsmanError
from pointsman.http.auth import hash_key
from pointsman.pipeline.quotas import Quotas
from pointsman.ports.clock import SystemClock

HASH = "sha256:" + "a" * 64
FILE = f"""# mine
models: {{}}
auth:   # who may
  keys:
    # the first
    - {{name: ops, hash: "{HASH}", admin: true, quota: {{requests: 60, concurrency: 4}}}}   # keep
    - name: desk
      hash: "{"sha256:" + "b" * 64}"
      console: read
# after
server: {{port: 8999}}
"""


class Desk:
    def __init__(self, folder: Path, text: str | None = FILE, *, here: bool = True) -> None:
        self.config = folder / "pointsman.yaml"
        if text is not None:
            self.config.write_text(text, encoding="utf-8")
        self.refuses = False
        self.setup = self.built()
        self.quotas = Quotas(SystemClock())
        self.quotas.install(quota_rules(self.setup.config))
        self.book = ConsoleKeys(lambda: self.setup, self.reload, self.quotas, folder / "data")
        self.house = House(self.pages, here=here)

    def built(self) -> Any:
        return build(load(self.config if self.config.exists() else None, None, {}))

    async def reload(self) -> dict[str, Any]:
        if self.refuses:
            raise PointsmanError("no room", status=400)
        before, self.setup = self.setup.policy.hash, self.built()
        return {"policy": self.setup.policy.hash, "before": before, "notes": []}

    def pages(self, templates: Templates) -> Iterable[Route]:
        return KeysPage(templates, self.book).routes()

    def make(self, tongue: Any = "en", **form: str) -> tuple[int, str]:
        reply = self.house.post("/ui/keys", form, tongue)
        return reply.status, html.unescape(text_of(reply))


def shown(page: str) -> str:
    found = re.search(r'id="the-key"[^>]*>(pm-[^<]+)<', page)
    assert found
    return found.group(1)


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_they_are_listed_with_what_they_may(tmp_path: Path, tongue: Any) -> None:
    page = text_of(Desk(tmp_path).house.get("/ui/keys", tongue))
    for part in ('href="/ui/requests?caller=ops"', ">desk</a>", "60", "0 "):
        assert part in page, part
    assert HASH not in page and ("change things here" if tongue == "en" else "调用，可修改") in page


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_a_new_one_is_shown_once_and_written_with_all_else_kept(tmp_path: Path, tongue: Any) -> None:
    desk = Desk(tmp_path)
    status, page = desk.make(tongue, name='Li "明"', role="staff", may="read")
    key = shown(page)
    new = f'    - name: "Li \\"明\\""\n      hash: "{hash_key(key)}"\n      role: "staff"\n      console: read\n'
    assert status == 200 and desk.config.read_text(encoding="utf-8") == FILE.replace("# after", new + "# after")
    assert [each.name for each in desk.setup.config.auth.keys] == ["ops", "desk", 'Li "明"']
    assert key not in text_of(desk.house.get("/ui/keys", tongue))
    assert not any(key in path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file())


def test_a_config_without_keys_gets_its_first(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "models: {}")
    assert "No key yet" in text_of(desk.house.get("/ui/keys"))
    desk.make(name="one", may="admin")
    assert desk.setup.config.auth.keys[0].admin
    assert desk.config.read_text(encoding="utf-8").startswith('models: {}\nauth:\n  keys:\n    - name: "one"\n')


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("auth:\n  keys: []   # none\nmodels: {}\n", 'auth:\n  keys:   # none\n    - name: "one"\n'),
        ("auth:\n  # here\n  loopback: open\n", 'auth:\n  keys:\n    - name: "one"\n'),
        ("auth:\n    keys: []", 'auth:\n    keys:\n      - name: "one"\n'),
    ],
)
def test_an_empty_list_gets_its_first(tmp_path: Path, text: str, begins: str) -> None:
    desk = Desk(tmp_path, text)
    assert "It works from now on" in desk.make(name="one")[1]
    assert desk.config.read_text(encoding="utf-8").startswith(begins)
    rest = desk.config.read_text(encoding="utf-8").partition('"\n')[2].partition('"\n')[2]
    assert rest == text.partition("# none\n" if "# none" in text else "auth:\n")[2].replace("    keys: []", "")


@pytest.mark.parametrize("text", ["models: {}\nauth: {keys: []}\n", "models: {}\nauth: {loopback: open}\n", None])
def test_where_it_cannot_be_written_the_lines_are_offered(tmp_path: Path, text: str | None) -> None:
    desk = Desk(tmp_path, text)
    status, page = desk.make(name="one")
    assert status == 200 and "does not work yet" in page and f'hash: "{hash_key(shown(page))}"' in page
    assert text is None or desk.config.read_text(encoding="utf-8") == text


def test_a_file_that_may_only_be_read_stays(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.config.chmod(0o444)
    _, page = desk.make(name="one")
    assert "may not be written" in page and desk.config.read_text(encoding="utf-8") == FILE


def test_what_the_gateway_refuses_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.refuses = True
    status, page = desk.make(name="one")
    assert status == 409 and "no room" in page and desk.config.read_text(encoding="utf-8") == FILE


def test_names_are_checked(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    status, page = desk.make(name="ops", role="kept")
    assert status == 409 and "already" in page and 'value="kept"' in page
    assert desk.make(name=" ")[0] == desk.make(name="a${HOME}")[0] == 400 and desk.make(name="anonymous")[0] == 409
    assert desk.config.read_text(encoding="utf-8") == FILE


def test_a_reader_sees_and_changes_nothing(tmp_path: Path) -> None:
    desk = Desk(tmp_path, here=False)
    desk.house.sign_in(READER)
    page = text_of(desk.house.get("/ui/keys"))
    assert "ops" in page and 'id="make"' not in page
    assert desk.make(name="one")[0] == 403 and desk.config.read_text(encoding="utf-8") == FILE
