"""The parser of the command line, whose complaints are in the language of whoever types."""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any, NoReturn

from pointsman.cli.tongue import tongue_of

_ZH = (
    (r"the following arguments are required: (.*)", r"缺少参数：\1"),
    (r"unrecognized arguments: (.*)", r"不认识的参数：\1"),
    (r"argument (.*?): invalid choice: (.*) \(choose from (.*)\)", r"参数 \1：没有 \2 这个取值（合法取值：\3）"),
    (r"argument (.*?): invalid int value: (.*)", r"参数 \1：\2 不是整数"),
    (r"argument (.*?): expected one argument", r"参数 \1：缺少取值"),
    (r"argument (.*?): ignored explicit argument (.*)", r"参数 \1：不能带取值 \2"),
    (r"argument (.*?): not allowed with argument (.*)", r"参数 \1 不能和 \2 一起用"),
    (r"ambiguous option: (.*) could match (.*)", r"选项 \1 不明确，可能是 \2"),
    (r"argument (.*?): (.*)", r"参数 \1：\2"),
)


class _Formatter(argparse.HelpFormatter):
    """Verbs stand two columns further in than argparse reckons: there is room for the longest, too."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):
            self._action_max_length += self._indent_increment


class Parser(argparse.ArgumentParser):
    """argparse's own, with its errors in Chinese too."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **{"formatter_class": _Formatter, **named})

    def error(self, message: str) -> NoReturn:
        if tongue_of() == "en":
            super().error(message)
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}：错误：{_in_zh(message)}\n")


def _in_zh(message: str) -> str:
    for pattern, zh in _ZH:
        if found := re.fullmatch(pattern, message, re.DOTALL):
            return found.expand(zh)
    return message
