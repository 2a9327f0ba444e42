"""All that can be proved of a policy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from pointsman.domain.policy import EntryRule
from pointsman.domain.rule import Rule
from pointsman.domain.said import Said, said
from pointsman.rulecheck.cost import Size, expensive, size_of
from pointsman.rulecheck.dangling import Names, dangling
from pointsman.rulecheck.dead import dead_keywords
from pointsman.rulecheck.finding import SEVERITY, Finding
from pointsman.rulecheck.inspector import Inspector, Reach
from pointsman.rulecheck.pairs import Overlaps
from pointsman.rulecheck.search import Measure
from pointsman.rules import missing_cases
from pointsman.rules.cases import plain_features

_MOST_PAIRS = 5_000


class Report(msgspec.Struct, frozen=True):
    """Findings in the order in which they are told. `unknown`: rules of which it was neither found nor proved that they
    take something. `pairs` were looked at for overlaps, at most `pairs_left` more have a word in common."""

    findings: tuple[Finding, ...]
    unknown: tuple[str, ...]
    pairs: int
    pairs_left: int
    size: Size


def check_rules(
    rules: Sequence[Rule],
    *,
    entries: Sequence[EntryRule] = (EntryRule("auto"),),
    guard_packs: Sequence[str] = (),
    names: Names | None = None,
    measure: Measure = plain_features,
    most_pairs: int = _MOST_PAIRS,
) -> Report:
    """`rules` are sound and in the order of loading. `names` are what conditions may name; without them, no name is
    missing. `measure` gives the features of a text that is the only message of a request. Pure; about 1 ms a rule and a
    pair."""
    names_of_models = names.direct if names else ()
    inspector = Inspector(rules, entries, guard_packs, names_of_models, measure)
    findings: list[Finding] = []
    unknown = []
    settled = set()
    for rule in inspector.rules:
        twin = _twin(inspector, rule)
        if twin is not None:
            findings.append(_duplicate(inspector, rule, twin))
            settled.add(rule.id)
            continue
        reach = inspector.reach(rule)
        if reach.state == "unknown":
            unknown.append(rule.id)
        elif reach.state != "open":
            findings.append(_unreached(rule, reach))
            settled.add(rule.id)
    overlaps = Overlaps(inspector, lambda rule: rule.id in settled, most_pairs)
    findings += overlaps.findings
    every_text = 0
    for rule in inspector.rules:
        slow = expensive(inspector.view(rule), inspector.lexicon)
        every_text += slow is not None
        findings += _of_one(inspector, rule, slow, names, rule.pack in guard_packs)
    order = list(SEVERITY)
    findings.sort(key=lambda finding: order.index(finding.kind))
    size = size_of(inspector.rules, inspector.lexicon, every_text)
    return Report(tuple(findings), tuple(unknown), overlaps.looked, overlaps.left, size)


def _of_one(
    inspector: Inspector, rule: Rule, slow: Finding | None, names: Names | None, guards: bool
) -> Iterator[Finding]:
    if names is not None:
        yield from dangling(rule, names, guards)
    yield from dead_keywords(rule, inspector.lexicon)
    lacking = missing_cases(rule)
    if lacking is not None:
        yield Finding("no_cases", rule.id, lacking)
    if slow is not None:
        yield slow


def _twin(inspector: Inspector, rule: Rule) -> Rule | None:
    """A rule before this one that takes the same requests, wherever this one stands; and, where the other lets them pass,
    says the same of them."""
    scenes = inspector.scenes_with(rule)
    for other in inspector.with_form(inspector.view(rule).form):
        if other is rule or other.passes is not rule.passes:
            continue
        if rule.passes and (other.action, other.parameters, other.mode) != (rule.action, rule.parameters, rule.mode):
            continue
        if scenes and all(scene.rank.get(other.id, scene.rank[rule.id]) < scene.rank[rule.id] for scene in scenes):
            return other
    return None


def _duplicate(inspector: Inspector, rule: Rule, twin: Rule) -> Finding:
    instead = inspector.taken_by_both(rule, twin)
    message = said("takes the same requests as rule {other}", "和规则 {other} 接的请求完全相同", other=twin.id)
    return Finding("duplicate", rule.id, message, twin.id, instead)


def _unreached(rule: Rule, reach: Reach) -> Finding:
    if reach.state == "unreachable":
        return Finding("unreachable", rule.id, _WHY[reach.why], detail=(reach.why,))
    others = said("{first}", "{first}", first=", ".join(reach.hiding[:5]))
    example: str = said(": {text!r}", "：{text!r}", text=reach.instead.text) if reach.instead else ""
    if reach.state == "shadowed":
        message = said(
            "never takes a request: {others} before it takes all of them{example}",
            "不会接到任何请求：排在前面的 {others} 都接走了{example}",
            others=others,
            example=example,
        )
        return Finding("shadowed", rule.id, message, reach.hiding[0], reach.instead, reach.hiding)
    assert reach.found is not None
    message = said(
        "takes only requests in which a negation makes {others} miss: {text!r}",
        "只在否定词使 {others} 不命中时才接到请求：{text!r}",
        others=others,
        text=reach.found.text,
    )
    return Finding("nearly_shadowed", rule.id, message, next(iter(reach.hiding), None), reach.found, reach.hiding)


_WHY: dict[str, Said] = {
    "nowhere": said(
        "takes no request: no entry has its pack, or its conditions fit none",
        "接不到任何请求：没有入口使用它的规则包，或者条件不可能满足",
    ),
    "none": said(
        "takes no request: where its words stand, `none` excludes it", "接不到任何请求：它的词一出现就被 `none` 排除"
    ),
    "groups": said("takes no request: its groups contradict each other", "接不到任何请求：它的词组互相矛盾"),
    "characters": said(
        "takes no request: its words are longer than `characters` allows",
        "接不到任何请求：它的词比 `characters` 允许的长",
    ),
    "text": said(
        "takes no request: no text that is one of its `whole` has all its words",
        "接不到任何请求：符合它 `whole` 的文本都不满足其余条件",
    ),
}
