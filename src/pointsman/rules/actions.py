"""A name under `actions:` in the config, and what it does: an answer, a refusal or a route, written as in a rule."""

from __future__ import annotations

from typing import Any

from pointsman.domain.errors import Problems
from pointsman.domain.policy import ActionRule
from pointsman.rules.fields import A_MAPPING, Notes, must_be
from pointsman.rules.outcome import read_outcome

_KINDS = ("answer", "refuse", "route")


def parse_action(name: str, data: Any) -> ActionRule:
    """Raises Problems. Texts may use the slot {question}; a rule's own groups are not known here."""
    notes = Notes()
    path = f"actions.{name}"
    outcome = None
    if not isinstance(data, dict):
        notes.wrong(path, must_be(A_MAPPING, data), ", ".join(_KINDS))
    else:
        notes.unknown_keys(path, data, _KINDS)
        if not notes.problems:
            outcome = read_outcome(notes, path, data, [])
    if outcome is None or notes.problems:
        raise Problems(notes.problems)
    return ActionRule(outcome[0], outcome[1])  # type: ignore[arg-type]
