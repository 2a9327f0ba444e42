"""Whether a rule may be published: its form, its own cases, and the cases of the rules beside it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import median

import msgspec

from pointsman.console.rules.told import Candidate, Checked, RanCase, Wrong, both
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.rule import Asking, Rule
from pointsman.domain.said import said
from pointsman.offline.drafting.placed import placed
from pointsman.pipeline.book_cases import features_of
from pointsman.rules import compile_rules, run_cases


def checked(candidate: Candidate, document: PolicyDocument) -> Checked:
    found = placed(candidate, document)
    rule = found.rule
    if rule is None:
        return Checked(found.wrong)
    plain = Checked(found.wrong, (), rule.id, rule.mode, rule.share, rule.action)
    if rule.mode == "off":
        return plain
    pack = [each for each in found.rules if each.pack == rule.pack]
    ran = run_cases(compile_rules(pack), pack, features_of)
    own = [each for each in ran if each.rule.id == rule.id]
    wrong = [*found.wrong]
    for each in own:
        if not each.holds:
            where = found.book.sites[rule.id].where(each.path).rpartition(":")[2]
            line = int(where) - candidate.line if where.isdigit() else None
            wrong.append(Wrong(line, both(each.problem.message)))
    for each in ran:
        if each.rule.id != rule.id and not each.holds:
            message = said(
                "a case of rule {rule} would no longer hold: {message}",
                "规则 {rule} 的一个用例将不再成立：{message}",
                rule=each.rule.id,
                message=each.problem.message,
            )
            wrong.append(Wrong(None, both(message)))
    cases = tuple(
        RanCase(each.case.kind, each.case.text, each.case.why, each.case.takes, each.holds, each.won) for each in own
    )
    return msgspec.structs.replace(plain, wrong=tuple(wrong), cases=cases, micros=_micros(rule, pack))


def _micros(rule: Rule, pack: Sequence[Rule]) -> float | None:
    """The median of deciding on its own examples, among the rules of its pack."""
    ruleset, asking = compile_rules(pack), Asking("auto", "chat")
    times = []
    for case in rule.cases[:20]:
        seen = features_of(case.text)
        began = time.perf_counter()
        ruleset.look(case.text + " ", seen, asking)
        times.append(time.perf_counter() - began)
    return round(median(times) * 1e6, 1) if times else None
