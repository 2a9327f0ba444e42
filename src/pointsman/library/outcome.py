"""What rules say of a text, in the terms of a program that calls them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pointsman.domain.decision import Mark, Match, Risk
from pointsman.domain.said import Tongue


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What the rules say of one text. Nothing has been carried out.

    `taken`: a rule answers, refuses or names an action, so that no model is needed. `action` is then `answer`, `refuse` or
    the name of the action. A rule that only steers has `taken` False, `action` `route`, and `task`, `target`, `body` in
    `parameters`. `text` is what to reply where a rule answers or refuses, in the language of the question, filled in.
    `parameters` are those of a named action or of a route, as their author wrote them.

    `matched` and the marks' places are character offsets in the text given. `slots` are the first match of each group by
    its name, and `question`. `marks` are what rules noted without taking the text, `risk` is the highest of them, `shadow`
    the rules in shadow that would have taken it. `language` is the one to reply in, `rules` the hash of those in force."""

    taken: bool
    reason: str
    rule: str | None = None
    action: str | None = None
    text: str | None = None
    parameters: Mapping[str, Any] = {}
    matched: tuple[Match, ...] = ()
    slots: Mapping[str, str] = {}
    marks: tuple[Mark, ...] = ()
    risk: Risk = "low"
    shadow: tuple[str, ...] = ()
    language: Tongue = "en"
    rules: str = ""


class Reply(msgspec.Struct, frozen=True):
    """What a rule replies: its own text, or what its action returned."""

    text: str
    outcome: Outcome
