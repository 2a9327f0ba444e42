"""Which action an intent leads to, for whom."""

from __future__ import annotations

from typing import Any

from pointsman.domain.policy import ArbiterRules, IntentRule


def action_names(rules: ArbiterRules, role: str | None) -> dict[str, str | None]:
    """Intent → the action that it leads to, for callers of that role."""
    return {intent.name: led_to(intent, role)[0] for intent in rules.intents}


def led_to(intent: IntentRule, role: str | None) -> tuple[str | None, dict[str, Any]]:
    """The action and the values for its parameters."""
    own = intent.roles.get(role or "")
    if own is None:
        return intent.action, intent.parameters
    return own.action or intent.action, {**intent.parameters, **own.parameters}
