"""Seal what comes with a new key. Older keys stay to read what they sealed, until that is old enough to go."""

from __future__ import annotations

import argparse

import apsw

from pointsman.cli.log_choice import declare_place, place_of
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.domain.said import said, told
from pointsman.store.log_file import alone_in
from pointsman.store.log_keys import KEY, rotate
from pointsman.store.log_resealing import Resealed, reseal
from pointsman.store.log_schema import explained

_VERB = "log rotate-key"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--reseal", action="store_true", help="seal all that is there with the new key, too, and remove the older ones"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    declare_place(parser)


def run(options: argparse.Namespace) -> int:
    folder = place_of(options)
    if not (folder / KEY).exists():
        message = said("there is no key in {folder} yet", "{folder} 里还没有密钥", folder=folder)
        print_error(_VERB, message, options.tongue)
        return 1
    try:
        with alone_in(folder):
            rotate(folder)
        if not options.json:
            print_line(told(said(*_ROTATED), options.tongue))
        done = reseal(folder) if options.reseal else Resealed()
    except (OSError, apsw.Error) as error:
        message = said("the key cannot be changed: {why}", "无法更换密钥：{why}", why=explained(error))
        print_error(_VERB, message, options.tongue)
        return 1
    if options.json:
        print_json(done)
    elif options.reseal:
        print_line(told(said(*_RESEALED, rows=done.rows, keys=done.keys), options.tongue))
    if done.closed:
        print_error(_VERB, said(*_CLOSED, closed=done.closed), options.tongue)
    return 1 if done.closed else 0


_ROTATED = (
    "a new key seals from now on; a running gateway takes it up with its next write",
    "从现在起用新密钥加密；运行中的网关在下一次写入时启用",
)
_RESEALED = (
    "{rows:,} rows of the log are sealed anew, {keys:,} older keys are gone",
    "日志的 {rows:,} 行已重新加密，删除了 {keys:,} 个旧密钥",
)
_CLOSED = (
    "{closed:,} rows open with no key that is here; the older keys stay",
    "有 {closed:,} 行用现有的密钥都打不开；旧密钥保留",
)
