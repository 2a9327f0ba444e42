"""Several gateways on one store of each kind: a time becomes one job, what is settled survives a stop."""

from __future__ import annotations

import asyncio
import datetime

from pointsman.domain.job import Submission
from pointsman.pipeline.delivery.ordering import Deliveries
from pointsman.pipeline.delivery.parcel import Parcel, parcel_of
from pointsman.pipeline.job_list import newest
from pointsman.pipeline.schedules.due import Planned
from pointsman.pipeline.schedules.scheduler import Scheduler
from pointsman.pipeline.schedules.times import Timing, in_utc
from pointsman.ports.job_store import JobStore, Wanted
from store.jobs.stores import Grounds

NAME = "每周销售"
EIGHT = datetime.datetime(2026, 11, 30, 8, tzinfo=datetime.UTC).timestamp()


class Clock:
    def __init__(self) -> None:
        self.now = EIGHT - 60

    def wall(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now


def gateway(store: JobStore, clock: Clock) -> Scheduler:
    def submission(name: str, at: float) -> Submission:
        key = f"schedule:{name}:{in_utc(at)}"
        digits = f"{int(at) * 1000:011x}"
        return Submission(
            id=f"job_{digits}", queue="interactive", kind="action", caller="s", created=at, body=b"x", key=key
        )

    scheduler = Scheduler(store, clock, submission)
    scheduler.install({NAME: Planned(Timing("0 8 * * *", "UTC"))})
    return scheduler


async def times(store: JobStore) -> list[tuple[str, str] | None]:
    return [job.schedule for job in await newest(store, Wanted(kind="action"), 100)]


async def test_two_gateways_make_one_job_and_a_stop_loses_nothing(grounds: Grounds) -> None:
    clock = Clock()
    stores = [await grounds.open(), await grounds.open()]
    gateways = [gateway(store, clock) for store in stores]
    for one in gateways:
        await one.look()
    clock.now = EIGHT
    await asyncio.gather(*(one.look() for one in gateways))
    assert await times(stores[0]) == [(NAME, "2026-11-30T08:00:00Z")]
    clock.now = EIGHT + 2 * 86_400 + 7200  # nobody was there
    later = [gateway(store, clock) for store in stores]
    await asyncio.gather(*(one.look() for one in later))
    assert await times(stores[1]) == [(NAME, "2026-12-02T08:00:00Z"), (NAME, "2026-11-30T08:00:00Z")]


async def test_a_delivery_is_a_job_like_others(store: JobStore) -> None:
    deliveries = Deliveries(lambda: store, Clock())
    parcel = Parcel(
        channel="", text="好", tongue="zh", request_id="req_1a", base_url="http://x", asked=1.0, caller="ann"
    )
    ids = await deliveries(parcel, ["财务", "erp"], "job_1a.1")
    assert ids == await deliveries(parcel, ["财务", "erp"], "job_1a.1") and len(set(ids)) == 2
    jobs = await store.claim(["webhook"], "w", 10, 60.0)
    assert sorted(parcel_of(job.body).channel for job in jobs) == ["erp", "财务"]
    listed = await newest(store, Wanted(caller="ann"), 10, None, ("delivery",))
    assert sorted(job.id for job in listed) == sorted(ids) and {job.kind for job in listed} == {"delivery"}
