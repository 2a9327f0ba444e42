"""The store of jobs: can it be reached, and were jobs given up."""

from __future__ import annotations

from pointsman.app.doctor.facts import StoreFacts
from pointsman.app.doctor.finding import Finding, note, ok
from pointsman.domain.said import Said, said


def judge(store: StoreFacts) -> list[Finding]:
    found = []
    if store.problem is not None:
        found.append(
            note(
                said("{store}: {why}", "{store}：{why}", store=store.shown, why=store.problem),
                Said("jobs may be lost", "任务可能丢失"),
                Said("change the store's settings as it says", "按提示修改存储的设置"),
            )
        )
    if store.dead:
        found.append(
            note(
                said("{n} jobs were given up", "{n} 个任务已被放弃", n=store.dead),
                Said("each was tried as often as it may be, and failed", "每个都试到了上限，仍然失败"),
                Said(
                    "pointsman jobs dead says why; pointsman jobs retry begins them anew",
                    "pointsman jobs dead 查看原因；pointsman jobs retry 重新开始",
                ),
            )
        )
    return found or [ok(said("{store} answers", "{store} 可用", store=store.shown))]
