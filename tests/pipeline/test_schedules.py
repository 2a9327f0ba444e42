"""Schedules: when they are due, whatever clocks do; one job for each time, whoever looks."""

from __future__ import annotations

import asyncio
import datetime
import hashlib
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.domain.job import Submission
from pointsman.domain.said import Said
from pointsman.pipeline.schedules.due import AHEAD, LATE, Planned, due_at
from pointsman.pipeline.schedules.scheduler import MARKS, Scheduler
from pointsman.pipeline.schedules.times import Timing, check_cron, in_utc, last_until, next_after
from pointsman.ports.job_store import StoreError, Wanted
from pointsman.store.jobs.memory import MemoryJobStore
from thorough import tries

SHANGHAI, NEW_YORK = "Asia/Shanghai", "America/New_York"
DAY = 86_400.0


def at(text: str, zone: str = "UTC") -> float:
    return datetime.datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()


def times(cron: str, zone: str, first: str, last: str) -> list[str]:
    """All of them between two moments of that zone, as its clocks show them."""
    found, moment, end = [], at(first, zone) - 1, at(last, zone)
    while (upcoming := next_after(Timing(cron, zone), moment)) is not None and upcoming <= end:
        found.append(datetime.datetime.fromtimestamp(upcoming, ZoneInfo(zone)).isoformat())
        moment = upcoming
    return found


class TestTimes:
    def test_mondays_at_eight(self) -> None:
        assert times("0 8 * * 1", SHANGHAI, "2026-11-28T00:00", "2026-12-08T00:00") == [
            "2026-11-30T08:00:00+08:00",
            "2026-12-07T08:00:00+08:00",
        ]

    def test_a_fixed_time_in_the_gap_comes_at_its_end(self) -> None:
        assert times("30 2 * * *", NEW_YORK, "2026-03-07T00:00", "2026-03-10T00:00") == [
            "2026-03-07T02:30:00-05:00",
            "2026-03-08T03:00:00-04:00",
            "2026-03-09T02:30:00-04:00",
        ]

    def test_midnight_that_does_not_exist(self) -> None:
        assert times("0 0 * * *", "America/Santiago", "2026-09-05T12:00", "2026-09-07T12:00") == [
            "2026-09-06T01:00:00-03:00",
            "2026-09-07T00:00:00-03:00",
        ]

    def test_a_fixed_time_that_comes_twice_is_taken_once(self) -> None:
        assert times("30 1 * * *", NEW_YORK, "2026-10-31T12:00", "2026-11-02T12:00") == [
            "2026-11-01T01:30:00-04:00",
            "2026-11-02T01:30:00-05:00",
        ]

    @pytest.mark.parametrize("start", ["01:15:00-05:00", "01:30:00-04:00", "01:31:00-04:00"])
    def test_nor_does_it_come_again_from_within_the_hour_that_is_repeated(self, start: str) -> None:
        moment = datetime.datetime.fromisoformat(f"2026-11-01T{start}").timestamp()
        upcoming = next_after(Timing("30 1 * * *", NEW_YORK), moment)
        assert upcoming == at("2026-11-02T01:30", NEW_YORK)

    def test_every_hour_means_every_hour_that_passes(self) -> None:
        assert times("30 * * * *", NEW_YORK, "2026-11-01T00:00", "2026-11-01T02:30") == [
            "2026-11-01T00:30:00-04:00",
            "2026-11-01T01:30:00-04:00",
            "2026-11-01T01:30:00-05:00",
            "2026-11-01T02:30:00-05:00",
        ]
        assert len(times("0 * * * *", NEW_YORK, "2026-03-08T00:00", "2026-03-08T23:59")) == 23

    @given(
        st.sampled_from(
            ["0 8 * * 1", "30 2 * * *", "*/7 * * * *", "15 1 1 * *", "0 0 * * *", "30 1 L * *", "5 0-5/2 * 3,11 SUN"]
        ),
        st.sampled_from([NEW_YORK, "Europe/Berlin", SHANGHAI, "UTC", "America/Santiago"]),
        st.floats(at("2026-01-01"), at("2028-01-01")),
    )
    @settings(max_examples=tries(90, 300), deadline=None)
    def test_forward_and_backward_agree(self, cron: str, zone: str, moment: float) -> None:
        timing = Timing(cron, zone)
        before, after = last_until(timing, moment), next_after(timing, moment)
        assert before is not None and after is not None and before <= moment < after
        assert next_after(timing, before) == after and last_until(timing, after) == after
        assert last_until(timing, after - 1) == before

    @pytest.mark.parametrize(
        "cron",
        ["0 8 * *", "0 8 * * 1 2026", "60 8 * * *", "0 24 * * *", "0 8 0 * *", "0 8 * 13 *", "0 8 * * 8", "", "@daily",
         "a b c d e", "0 8 31 2 *", "0 8 * * MON-", "*/0 * * * *", "0 8 31 FEB,APR *"],
    )  # fmt: skip
    def test_what_is_no_expression(self, cron: str) -> None:
        with pytest.raises(ValueError) as caught:
            check_cron(cron)
        assert isinstance(caught.value.args[0], Said)

    @pytest.mark.parametrize("cron", ["0 8 * * 1", "*/15 9-17 * * MON-FRI", "0 9 L * *", "0 9 29 2 *", "0 0 * * 5#2"])
    def test_what_is_one(self, cron: str) -> None:
        check_cron(cron)


class TestDue:
    WEEKLY = Timing("0 8 * * 1", SHANGHAI)
    MONDAY = at("2026-11-30T08:00", SHANGHAI)

    @pytest.mark.parametrize("missed", ["once", "skip"])
    def test_on_time(self, missed: Any) -> None:
        planned = Planned(self.WEEKLY, missed)
        assert due_at(planned, self.MONDAY - 100, self.MONDAY - 0.001) is None
        assert due_at(planned, self.MONDAY - 100, self.MONDAY) == self.MONDAY
        assert due_at(planned, self.MONDAY - 100, self.MONDAY + LATE) == self.MONDAY
        assert due_at(planned, self.MONDAY, self.MONDAY + 1) is None

    def test_missed(self) -> None:
        later = self.MONDAY + 2 * DAY
        month_ago = self.MONDAY - 30 * DAY
        assert due_at(Planned(self.WEEKLY, "once"), month_ago, later) == self.MONDAY  # the last of five
        assert due_at(Planned(self.WEEKLY, "skip"), month_ago, later) is None

    def test_a_clock_that_was_set_back_makes_nothing_twice(self) -> None:
        assert due_at(Planned(self.WEEKLY), self.MONDAY + 5, self.MONDAY - 1000) is None


class Clock:
    def __init__(self, now: float) -> None:
        self.now = now

    def wall(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now


class House:
    """A store, and gateways that look at the same clock."""

    def __init__(self, now: str) -> None:
        self.store = MemoryJobStore()
        self.clock = Clock(at(now))

    def gateway(self, cron: str = "0 8 * * *", missed: Any = "once", zone: str = "UTC") -> Scheduler:
        scheduler = Scheduler(self.store, self.clock, self.submission)
        scheduler.install({"daily": Planned(Timing(cron, zone), missed)})
        return scheduler

    def submission(self, name: str, moment: float) -> Submission:
        key = f"schedule:{name}:{in_utc(moment)}"
        return Submission(
            id=f"job_{int(moment):011x}",
            queue="interactive",
            kind="request",
            caller="s",
            created=moment,
            body=b"",
            key=key,
        )

    async def asked(self) -> list[str]:
        jobs = await self.store.ls(Wanted(), 100)
        assert all(job.schedule for job in jobs)
        return sorted(job.schedule[1] for job in jobs if job.schedule)


async def test_a_time_comes_and_is_done_once() -> None:
    house = House("2026-11-30T07:59:00")
    gateway = house.gateway()
    assert await gateway.look() == 20.0
    house.clock.now = at("2026-11-30T07:59:50")
    assert await gateway.look() == 10.0
    assert await house.asked() == []
    for second in ("00", "01", "30"):
        house.clock.now = at(f"2026-11-30T08:00:{second}")
        await gateway.look()
    assert await house.asked() == ["2026-11-30T08:00:00Z"]


async def test_two_gateways_on_one_store_make_one_job() -> None:
    house = House("2026-11-30T07:59:59")
    gateways = [house.gateway() for _ in range(3)]
    for gateway in gateways:
        await gateway.look()
    house.clock.now = at("2026-11-30T08:00:00")
    await asyncio.gather(*(gateway.look() for gateway in gateways))
    assert await house.asked() == ["2026-11-30T08:00:00Z"]


@pytest.mark.parametrize(("missed", "expected"), [("once", ["2026-12-04T08:00:00Z"]), ("skip", [])])
async def test_times_missed_during_a_stop(missed: str, expected: list[str]) -> None:
    house = House("2026-11-30T09:00:00")
    await house.gateway(missed=missed).look()
    house.clock.now = at("2026-12-04T12:00:00")  # down for four days
    gateway = house.gateway(missed=missed)
    await gateway.look()
    await gateway.look()
    await house.gateway(missed=missed).look()
    assert await house.asked() == expected
    house.clock.now = at("2026-12-05T08:00:10")
    await gateway.look()
    assert await house.asked() == [*expected, "2026-12-05T08:00:00Z"]


async def test_a_new_schedule_makes_up_for_nothing() -> None:
    house = House("2026-11-30T09:00:00")
    await house.gateway().look()
    assert await house.asked() == []


async def test_one_with_other_times_begins_anew_and_one_switched_off_is_forgotten() -> None:
    house = House("2026-11-30T09:00:00")
    await house.gateway().look()
    house.clock.now = at("2026-12-04T12:00:00")
    await house.gateway("0 7 * * *").look()
    await house.gateway("0 7 * * *", zone=SHANGHAI).look()
    assert await house.asked() == []
    off = house.gateway()
    off.install({}, ("daily",))
    await off.look()
    assert await house.store.read(MARKS + "daily") is None
    house.clock.now = at("2026-12-09T12:00:00")
    await house.gateway().look()
    assert await house.asked() == []


async def test_a_reload_in_between_keeps_what_is_settled() -> None:
    house = House("2026-11-30T07:59:59")
    gateway = house.gateway()
    await gateway.look()
    house.clock.now = at("2026-11-30T08:00:00")
    await gateway.look()
    gateway.install({"daily": Planned(Timing("0 8 * * *", "UTC"), "once")})
    house.clock.now = at("2026-11-30T08:00:01")
    await gateway.look()
    assert await house.asked() == ["2026-11-30T08:00:00Z"]


async def test_one_that_slept_does_not_repeat_what_another_did_though_its_job_is_purged() -> None:
    house = House("2026-11-30T07:00:00")
    asleep, awake = house.gateway("0 8 1 * *"), house.gateway("0 8 1 * *")
    await asleep.look()
    await awake.look()
    house.clock.now = at("2026-12-01T08:00:00")
    await awake.look()
    assert await house.asked() == ["2026-12-01T08:00:00Z"]
    house.clock.now = at("2026-12-20T08:00:00")
    await awake.look()

    async def none(*given: Any) -> Any:
        raise AssertionError("it wants a job")

    house.store.submit = none  # type: ignore[method-assign]
    await asleep.look()


async def test_a_store_that_is_gone_delays_and_loses_nothing() -> None:
    house = House("2026-11-30T07:59:59")
    gateway = house.gateway()
    await gateway.look()
    submit = house.store.submit

    async def gone(*given: Any) -> Any:
        raise StoreError(Said("the disk is full", "磁盘已满"))

    house.store.submit = gone  # type: ignore[method-assign]
    house.clock.now = at("2026-11-30T08:00:00")
    assert await gateway.look() == 5.0
    assert gateway.problem == "the disk is full"
    house.store.submit = submit  # type: ignore[method-assign]
    house.clock.now = at("2026-11-30T08:00:40")
    await gateway.look()
    assert gateway.problem is None and await house.asked() == ["2026-11-30T08:00:00Z"]


async def test_a_clock_that_was_years_ahead_does_not_silence_a_schedule() -> None:
    house = House("2026-11-30T07:59:59")
    house.clock.now += 10 * 365 * DAY
    await house.gateway().look()
    house.clock.now = at("2026-11-30T07:59:59")
    gateway = house.gateway()
    await gateway.look()
    house.clock.now = at("2026-11-30T08:00:01")
    await gateway.look()
    assert await house.asked() == ["2026-11-30T08:00:00Z"]
    assert AHEAD < 10 * 365 * DAY


async def test_it_wakes_when_the_config_changes() -> None:
    house = House("2026-11-30T08:00:30")
    scheduler = Scheduler(house.store, house.clock, house.submission)
    running = asyncio.create_task(scheduler.run())
    await asyncio.sleep(0.02)
    await house.store.put(MARKS + "daily", _mark(at("2026-11-30T07:00:00")), 100.0)
    scheduler.install({"daily": Planned(Timing("0 8 * * *", "UTC"))})
    async with asyncio.timeout(10):
        while not await house.asked():
            await asyncio.sleep(0.01)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


def _mark(moment: float) -> bytes:
    encode = msgspec.msgpack.encode
    return encode((hashlib.sha256(encode(("0 8 * * *", "UTC"))).hexdigest()[:12], moment))
