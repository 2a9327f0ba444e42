"""What rules, paths and jobs can have done: list actions, see what one takes, have it done by a gateway."""

from __future__ import annotations

import argparse

from pointsman.cli.sub_verbs import declare_verbs, run_verb
from pointsman.domain.said import said

VERBS = {
    "ls": said("list the actions of the config and what they take", "列出配置里的动作及其参数"),
    "show": said("one action: parameters, limits, steps", "查看一个动作：参数、限制、步骤"),
    "run": said("have a running gateway do one", "让正在运行的网关执行一个动作"),
}


def declare(parser: argparse.ArgumentParser) -> None:
    declare_verbs(parser, "actions", VERBS)


def run(options: argparse.Namespace) -> int:
    return run_verb(options, "actions")
