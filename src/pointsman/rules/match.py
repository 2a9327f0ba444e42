"""Deciding: which rule takes a request. Pure, immutable, safe to share between threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pointsman.domain.features import Features
from pointsman.domain.rule import Asking, Conditions, Looked, Rule, RuleHit
from pointsman.rules.conditions import chosen, holds
from pointsman.rules.fold import Folded, fold
from pointsman.rules.index import Index
from pointsman.rules.negation import Found, negated, negators, taken_back
from pointsman.rules.template import Template
from pointsman.rules.terms import Finder, Place, Whole

_NOTHING = Looked()
_SHORT = 32
"""Characters up to which what was learned of a text is kept: what people say in so few they say again and again."""
_KEPT = 256
"""Texts of which it is."""
Spans = tuple[tuple[str, int, int], ...]


class GroupPlan:
    """A group over term ids: `sure` are settled by the index alone, `unsure` must be verified when possible."""

    __slots__ = ("at_least", "name", "sure", "terms", "unsure")

    def __init__(self, name: str, at_least: int, terms: Sequence[int], decided: Sequence[bool]) -> None:
        self.name = name
        self.at_least = at_least
        self.terms = tuple(dict.fromkeys(terms))
        self.sure = frozenset(term for term in self.terms if decided[term])
        self.unsure = frozenset(term for term in self.terms if not decided[term])


class RulePlan:
    """A rule, ready to be checked."""

    __slots__ = (
        "conditions", "gate", "groups", "more_gates", "negatable", "none", "of_message", "passes", "rule", "settled",
        "shadow",
    )  # fmt: skip

    def __init__(self, rule: Rule, groups: tuple[GroupPlan, ...], none: GroupPlan | None) -> None:
        self.rule = rule
        self.groups = groups
        self.none = none
        self.gate: frozenset[int] | None = None
        self.more_gates: tuple[frozenset[int], ...] = ()
        # Where the gates say it all, the groups need no further look.
        self.settled = all(group.at_least == 1 and not group.unsure for group in groups)
        self.conditions = None if rule.conditions == Conditions() else rule.conditions
        # A term that is the whole text has nothing before it that could negate it.
        anywhere = any(term.kind not in ("whole", "template") for group in rule.groups for term in group.terms)
        self.negatable = rule.negatable and anywhere
        self.of_message = rule.looks_at == "message"
        self.shadow = rule.mode == "shadow"
        self.passes = self.shadow or rule.action == "mark"

    def posted_under(self, place: int) -> None:
        """Of every other group, a term must have been seen before the rule is looked at closer."""
        others = [group for number, group in enumerate(self.groups) if number != place]
        gates = [frozenset(group.terms) if group.unsure else group.sure for group in others]
        if gates:
            self.gate, *more = gates
            self.more_gates = tuple(more)


class _Text:
    """What is learned of a text, when somebody asks. Several threads may: what they learn is the same."""

    __slots__ = ("_negators", "_spans", "_taken_back", "_verified", "folded", "found", "possible", "present", "terms")

    def __init__(self, folded: Folded, found: set[int], possible: set[int], terms: Sequence[Finder]) -> None:
        self.folded = folded
        self.found = found
        self.possible = possible
        self.present = found | possible if possible else found
        self.terms = terms
        self._verified: dict[int, bool] = {}
        self._spans: dict[RulePlan, Spans] = {}
        self._negators: Found | None = None
        self._taken_back = False

    def occurs(self, number: int) -> bool:
        if number not in self.possible:
            return False
        known = self._verified.get(number)
        if known is None:
            known = self._verified[number] = self.terms[number].occurs(self.folded)
        return known

    def holds(self, group: GroupPlan) -> bool:
        wanted = group.at_least
        if wanted == 1:
            if not group.sure.isdisjoint(self.found):
                return True
        else:
            wanted -= len(group.sure & self.found)
            if wanted <= 0:
                return True
        left = self.possible.intersection(group.unsure)
        if wanted > len(left):
            return False
        for number in left:
            if self.occurs(number):
                wanted -= 1
                if not wanted:
                    return True
        return False

    def terms_of(self, group: GroupPlan) -> list[Finder]:
        """The terms of a group that occur."""
        there = [self.terms[number] for number in group.sure & self.found]
        maybe = self.possible.intersection(group.unsure)
        return there + [self.terms[number] for number in maybe if self.occurs(number)] if maybe else there

    def negated(self, plan: RulePlan) -> bool:
        """Whether any occurrence of a term of the rule is negated, see `negation.py`; `whole` terms cannot be."""
        if self._negators is None:
            self._taken_back = taken_back(self.folded)
            self._negators = negators(self.folded)  # last: it says that both are known
        if not self._negators and not self._taken_back:
            return False
        terms = [
            term for group in plan.groups for term in self.terms_of(group) if not isinstance(term, (Whole, Template))
        ]
        if not terms or self._taken_back:
            return bool(terms)
        return negated(self.folded, self._negators, [term.occurrences(self.folded) for term in terms])

    def spans(self, plan: RulePlan) -> Spans:
        """Where the groups of the rule matched."""
        known = self._spans.get(plan)
        if known is None:
            known = self._spans[plan] = _spans(plan, self)
        return known


class RuleSet:
    """Rules compiled for matching: `rules` in rank order (priority, then load order), highest first; those that are off
    are not among them."""

    __slots__ = ("_always", "_index", "_known", "_of_message", "_plans", "_posted", "_posting", "_terms", "rules")

    def __init__(
        self,
        plans: Sequence[RulePlan],
        terms: Sequence[Finder],
        index: Index,
        posted: Mapping[int, tuple[int, ...]],
        always: Sequence[int],
    ) -> None:
        self.rules: tuple[Rule, ...] = tuple(plan.rule for plan in plans)
        self._plans = tuple(plans)
        self._terms = tuple(terms)
        self._index = index
        self._posted = posted
        self._posting = frozenset(posted)
        self._always = tuple(always)
        self._of_message = any(plan.of_message for plan in plans)
        self._known: dict[str, tuple[_Text, list[int]]] = {}

    def match(
        self, text: str | None, features: Features, *, entry: str, endpoint: str = "chat", role: str | None = None
    ) -> RuleHit | None:
        """The rule that takes the text, where nothing else is known of who asks; see `look`."""
        return self.look(text, features, Asking(entry, endpoint, role)).hit

    def look(
        self,
        text: str | None,
        features: Features,
        asking: Asking,
        *,
        message: str | None = None,
        spent: Callable[[int], bool] | None = None,
    ) -> Looked:
        """The highest rule that takes the request, with the places of its terms, and what it passed before that.

        `text` is the user's question, `message` what it stands in, where that is more. None (no question, as in a tool
        loop) is as good as an empty text: only rules without groups can take it. `spent(n)` says, after n rules were
        looked at, whether time is out; then no rule takes the request.
        Spans are half-open ranges of the text that the rule looks at: for each group, each distinct term that occurs, at
        its first place, ordered by place with the longer first. Overlapping terms all count."""
        state, ranks = self._seen(text or "")
        whole = state
        if self._of_message and message is not None and message != text:
            whole, more = self._seen(message)
            ranks = [rank for rank in ranks if not self._plans[rank].of_message]
            ranks = sorted([*ranks, *(rank for rank in more if self._plans[rank].of_message)])
        if not ranks:
            return _NOTHING
        passed: list[RuleHit] = []
        looked = 0
        for rank in ranks:
            plan = self._plans[rank]
            if spent is not None and spent(looked):
                return Looked(None, tuple(passed), looked)
            looked += 1
            seen = whole if plan.of_message else state
            gate = plan.gate
            if gate is not None:
                present = seen.present
                if present.isdisjoint(gate) or any(map(present.isdisjoint, plan.more_gates)):
                    continue
            if not plan.settled and not all(map(seen.holds, plan.groups)):
                continue
            conditions = plan.conditions
            if conditions is not None and not holds(conditions, features, asking):
                continue
            if plan.none is not None and seen.holds(plan.none):
                continue
            if plan.negatable and seen.negated(plan):
                continue
            shadow = plan.shadow or (plan.rule.share is not None and not chosen(plan.rule, asking))
            hit = RuleHit(plan.rule, seen.spans(plan), shadow)
            if not shadow and not plan.passes:
                return Looked(hit, tuple(passed))
            passed.append(hit)
        return Looked(None, tuple(passed)) if passed else _NOTHING

    def _seen(self, text: str) -> tuple[_Text, list[int]]:
        """A text with what occurs in it, and the rules that this makes candidates, in their order."""
        if len(text) > _SHORT:
            return self._learned(text)
        known = self._known.get(text)
        if known is None:
            known = self._learned(text)
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[text] = known
        return known

    def _learned(self, text: str) -> tuple[_Text, list[int]]:
        folded = fold(text)
        found, possible = self._index.scan(folded)
        state = _Text(folded, found, possible, self._terms)
        ranks = set(self._always)
        for number in self._posting.intersection(state.present):
            ranks.update(self._posted[number])
        return state, sorted(ranks)


def _spans(plan: RulePlan, state: _Text) -> Spans:
    folded = state.folded
    spans: list[tuple[str, int, int]] = []
    for group in plan.groups:
        terms = state.terms_of(group)
        places = [place for term in terms if (place := term.first(folded))]
        for term in terms:
            if isinstance(term, Template):
                spans.extend((name, *folded.original(*place)) for name, place in term.slots(folded))
        if len(places) > 1:
            places = sorted(set(places), key=_longer_first)
        for start, end in places:
            spans.append((group.name, *folded.original(start, end)) if folded.gone else (group.name, start, end))
    return tuple(spans)


def _longer_first(place: Place) -> Place:
    return place[0], -place[1]
