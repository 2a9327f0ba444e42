"""What would have become of a request had one rule not been there, by the gateway's own decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import msgspec

from pointsman.domain.errors import PointsmanError
from pointsman.domain.features import Features
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.request import Request
from pointsman.domain.rule import Asking, Looked, Rule, RuleHit
from pointsman.domain.target import Snapshot
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.rules import RuleSet
from pointsman.rules.conditions import chosen

Kind = Literal["rule", "target", "none"]


class Instead(msgspec.Struct, frozen=True, order=True):
    """Who takes the request instead: another rule with a reply of its own, a target (maybe steered to), or none, where
    `name` is the code of the error."""

    kind: Kind
    name: str


class Policies(Policy):
    """A policy and, by `missing`, all those that lack one of its rules. Compiling one for each rule would take seconds of
    a core; here all rules that can take a request are in shadow, so that one look tells each that holds, in the order in
    which they count, and the first that would have taken it is found among them. For one thread."""

    def __init__(self, document: PolicyDocument, hash: str) -> None:
        in_shadow = tuple([msgspec.structs.replace(rule, mode=_mode(rule)) for rule in document.rules])
        super().__init__(msgspec.structs.replace(document, rules=in_shadow), hash)
        self.as_written = {rule.id: rule for rule in document.rules}
        self.shares = frozenset(
            rule.id for rule in document.rules if rule.share is not None and _mode(rule) == "shadow"
        )
        self.by_caller = bool(self.shares) or any(rule.conditions.keys for rule in document.rules)
        self._all_degrades = self.degrades
        self._missing: str | None = None
        self._sieves: dict[int, _Sieve] = {}

    def without(
        self,
        missing: str | None,
        request: Request,
        snapshot: Snapshot,
        exact_tokens: int | None,
        cut: int | None = None,
    ) -> Instead:
        """Of the request by the policy without that rule. `cut` as in a decision (`rules_cut`)."""
        self._missing = missing
        if self._all_degrades:
            self.degrades = {name: rule for name, rule in self._all_degrades.items() if rule.id != missing}
        try:
            decision = decide(request, self, snapshot, exact_tokens=exact_tokens)
        except PointsmanError as error:
            return Instead("none", error.code)
        if decision.error:
            return Instead("none", decision.error)
        if decision.stage != "model":
            return Instead("rule", decision.rule or decision.intent or "")
        return Instead("target", decision.targets[0].target)

    def kind_of(self, rule: Rule) -> str:
        """What the action of one of the document's rules comes to: answer, refuse, route, report, mark; unbound."""
        action = self.action_of(rule)
        return "unbound" if action is None else action[0]

    def rules_for(self, name: str) -> RuleSet:
        rules = super().rules_for(name)
        sieve = self._sieves.get(id(rules))
        if sieve is None:
            sieve = self._sieves[id(rules)] = _Sieve(rules, self.as_written, lambda: self._missing)
        return sieve


class _Sieve(RuleSet):
    """Rules of which one is missing, over the same rules in shadow."""

    __slots__ = ("_in_shadow", "_missing", "_written")

    def __init__(self, in_shadow: RuleSet, written: Mapping[str, Rule], missing: Callable[[], str | None]) -> None:
        self._in_shadow = in_shadow
        self._written = written
        self._missing = missing

    def look(
        self,
        text: str | None,
        features: Features,
        asking: Asking,
        *,
        message: str | None = None,
        spent: Callable[[int], bool] | None = None,
    ) -> Looked:
        missing = self._missing()
        for hit in self._in_shadow.look(text, features, asking, message=message, spent=spent).passed:
            rule = self._written[hit.rule.id]
            if rule.id != missing and chosen(rule, asking):
                return Looked(RuleHit(rule, hit.spans))
        return _NOBODY


_NOBODY = Looked()


def _mode(rule: Rule) -> Literal["shadow", "off"]:
    return "shadow" if rule.mode == "enforce" and rule.action != "mark" else "off"
