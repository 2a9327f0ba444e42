"""用董事会模板, in the board template: which look a report is to have, by words or by who asks."""

from __future__ import annotations

import functools
from collections.abc import Iterable

import re2

from pointsman.domain.report import ReportSpec, TemplateSpec
from pointsman.periods.fold import fold
from pointsman.planning.words import Remaining

_NOUN_ZH = r"(?:模板|模版|版式|抬头|样式)"
_NOUN_EN = r"(?:template|layout|letterhead|style|design)"
_LEAD_ZH = r"(?:使用|套用|采用|用|按照?|以)?"
_LEAD_EN = r"(?:(?:with|in|using|on|use|on)\s+)?(?:(?:the|our|a)\s+)?"


def words_of(template: TemplateSpec) -> tuple[str, ...]:
    """What the template is called, folded; the longest first."""
    return tuple(sorted({fold(word) for word in (template.name, *template.words) if word.strip()}, key=len)[::-1])


def take_template(remaining: Remaining, templates: Iterable[TemplateSpec]) -> tuple[str | None, bool]:
    """Strikes the words that name a template and its noun. The name, and whether two were named (then none is)."""
    found: dict[str, None] = {}
    for template in templates:
        for word in words_of(template):
            for match in _named(word).finditer(remaining.left) if word in remaining.text else ():
                remaining.strike(*match.span())
                found[template.name] = None
    return (next(iter(found)), False) if len(found) == 1 else (None, len(found) > 1)


@functools.lru_cache(maxsize=1024)
def _named(word: str) -> re2._Regexp:
    quoted = rf"[“\"'「]?{re2.escape(word)}[”\"'」]?"
    return re2.compile(
        rf"{_LEAD_ZH} ?{quoted} ?的? ?{_NOUN_ZH}|\b{_LEAD_EN}{quoted}\s+{_NOUN_EN}\b|{_NOUN_EN}\s+{quoted}"
    )


def template_for(
    spec: ReportSpec, user: str | None, key: str | None, group: str | None, role: str | None
) -> str | None:
    """The name of the template that is meant for who asks: by user, else key, else group, else role; of several the first in
    the config. Else that of the report, else the default one. None: the built-in look."""
    for who, whose in ((user, "users"), (key, "keys"), (group, "groups"), (role, "roles")):
        for template in spec.templates if who else ():
            if who in getattr(template, whose):
                return template.name
    return spec.template or next((template.name for template in spec.templates if template.default), None)
