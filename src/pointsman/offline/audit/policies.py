"""The policies and snapshots that the log's decisions name, and what rules they had when."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.rule import Rule
from pointsman.domain.target import Snapshot
from pointsman.offline.audit.outcome import Known
from pointsman.offline.audit.without import Policies
from pointsman.store.log_reader import LogReader

_COMPILED = 4
_SNAPSHOTS = 512
_Found = TypeVar("_Found")


class Named:
    """By hash; what was used last is kept. `newest` is the document that decided the latest request."""

    def __init__(self, reader: LogReader) -> None:
        self._reader = reader
        self._latest: tuple[str | None, Policies | None] = None, None
        self._compiled: OrderedDict[str, Policies | None] = OrderedDict()
        self._snapshots: OrderedDict[str, Snapshot | None] = OrderedDict()
        self._times: dict[str, list[float]] = {}  # policy → first and last request that it decided
        self._rules: dict[str, tuple[str, Rule, str, bool]] = {}  # → newest policy with it, rule, kind, guard
        self._with: dict[str, frozenset[str]] = {}  # policy → its rules

    def policy(self, name: str) -> Policies | None:
        if name != self._latest[0]:
            self._latest = name, _kept(self._compiled, name, _COMPILED, self._compile)
        return self._latest[1]

    def snapshot(self, name: str) -> Snapshot | None:
        return _kept(self._snapshots, name, _SNAPSHOTS, self._reader.snapshot)

    def decided(self, name: str, received: float) -> None:
        times = self._times.get(name)
        if times is None:
            self._times[name] = [received, received]
            self.policy(name)
        elif received > times[1]:
            times[1] = received
        elif received < times[0]:
            times[0] = received

    @property
    def newest(self) -> PolicyDocument | None:
        name = self._last()
        return None if name is None else self._reader.policy(name)

    def known(self) -> dict[str, Known]:
        last = self._last()
        in_force = self._with.get(last or "", frozenset())
        found = {}
        for rule_id, (_, rule, kind, guard) in self._rules.items():
            times = [self._times[name] for name, rules in self._with.items() if rule_id in rules]
            first, until = min(time[0] for time in times), max(time[1] for time in times)
            found[rule_id] = Known(rule, kind, guard, first, until, rule_id in in_force)
        return found

    def _last(self) -> str | None:
        """Of those that the log has."""
        return max(self._with, key=lambda name: self._times[name][1], default=None)

    def _compile(self, name: str) -> Policies | None:
        document = self._reader.policy(name)
        if document is None:
            return None
        compiled = Policies(document, name)
        if name not in self._with:
            rules = [rule for rule in document.rules if _is_reached(rule, document)]
            self._with[name] = frozenset(rule.id for rule in rules)
            for rule in rules:
                kind, guard = compiled.kind_of(rule), rule.pack in document.guard_packs
                self._rules[rule.id] = (name, rule, kind, guard)
        return compiled


def _is_reached(rule: Rule, document: PolicyDocument) -> bool:
    """Whether requests meet it: some entry has its pack, or it is a guard's."""
    packs = [entry.packs for entry in document.entries]
    return rule.pack in document.guard_packs or any(pack is None or rule.pack in pack for pack in packs)


def _kept(kept: OrderedDict[str, _Found], name: str, most: int, make: Callable[[str], _Found]) -> _Found:
    if name in kept:
        kept.move_to_end(name)
        return kept[name]
    found = kept[name] = make(name)
    if len(kept) > most:
        kept.popitem(last=False)
    return found
