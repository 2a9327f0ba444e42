"""Work that is kept until it is done: look at jobs, begin dead ones anew, call them off; send batches and follow them."""

from __future__ import annotations

import argparse

from pointsman.cli.sub_verbs import declare_verbs, run_verb
from pointsman.domain.said import said

VERBS = {
    "ls": said("list jobs, newest first, and how many there are", "列出任务（最新的在前）和各状态的数量"),
    "show": said("one job with its way, step by step, and its result", "查看一个任务：逐步的轨迹和结果"),
    "dead": said("the jobs that were given up, and why", "列出已被放弃的任务及原因"),
    "retry": said("begin dead jobs anew", "重新开始已被放弃的任务"),
    "cancel": said("call jobs off", "取消任务"),
    "watch": said("follow a job or a batch until it is over", "跟踪一个任务或批处理，直到结束"),
    "batch": said("send a file of requests, follow it, fetch the replies", "提交一个请求文件，跟踪进度，取回结果"),
}


def declare(parser: argparse.ArgumentParser) -> None:
    declare_verbs(parser, "jobs", VERBS)


def run(options: argparse.Namespace) -> int:
    return run_verb(options, "jobs")
