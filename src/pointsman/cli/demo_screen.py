"""How the demo looks: colours where a terminal shows them, cut to its width, Chinese counted as two cells a letter."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
import unicodedata
from typing import Any, Literal

from pointsman.cli.demo_steps import say
from pointsman.cli.gateway_client import ChatReply
from pointsman.domain.wording import Tongue

Style = Literal["plain", "bold", "dim", "rule", "model", "warn", "bad"]
_CODES: dict[Style, str] = {
    "plain": "",
    "bold": "1",
    "dim": "2",
    "rule": "1;32",
    "model": "1;36",
    "warn": "33",
    "bad": "1;31",
}
_MOST_LINES = 8
_BAR = 24
_WORD = re.compile(r"[!-~]+ *|.")  # where a line may be broken: after spaces, and around any other letter


class Screen:
    """Prints to standard output; `quiet` prints nothing."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._colours = (
            sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"
        )
        self._width = max(40, min(110, shutil.get_terminal_size((100, 24)).columns)) - 1

    def line(self, text: str, style: Style = "plain") -> None:
        if not self._quiet:
            print(self._in(style, text), flush=True)

    def head(self, number: str, title: str) -> None:
        self.line("")
        self.line(f"{number} {title}".strip(), "bold")

    def conversation(self, messages: list[dict[str, str]]) -> None:
        for message in messages:
            mark, style = ("›", "plain") if message is messages[-1] else ("·", "dim")
            text = " ".join(message["content"].split())
            self.line(self._cut(f"   {mark} {text}"), "bold" if style == "plain" else "dim")

    def reply(self, reply: ChatReply, tongue: Tongue) -> None:
        lines = [part for line in reply.text.splitlines() if line.strip() for part in self._wrapped(line)]
        for line in lines[:_MOST_LINES]:
            self.line(f"   {line}")
        if len(lines) > _MOST_LINES:
            self.line("   …", "dim")
        if self._quiet:
            return
        style: Style = "rule" if reply.stage == "l0" else "model"
        label = "L0" if reply.stage == "l0" else say("model", tongue) if reply.status == 200 else str(reply.status)
        times = [duration(reply.took)]
        if reply.ttft is not None:
            rate = (reply.pieces - 1) / (reply.took - reply.ttft) if reply.took > reply.ttft and reply.pieces > 1 else 0
            times = [f"TTFT {duration(reply.ttft)}", f"{say('total', tongue)} {duration(reply.took)}"]
            times += [f"{rate:.0f} token/s"] if rate else []
        rest = self._cut(f"  {' · '.join(times)}  {reply.target or reply.reason}", self._width - 4 - cells(label))
        print(f"   {self._in(style, label)}{self._in('dim', rest)}", flush=True)

    def file(self, text: str, took: float) -> None:
        self.line(self._cut(f"   ⤓ {text}  {duration(took)}"), "rule")

    def share(self, part: int, whole: int, text: str) -> None:
        if self._quiet:
            return
        full = round(_BAR * part / whole)
        bar = self._in("rule", "█" * full) + self._in("model", "░" * (_BAR - full))
        print(f"   {bar}  {text} {part}/{whole} ({100 * part / whole:.0f} %)", flush=True)

    def time(self, text: str, count: int, median: float) -> None:
        self.line(f"   {text}{' ' * max(1, 22 - cells(text))}{count:>3} ×  {duration(median):>8}")

    def log(self, row: dict[str, Any]) -> None:
        when = time.strftime("%H:%M:%S", time.localtime(row["received"]))
        who = row["rule"] if row["stage"] == "l0" else row["target"] or row["model"]
        took = duration((row["total_ms"] or 0) / 1000)
        self.line(self._cut(f"   {when}  {row['stage'] or '-':<5} {row['outcome']:<8} {took:>8}  {who or '-'}"), "dim")

    def _in(self, style: Style, text: str) -> str:
        return f"\033[{_CODES[style]}m{text}\033[0m" if self._colours and _CODES[style] and text else text

    def _wrapped(self, text: str) -> list[str]:
        """Lines of the terminal's width; one that holds a link is cut instead."""
        width = self._width - 3
        if "://" in text:
            return [self._cut(text, width)]
        lines, line = [], ""
        for word in _WORD.findall(_plain(text)):
            if line and cells(line) + cells(word.rstrip()) > width:
                lines.append(line.rstrip())
                line = ""
            line += word
        return [self._cut(line, width) for line in (*lines, line.rstrip()) if line]

    def _cut(self, text: str, width: int | None = None) -> str:
        """At most the terminal's width, without what could steer it: replies of models are shown here."""
        width = width or self._width
        text = _plain(text)
        if cells(text) <= width:
            return text
        kept, used = [], 0
        for letter in text:
            used += cells(letter)
            if used > width - 1:
                break
            kept.append(letter)
        return "".join(kept) + "…"


def _plain(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def cells(text: str) -> int:
    """Columns that a terminal gives this text."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def duration(seconds: float) -> str:
    """0.4 ms, 12 ms, 3.1 s."""
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1000:.1f} ms" if seconds < 0.01 else f"{seconds * 1000:.0f} ms"
