"""Reports of what the gateway did, from its log."""

from __future__ import annotations

import argparse

from pointsman.cli.sub_verbs import declare_verbs, run_verb
from pointsman.domain.said import said

VERBS = {
    "weekly": said(
        "what went wrong in a week, and what each change would do, as Markdown, HTML or PDF",
        "一周里哪里不对、每种改动会怎样：Markdown、HTML 或 PDF",
    ),
    "scale": said(
        "whether more machines are needed: signs in the log, and its traffic simulated on several numbers of nodes",
        "是否需要更多机器：日志里的迹象，以及同样的流量在不同节点数下的模拟",
    ),
}


def declare(parser: argparse.ArgumentParser) -> None:
    declare_verbs(parser, "report", VERBS)


def run(options: argparse.Namespace) -> int:
    return run_verb(options, "report")
