"""One of three machines is lost, in every way in which machines are: two gateways over one store answer each request all the
same, and what was cut off says so."""

from __future__ import annotations

import asyncio
import statistics
import time
from pathlib import Path

import pytest

from faults.fleet.gateways import until
from faults.fleet.hosts import Host
from faults.fleet.traffic import Traffic, before, left_alone, serves
from store.jobs.servers import Valkey

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
_LONG = "pieces 240 gap 0.1"
"""A reply that is still under way when it is found that its machine is gone."""


def _at(host: Host, numbers: range) -> set[int]:
    return {number for number in numbers if any(f"long {number} " in text for text in host.asked)}


@pytest.mark.parametrize("how", ["kill", "cut_off", "freeze"])
async def test_a_machine_is_lost_and_comes_back(three: list[Host], store: Valkey, tmp_path: Path, how: str) -> None:
    lost, *others = three
    limits = {"first_byte_timeout": 8, "idle_timeout": 6} if how == "freeze" else {}
    """A kernel that confirms all that comes looks like an engine that thinks; the others are found out without limits."""
    async with before(store, three, tmp_path, **limits) as sides, Traffic(sides) as traffic:
        began = [asyncio.Event() for _ in range(6)]
        reading = [
            asyncio.create_task(sides[number % 2].read(f"long {number} {_LONG}", began[number])) for number in range(6)
        ]
        await asyncio.gather(*(event.wait() for event in began))
        await traffic.more()
        cut = _at(lost, range(6))
        assert cut, "the least loaded of three gets one of six"
        gone_at = time.monotonic()
        getattr(lost, how)()
        seconds = [await until(lambda side=side: left_alone(side, lost)) for side in sides]
        known = sum(seconds)
        before_that = len(lost.asked)
        await traffic.more(40)
        for number, events in enumerate(await asyncio.gather(*reading)):
            if number in cut:
                assert "error" in events[-1] and events[-1]["error"]["src"] == "backend", events[-1]
            else:
                assert "error" not in events[-1]
        assert len(lost.asked) == before_that
        assert traffic.statuses == {200}, [reply.text for reply in traffic.replies if reply.status_code != 200]
        tried = [attempt for side in sides for attempt in side.attempts() if attempt["node"] == lost.node]
        await traffic.more(40)
        assert len([a for side in sides for a in side.attempts() if a["node"] == lost.node]) == len(tried)
        {"kill": lost.start, "cut_off": lost.join, "freeze": lost.thaw}[how]()
        for side in sides:
            await until(lambda side=side: serves(side, lost))
        before_that = len(lost.asked)
        await until(lambda: len(lost.asked) > before_that, "it is used again")
    assert traffic.statuses == {200}, [reply.text for reply in traffic.replies if reply.status_code != 200]
    assert all(len(host.asked) > 20 for host in others)
    since = [(at - gone_at, took) for at, took in traffic.times]
    soon = max(took for at, took in since if 0 <= at < 4)
    later, usual = ([took for at, took in since if keep(at)] for keep in (lambda at: 4 <= at < 30, lambda at: at < 0))
    print(
        f"\n{how}: both gateways know after {known:.1f} s; the longest request of the first 4 s took {soon:.2f} s; of "
        f"{len(later)} that came later {max(later):.2f} s (median {statistics.median(later):.2f}), of {len(usual)} before "
        f"{max(usual):.2f} s (median {statistics.median(usual):.2f})"
    )
