"""What is asked at set times: list it, see what would come of it, have it done now."""

from __future__ import annotations

import argparse

from pointsman.cli.sub_verbs import declare_verbs, run_verb
from pointsman.domain.said import said

VERBS = {
    "ls": said("list the schedules of the config, and when they come next", "列出配置里的计划任务和下一次的时间"),
    "show": said(
        "one schedule: its next times, what its question decides to, its last jobs",
        "查看一个计划任务：接下来的时间、问题会怎样处理、最近的任务",
    ),
    "run": said("have one done now, as at its time", "立即执行一次，与到点时相同"),
}


def declare(parser: argparse.ArgumentParser) -> None:
    declare_verbs(parser, "schedules", VERBS)


def run(options: argparse.Namespace) -> int:
    return run_verb(options, "schedules")
