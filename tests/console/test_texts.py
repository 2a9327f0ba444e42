"""Every text of the console stands there in both languages, and nothing of a page is said in one alone."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest
from jinja2 import Environment, nodes

import pointsman.console
from pointsman.console.shell import KEYS, PLACES
from pointsman.domain.said import Said

TEMPLATES = Path(pointsman.console.__file__).parent / "templates"
PAGES = sorted(path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*.html"))
_HAN = re.compile(r"[\u3400-\u9fff]")
_TAGS = re.compile(r"<(script|style|code|kbd|pre)\b.*?</\1>|<[^>]*>?|^[^<]*>|&\w+;", re.DOTALL)
_NAMES = {"TTFT", "p50", "p95", "English", "中文", "Pointsman", "curl", "ms", "×"}
"""What is the same in both languages."""


def texts(template: str) -> list[tuple[str, str, set[str]]]:
    tree = Environment(extensions=[]).parse((TEMPLATES / template).read_text(encoding="utf-8"))
    found = []
    for call in tree.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name == "t":
            assert len(call.args) == 2, f"{template}:{call.lineno}: t() takes both languages"
            en, zh = (arg.as_const() for arg in call.args)
            found.append((en, zh, {slot.key for slot in call.kwargs}))
    return found


def slots(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("template", PAGES)
def test_both_languages_say_it(template: str) -> None:
    for en, zh, given in texts(template):
        assert en.strip() and zh.strip()
        assert not _HAN.search(en), en
        assert _HAN.search(zh) or zh in ("token",), zh
        assert slots(en) == slots(zh) == given, (en, zh)
        assert "<" not in en + zh, "markup goes into a slot"


@pytest.mark.parametrize("template", PAGES)
def test_nothing_is_said_in_one_language_alone(template: str) -> None:
    source = (TEMPLATES / template).read_text(encoding="utf-8")
    source = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", " ", source, flags=re.DOTALL)
    plain = _TAGS.sub(" ", source)
    words = set(re.findall(r"[A-Za-z\u3400-\u9fff][\w\u3400-\u9fff]*", plain)) - _NAMES
    assert words <= _NAMES, words


@pytest.mark.parametrize("template", PAGES)
def test_a_page_has_no_style_and_no_script_of_its_own(template: str) -> None:
    source = (TEMPLATES / template).read_text(encoding="utf-8")
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\bsrc=)|hx-on|javascript:", source)


def test_the_menu_and_the_keys_too() -> None:
    said = [*(place.title for place in PLACES), *(key.does for key in KEYS)]
    assert all(isinstance(text, Said) and _HAN.search(text.zh) for text in said)
    assert len({place.key for place in PLACES}) == len(PLACES)
    assert len({place.name for place in PLACES}) == len(PLACES)
