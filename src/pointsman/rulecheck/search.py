"""Is there a request that a rule takes? A search that ends with one, or with the proof that there is none.

It goes by cases. A text is made that holds what the rule needs, and nothing else. Where another rule takes it, that one
has to miss: one of its terms that are there must be missing, or one of its excludes be there, or a negation stand before
a term, or the circumstances be others. These are all the ways there are, so each is followed, with what it demands added
to the state. A state whose demands contradict each other is closed; where all are closed, no request is left.

Texts that are a `whole` of the rule are a handful each, and are tried one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import msgspec

from pointsman.domain.features import Features
from pointsman.domain.rule import Asking, Rule
from pointsman.rulecheck.box import Box, Span, witness
from pointsman.rulecheck.compose import composed, fitting
from pointsman.rulecheck.finding import Witness
from pointsman.rulecheck.lexicon import Lexicon
from pointsman.rulecheck.view import View
from pointsman.rulecheck.wholes import texts_of
from pointsman.rules.fold import fold

_LONGEST = 20_000
_EXAMPLES = 3
_DEEPEST = 270
"""States on the way to one: each takes some of Python's stack, which holds a thousand calls."""
Measure = Callable[[str], Features]


Court = Callable[[Rule, str, Features, Asking], Rule | None]
"""Who takes a request: the rule in question, one that goes before it, or neither."""
Alone = Callable[[Rule, str, Features, Asking], bool]
"""Whether the rule would take the request if there were no other."""


class State(msgspec.Struct, frozen=True):
    """What a request must be like: terms that occur, that do not, that are negated; the circumstances."""

    box: Box
    there: frozenset[int] = frozenset()
    missing: frozenset[int] = frozenset()
    negated: frozenset[int] = frozenset()


class Answer(msgspec.Struct, frozen=True):
    """`found`: a request that the rule takes. Without one, `proved` says whether there is none. `hiding`: the rules that
    took requests which it would have taken, the first of them `instead`."""

    found: Witness | None
    proved: bool
    hiding: tuple[str, ...] = ()
    instead: Witness | None = None
    why: str = ""


class Search:
    """One question, asked once. `negations` False leaves out requests in which a negation makes other rules miss."""

    def __init__(
        self,
        view: View,
        box: Box,
        court: Court,
        alone: Alone,
        lexicon: Lexicon,
        view_of: Callable[[Rule], View],
        box_of: Callable[[Rule], Box | None],
        measure: Measure,
        *,
        negations: bool = True,
        budget: int = 400,
    ) -> None:
        self._view = view
        self._box = box
        self._court = court
        self._alone = alone
        self._lexicon = lexicon
        self._view_of = view_of
        self._box_of = box_of
        self._measure = measure
        self._negations = negations
        self._left = budget
        self._known: dict[State, bool | None] = {}
        self._classes: dict[tuple[str, Box], bool | None] = {}
        self._found: Witness | None = None
        self._hiding: dict[str, Witness | None] = {}
        self._marked = set(view.marked)
        self._depth = 0
        self._given_up = False
        self._why = ""

    def run(self) -> Answer:
        closed = self._examples() or self._start()
        hiding = tuple(self._hiding)
        shown = next((name for name in hiding if self._hiding[name]), None)
        if shown is not None:
            hiding = (shown, *(name for name in hiding if name != shown))
        return Answer(self._found, closed is False, hiding, self._hiding[shown] if shown else None, self._why)

    def _start(self) -> bool | None:
        """True: found; False: all closed; None: neither."""
        if self._too_short():
            self._why = "characters"
            return False
        while True:
            marked = set(self._marked)
            results = [self._visit(State(self._box, missing=self._view.none | frozenset(self._view.wholes)))]
            if results[0] is not True:
                keys = dict.fromkeys(key for number in self._view.wholes for key in self._lexicon.keys(number))
                for key in keys:
                    results.append(self._class(key, self._box))
                    if results[-1] is True:
                        break
            if marked == self._marked:
                return _both(results)
            self._known.clear()
            self._classes.clear()

    def _examples(self) -> bool:
        """What the author says that the rule takes is the best witness."""
        for case in [case for case in self._view.rule.cases if case.takes and not case.given][:_EXAMPLES]:
            if self._judge(case.text, self._box, free=False) is self._view.rule:
                return True
        return False

    def _too_short(self) -> bool:
        """Whether the rule's words are longer than the text may be."""
        span = self._box["characters"]
        assert isinstance(span, Span)
        if span.high is None:
            return False
        least = 0
        for _, terms in self._view.groups:
            sizes = map(self._lexicon.size, terms)
            least = max(least, min(sizes, default=0))
        return least > span.high

    # Texts in general

    def _visit(self, state: State) -> bool | None:
        if self._given_up:
            return None
        if state in self._known:
            return self._known[state]
        self._known[state] = None
        chosen = self._choose(state)
        if chosen is None:
            result: bool | None = False
        elif self._left <= 0 or self._depth >= _DEEPEST:
            self._given_up = True  # one state is left open and none is tried any more: looking at others proves nothing
            return None
        else:
            self._left -= 1
            self._depth += 1
            result = self._try(state, chosen)
            self._depth -= 1
        self._known[state] = result
        return result

    def _choose(self, state: State) -> list[int] | None:
        """Terms that the text is made of; None where no text can be as the state says."""
        lexicon, missing = self._lexicon, state.missing
        there = self._closed(state.there)
        if not there.isdisjoint(missing):
            return None
        chosen = set(state.there)
        for least, terms in self._view.groups:
            possible = [number for number in terms if lexicon.inside(number).isdisjoint(missing)]
            if len(possible) < least:
                self._why = self._why or ("none" if self._view.none else "groups")
                return None
            possible.sort(key=lambda number: (number not in there, lexicon.is_opaque(number), lexicon.size(number)))
            for number in possible:
                if sum(each in there for each in terms) >= least:
                    break
                if number not in there:
                    chosen.add(number)
                    there |= lexicon.inside(number)
        return self._outermost(chosen - state.negated)

    def _closed(self, numbers: frozenset[int]) -> frozenset[int]:
        return frozenset().union(*map(self._lexicon.inside, numbers)) if numbers else numbers

    def _outermost(self, chosen: set[int]) -> list[int]:
        """Without what occurs in another of them."""
        inner = {other for number in chosen for other in self._lexicon.inside(number) if other != number}
        return sorted(chosen - inner)

    def _try(self, state: State, chosen: list[int]) -> bool | None:
        rule = self._view.rule
        fallback = [self._lexicon.filler]
        blocked: tuple[str, Rule] | None = None
        for text in composed(self._lexicon, chosen, sorted(state.negated), fallback):
            won = self._judge(text, state.box)
            if won is rule:
                return True
            if won is not None:
                blocked = text, won
        if blocked is None:
            return None
        return self._follow(state, *blocked)

    def _follow(self, state: State, text: str, other: Rule) -> bool | None:
        """All ways in which `other`, which takes the text, may miss."""
        results: list[bool | None] = []
        for step in self._ways(state, text, other):
            results.append(step())
            if results[-1] is True:
                return True
        return _both(results)

    def _ways(self, state: State, text: str, other: Rule) -> Iterator[Callable[[], bool | None]]:
        view, lexicon = self._view_of(other), self._lexicon
        box = self._box_of(other)
        if box is None or other.looks_at != self._view.rule.looks_at:
            yield _open  # what stands around the question may make it miss
        if box is not None:
            for left in state.box.minus(box):
                yield partial(self._visit, msgspec.structs.replace(state, box=left))
        for number in sorted(view.none):
            if lexicon.is_whole(number):
                for key in lexicon.keys(number):
                    yield partial(self._class, key, state.box)
            else:
                yield self._with(state, there=state.there | {number})
        present = lexicon.occurring(fold(text))
        for number in sorted(view.terms & present):
            if number in state.missing:
                yield _open  # the text could not be made as it should be
            else:
                yield self._with(state, missing=state.missing | {number})
        if view.negatable:
            yield from self._negations_of(state, view, present)

    def _with(self, state: State, **changed: frozenset[int]) -> Callable[[], bool | None]:
        return partial(self._visit, msgspec.structs.replace(state, **changed))

    def _negations_of(self, state: State, view: View, present: set[int]) -> Iterator[Callable[[], bool | None]]:
        """A negator before one of its terms. Where one of ours begins there too, it negates us as well, unless it stands
        inside another of ours, which can be only if that one holds negators and is none of theirs."""
        mine, lexicon = self._view, self._lexicon
        quiet = mine.negatable and mine.loud <= view.negated_by
        if mine.negatable and mine.templates:
            yield _open  # taken by its template, it has no term that could be negated
        for number in sorted(view.negated_by, key=lambda number: number not in present):
            if quiet and any(lexicon.begins(number, own) for own in lexicon.inside(number) & mine.negated_by):
                continue
            if self._negations:
                yield self._with(state, there=state.there | {number}, negated=state.negated | {number})
            else:
                yield _open

    # Texts that are a `whole`

    def _class(self, key: str, box: Box) -> bool | None:
        if (key, box) in self._classes:
            return self._classes[key, box]
        texts, exact = texts_of(key, sorted(self._marked), self._lexicon.closer)
        results: list[bool | None] = [] if exact and not self._view.opaque else [None]
        for text in texts:
            results.append(self._cover(text, box))
            if results[-1] is True:
                break
        self._classes[key, box] = result = _both(results)
        return result

    def _cover(self, text: str, box: Box) -> bool | None:
        """Whether the rule takes this text in some circumstances of the box."""
        won = self._judge(text, box)
        if won is self._view.rule:
            return True
        if won is None:
            return False if self._takes_no_such(text, box) else None
        if self._left <= 0:
            return None
        self._left -= 1
        view, other = self._view_of(won), self._box_of(won)
        self._marked |= view.marked
        sure = not view.opaque and won.looks_at == self._view.rule.looks_at and other is not None
        results: list[bool | None] = [] if sure else [None]
        for left in (other and box.minus(other)) or ():
            results.append(self._cover(text, left))
            if results[-1] is True:
                break
        return _both(results)

    def _takes_no_such(self, text: str, box: Box) -> bool:
        """Whether nobody took it because of the text, not because its length or language cannot be had."""
        features, asking = box.circumstances(self._measure(text), free=True)
        return self._court(self._view.rule, text, features, asking) is None

    # Trying

    def _judge(self, text: str, box: Box, *, free: bool = True) -> Rule | None:
        """Who takes the text in circumstances of the box. What is found is kept, if it is a request that there can be;
        `free`: else one that is like it is looked for."""
        rule = self._view.rule
        seen = self._measure(text)
        real = box.holds_text(seen)
        if not real and not free:
            return None
        features, asking = box.circumstances(seen, free=not real)
        won = self._court(rule, text, features, asking)
        if won is None:
            return None
        if won is not rule:
            if self._hiding.get(won.id) is None and self._alone(rule, text, features, asking):
                self._hiding[won.id] = witness(text, seen, features, asking) if real else None
            return won
        if real:
            self._found = witness(text, seen, features, asking)
            return rule
        return rule if self._fit(text, box) else None

    def _fit(self, text: str, box: Box) -> bool:
        language, characters = box["language"], box["characters"]
        tokens = box["tokens"]
        assert isinstance(characters, Span) and isinstance(tokens, Span) and not isinstance(language, Span)
        for size in dict.fromkeys((characters.low, max(characters.low, tokens.low), 2 * tokens.low, 5 * tokens.low)):
            if size > _LONGEST:
                return False
            for longer in fitting(self._lexicon, text, language.values, size):
                seen = self._measure(longer)
                if not box.holds_text(seen):
                    continue
                features, asking = box.circumstances(seen)
                if self._court(self._view.rule, longer, features, asking) is self._view.rule:
                    self._found = witness(longer, seen, features, asking)
                    return True
        return False


def _open() -> bool | None:
    return None


def _both(results: list[bool | None]) -> bool | None:
    """Found where one has found; closed where all are."""
    if True in results:
        return True
    return None if None in results else False
