"""This machine's clock against the newest record of the log."""

from __future__ import annotations

from pointsman.app.doctor.facts import LogFacts, MachineFacts
from pointsman.app.doctor.finding import Finding, ok, wrong
from pointsman.domain.said import Said, said

_AHEAD = 60.0  # seconds


def judge(log: LogFacts, machine: MachineFacts) -> list[Finding]:
    if log.newest is None:
        return [ok(said("no record yet to hold the clock against", "还没有记录可以与时钟对照"))]
    ahead = log.newest - machine.now
    if ahead <= _AHEAD:
        return [
            ok(
                said(
                    "the newest record is {minutes:.0f} minutes old, and none lies in the future",
                    "最新的记录是 {minutes:.0f} 分钟前的，没有来自未来的记录",
                    minutes=max(0.0, -ahead / 60),
                )
            )
        ]
    return [
        wrong(
            said(
                "the newest record of the log is {minutes:.0f} minutes in the future",
                "日志里最新的记录比现在晚 {minutes:.0f} 分钟",
                minutes=ahead / 60,
            ),
            Said(
                "the clock was set back, or was wrong: what is old is removed too late, and 'yesterday' means another day",
                "时钟被拨回过，或曾经不准：过期记录清理得太晚，“昨天”也会算错",
            ),
            Said(
                "have the clock set by the network: timedatectl set-ntp true",
                "让时钟与网络同步：timedatectl set-ntp true",
            ),
        )
    ]
