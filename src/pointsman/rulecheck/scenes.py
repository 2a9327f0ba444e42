"""Which rules meet: those of the packs of one entry, or the guard packs before models named directly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pointsman.domain.features import Features
from pointsman.domain.policy import EntryRule
from pointsman.domain.rule import Asking, Rule
from pointsman.rulecheck.box import Box, box_of
from pointsman.rules import RuleSet, compile_rules


class Scene:
    """Rules that stand behind the same names, highest first."""

    def __init__(self, rules: Sequence[Rule], names: Iterable[str]) -> None:
        self.names = frozenset(names)
        self.ruleset: RuleSet = compile_rules(rules)
        self.rank = {rule.id: rank for rank, rule in enumerate(self.ruleset.rules)}

        self._boxes: dict[str, Box | None] = {}

    def box(self, rule: Rule) -> Box | None:
        if rule.id not in self._boxes:
            self._boxes[rule.id] = box_of(rule.conditions, self.names)
        return self._boxes[rule.id]

    def outcome(self, rule: Rule, text: str, features: Features, asking: Asking) -> Rule | None:
        """Who takes the request as far as `rule` is concerned: `rule` itself, also where it only passes it on; else one
        that goes before it; None where neither does."""
        looked = self.ruleset.look(text, features, asking)
        if any(hit.rule.id == rule.id for hit in looked.passed):
            return rule
        hit = looked.hit
        return hit.rule if hit is not None and self.rank[hit.rule.id] <= self.rank[rule.id] else None


def scenes_of(
    rules: Sequence[Rule], entries: Sequence[EntryRule], guard_packs: Sequence[str], direct: Iterable[str]
) -> list[Scene]:
    """A scene for each set of rules; `direct` are the tiers, aliases and models that a client may name."""
    names: dict[tuple[str, ...] | None, list[str]] = {}
    for entry in entries:
        names.setdefault(None if entry.packs is None else tuple(sorted(set(entry.packs))), []).append(entry.name)
    if guard_packs and (direct := list(direct)):
        names.setdefault(tuple(sorted(set(guard_packs))), []).extend(direct)
    return [
        Scene([rule for rule in rules if packs is None or rule.pack in packs], called)
        for packs, called in names.items()
    ]
