"""Pages from templates. Every text in one stands there in both languages: `t("English", "中文", slot=value)`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pointsman.console import figures_shown
from pointsman.console.shell import KEYS, PLACES, Shell
from pointsman.console.static_files import StaticFiles
from pointsman.console.visit import HTML, Headers, Reply, Visit
from pointsman.domain.said import Tongue, in_zh, told

_FOLDER = Path(__file__).parent / "templates"


class Templates:
    """`shell` is as of now; `has` says which paths have a page."""

    def __init__(self, files: StaticFiles, shell: Callable[[], Shell], has: Callable[[str], bool]) -> None:
        self._files = files
        self._shell = shell
        self._has = has
        self._env = Environment(
            loader=FileSystemLoader(_FOLDER),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            cache_size=-1,
        )
        self._env.globals.update(asset=files.url, has=has)
        self._env.filters.update(figures_shown.FILTERS)

    def page(
        self,
        template: str,
        visit: Visit,
        *,
        place: str = "",
        status: int = 200,
        headers: Headers = (),
        **values: Any,
    ) -> Reply:
        """`place` is the entry of the menu that it belongs to."""
        return Reply(self.part(template, visit, place=place, **values), status, HTML, headers)

    def part(self, template: str, visit: Visit, **values: Any) -> bytes:
        """A page, or a piece of one, in the visitor's language."""
        shell = self._shell()
        places = [each for each in PLACES if self._has(each.path)]
        seen = {**self._words(visit.tongue, shell.zone), "visit": visit, "shell": shell, "places": places, "keys": KEYS}
        return self._rendered(template, seen, values)

    def piece(self, template: str, tongue: Tongue, **values: Any) -> bytes:
        """The same for nobody in particular: what all of that language see alike."""
        return self._rendered(template, self._words(tongue, self._shell().zone), values)

    def _rendered(self, template: str, seen: dict[str, Any], values: dict[str, Any]) -> bytes:
        """`marks` has the macros that all pages share."""
        marks = self._env.get_template("parts/marks.html").make_module(seen)
        text = self._env.get_template(template).render(seen, marks=marks, **values)
        return text.encode("utf-8", "replace")

    def _words(self, tongue: Tongue, zone: str) -> dict[str, Any]:
        """What templates say things with: `t`, `say` for what is `Said` already, `clock` and `day` for moments (seconds
        since the epoch)."""
        return {
            "t": partial(_texts, tongue),
            "say": partial(told, tongue=tongue),
            "tongue": tongue,
            "clock": partial(_clock, _zone(zone)),
            "day": partial(_day, _zone(zone), tongue),
        }


def _texts(tongue: Tongue, en: str, zh: str, **slots: Any) -> Markup:
    """The text in that language. What is filled in is escaped, unless it is markup itself."""
    values: Mapping[str, Any] = {name: in_zh(value) for name, value in slots.items()} if tongue == "zh" else slots
    return Markup(zh if tongue == "zh" else en).format(**values)  # noqa: S704 - a text of ours, from a template


def _zone(name: str) -> ZoneInfo | timezone:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return UTC


def _clock(zone: ZoneInfo | timezone, at: float) -> Markup:
    """The time of day, with its date where that is not today's."""
    then, today = datetime.fromtimestamp(at, zone), datetime.fromtimestamp(time.time(), zone).date()
    shown = then.strftime("%H:%M:%S" if then.date() == today else "%m-%d %H:%M:%S")
    return Markup('<time datetime="{}">{}</time>').format(then.isoformat(timespec="milliseconds"), shown)


def _day(zone: ZoneInfo | timezone, tongue: Tongue, at: float) -> Markup:
    """Date and time in full."""
    then = datetime.fromtimestamp(at, zone)
    if tongue == "zh":
        shown = f"{then.year}年{then.month}月{then.day}日 {then:%H:%M:%S}"
    else:
        shown = f"{then.day} {then:%B %Y, %H:%M:%S}"
    return Markup('<time datetime="{}">{}</time>').format(then.isoformat(timespec="milliseconds"), shown)
