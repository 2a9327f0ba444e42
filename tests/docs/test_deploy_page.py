"""docs/deploy.md and its Chinese twin say the same, and name what there is."""

from __future__ import annotations

import re
import shlex

import pytest

from deploy.words import ROOT, options_of
from pointsman.app.handover.wire import NAME
from pointsman.cli.event_loop import KEEP_ALIVE
from pointsman.config.schema import Server

PAGES = {tongue: ROOT / "docs" / name for tongue, name in (("en", "deploy.md"), ("zh", "deploy.zh-CN.md"))}
CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)

pytestmark = pytest.mark.skipif(not PAGES["en"].exists(), reason="the wheel is tested without the repository")


def text(tongue: str) -> str:
    return PAGES[tongue].read_text(encoding="utf-8")


def test_links_and_files_are_there() -> None:
    for tongue in PAGES:
        page = text(tongue)
        for name in re.findall(r"deploy/[\w./-]+\w", page):
            assert (ROOT / name).exists() or (ROOT / "docs" / name).exists(), name


def test_commands_are_known() -> None:
    for line in re.findall(r"^pointsman .*$", text("en"), re.MULTILINE):
        options_of(shlex.split(line)[1:])
    for flags in re.findall(r"`(--[\w -]+)`", text("en")):
        options_of(["serve", *(("--workers", "2") if flags == "--workers" else flags.split())])


def test_settings_are_there_and_are_as_the_page_says() -> None:
    config = (ROOT / "docs" / "config.md").read_text(encoding="utf-8")
    for key in re.findall(r"`((?:server|files|log|auth|jobs)\.[a-z_]+)`", text("en")):
        if not key.endswith((".sqlite", ".key")):
            assert f"`{key}" in config, key
    server = Server()
    assert (server.grace, server.linger) == ("10s", 0.5) and KEEP_ALIVE == 75
    assert NAME in text("en")
