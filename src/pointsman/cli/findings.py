"""What was proved of a policy, told to people and to programs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

import msgspec

from pointsman.app.build import Built
from pointsman.domain.rule import Asking, Rule
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.pipeline.book_cases import features_of
from pointsman.pipeline.rulebook import Rulebook, read_rulebook
from pointsman.rulecheck import Finding, Names, Report, check_rules
from pointsman.rules import compile_rules

_MOST_NOTES = 5
_MOST_EXAMPLES = 1_000


NOTHING_FOUND: dict[str, Any] = {"findings": [], "undecided": [], "pairs": None, "cost": None}
"""What `as_json` gives, of a config that is not sound: its rules were not looked at."""


class Cost(msgspec.Struct, frozen=True):
    """Measured here and now: milliseconds to compile all rules, and the median microseconds of a decision on an example."""

    compile_ms: float
    decision_us: float | None


def inspect(built: Built) -> Report:
    """All that can be proved of the rules of a sound config."""
    document, keys = built.policy.document, built.config.auth.keys
    names = Names(
        entries=frozenset(entry.name for entry in document.entries),
        direct=frozenset(document.names),
        roles=frozenset(key.role for key in keys if key.role),
        keys=frozenset(key.name for key in keys),
        groups=frozenset(key.group for key in keys if key.group),
    )
    return check_rules(
        document.rules, entries=document.entries, guard_packs=document.guard_packs, names=names, measure=features_of
    )


def measured(rules: Sequence[Rule]) -> Cost:
    """Figures of this machine, which say nothing of whether the rules are good."""
    began = time.perf_counter()
    ruleset = compile_rules(rules)
    compiled = time.perf_counter() - began
    texts = [case.text for rule in rules for case in rule.cases if case.takes][:_MOST_EXAMPLES]
    times = []
    for text in texts:
        seen, asking = features_of(text), Asking("auto", "chat")
        began = time.perf_counter()
        ruleset.look(text, seen, asking)
        times.append(time.perf_counter() - began)
    return Cost(round(compiled * 1e3, 1), round(median(times) * 1e6, 1) if times else None)


def as_json(report: Report, cost: Cost, built: Built) -> dict[str, Any]:
    """The keys that `check --json` has besides those of every config."""
    book = _book(built)
    return {
        "findings": [
            {
                "kind": finding.kind,
                "severity": finding.severity,
                "rule": finding.rule,
                "other": finding.other,
                "where": _where(book, finding),
                "message": finding.message,
                "text": finding.witness.text if finding.witness else None,
                "given": finding.witness.given if finding.witness else {},
                "detail": finding.detail,
            }
            for finding in report.findings
        ],
        "undecided": report.unknown,
        "pairs": {"looked_at": report.pairs, "left": report.pairs_left},
        "cost": {**msgspec.structs.asdict(report.size), **msgspec.structs.asdict(cost)},
    }


def lines(report: Report, cost: Cost, built: Built, tongue: Tongue, strict: bool) -> Iterator[str]:
    """All warnings, the first notes of each kind, and what the rules cost."""
    book = _book(built)
    counts: dict[str, int] = {}
    for finding in report.findings:
        counts[finding.kind] = counts.get(finding.kind, 0) + 1
        if finding.severity != "warning" and counts[finding.kind] > _MOST_NOTES:
            continue
        label = _LABELS["error" if strict and finding.severity == "warning" else finding.severity]
        line = said(
            "{label}{where}: rule {rule}: {kind}: {message}{given}",
            "{label}{where}：规则 {rule}：{kind}：{message}{given}",
            label=label,
            where=_where(book, finding),
            rule=finding.rule,
            kind=_KINDS[finding.kind],
            message=finding.message,
            given=_given(finding),
        )
        yield told(line, tongue)
    for kind, count in counts.items():
        if count > _MOST_NOTES and kind not in ("unreachable", "duplicate", "shadowed", "dangling"):
            more = said(
                "note: {kind}: {more} more (--json lists all)",
                "注意：{kind}：还有 {more} 处（--json 列出全部）",
                kind=_KINDS[kind],
                more=count - _MOST_NOTES,
            )
            yield told(more, tongue)
    if report.unknown:
        undecided = said(
            "note: of {count} rules it could not be told whether they take anything: {rules}",
            "注意：有 {count} 条规则无法判定会不会接到请求：{rules}",
            count=len(report.unknown),
            rules=", ".join(report.unknown[:_MOST_NOTES]),
        )
        yield told(undecided, tongue)
    size = report.size
    figures = said(
        "cost: {rules} rules, {terms} terms ({literals} literals, {bytes} bytes in the automaton), {every} tried on every "
        "text; compiled in {compile} ms{decision}",
        "开销：{rules} 条规则，{terms} 个词（自动机里 {literals} 个字串，{bytes} 字节），{every} 条每条文本都要试；编译用时 "
        "{compile} ms{decision}",
        rules=size.rules,
        terms=sum(size.terms.values()),
        literals=size.literals,
        bytes=size.bytes,
        every=size.every_text,
        compile=cost.compile_ms,
        decision=""
        if cost.decision_us is None
        else said(", a decision takes {us} µs", "，一次判断 {us} µs", us=cost.decision_us),
    )
    yield told(figures, tongue)


def warnings_of(report: Report) -> int:
    return sum(finding.severity == "warning" for finding in report.findings)


def _book(built: Built) -> Rulebook:
    return read_rulebook(built.loaded.rules)[0]


def _where(book: Rulebook, finding: Finding) -> str:
    return book.sites[finding.rule].where("id")


def _given(finding: Finding) -> str:
    """Circumstances without which the text shows nothing."""
    given = finding.witness.given if finding.witness else {}
    return f" ({', '.join(f'{key}: {value}' for key, value in given.items())})" if given else ""


_LABELS: dict[str, Said] = {
    "error": Said("error: ", "错误："),
    "warning": Said("warning: ", "警告："),
    "note": Said("note: ", "注意："),
}
_KINDS: dict[str, Said] = {
    "unreachable": Said("unreachable", "不可达"),
    "duplicate": Said("duplicate", "重复"),
    "shadowed": Said("shadowed", "被遮蔽"),
    "dangling": Said("dangling name", "悬空的名字"),
    "nearly_shadowed": Said("nearly shadowed", "几乎被遮蔽"),
    "overlap": Said("overlap", "重叠"),
    "dead_keyword": Said("dead keyword", "多余的词"),
    "no_cases": Said("cases missing", "缺用例"),
    "expensive": Said("expensive", "开销大"),
}
