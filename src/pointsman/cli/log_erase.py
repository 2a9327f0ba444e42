"""Erase requests from the log: off the disk, with what was noted of them and said about them."""

from __future__ import annotations

import argparse
import sys

import apsw

from pointsman.cli.log_choice import declare_place, moment_of, place_of
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.domain.said import said, told
from pointsman.store.log_erasing import Erased, Eraser, Whose
from pointsman.store.log_schema import explained

_VERB = "log erase"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--request", metavar="ID", help="this request")
    parser.add_argument("--user", metavar="NAME", help="requests whose client named this `user` (needs the key)")
    parser.add_argument("--caller", metavar="NAME", help="requests that came with the key of this name")
    parser.add_argument("--before", metavar="WHEN", help="requests that came before: 7d ago, or 2026-11-30")
    parser.add_argument("--dry-run", action="store_true", help="only say how many there are")
    parser.add_argument("--yes", action="store_true", help="do not ask back")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    declare_place(parser)


def run(options: argparse.Namespace) -> int:
    """1: something that is meant is still there, or it was not agreed to."""
    whose = Whose(options.request, options.user, options.caller, moment_of("--before", options.before))
    if whose == Whose():
        message = said(
            "say whose: --request, --user, --caller or --before",
            "请说明要删除谁的：--request、--user、--caller 或 --before",
        )
        print_error(_VERB, message, options.tongue)
        return 2
    try:
        eraser = Eraser(place_of(options))
        try:
            looked = eraser.look(whose)
            if options.dry_run:
                _tell(looked, options, said(*_WOULD, count=looked.requests))
                return 0
            if not (looked.requests or looked.closed or whose.caller):
                _tell(looked, options, said(*_NONE))
                return 1 if looked.under_way else 0
            if not options.yes and not _agreed(looked, options):
                print_error(_VERB, said("nothing was erased", "什么都没有删除"), options.tongue)
                return 1
            done = eraser.erase(whose)
        finally:
            eraser.close()
    except apsw.Error as error:
        message = said("the log cannot be changed: {why}", "日志无法修改：{why}", why=explained(error))
        print_error(_VERB, message, options.tongue)
        return 1
    _tell(done, options, said(*_ERASED, count=done.requests, feedback=done.feedback))
    return 1 if done.closed or done.under_way else 0


def _agreed(looked: Erased, options: argparse.Namespace) -> bool:
    """Only where somebody is there to be asked."""
    if not sys.stdin.isatty():
        return False
    question = told(said(*_ASK, count=looked.requests), options.tongue)
    return input(question).strip().lower() in ("y", "yes", "是")


def _tell(found: Erased, options: argparse.Namespace, message: str) -> None:
    if options.json:
        print_json(found)
        return
    print_line(told(message, options.tongue))
    for count, words in ((found.closed, _CLOSED), (found.under_way, _UNDER_WAY), (found.lingering, _LINGERING)):
        if count:
            print_line(told(said(*words, count=int(count)), options.tongue))
    if options.user or options.caller:
        print_line(told(said(*_JOBS), options.tongue))


_ASK = ("erase {count:,} requests from the log, for good? [y/N] ", "要从日志里永久删除 {count:,} 个请求吗？[y/N] ")
_WOULD = ("{count:,} requests would be erased", "将删除 {count:,} 个请求")
_NONE = ("there are no such requests in the log", "日志里没有这样的请求")
_ERASED = (
    "{count:,} requests are erased, and {feedback:,} words of feedback on them; sums keep their counts",
    "已删除 {count:,} 个请求，以及对它们的 {feedback:,} 条反馈；汇总里的计数保留",
)
_CLOSED = (
    "{count:,} requests cannot be opened with the keys that are here, and are still there",
    "{count:,} 个请求用现有的密钥打不开，仍在日志里",
)
_UNDER_WAY = (
    "{count:,} requests are under way: erase again when they have ended",
    "{count:,} 个请求还在进行中：结束后请再删除一次",
)
_LINGERING = (
    "somebody is reading the log; old bytes are cleared within the hour",
    "有程序正在读取日志；残留的旧数据会在一小时内清除",
)
_JOBS = (
    "jobs keep what was asked until jobs.keep is over, files of contents and replies kept in memory are others' too: "
    "`pointsman jobs ls` lists jobs",
    "任务会把提问内容保存到 jobs.keep 到期为止，内存里的回复缓存另有期限：用 `pointsman jobs ls` 查看任务",
)
