"""B 4.2, second: texts that were shortened before an arbiter heard them. Each decision says so, so it can be followed."""

from __future__ import annotations

from pointsman.app.doctor.facts import LogFacts
from pointsman.app.doctor.finding import Finding, note, ok
from pointsman.domain.said import Said, said

_MANY, _LEAST = 0.5, 50


def judge(log: LogFacts) -> list[Finding]:
    if not log.heard:
        return [ok(said("no arbiter heard anything", "没有请求经过仲裁器"))]
    saw = said(
        "the arbiter heard {heard} texts, {cut} of them shortened; the log holds that with each decision",
        "仲裁器听了 {heard} 段文本，其中 {cut} 段被截短；每个决策的日志里都有记录",
        heard=log.heard,
        cut=log.cut,
    )
    if log.cut < _MANY * log.heard or log.heard < _LEAST:
        return [ok(saw)]
    return [
        note(
            saw,
            Said(
                "of most texts it hears the beginning and the end alone: what is wanted in the middle decides nothing",
                "多数文本它只听到开头和结尾，中间的内容不起作用",
            ),
            Said(
                "if a product wraps questions in a template, name it under questions: then the question alone is heard",
                "如果是某个产品给问题套了模板，请在 questions 里写明，就只听问题本身",
            ),
        )
    ]
