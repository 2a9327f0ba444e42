"""Machines that are there and no good: one that only fails, one that comes and goes, one on a slow line. Two gateways over
one store answer each request all the same."""

from __future__ import annotations

import asyncio
import itertools
import time
from pathlib import Path

import pytest

from faults.fleet.gateways import Gateway, until
from faults.fleet.hosts import Host
from faults.fleet.traffic import Traffic, before, left_alone, serves
from store.jobs.servers import Valkey

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


async def test_one_that_only_fails_gets_no_traffic(three: list[Host], store: Valkey, tmp_path: Path) -> None:
    """Its probes are answered, requests are not. What a gateway has under way there at the first failure is all that it
    ever gets, and others serve that; from then on gateways try it with their own words."""
    bad, *good = three
    bad.break_it()
    async with before(store, three, tmp_path) as sides, Traffic(sides) as traffic:
        for side in sides:
            await until(lambda side=side: left_alone(side, bad))
        await traffic.more(8)  # what was under way
        tried = len(_asked(bad))
        own = len(bad.asked) - tried
        await until(lambda: len(bad.asked) - tried >= own + 4, "the gateways look by themselves")
        await traffic.more(40)
        assert len(_asked(bad)) == tried
        bad.repair()
        await until(lambda: len(_asked(bad)) > tried, "it is used again")
    assert traffic.statuses == {200}
    assert tried <= 4, "four requests are under way at a time"
    print(f"\nof {len(traffic.replies)} requests {tried} were tried there; {[len(host.asked) for host in good]}")


async def test_one_whose_own_calls_work_and_requests_fail(three: list[Host], store: Valkey, tmp_path: Path) -> None:
    """The gateways' own words pass each time: a gateway sends it one request after each pause, and pauses double."""
    bad = three[0]
    bad.break_it("picky")
    async with before(store, three, tmp_path, node_health={"pause": 2, "longest_pause": 16}) as sides:
        began = time.monotonic()
        async with Traffic(sides) as traffic:
            await until(lambda: len(bad.asked) - len(_asked(bad)) >= 8, "own calls")
        took = time.monotonic() - began
        tried = len(_asked(bad))
    assert traffic.statuses == {200}
    pauses = sum(took >= sum(2.0 * 2**n for n in range(count + 1)) for count in range(4)) + took // 16
    assert tried <= 4 + 2 * (1 + pauses), "what was under way; then one a gateway, at first and after each pause"
    print(f"\nof {len(traffic.replies)} requests {tried} were tried there in {took:.0f} s")


def _asked(host: Host) -> list[str]:
    """What clients asked, without the gateways' own words."""
    return [text for text in host.asked if "ping" not in text]


async def test_one_that_comes_and_goes(three: list[Host], store: Valkey, tmp_path: Path) -> None:
    flapping = three[0]
    async with before(store, three, tmp_path) as sides, Traffic(sides) as traffic:
        await traffic.more()
        for _ in range(6):
            flapping.kill()
            await traffic.more(10)
            await asyncio.to_thread(flapping.start)
            await traffic.more(10)
        used = len(flapping.asked)
        for side in sides:
            await until(lambda side=side: serves(side, flapping))
        await until(lambda: len(flapping.asked) > used, "it is used again")
    assert traffic.statuses == {200}, [reply.text for reply in traffic.replies if reply.status_code != 200]
    print(f"\n{len(traffic.replies)} requests, {len(flapping.asked)} of them there")


async def test_one_on_a_slow_line_gets_less(three: list[Host], store: Valkey, tmp_path: Path) -> None:
    slow = three[0]
    async with before(store, three, tmp_path) as sides:
        slow.slow_down("24kbit")
        numbers = itertools.count()

        async def one_after_another(side: int) -> list[int]:
            return [(await sides[side].ask(f"{next(numbers)} pieces 400 gap 0.0005")).status_code for _ in range(20)]

        statuses = await asyncio.gather(*(one_after_another(number % 2) for number in range(6)))
        assert {status for each in statuses for status in each} == {200}
        shares = [len(host.asked) for host in three]
        assert shares[0] < min(shares[1:]) / 2, shares
        moved = _given_up(sides)  # its words stand behind its replies: for seconds it may say nothing at all
        print(f"\nthe slow one and two others were asked {shares}; {len(moved)} tries were given up: {moved}")


async def test_one_that_thinks_for_long_keeps_what_it_has(three: list[Host], store: Valkey, tmp_path: Path) -> None:
    """No byte for far longer than a node that is cut off has: its probes are answered."""
    async with before(store, three, tmp_path) as sides:
        asking = [side.ask(f"number {number} think 20") for side in sides for number in range(3)]
        began = time.monotonic()
        assert {reply.status_code for reply in await asyncio.gather(*asking)} == {200}
        took = time.monotonic() - began
        assert not _given_up(sides)
    assert sum(len(host.asked) for host in three) == 6, "each was asked once"
    print(f"\nsix requests took {took:.1f} s each, and none was asked a second time")


def _given_up(sides: tuple[Gateway, Gateway]) -> list[tuple[str, float]]:
    """Why tries failed, and after how many milliseconds."""
    attempts = [attempt for side in sides for attempt in side.attempts()]
    return [(attempt["failure"], attempt["took_ms"]) for attempt in attempts if attempt["failure"]]
