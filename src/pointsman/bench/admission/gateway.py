"""The gateway of a row: its config, what it says of itself while it runs, and what its log says afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import re
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import msgspec
import yaml

from pointsman.bench.admission.client import Reply
from pointsman.bench.processes import Child, free_port
from pointsman.store.log_reader import LogReader

_STARTING = 60.0
_STOPS = 0.25  # seconds between two looks at a breaker
_REQUESTS = re.compile(r'^pointsman_requests_total\{[^}]*outcome="(\w+)"[^}]*\} (\S+)$', re.MULTILINE)
_AWAY = re.compile(r"^pointsman_turned_away_total\{[^}]*\} (\S+)$", re.MULTILINE)
_BREAKER = re.compile(r'^pointsman_target_breaker\{[^}]*state="(\w+)"[^}]*\} 1\.0$', re.MULTILINE)


class Limits(msgspec.Struct, frozen=True):
    """What the gateway lets in; without `sequences` and `cells` as good as everything."""

    sequences: int = 100_000
    cells: int = 1_000_000_000
    queue: int = 64
    wait: float = 8.0


class Asked(msgspec.Struct):
    """What the gateway counted itself: in its log, by outcome, and in its metrics."""

    logged: dict[str, int]
    counted: dict[str, int]
    turned_away: int
    ids: set[str]


def config(engine: int, limits: Limits, patience: float) -> dict[str, object]:
    """One target: the engine on that port."""
    backend = {
        "engine": "llamacpp",
        "model": "m",
        "base_url": f"http://127.0.0.1:{engine}/v1",
        "limits": {"sequences": limits.sequences, "cells": limits.cells},
        "first_byte_timeout": patience,
        "idle_timeout": patience / 2,
    }
    breaker = {"ratio": 0.05, "least": 8, "window": 30, "pause": 5}
    return {
        "models": {"medium": {"backends": [backend]}},
        "fallback": {"target": "medium"},
        "server": {"heartbeat_after": 0.5},
        "admission": {"queue": limits.queue, "wait": limits.wait, "breaker": breaker},
        "log": {"prompts": "off"},
    }


class Gateway:
    """One that runs, on `port`."""

    def __init__(self, port: int, folder: Path) -> None:
        self.port = port
        self._folder = folder
        self.breaker: list[tuple[float, str]] = []
        """(monotonic seconds, state), each time that it was another one."""

    async def metrics(self) -> str:
        return await asyncio.to_thread(_get, f"http://127.0.0.1:{self.port}/metrics")

    async def watch(self) -> None:
        """Follows the breaker; until it is cancelled."""
        while True:
            with contextlib.suppress(OSError):
                found = _BREAKER.search(await self.metrics())
                if found and (not self.breaker or self.breaker[-1][1] != found[1]):
                    self.breaker.append((time.monotonic(), found[1]))
            await asyncio.sleep(_STOPS)

    async def settled(self, sent: int) -> Asked:
        """What it counted, once it has counted so many requests, or after 10 seconds."""
        for _ in range(40):
            text = await self.metrics()
            counted: Counter[str] = Counter()
            for outcome, value in _REQUESTS.findall(text):
                counted[outcome] += int(float(value))
            if counted.total() >= sent:
                break
            await asyncio.sleep(0.25)
        away = sum(int(float(value)) for value in _AWAY.findall(text))
        return Asked({}, dict(counted), away, set())

    def read_log(self, asked: Asked) -> None:
        """Once it has stopped."""
        heads = [logged.head for logged in LogReader(self._folder / "data").scan()]
        asked.logged = dict(Counter(head.outcome for head in heads))
        asked.ids = {head.id for head in heads}


@contextlib.asynccontextmanager
async def gateway(engine: int, limits: Limits, patience: float, folder: Path) -> AsyncIterator[Gateway]:
    """In a process of its own, from when it is ready to its end. Raises PointsmanError."""
    port = free_port()
    command = _command(engine, limits, patience, folder, port)
    with Child(command, port, folder / "gateway.txt") as child:
        ready = f"http://127.0.0.1:{port}/ready"
        await asyncio.to_thread(child.wait_until_it_answers, lambda: _get(ready), _STARTING)
        yield Gateway(port, folder)
        await asyncio.to_thread(child.stop)


def _command(engine: int, limits: Limits, patience: float, folder: Path, port: int) -> list[str]:
    folder.mkdir()
    file = folder / "pointsman.yaml"
    file.write_text(yaml.safe_dump(config(engine, limits, patience)), encoding="utf-8")
    command = [sys.executable, "-m", "pointsman", "serve", "-c", str(file), "--port", str(port)]
    return [*command, "--data-dir", str(folder / "data"), "--log-level", "warning"]


def unaccounted(replies: Sequence[Reply], asked: Asked) -> list[str]:
    """Where the client's counts, the log's and the metrics' are not the same; empty where they are, to the last request."""
    found = []
    sent, logged, counted = len(replies), sum(asked.logged.values()), sum(asked.counted.values())
    if not sent == logged == counted:
        found.append(f"sent {sent}, logged {logged}, counted {counted}")
    if asked.logged != asked.counted:
        found.append(f"logged {asked.logged}, counted {asked.counted}")
    known = [reply.request_id for reply in replies if reply.request_id is not None]
    if missing := [name for name in known if name not in asked.ids] or len(set(known)) != len(known):
        found.append(f"not in the log, or twice: {missing}")
    served, gone = _with(replies, "ok"), _with(replies, "timeout")
    if (asked.logged.get("ok", 0), asked.logged.get("cancelled", 0)) != (served, gone):
        found.append(f"ok {served} and given up {gone}, logged {asked.logged}")
    if (sheds := _with(replies, "shed")) != asked.turned_away:
        found.append(f"shed {sheds}, turned away {asked.turned_away}")
    return found


def _with(replies: Sequence[Reply], outcome: str) -> int:
    return sum(reply.outcome == outcome for reply in replies)


def _get(url: str) -> str:
    """Raises OSError."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(url, timeout=10) as response:
        text: str = response.read().decode()
        return text
