"""One policy under inspection: its rules, where they meet, and the questions that are asked of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from pointsman.domain.features import Features
from pointsman.domain.policy import EntryRule
from pointsman.domain.rule import Asking, Rule
from pointsman.rulecheck.box import Box
from pointsman.rulecheck.finding import Witness
from pointsman.rulecheck.lexicon import Lexicon
from pointsman.rulecheck.scenes import Scene, scenes_of
from pointsman.rulecheck.search import Answer, Court, Measure, Search
from pointsman.rulecheck.view import View
from pointsman.rules import RuleSet, compile_rules


class Reach(msgspec.Struct, frozen=True):
    """What became of a rule. `open`: it takes requests; `negated`: it does, but only such in which a negation makes the
    rules before it miss; `shadowed`, `unreachable`: it takes none; `unknown`: nothing was found and nothing proved."""

    state: str
    found: Witness | None = None
    hiding: tuple[str, ...] = ()
    instead: Witness | None = None
    why: str = ""


class Inspector:
    """Rules that are off are not there. `rules` come in the order of loading."""

    def __init__(
        self,
        rules: Sequence[Rule],
        entries: Sequence[EntryRule],
        guard_packs: Sequence[str],
        direct: Iterable[str],
        measure: Measure,
    ) -> None:
        self.rules = [rule for rule in rules if rule.mode != "off"]
        self.lexicon = Lexicon(self.rules)
        self.views = {rule.id: View(rule, self.lexicon) for rule in self.rules}
        self.scenes = scenes_of(self.rules, entries, guard_packs, direct)
        self._measure = measure
        self._measured: dict[str, Features] = {}
        self._alone: dict[str, RuleSet] = {}
        self._forms: dict[tuple[object, ...], list[Rule]] = {}
        for rule in self.rules:
            self._forms.setdefault(self.views[rule.id].form, []).append(rule)

    def scenes_with(self, *rules: Rule) -> list[Scene]:
        return [scene for scene in self.scenes if all(rule.id in scene.rank for rule in rules)]

    def with_form(self, form: tuple[object, ...]) -> list[Rule]:
        return self._forms.get(form, [])

    def view(self, rule: Rule) -> View:
        return self.views[rule.id]

    def alone(self, rule: Rule, text: str, features: Features, asking: Asking) -> bool:
        """Whether the rule takes the request where there is no other."""
        ruleset = self._alone.get(rule.id)
        if ruleset is None:
            ruleset = self._alone[rule.id] = compile_rules([rule])
        looked = ruleset.look(text, features, asking)
        return looked.hit is not None or bool(looked.passed)

    def reach(self, rule: Rule) -> Reach:
        """Whether the rule takes any request, of all that reach it by any entry."""
        nearly: Answer | None = None
        answers = []
        for scene in self.scenes_with(rule):
            box = self._box(scene, rule)
            if box is None:
                continue
            answer = self._search(self.view(rule), box, scene, scene.outcome, negations=False)
            if answer.found is not None:
                return Reach("open", answer.found)
            if not answer.proved:
                answer = self._search(self.view(rule), box, scene, scene.outcome)
                if answer.found is not None:
                    nearly = nearly or answer
            answers.append(answer)
        hiding = tuple(dict.fromkeys(name for answer in answers for name in answer.hiding))
        instead = next((answer.instead for answer in answers if answer.instead), None)
        if nearly is not None:
            return Reach("negated", nearly.found, hiding, instead)
        if not all(answer.proved for answer in answers):
            return Reach("unknown", hiding=hiding)
        return Reach("shadowed", None, hiding, instead) if hiding else self._nothing(rule)

    def _nothing(self, rule: Rule) -> Reach:
        """Of a rule that takes nothing and was not seen to be hidden."""
        answers = []
        for scene in self.scenes_with(rule):
            box = self._box(scene, rule)
            if box is not None:
                answers.append(self._search(self.view(rule), box, scene, self._by_itself))
        if not all(answer.proved for answer in answers):
            return Reach("unknown")
        why = next((answer.why for answer in answers if answer.why), "")
        return Reach("unreachable", why=why or ("text" if answers else "nowhere"))

    def _by_itself(self, rule: Rule, text: str, features: Features, asking: Asking) -> Rule | None:
        return rule if self.alone(rule, text, features, asking) else None

    def taken_by_both(self, one: Rule, other: Rule) -> Witness | None:
        for scene in self.scenes_with(one, other):
            answer = self.both(scene, one, other)
            if answer is not None and answer.found is not None:
                return answer.found
        return None

    def both(self, scene: Scene, one: Rule, other: Rule) -> Answer | None:
        """A request that each of the two would take; None: their circumstances exclude each other."""
        first, second = scene.box(one), scene.box(other)
        box = first.meet(second) if first is not None and second is not None else None
        if box is None:
            return None
        joint = msgspec.structs.replace(
            one, groups=one.groups + other.groups, none=one.none + other.none, cases=one.cases + other.cases
        )

        def court(rule: Rule, text: str, features: Features, asking: Asking) -> Rule | None:
            takes = self.alone(one, text, features, asking) and self.alone(other, text, features, asking)
            return rule if takes else None

        return self._search(View(joint, self.lexicon), box, scene, court, budget=40)

    def without(self, scene: Scene, rule: Rule, other: Rule) -> Answer | None:
        """A request that `rule` would take and `other` would not; None: `rule` takes none at all."""
        box = self._box(scene, rule)
        if box is None:
            return None

        def court(asked: Rule, text: str, features: Features, asking: Asking) -> Rule | None:
            if not self.alone(asked, text, features, asking):
                return None
            return other if self.alone(other, text, features, asking) else asked

        return self._search(self.view(rule), box, scene, court, budget=40, negations=False)

    def _box(self, scene: Scene, rule: Rule) -> Box | None:
        """Where the rule can take a request: `turn: {min: 1}` of another is no condition where it needs a word."""
        box = scene.box(rule)
        return box.asked() if box is not None and self.view(rule).asks else box

    def _search(
        self, view: View, box: Box, scene: Scene, court: Court, *, negations: bool = True, budget: int = 400
    ) -> Answer:
        return Search(
            view,
            box,
            court,
            self.alone,
            self.lexicon,
            self.view,
            scene.box,
            self.measure,
            negations=negations,
            budget=budget,
        ).run()

    def measure(self, text: str) -> Features:
        known = self._measured.get(text)
        if known is None:
            known = self._measured[text] = self._measure(text)
        return known
