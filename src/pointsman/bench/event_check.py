"""Reads server-sent events and holds each against the one that must come next."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Protocol

from pointsman.bench.canned import DONE
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said


class WrongStream(PointsmanError):
    """An event was missing, changed, out of order or too many."""


class Check(Protocol):
    """Feed it a body as it comes, split anywhere; `finish` at the end; `restart` for the next body."""

    def feed(self, data: bytes) -> None:
        """Raises WrongStream."""

    def finish(self) -> None:
        """Raises WrongStream where the end came too early."""

    def restart(self) -> None: ...


class EventCheck:
    """`expected` is the data of each event in order, `[DONE]` with them; comment blocks and fields other than `data` are
    skipped, as SSE readers do."""

    def __init__(self, expected: Sequence[bytes]) -> None:
        self._expected = expected
        self._blocks = [b"data: " + data for data in expected]
        self._rest = b""
        self.seen = 0

    def restart(self) -> None:
        self._rest = b""
        self.seen = 0

    def feed(self, data: bytes) -> None:
        blocks = (self._rest + data).replace(b"\r\n", b"\n").split(b"\n\n")
        self._rest = blocks.pop()
        for block in blocks:
            if self.seen < len(self._blocks) and block == self._blocks[self.seen]:
                self.seen += 1
            else:
                self._slowly(block)

    def finish(self) -> None:
        if self._rest.strip() or self.seen != len(self._expected):
            raise WrongStream(
                said(
                    "the stream ended after {seen} of {all} events",
                    "流在第 {seen} 个事件之后就结束了，应有 {all} 个",
                    seen=self.seen,
                    all=len(self._expected),
                ),
            )

    def _slowly(self, block: bytes) -> None:
        data = _data(block)
        if data is None:
            return
        wanted = self._expected[self.seen] if self.seen < len(self._expected) else b""
        if data != wanted:
            raise WrongStream(
                said(
                    "event {number} is {data!r}, not {wanted!r}",
                    "第 {number} 个事件是 {data!r}，应为 {wanted!r}",
                    number=self.seen + 1,
                    data=data[:200],
                    wanted=wanted[:200],
                ),
            )
        self.seen += 1


class TextCheck:
    """For gateways that make events of their own: the deltas' texts must add up to that of the `expected` events, and
    `[DONE]` must come last."""

    def __init__(self, expected: Sequence[bytes]) -> None:
        self._wanted = "".join(_text(data) for data in expected)
        self.restart()

    def restart(self) -> None:
        self._rest = b""
        self._texts: list[str] = []
        self._done = False

    def feed(self, data: bytes) -> None:
        blocks = (self._rest + data).replace(b"\r\n", b"\n").split(b"\n\n")
        self._rest = blocks.pop()
        for block in blocks:
            part = _data(block)
            if part is None:
                continue
            if self._done:
                raise WrongStream(Said("there is an event after [DONE]", "[DONE] 之后还有事件"))
            self._done = part == DONE
            self._texts.append(_text(part))

    def finish(self) -> None:
        if not self._done or "".join(self._texts) != self._wanted:
            raise WrongStream(Said("the texts of the events add up to another one", "事件里的文本拼起来与上游的不同"))


def _data(block: bytes) -> bytes | None:
    """What an SSE reader takes of a block; None for one without data."""
    lines = [line[5:].removeprefix(b" ") for line in block.split(b"\n") if line.startswith(b"data:")]
    return b"\n".join(lines) if lines else None


def _text(data: bytes) -> str:
    """Of the first choice's delta. Raises WrongStream."""
    if data == DONE:
        return ""
    try:
        choices = json.loads(data)["choices"]
        return choices[0]["delta"].get("content") or "" if choices else ""
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        raise WrongStream(
            said("{data!r} is no chunk of a completion", "{data!r} 不是流式回复的分块", data=data[:200])
        ) from None
