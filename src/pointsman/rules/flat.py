"""The flat form of a rule:

    - id: export_pdf
      pattern: [导出, 生成, PDF, 报表, 文档]     # at least `min_hits` (default 2) distinct ones
      time_keywords: [今天, 昨天, Q1]            # each context list: at least one
      code_extensions: [.py, .js]
      action: export_pdf
      priority: 95

`pattern` as a plain any-of would fire on 今天生成一首诗, hence the two. A negated request never matches.
"""

from __future__ import annotations

from typing import Any

from pointsman.domain.rule import Group, Term, TermKind
from pointsman.domain.said import said
from pointsman.rules.fields import Notes
from pointsman.rules.groups import distinct, make_term

_CONTEXTS: tuple[tuple[str, TermKind], ...] = (("_keywords", "word"), ("_extensions", "extension"))
FLAT_KEYS = ("pattern", "min_hits", "<name>_keywords", "<name>_extensions")
_MIN_HITS = 2


def context_kind(key: object) -> TermKind | None:
    """What the terms of a context list are, or None where the key names no context list."""
    if isinstance(key, str):
        for ending, kind in _CONTEXTS:
            if key.endswith(ending) and key != ending:
                return kind
    return None


def is_flat(rule: dict[Any, Any]) -> bool:
    return "pattern" in rule or any(context_kind(key) for key in rule)


def read_flat(notes: Notes, path: str, rule: dict[Any, Any]) -> tuple[Group, ...]:
    """The groups of a flat rule: `pattern` first, then each context list under its name without the ending."""
    groups: list[Group] = []
    if "pattern" in rule:
        before = len(notes.problems)
        terms = _terms(notes, f"{path}.pattern", rule["pattern"], "word")
        sound = len(notes.problems) == before
        least: int | None = min(_MIN_HITS, distinct(terms))
        if sound and "min_hits" in rule:
            least = notes.number(f"{path}.min_hits", rule["min_hits"], 1, distinct(terms))
        if terms and least:
            groups.append(Group("pattern", terms, least))
    else:
        notes.wrong(path, said("`pattern` is missing", "缺少 `pattern`"), ", ".join(FLAT_KEYS))
    for key, value in rule.items():
        kind = context_kind(key)
        if kind is None:
            continue
        terms = _terms(notes, f"{path}.{key}", value, kind)
        name = key.rsplit("_", 1)[0]
        if any(group.name == name for group in groups):
            name = key
        if terms:
            groups.append(Group(name, terms))
    return tuple(groups)


def _terms(notes: Notes, path: str, value: Any, kind: TermKind) -> tuple[Term, ...]:
    texts = [
        (f"{path}[{place}]", notes.text(f"{path}[{place}]", item))
        for place, item in enumerate(notes.sequence(path, value) or ())
    ]
    terms = [make_term(notes, place, kind, text) for place, text in texts if text is not None]
    return tuple(term for term in terms if term is not None)
