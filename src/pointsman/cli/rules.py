"""The life of rules: list them, see from the log what each is worth, find the ones that are missing."""

from __future__ import annotations

import argparse

from pointsman.cli.sub_verbs import declare_verbs, run_verb
from pointsman.domain.said import said

VERBS = {
    "ls": said("the rules in force; with --stats what the log says of each", "列出生效的规则；加 --stats 看每条的表现"),
    "review": said("rank rules by what they are worth, say what to do", "按价值给规则排名，并说明该怎么处理"),
    "mine": said("propose rules from real questions", "从真实问题中提出新规则"),
    "gaps": said("what no rule settled, in clusters", "没有规则接住的问题，按类聚合"),
}


def declare(parser: argparse.ArgumentParser) -> None:
    declare_verbs(parser, "rules", VERBS)


def run(options: argparse.Namespace) -> int:
    return run_verb(options, "rules")
