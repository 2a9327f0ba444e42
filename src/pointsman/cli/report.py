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
}


def declare(parser: argparse.ArgumentParser) -> None:
    declare_verbs(parser, "report", VERBS)


def run(options: argparse.Namespace) -> int:
    return run_verb(options, "report")
