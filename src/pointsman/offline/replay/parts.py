"""In which of their parts two policy documents differ, and documents that take some parts of one and some of the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.rule import Rule

Kind = Literal[
    "rule", "action", "route", "weights", "entry", "target", "name", "quality", "classifier", "arbiter", "intent",
    "explore", "fallback", "frame", "report", "channel", "time",
]  # fmt: skip
How = Literal["added", "removed", "changed", "moved"]
ORDER = "(order)"

FIELDS: dict[str, tuple[str, ...]] = {
    "rules": ("rules", "guard_packs"),
    "actions": ("actions",),
    "routes": ("routes",),
    "scores": ("weights", "entries"),
    "targets": ("targets", "names"),
    "quality": ("quality",),
    "classifier": ("classifier",),
    "arbiter": ("arbiter",),
    "explore": ("explore",),
    "fallback": ("fallback", "max_retries"),
    "frames": ("frames",),
    "reports": ("reports",),
    "channels": ("channels",),
    "time": ("timezone", "periods", "language"),
}
"""Groups of fields of a document that can be exchanged together; `version` decides nothing."""
GROUP_OF: dict[Kind, str] = {
    "rule": "rules", "action": "actions", "route": "routes", "weights": "scores", "entry": "scores", "target": "targets",
    "name": "targets", "quality": "quality", "classifier": "classifier", "arbiter": "arbiter", "intent": "arbiter",
    "explore": "explore", "fallback": "fallback", "frame": "frames", "report": "reports", "channel": "channels",
    "time": "time",
}  # fmt: skip
_AFTER_RULES = frozenset(("weights", "explore", "quality", "route", "fallback", "classifier", "target", "name"))


class Part(msgspec.Struct, frozen=True, order=True):
    """One line of a document that another has otherwise: `moved` where only its place among the others is another one."""

    kind: Kind
    name: str
    how: How

    @property
    def group(self) -> str:
        return GROUP_OF[self.kind]


def parts_that_differ(old: PolicyDocument, new: PolicyDocument) -> tuple[Part, ...]:
    """Empty where the two decide alike: the gateway's version, notes of authors and cases of rules do not count."""
    found: list[Part] = []
    found += _listed("rule", {r.id: _deciding(r) for r in old.rules}, {r.id: _deciding(r) for r in new.rules})
    found += _listed("action", old.actions, new.actions, ordered=False)
    found += _listed("route", {r.name: r for r in old.routes}, {r.name: r for r in new.routes})
    found += _listed("weights", old.weights, new.weights, ordered=False)
    found += _listed("entry", {e.name: e for e in old.entries}, {e.name: e for e in new.entries}, ordered=False)
    found += _listed("target", {t.name: t for t in old.targets}, {t.name: t for t in new.targets})
    found += _listed("name", old.names, new.names, ordered=False)
    found += _listed("frame", {f.name: f for f in old.frames}, {f.name: f for f in new.frames})
    found += _listed("report", {r.name: r for r in old.reports}, {r.name: r for r in new.reports})
    found += _listed("channel", {c.name: c for c in old.channels}, {c.name: c for c in new.channels})
    found += _of_arbiter(old, new)
    if sorted(old.quality, key=_as_text) != sorted(new.quality, key=_as_text):
        found += _listed("quality", _by_model(old), _by_model(new), ordered=False)
    if old.classifier != new.classifier:
        found.append(Part("classifier", new.classifier.version if new.classifier else "", "changed"))
    if old.explore != new.explore:
        found.append(Part("explore", f"{new.explore:g}", "changed"))
    if (old.fallback, old.max_retries) != (new.fallback, new.max_retries):
        found.append(Part("fallback", new.fallback or "", "changed"))
    if set(old.guard_packs) != set(new.guard_packs):
        found += [Part("rule", f"pack {pack}", "changed") for pack in sorted({*old.guard_packs} ^ {*new.guard_packs})]
    if (old.timezone, old.periods, old.language) != (new.timezone, new.periods, new.language):
        found.append(Part("time", new.timezone, "changed"))
    return tuple(found)


def only_scores(parts: Iterable[Part]) -> bool:
    """Whether they change nothing but how much each term of a score counts, and how often the second best is tried."""
    return all(part.kind in ("weights", "explore") for part in parts)


def spares_rules(parts: Iterable[Part]) -> bool:
    """Whether what a rule or an intent took stays with it for sure: they are about what comes after rules and arbiters."""
    return all(part.kind in _AFTER_RULES for part in parts)


def exchanged(base: PolicyDocument, other: PolicyDocument, group: str) -> PolicyDocument:
    """`base` with that group of fields as `other` has it."""
    taken: dict[str, Any] = {name: getattr(other, name) for name in FIELDS[group]}
    if group == "targets" and base.fallback not in taken["names"]:
        taken["fallback"] = other.fallback
    return msgspec.structs.replace(base, **taken)


def with_rule(base: PolicyDocument, other: PolicyDocument, rule_id: str) -> PolicyDocument:
    """`base` with that one rule as `other` has it: added, changed, or not there. A rule that `base` has not goes behind the
    last of the same priority or higher: among equals it counts last."""
    wanted = next((rule for rule in other.rules if rule.id == rule_id), None)
    rules: list[Rule] = []
    for rule in base.rules:
        if rule.id != rule_id:
            rules.append(rule)
        elif wanted is not None:
            rules.append(wanted)
    if wanted is not None and all(rule.id != rule_id for rule in base.rules):
        rules.append(wanted)
    guards = {*base.guard_packs, *({wanted.pack} & {*other.guard_packs} if wanted is not None else ())}
    return msgspec.structs.replace(base, rules=tuple(rules), guard_packs=tuple(sorted(guards)))


def _listed(kind: Kind, old: Mapping[str, Any], new: Mapping[str, Any], ordered: bool = True) -> list[Part]:
    found = [Part(kind, name, "removed") for name in old if name not in new]
    found += [Part(kind, name, "added") for name in new if name not in old]
    found += [Part(kind, name, "changed") for name in new if name in old and new[name] != old[name]]
    if ordered and [name for name in old if name in new] != [name for name in new if name in old]:
        found.append(Part(kind, ORDER, "moved"))
    return found


def _deciding(rule: Rule) -> Rule:
    """The rule without what its authors note for each other."""
    return msgspec.structs.replace(rule, cases=(), source="", owner=None, since=None, gpu_memory=None)


def _of_arbiter(old: PolicyDocument, new: PolicyDocument) -> list[Part]:
    if old.arbiter is None or new.arbiter is None:
        how: How = "removed" if new.arbiter is None else "added"
        return [] if old.arbiter == new.arbiter else [Part("arbiter", "", how)]
    before, after = ({intent.name: intent for intent in rules.intents} for rules in (old.arbiter, new.arbiter))
    found = _listed("intent", before, after)
    if msgspec.structs.replace(old.arbiter, intents=()) != msgspec.structs.replace(new.arbiter, intents=()):
        found.append(Part("arbiter", f"gate {new.arbiter.gate:g}", "changed"))
    return found


def _by_model(document: PolicyDocument) -> dict[str, list[tuple[str, float, int]]]:
    found: dict[str, list[tuple[str, float, int]]] = {}
    for each in sorted(document.quality, key=_as_text):
        found.setdefault(each.model, []).append((each.task or "", each.value, each.weight))
    return found


def _as_text(each: Any) -> str:
    return repr(each)
