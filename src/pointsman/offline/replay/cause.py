"""Which part of the policy document sends a request elsewhere.

Mostly that is plain: the document has one other part, or of several of a kind only one had a hand in the request. Where it
is not, the request is decided again by documents of which single parts are exchanged: what alone leads to the new decision
did it; where nothing does, what the new decision cannot do without did it together."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence

from pointsman.domain.decision import Decision
from pointsman.domain.policy import PolicyDocument
from pointsman.offline.replay.again import Again
from pointsman.offline.replay.moved import MOVES, aspect_of, place_of
from pointsman.offline.replay.outcome import Cause
from pointsman.offline.replay.parts import Part, exchanged, with_rule
from pointsman.pipeline.policy import Policy

Decide = Callable[[Again], object]
"""Decides the very request by that; gives a Decision, or why it cannot be."""
_TRIED = 200
"""Requests of one kind of move that are looked at by exchange; the others' cause is taken from these."""
_COMPILED = 48
_SHOWN = 3


class Causes:
    """For moves from one old policy to the new one. `make` gives an Again for a policy of parts of both. `approximated`
    counts causes that were taken from others."""

    def __init__(
        self,
        old: PolicyDocument,
        new: PolicyDocument,
        parts: Sequence[Part],
        make: Callable[[Policy], Again],
        like: Policy,
    ) -> None:
        """`like` has the models that the new document names."""
        self._old = old
        self._new = new
        self._parts = parts
        self._by_name = {(part.kind, part.name): part for part in parts}
        self._groups = tuple(dict.fromkeys(part.group for part in parts))
        self._make = make
        self._like = like
        self._variants: OrderedDict[tuple[str, str], Again | None] = OrderedDict()
        self._seen: dict[tuple[object, ...], Counter[Cause]] = {}
        self.approximated = 0

    def of(self, old: Decision, new: Decision, entry: str, decide: Decide) -> Cause:
        """`entry` is what the client named."""
        if len(self._parts) == 1:
            return Cause(tuple(self._parts))
        near = self._near(old, new, entry)
        if len(near) == 1 and len(self._groups) == 1:
            return Cause(tuple(near))
        key = (place_of(old), place_of(new), old.rule, new.rule, entry, *near)
        seen = self._seen.setdefault(key, Counter())
        if seen.total() >= _TRIED:
            self.approximated += 1
            return seen.most_common(1)[0][0]
        cause = self._by_exchange(old, new, entry, near, decide)
        seen[cause] += 1
        return cause

    def _by_exchange(self, old: Decision, new: Decision, entry: str, near: Sequence[Part], decide: Decide) -> Cause:
        rules = [part for part in near if part.kind == "rule" and not part.name.startswith(("pack ", "("))]
        if len(rules) > 1:
            did = [part for part in rules if self._leads(("rule", part.name), new, decide)]
            if did:
                return Cause(tuple(did))
        alone = [group for group in self._groups if self._leads(("old", group), new, decide)]
        if alone:
            return Cause(tuple(part for group in alone for part in self._named(group, near)))
        needed = [group for group in self._groups if not self._leads(("new", group), new, decide)]
        together = needed or self._groups
        return Cause(tuple(part for group in together for part in self._named(group, near)), alone=len(together) == 1)

    def _named(self, group: str, near: Iterable[Part]) -> list[Part]:
        """Of a group that did it the parts that are near, else the first of all that differ."""
        found = [part for part in near if part.group == group]
        return found or [part for part in self._parts if part.group == group][:_SHOWN]

    def _leads(self, variant: tuple[str, str], new: Decision, decide: Decide) -> bool:
        """Whether that document leads to the new decision: one as `new` but for its notes."""
        again = self._variant(variant)
        decision = None if again is None else decide(again)
        if not isinstance(decision, Decision):
            return False
        return aspect_of(decision, new) not in MOVES

    def _variant(self, name: tuple[str, str]) -> Again | None:
        if name in self._variants:
            self._variants.move_to_end(name)
            return self._variants[name]
        what, part = name
        if what == "rule":
            document = with_rule(self._old, self._new, part)
        elif what == "old":
            document = exchanged(self._old, self._new, part)
        else:
            document = exchanged(self._new, self._old, part)
        made = self._compiled(document)
        self._variants[name] = made
        if len(self._variants) > _COMPILED:
            self._variants.popitem(last=False)
        return made

    def _compiled(self, document: PolicyDocument) -> Again | None:
        """None where the parts do not go together: what one names is not in the other."""
        try:
            policy = Policy(document, own_tasks=self._like.own_tasks, own_difficulty=self._like.own_difficulty)
            for entry in document.entries:
                if entry.policy is not None and entry.policy not in document.weights:
                    return None
        except KeyError:
            return None
        return self._make(policy)

    def _near(self, old: Decision, new: Decision, entry: str) -> list[Part]:
        """Parts that differ and had a hand in either decision."""
        named: list[tuple[str, str | None]] = [("rule", new.rule), ("rule", old.rule)]
        for decision in (new, old):
            named += [("action", decision.action), ("intent", decision.intent), ("weights", decision.scored)]
            if decision.framed is not None:
                named.append(("frame", decision.framed.frame))
            if decision.targets:
                first = decision.targets[0]
                named += [("target", first.target), ("quality", first.target.rsplit("@", 1)[0])]
                why = first.why.split("; ")[0]
                if why.startswith("route "):
                    named.append(("route", why.removeprefix("route ")))
        named.append(("entry", entry))
        keys = [(kind, name) for kind, name in named if name is not None]
        return [self._by_name[key] for key in dict.fromkeys(keys) if key in self._by_name]
