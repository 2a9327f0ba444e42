"""Signals that a process gives itself before or after some call of its store or its files: it dies, or stands still."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal

import msgspec

from pointsman.domain.job import Change
from pointsman.ports.file_store import FileStore
from pointsman.ports.job_store import Fenced, StoreError
from pointsman.store.files import local

When = Literal["before", "after"]


class Strike(msgspec.Struct, frozen=True):
    """At the `number`th `call`: `submit`, `claim` (that gave something, where it is `after`), `renew`, `effect` (a file is
    published), `link` (it is given its name), `sync` (of SQLite's log) or the last event of an advance."""

    when: When
    call: str
    number: int = 1
    stop: bool = False

    def __str__(self) -> str:
        return f"{self.when} {self.call} {self.number}"


class Strikes:
    def __init__(self, strikes: tuple[Strike, ...]) -> None:
        self._strikes = strikes
        self._counts: Counter[tuple[When, str]] = Counter()

    def due(self, when: When, call: str) -> None:
        self._counts[when, call] += 1
        for strike in self._strikes:
            if (strike.when, strike.call, strike.number) == (when, call, self._counts[when, call]):
                os.kill(os.getpid(), signal.SIGSTOP if strike.stop else signal.SIGKILL)

    def wants(self, call: str) -> bool:
        return any(strike.call == call for strike in self._strikes)


class Struck:
    """A job store, or one that files lie in, under strikes. So many answers as one of each `lose` are lost after the work
    was done. `note` is told what was fenced, what the store could not do, whose caller did not
    wait for the answer, and what was published."""

    def __init__(self, inner: Any, strikes: Strikes, lose: int, note: Callable[..., None]) -> None:
        self._inner = inner
        self._strikes = strikes
        self._lose = lose
        self._answers = 0
        self._note = note

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)
        return self._struck(name, method) if name in ("submit", "claim", "renew", "advance", "publish") else method

    def _struck(self, name: str, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def struck(*args: Any) -> Any:
            call = _call(name, args)
            self._strikes.due("before", call)
            try:
                answer = await method(*args)
            except Fenced:
                self._note("fenced", args[0].id, call)
                raise
            except StoreError:
                self._note("refused", call)
                raise
            except asyncio.CancelledError:
                self._note("called_off", call)
                raise
            if name == "publish":
                self._note("published", args[0], answer)
            if name != "claim" or answer:
                self._strikes.due("after", call)
            if self._lose and (name in ("submit", "advance") or (name == "claim" and answer)):
                self._answers += 1
                if self._answers % self._lose == 0:
                    raise StoreError("the answer was lost")
            return answer

        return struck


def _call(name: str, args: tuple[Any, ...]) -> str:
    if name == "advance":
        change: Change = args[1]
        return change.events[-1][0]
    return "effect" if name == "publish" else name


def strike_links(strikes: Strikes) -> None:
    """Around the one system call that gives a published file its name."""
    link = local.os.link

    def struck(source: Path, target: Path) -> None:
        strikes.due("before", "link")
        link(source, target)
        strikes.due("after", "link")

    local.os.link = struck  # type: ignore[assignment]


def struck_files(files: FileStore, strikes: Strikes, note: Callable[..., None]) -> FileStore:
    if strikes.wants("link"):
        strike_links(strikes)
    found: FileStore = Struck(files, strikes, 0, note)  # type: ignore[assignment]
    return found
