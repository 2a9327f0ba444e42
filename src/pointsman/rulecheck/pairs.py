"""Rules that can take the same request: of those that look for a common word, and do different things."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pointsman.domain.rule import Rule
from pointsman.domain.said import said
from pointsman.rulecheck.finding import Finding
from pointsman.rulecheck.inspector import Inspector

_COMMON = 30


class Overlaps:
    """All overlaps that `budget` pairs bring to light. A word that more than a few rules look for says nothing of any two
    of them, so those are not paired by it. `left` counts the pairs with a word in common that were not looked at, at most
    (a pair counts for each such word)."""

    def __init__(self, inspector: Inspector, settled: Callable[[Rule], bool], budget: int) -> None:
        self._inspector = inspector
        self._settled = settled
        self.looked = 0
        self.left = 0
        self.findings = list(self._all(budget))

    def _all(self, budget: int) -> Iterator[Finding]:
        seen: set[tuple[str, str]] = set()
        for one, other in self._pairs():
            pair = (one.id, other.id) if one.id < other.id else (other.id, one.id)
            if pair in seen:
                continue
            if self.looked >= budget:
                self.left += 1
                continue
            seen.add(pair)
            found = self._overlap(one, other)
            if found is not None:
                yield found

    def _pairs(self) -> Iterator[tuple[Rule, Rule]]:
        """Pairs with a term in common, or one in a term of the other, the rarest terms first."""
        lexicon, views = self._inspector.lexicon, self._inspector.views
        direct: dict[int, list[Rule]] = {}
        nested: dict[int, list[Rule]] = {}
        for rule in self._inspector.rules:
            if rule.passes or self._settled(rule):
                continue
            terms = views[rule.id].terms
            for number in terms:
                direct.setdefault(number, []).append(rule)
            for number in {inner for term in terms for inner in lexicon.near(term)} - terms:
                nested.setdefault(number, []).append(rule)
        for number in sorted(direct, key=lambda number: (len(direct[number]), number)):
            rules, outer = direct[number], nested.get(number, [])
            if len(rules) + len(outer) > _COMMON:
                self.left += len(rules) * (len(rules) - 1) // 2 + len(rules) * len(outer)
                continue
            for place, one in enumerate(rules):
                for other in (*rules[place + 1 :], *outer):
                    yield one, other

    def _overlap(self, one: Rule, other: Rule) -> Finding | None:
        if one.action == other.action and one.parameters == other.parameters:
            return None
        for scene in self._inspector.scenes_with(one, other):
            high, low = (one, other) if scene.rank[one.id] < scene.rank[other.id] else (other, one)
            first, second = scene.box(high), scene.box(low)
            if first is None or second is None or first.meet(second) is None:
                continue
            self.looked += 1
            both = self._inspector.both(scene, high, low)
            if both is None or both.found is None:
                continue
            for mine, theirs in ((high, low), (low, high)):
                only = self._inspector.without(scene, mine, theirs)
                if only is None or only.found is None:
                    break
            else:
                message = said(
                    "rule {other} takes requests that this one would take too, such as {text!r}",
                    "规则 {other} 会先接住这条规则也要接的请求，例如 {text!r}",
                    other=high.id,
                    text=both.found.text,
                )
                how = "priority" if high.priority > low.priority else "order"
                return Finding("overlap", low.id, message, high.id, both.found, (how,))
        return None
