"""Ids of requests that stand in the log more than once."""

from __future__ import annotations

from pointsman.app.doctor.facts import LogFacts
from pointsman.app.doctor.finding import Finding, note, ok
from pointsman.domain.said import Said, said


def judge(log: LogFacts) -> list[Finding]:
    if not log.repeated:
        return [ok(said("{n} requests, each with an id of its own", "{n} 个请求，编号各不相同", n=log.requests))]
    return [
        note(
            said(
                "ids repeat: {ids}",
                "编号重复：{ids}",
                ids=", ".join(f"{each.id} × {each.times}" for each in log.repeated),
            ),
            Said(
                "a job's request that was begun anew is recorded again, which is well; else the clock was set back, or logs "
                "were put together",
                "任务重新开始时，它的请求会再记录一次，这没有问题；否则就是时钟被拨回过，或合并过日志",
            ),
            Said(
                "pointsman log --id ID shows them; pointsman jobs ls tells which jobs were tried again",
                "pointsman log --id ID 可以查看；pointsman jobs ls 列出重试过的任务",
            ),
        )
    ]
