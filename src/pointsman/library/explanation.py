"""An outcome with the rules that came near, as plain data and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pointsman.domain.said import Tongue, said, told
from pointsman.library.outcome import Outcome

if TYPE_CHECKING:
    from pointsman.pipeline.near_rules import Missed


class Explanation(msgspec.Struct, frozen=True):
    """`near` are the rules that came nearest besides the one that won, the nearest first."""

    outcome: Outcome
    near: tuple[Missed, ...] = ()

    def data(self, language: Tongue | None = None) -> dict[str, Any]:
        """As dicts and lists, for JSON. `language`: of what is said of the rules; default: that of the reply."""
        tongue = language or self.outcome.language
        data: dict[str, Any] = msgspec.to_builtins(self.outcome)
        return {**data, "near": [_data(missed, tongue) for missed in self.near]}

    def text(self, language: Tongue | None = None) -> str:
        """A few lines for a person."""
        tongue = language or self.outcome.language
        outcome = self.outcome
        lines = [outcome.reason]
        if outcome.rule:
            lines.append(f"{outcome.rule} → {outcome.action}")
        lines += [f"  {match.group}: {match.text} ({match.start}–{match.end})" for match in outcome.matched]
        if outcome.text is not None:
            lines.append(f"  {outcome.text}")
        for mark in outcome.marks:
            lines.append(told(_marked(mark.rule, mark.label, mark.risk), tongue))
        for missed in self.near:
            held = "; ".join(f"{group}: {', '.join(words)}" for group, words in missed.held.items())
            lines.append(
                told(said("near: {rule} ({held})", "接近：{rule}（{held}）", rule=missed.rule, held=held), tongue)
            )
            lines += [f"  - {told(why, tongue)}" for why in missed.why]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


def _marked(rule: str, label: str, risk: str) -> str:
    return said(
        "marked by {rule}: {label} ({risk})", "由 {rule} 标记：{label}（{risk}）", rule=rule, label=label, risk=risk
    )


def _data(missed: Missed, tongue: Tongue) -> dict[str, Any]:
    return {
        "rule": missed.rule,
        "held": {group: list(words) for group, words in missed.held.items()},
        "why": [told(why, tongue) for why in missed.why],
    }
