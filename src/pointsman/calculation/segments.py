"""A run of Latin letters as what it can stand for: a function, a variable, a unit, or several of them (xsinx, 4ac)."""

from __future__ import annotations

from typing import Any

import re2

from pointsman.calculation.tree import NotUnderstood
from pointsman.calculation.units import AMBIGUOUS, UNITS
from pointsman.calculation.words import FUNCTIONS, GREEK
from pointsman.domain.said import said

_PRODUCT: Any = re2.compile(
    r"[a-zA-Z]?[xyz]{1,3}|[xyz]?[a-cmnkp]?t|ab|bc|ac|abc|ad|cd|bd|mn|pq|uv|st|rs|kt|mc|mv|mgh|mg|gh|RT|nRT|PV|nR|xyzt|xyt"
)
_NO_PRODUCT = frozenset(
    [
        "by",
        "my",
        "dy",
        "dx",
        "dz",
        "ox",
        "ex",
        "hy",
        "sky",
        "any",
        "why",
        "fly",
        "try",
        "dry",
        "box",
        "fox",
        "at",
        "it",
        "et",
        "ty",
        "Ty",
        "By",
        "My",
        "pt",
        "ct",
        "kt",
        "nt",
        "st",
        "xt",
        "yt",
    ]
)
_RESTS = frozenset("xyztnuvkab")
_ENGLISH = frozenset(
    [
        "since",
        "single",
        "sink",
        "sing",
        "sinks",
        "cost",
        "costs",
        "tank",
        "tanks",
        "logic",
        "login",
        "logs",
        "logo",
        "thin",
        "than",
        "that",
        "this",
        "then",
        "them",
        "they",
        "expand",
        "expect",
        "expert",
        "exp",
        "cosmic",
        "minus",
        "minute",
        "minutes",
        "maxim",
        "secant",
        "text",
        "texts",
        "absent",
        "absolute",
        "remain",
        "signal",
        "argument",
        "detail",
        "details",
        "lnk",
        "chat",
        "check",
        "each",
        "such",
        "much",
        "which",
        "when",
        "what",
        "where",
        "shall",
        "show",
        "shy",
        "thank",
        "thx",
    ]
)
_SPLITTERS = sorted((name for name in FUNCTIONS if len(name) >= 2 and name.isalpha()), key=len, reverse=True)


def segmented(run: str) -> list[tuple[str, str]]:
    """[(kind, meaning)] of a run. Raises NotUnderstood where it is a word that means nothing here."""
    if run in FUNCTIONS:
        return [("fn", FUNCTIONS[run])]
    if run in ("pi", "Pi", "PI"):
        return [("const", "pi")]
    if run == "lim":
        return [("lim", "lim")]
    if len(run) == 1:
        return [("const", run)] if run in "ei" else [("name", run)]
    if run == "oo":
        return [("const", "oo")]
    if run in ("int", "sum", "prod"):
        return [("op", {"int": "∫", "sum": "∑", "prod": "∏"}[run])]
    if len(run) == 2 and run[0] == "d" and run[1] in "xyztuvrsθwp":
        return [("diff", run[1])]
    if run in UNITS and run not in AMBIGUOUS:
        return [("unit", run)]
    if run in GREEK:
        return [("name", run)]
    if run in UNITS:
        return [("maybe_unit", run)]
    if run.lower() in FUNCTIONS and run.lower() != run:
        return [("fn", FUNCTIONS[run.lower()])]
    if run.lower() in UNITS and len(run) > 3:
        return [("unit", run.lower())]
    if run not in _ENGLISH and (split := _split(run)):
        return split
    if _PRODUCT.fullmatch(run) and run not in _NO_PRODUCT:
        return [("const", c) if c in "ei" else ("name", c) for c in run]
    raise NotUnderstood(said("“{it}” was not understood", "没有看懂“{it}”", it=run[:40]))


def _split(run: str) -> list[tuple[str, str]] | None:
    """sinx, xsinx, sinxcosx, lnx, xexp: at least one function; what is between is single variables, two at most."""
    parts: list[tuple[str, str]] = []
    at, letters, functions = 0, 0, 0
    while at < len(run):
        name = next((name for name in _SPLITTERS if run.startswith(name, at)), None)
        if name is not None:
            parts.append(("fn", FUNCTIONS[name]))
            at, letters, functions = at + len(name), 0, functions + 1
            continue
        if run.startswith("pi", at):
            parts.append(("const", "pi"))
            at += 2
            continue
        letters += 1
        if run[at] not in _RESTS or letters > 2:
            return None
        parts.append(("name", run[at]))
        at += 1
    return parts if functions else None
