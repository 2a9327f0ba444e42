"""Deliveries as jobs: what is remembered of a letter, when it goes out again, and when nobody may say that it did not."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pointsman.domain.job import Change, Job
from pointsman.domain.lifecycle import step
from pointsman.domain.said import Said
from pointsman.pipeline.delivery.by_mail import MailChannel, Written
from pointsman.pipeline.delivery.by_webhook import HookChannel
from pointsman.pipeline.delivery.handler import Channel, DeliveryHandler
from pointsman.pipeline.delivery.ordering import Deliveries
from pointsman.pipeline.delivery.parcel import Parcel, delivery_id
from pointsman.pipeline.job_worker import JobWorker, Terms, revive
from pointsman.ports.action import MadeFile
from pointsman.ports.clock import SystemClock
from pointsman.ports.mail import Letter, NotSent, Sent
from pointsman.ports.webhook import Delivered, NotDelivered
from pointsman.store.files.local import LocalFiles
from pointsman.store.jobs.memory import MemoryJobStore

QUICK = Terms(concurrency=2, lease=0.6, poll=0.05, failures=3, lost=3, backoff=0.01)
CLOCK = SystemClock()
NO = Said("no", "不")
PDF = MadeFile("made/abc.pdf", "订单报表_上周.pdf", "application/pdf", 9)
ASKED = datetime.datetime(2026, 11, 30, 0, 0, tzinfo=datetime.UTC).timestamp()
PARCEL = Parcel(
    channel="",
    text="已生成《订单报表》\n下载：http://127.0.0.1:8900/files/tok",
    tongue="zh",
    request_id="req_1a",
    base_url="http://127.0.0.1:8900",
    asked=ASKED,
    files=(PDF,),
    caller="ann",
    schedule="weekly",
)


class Server:
    """A `Mailer` that does what it is told, try by try."""

    def __init__(self, *does: Callable[[Sequence[str]], Sent] | NotSent) -> None:
        self.does = list(does)
        self.letters: list[tuple[Letter, tuple[str, ...]]] = []
        self.hold: asyncio.Event | None = None

    async def send(self, letter: Letter, recipients: Sequence[str], before: Callable[[], Awaitable[None]]) -> Sent:
        what = self.does.pop(0) if self.does else Sent
        if isinstance(what, NotSent) and what.kind == "connect":
            raise what
        await before()
        self.letters.append((letter, tuple(recipients)))
        if self.hold is not None:
            await self.hold.wait()
        if isinstance(what, NotSent):
            raise what
        return what(tuple(recipients))

    def close(self) -> None: ...


class House:
    """A store, files, and channels."""

    def __init__(self, folder: Path) -> None:
        self.store = MemoryJobStore()
        self.files = LocalFiles(folder)
        self.channels: dict[str, Channel] = {}
        self.deliveries = Deliveries(lambda: self.store, CLOCK)

    def mail(self, server: Server, *to: str, attach: int = 100, **other: Any) -> Server:
        given: dict[str, Any] = {"subject": "{title}", "text": "{text}", **other}
        written = Written(
            sender="报表 <reports@example.com>",
            to=to or ("finance@example.com",),
            cc=(),
            plain=to or ("finance@example.com",),
            attach=attach,
            zone=datetime.timezone(datetime.timedelta(hours=8)),
            **given,
        )
        self.channels["finance"] = MailChannel("finance", server, written, self.files, _link, CLOCK)
        return server

    @contextlib.asynccontextmanager
    async def working(self, name: str = "w1", terms: Terms = QUICK) -> AsyncIterator[JobWorker]:
        worker = JobWorker(
            self.store, {"delivery": DeliveryHandler(lambda: self.channels)}, CLOCK, terms, name, lambda j, p, a: ()
        )
        task = asyncio.create_task(worker.run())
        try:
            yield worker
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def order(self, *channels: str, parcel: Parcel = PARCEL, effect: str = "job_1a.1") -> list[str]:
        return list(await self.deliveries(parcel, channels or ("finance",), effect))

    async def until(self, job_id: str, wanted: Callable[[Job], bool] = lambda job: job.over) -> Job:
        async with asyncio.timeout(20):
            while True:
                found = await self.store.get(job_id)
                if found is not None and wanted(found):
                    return found
                await asyncio.sleep(0.01)

    async def events(self, job_id: str) -> list[str]:
        return [one.event for one in await self.store.trace(job_id)]


def _link(file: MadeFile, base_url: str) -> str:
    return f"{base_url}/files/{file.key}"


@pytest.fixture
async def house(tmp_path: Path) -> House:
    found = House(tmp_path)
    await found.files.publish(PDF.key, b"%PDF-1.7\n")
    return found


async def test_a_letter_goes_out_once_with_the_file(house: House):
    server = house.mail(Server(), subject={"zh": "{title}（{date} {time}）", "en": "x"})
    [job_id] = await house.order()
    assert [job_id] == await house.order()  # who orders again, after a crash, gets the same
    async with house.working():
        job = await house.until(job_id)
    assert (job.place.outcome, job.error, job.caller, job.queue) == ("ok", None, "ann", "webhook")
    [(letter, recipients)] = server.letters
    assert recipients == ("finance@example.com",)
    assert letter.message_id == f"{job_id}.1@example.com"
    assert letter.subject == "订单报表_上周（2026-11-30 08:00）"
    assert letter.text == PARCEL.text
    assert [(file.name, file.content) for file in letter.files] == [(PDF.name, b"%PDF-1.7\n")]
    assert await house.events(job_id) == ["submitted", "admitted", "matched", "dispatched", "stepped", "ended"]


async def test_a_file_too_large_is_a_link(house: House):
    server = house.mail(Server(), attach=8, text={"zh": "请查收：{files}", "en": "x"})
    [job_id] = await house.order()
    async with house.working():
        await house.until(job_id)
    [(letter, _)] = server.letters
    assert letter.files == ()
    assert letter.text == f"请查收：{PDF.name}\n\n{PDF.name}：http://127.0.0.1:8900/files/{PDF.key}"


async def test_values_are_not_looked_at_for_slots(house: House):
    server = house.mail(Server(), subject="{schedule}: {title}", text="{text}")
    odd = msgspec.structs.replace(PARCEL, text="{channel} {{x}} {nothing}", files=(), schedule="{text}")
    [job_id] = await house.order(parcel=odd)
    async with house.working():
        await house.until(job_id)
    assert (server.letters[0][0].subject, server.letters[0][0].text) == ("{text}: {text}", odd.text)


async def test_what_may_pass_is_tried_again(house: House, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("pointsman.pipeline.delivery.handler.pause_after", lambda *given: 0.01)
    busy = NotSent("busy", NO, again=True, status=451)
    server = house.mail(Server(NotSent("connect", NO, again=True), busy, busy))
    [job_id] = await house.order()
    async with house.working():
        job = await house.until(job_id)
    assert (job.place.outcome, job.failures) == ("ok", 3)
    assert len({letter.message_id for letter, _ in server.letters}) == 1 and len(server.letters) == 3
    events = await house.events(job_id)
    assert events.count("failed") == 3 and events[-1] == "ended"


async def test_what_is_refused_for_good_is_given_up_at_once(house: House):
    server = house.mail(Server(NotSent("refused", NO, again=False, status=554)))
    [job_id] = await house.order()
    async with house.working():
        job = await house.until(job_id)
        assert (job.place.disposition, job.error, len(server.letters)) == ("dead", "mail_refused", 1)
        await revive(house.store, job_id, 1.0, "op")  # by hand, once the cause is gone
        job = await house.until(job_id)
    assert job.place.outcome == "ok"
    assert server.letters[1][0].message_id == f"{job_id}.2@example.com"


async def test_what_nobody_knows_is_told_and_not_repeated(house: House, caplog: pytest.LogCaptureFixture):
    server = house.mail(Server(NotSent("broken", NO, again=True, uncertain=True)))
    [job_id] = await house.order()
    async with house.working():
        job = await house.until(job_id)
        assert (job.place.disposition, job.error, len(server.letters)) == ("dead", "uncertain", 1)
        why = (await house.store.trace(job_id))[-1].why
        assert why and "may have arrived" in why[0] and "可能已经收到" in why[1]
        assert any("is given up" in record.getMessage() and job_id in record.getMessage() for record in caplog.records)
        await revive(house.store, job_id, 1.0, "op")
        await house.until(job_id)
    assert len(server.letters) == 2


async def test_a_worker_that_stops_in_the_middle_leaves_it_uncertain(house: House):
    server = house.mail(Server())
    server.hold = asyncio.Event()
    [job_id] = await house.order()
    async with house.working(), asyncio.timeout(20):
        while not server.letters:
            await asyncio.sleep(0.01)
    server.hold = None
    async with house.working("w2"):
        job = await house.until(job_id)
    assert (job.place.disposition, job.error, len(server.letters)) == ("dead", "uncertain", 1)


async def test_a_worker_that_falls_silent_in_the_middle_leaves_it_uncertain(house: House):
    """Its lease runs out with the letter on its way, as after kill -9."""
    server = house.mail(Server())
    [job_id] = await house.order()
    [job] = await house.store.claim(["webhook"], "gone", 1, 0.05)
    place = job.place
    places = []
    for event in ("admitted", "matched", "dispatched", "stepped"):
        place = step(place, event)  # type: ignore[arg-type]
        places.append(place)
    data = msgspec.msgpack.encode((1, (), (), True))
    events = tuple((event, None) for event in ("admitted", "matched", "dispatched", "stepped"))
    await house.store.advance(
        job.held,
        Change(op="x", at=1.0, events=events, places=tuple(places), hold=True, data=data),  # type: ignore[arg-type]
    )
    async with house.working():
        done = await house.until(job_id)
    assert (done.place.disposition, done.error, server.letters) == ("dead", "uncertain", [])


async def test_each_recipient_gets_it_once(house: House, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("pointsman.pipeline.delivery.handler.pause_after", lambda *given: 0.01)

    def first(recipients: Sequence[str]) -> Sent:
        return Sent(taken=("a@x.example",), later=(("b@x.example", 450),), never=(("c@x.example", 550),))

    server = house.mail(Server(first), "a@x.example", "b@x.example", "c@x.example")
    [job_id] = await house.order()
    async with house.working():
        job = await house.until(job_id)
    assert [recipients for _, recipients in server.letters] == [
        ("a@x.example", "b@x.example", "c@x.example"),
        ("b@x.example",),
    ]
    assert (job.place.outcome, job.error, job.failures) == ("ok", "mail_refused", 1)


async def test_nobody_wants_it(house: House):
    house.mail(Server(lambda recipients: Sent((), never=tuple((one, 550) for one in recipients))), "a@x.example")
    [job_id] = await house.order()
    async with house.working():
        job = await house.until(job_id)
    assert (job.place.disposition, job.error) == ("dead", "mail_refused")


async def test_a_channel_that_is_gone(house: House):
    [job_id] = await house.order("board")
    async with house.working():
        job = await house.until(job_id)
    assert (job.place.disposition, job.error) == ("dead", "unknown_channel")


async def test_channels_of_one_effect_are_told_apart_and_generations_too():
    ids = {delivery_id(effect, channel) for effect in ("job_1a.1", "job_1a.2") for channel in ("finance", "财务")}
    assert len(ids) == 4 and all(one.startswith("delivery_1a.") and one.isascii() for one in ids)


class Hooks:
    def __init__(self, *does: NotDelivered) -> None:
        self.does = list(does)
        self.sent: list[tuple[str, str, dict[str, Any]]] = []

    async def check(self, url: str) -> None: ...

    async def send(self, url: str, message_id: str, body: bytes, now: float) -> Delivered:
        self.sent.append((url, message_id, msgspec.json.decode(body)))
        if self.does:
            raise self.does.pop(0)
        return Delivered(200)


@pytest.mark.parametrize("content", [0, 100])
async def test_a_webhook_tells_link_and_facts_and_the_file_where_it_is_wanted(
    house: House, content: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("pointsman.pipeline.delivery.handler.pause_after", lambda *given: 0.01)
    hooks = Hooks(NotDelivered("busy", NO, again=True))
    house.channels["erp"] = HookChannel(hooks, "https://erp.example/in", content, house.files, _link, CLOCK)
    [job_id] = await house.order("erp")
    async with house.working():
        job = await house.until(job_id)
    assert job.place.outcome == "ok"
    (url, first, _), (_, second, body) = hooks.sent
    assert (url, first, second) == ("https://erp.example/in", f"{job_id}.1".replace(".", "-"), first)
    assert (body["type"], body["timestamp"]) == ("delivery", "2026-11-30T00:00:00.000Z")
    data = body["data"]
    assert (data["id"], data["schedule"], data["channel"], data["title"]) == (job_id, "weekly", "erp", "订单报表_上周")
    [file] = data["files"]
    assert (file["name"], file["size"], file["url"]) == (PDF.name, 9, f"http://127.0.0.1:8900/files/{PDF.key}")
    assert file.get("content") == ("JVBERi0xLjcK" if content else None)


async def test_a_receiver_that_wants_no_more_ends_it(house: House):
    hooks = Hooks(NotDelivered("gone", NO, again=False))
    house.channels["erp"] = HookChannel(hooks, "https://erp.example/in", 0, house.files, _link, CLOCK)
    [job_id] = await house.order("erp")
    async with house.working():
        job = await house.until(job_id)
    assert (job.place.disposition, job.error, len(hooks.sent)) == ("dead", "webhook_gone", 1)
