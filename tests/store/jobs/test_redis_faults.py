"""One server that dies, comes back, forgets, fills up, or does not answer."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from pointsman.domain.job import QUEUES, Submitted
from pointsman.domain.said import Said
from pointsman.ports.job_store import StoreError, Wanted
from pointsman.store.jobs.redis import RedisJobStore
from store.jobs.door import Door, door
from store.jobs.makes import (
    LONG,
    SHORT,
    advanced,
    change,
    claimed,
    one,
    one_at_last,
    sound,
    submission,
    submitted,
    until,
)
from store.jobs.servers import DURABLE, Valkey, valkey


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Valkey]:
    with valkey(tmp_path) as found:
        assert isinstance(found, Valkey)
        yield found


@pytest.fixture
async def store(server: Valkey) -> AsyncIterator[RedisJobStore]:
    found = RedisJobStore(server.url)
    yield found
    await found.close()


@contextlib.asynccontextmanager
async def opened(url: str) -> AsyncIterator[RedisJobStore]:
    store = RedisJobStore(url)
    try:
        yield store
    finally:
        await store.close()


@pytest.fixture
async def between(server: Valkey) -> AsyncIterator[Door]:
    async with door(server.port) as found:
        yield found


def in_both(error: pytest.ExceptionInfo[StoreError]) -> tuple[str, str]:
    (message,) = error.value.args
    assert isinstance(message, Said)
    return str(message), message.zh


async def ready(store: RedisJobStore) -> None:
    """It works again."""

    async def works() -> bool:
        with contextlib.suppress(StoreError):
            await store.counts()
            return True
        return False

    await until(works)


async def test_a_server_that_is_gone_is_told_of_in_both_languages(store: RedisJobStore, server: Valkey) -> None:
    (job,) = await submitted(store, submission())
    server.kill()
    for call in (
        store.submit([submission(2)]),
        store.claim(QUEUES, "w", 1, LONG),
        store.advance(job.held, change(job, "admitted")),
        store.renew([job.held], LONG),
        store.get(job.id),
        store.find("ann", "k"),
        store.trace(job.id),
        store.ls(Wanted(), 10),
        store.counts(),
        store.purge(0.0),
        store.wait(QUEUES, LONG),
        store.put("k", b"v", LONG),
        store.read("k"),
        store.delete("k"),
        store.scan(""),
        store.check(),
    ):
        with pytest.raises(StoreError) as error:
            await call
        assert in_both(error) == (
            f"the job store at 127.0.0.1:{server.port} cannot be reached",
            f"任务存储 127.0.0.1:{server.port} 无法连接",
        )


async def test_it_works_again_when_the_server_is_back(store: RedisJobStore, server: Valkey) -> None:
    await submitted(store, submission())
    job = await advanced(store, await one(store), "admitted", hold=True, data=b"d")
    server.kill()
    with pytest.raises(StoreError):
        await store.get(job.id)
    server.start()
    await ready(store)
    assert await store.get(job.id) == job
    assert await store.renew([job.held], LONG) == ["held"]
    assert (await advanced(store, job, "matched", "ended:ok")).over
    assert await sound(store, job.id) == ["submitted", "admitted", "matched", "ended"]


async def test_what_was_acknowledged_survives_kills(store: RedisJobStore, server: Valkey) -> None:
    """Many write at once, and the server is killed again and again in the middle of it."""
    acknowledged: dict[str, int] = {}
    numbers = iter(range(1_000_000))
    over = False

    async def writer() -> None:
        while not over:
            each = submission(next(numbers), queue="batch")
            with contextlib.suppress(StoreError):
                await store.submit([each])
                acknowledged[each.id] = 1
            if each.id not in acknowledged:
                await asyncio.sleep(0.01)

    async def worker() -> None:
        while not over:
            with contextlib.suppress(StoreError):
                for job in await store.claim(QUEUES, "w", 4, LONG):
                    held = await store.advance(job.held, change(job, "admitted", hold=True))
                    acknowledged[job.id] = held.version
                    place = change(job, "admitted").last
                    held = await store.advance(held, change(place, "matched", "ended:ok"))
                    acknowledged[job.id] = held.version
                continue
            await asyncio.sleep(0.01)

    tasks = [asyncio.create_task(work()) for work in [writer] * 8 + [worker] * 4]
    for count in (50, 150, 250, 350):
        while len(acknowledged) < count:
            await asyncio.sleep(0.001)
        await asyncio.to_thread(server.restart)
    over = True
    await asyncio.gather(*tasks)
    await ready(store)
    for job_id, version in acknowledged.items():
        job = await store.get(job_id)
        assert job is not None, f"{job_id} is lost"
        assert job.version >= version
        assert len(await sound(store, job_id)) == job.version


async def test_a_server_that_forgot_the_scripts_is_told_them_again(store: RedisJobStore, server: Valkey) -> None:
    await submitted(store, submission())
    with server.client() as client:
        client.script_flush()
    job = await advanced(store, await one(store), "admitted", hold=True)
    with server.client() as client:
        client.script_flush()
    assert [job.id] == [each.id for each in await store.ls(Wanted(phase="running"), 10)]
    await asyncio.gather(*(store.submit([submission(number)]) for number in range(2, 300)))
    assert (await store.counts())["interactive.waiting"] == 298


async def test_connections_that_the_server_closed_are_not_noticed(store: RedisJobStore, server: Valkey) -> None:
    await submitted(store, submission())
    for _ in range(5):
        with server.client() as client:
            client.execute_command("CLIENT KILL", "TYPE", "normal", "SKIPME", "yes")
        job = await advanced(store, await one(store), "failed")
    assert job.version == 6


async def test_who_waits_while_connections_break_goes_on_waiting(store: RedisJobStore, server: Valkey) -> None:
    waiting = asyncio.create_task(store.wait(QUEUES, LONG))
    with server.client() as client:
        for _ in range(5):
            async with asyncio.timeout(20):
                while not any(each["cmd"] == "xread" for each in client.client_list()):  # it listens, again
                    await asyncio.sleep(0.01)
                    assert not waiting.done()
            client.execute_command("CLIENT KILL", "TYPE", "normal", "SKIPME", "yes")
    assert not waiting.done()
    await submitted(store, submission())
    async with asyncio.timeout(20):
        await waiting


async def test_a_change_whose_answer_was_lost_is_made_once(server: Valkey, between: Door) -> None:
    async with opened(f"redis://127.0.0.1:{between.port}") as store:
        await submitted(store, submission())
        job = await one(store)
        between.lose = b":2\r\n"
        after = await store.advance(job.held, change(job, "admitted", hold=True, failures=1))
        assert between.lost == 1
        assert after.version == 2
        assert await sound(store, job.id) == ["submitted", "admitted"]
        found = await store.get(job.id)
        assert found is not None
        assert found.failures == 1


async def test_a_submission_whose_answer_was_lost_made_the_job(server: Valkey, between: Door) -> None:
    async with opened(f"redis://127.0.0.1:{between.port}") as store:
        await store.submit([submission(1)])
        for number, key in ((2, None), (3, "k")):
            between.lose = b":1\r\n"
            sent = submission(number, key=key)
            assert await store.submit([sent]) == [Submitted(sent.id, True)]
            assert between.lose is None
            assert await store.submit([sent]) == [Submitted(sent.id, False)]


async def test_a_claim_whose_answer_was_lost_comes_back_when_the_lease_is_over(server: Valkey, between: Door) -> None:
    async with opened(f"redis://127.0.0.1:{between.port}") as store:
        await submitted(store, submission())
        assert await store.renew([], LONG) == []
        between.lose = b"job_000001"
        assert await store.claim(QUEUES, "w", 1, 0.2) == []
        assert between.lost == 1
        again = await one_at_last(store, "x")
        assert (again.worker, again.lost) == ("x", 1)


async def test_no_memory_left(store: RedisJobStore, server: Valkey) -> None:
    await submitted(store, submission(1), submission(2))
    over, job = await claimed(store, 2)
    await advanced(store, over, "ended:ok", at=1.0)
    before, trace = await store.get(job.id), await store.trace(job.id)
    server.config("maxmemory", "1")
    for call in (
        store.submit([submission(3)]),
        store.submit([submission(3, key="k")]),
        store.advance(job.held, change(job, "ended:ok", spawn=(submission(1, id="webhook_000002"),))),
        store.claim(QUEUES, "w", 1, LONG),
        store.put("k", b"v", LONG),
    ):
        with pytest.raises(StoreError) as error:
            await call
        assert in_both(error) == (
            f"the job store at 127.0.0.1:{server.port} has no memory left (maxmemory)",
            f"任务存储 127.0.0.1:{server.port} 内存已满（maxmemory）",
        )
    assert await store.get("job_000003") is None
    assert await store.get("webhook_000002") is None
    assert (await store.get(job.id), await store.trace(job.id)) == (before, trace)
    assert [each.id for each in await store.purge(2.0)] == [over.id]
    server.config("maxmemory", "0")
    assert (await store.submit([submission(3, key="k")]))[0].created
    assert (await advanced(store, job, "ended:ok")).over


async def test_a_disk_that_cannot_be_written(tmp_path: Path) -> None:
    options = ("--appendonly", "no", "--enable-protected-configs", "yes")
    with valkey(tmp_path, options=options) as server:
        assert isinstance(server, Valkey)
        async with opened(server.url) as store:
            (job,) = await submitted(store, submission())
            gone = tmp_path / "gone"
            gone.mkdir()
            server.config("dir", str(gone))
            gone.rmdir()
            server.config("save", "3600 1")
            with server.client() as client, contextlib.suppress(Exception):
                client.bgsave()

            async def refused() -> str:
                try:
                    await store.submit([submission(2)])
                except StoreError as error:
                    return str(error)
                return ""

            assert "cannot write to its disk" in await until(refused)
            assert await store.get(job.id) == job


async def test_a_server_that_hung_costs_nobody_a_lease(store: RedisJobStore, server: Valkey) -> None:
    """Nobody could show a sign of life meanwhile, so everybody's time begins anew."""
    await submitted(store, submission())
    async with opened(server.url) as other:
        assert await other.get("job_999999") is None  # it is connected before time runs
        job = await one(store, 1.2)
        assert await claimed(other) == []
        os.kill(server.pid, signal.SIGSTOP)
        looking = asyncio.create_task(until_looked(other))
        renewing = asyncio.create_task(store.renew([job.held], LONG))
        await asyncio.sleep(2.0)
        os.kill(server.pid, signal.SIGCONT)
        await looking
        assert await renewing == ["held"]
        assert await claimed(other) == []


async def until_looked(store: RedisJobStore) -> None:
    await asyncio.sleep(0.6)
    await store.claim(QUEUES, "x", 0, LONG)


async def test_another_process_takes_over_what_a_dead_one_had(server: Valkey) -> None:
    async with opened(server.url) as first, opened(server.url) as second:
        await submitted(first, submission(1), submission(2))
        await claimed(first, 1, SHORT, "first")
        await advanced(first, (await claimed(first, 1))[0], "failed", delay=0.3)
        assert await claimed(second) == []
        got = {}

        async def both() -> bool:
            await second.wait(QUEUES, 5.0)
            got.update({job.id: job.lost for job in await claimed(second, 5, worker="second")})
            return len(got) == 2

        await until(both)
        assert got == {"job_000001": 1, "job_000002": 0}


async def test_a_name_whose_job_was_never_made_leads_to_it_all_the_same(store: RedisJobStore) -> None:
    """Who took the name died before it made the job."""
    first, again = submission(1, key="k", digest=b"d"), submission(2, key="k", digest=b"d")
    await store._submits._named(first, ())
    assert await store.find("ann", "k") is None
    assert await store.submit([again]) == [Submitted(first.id, True)]
    assert await store.find("ann", "k") == first.id
    assert await store.submit([again]) == [Submitted(first.id, False)]


async def test_or_to_something_else(store: RedisJobStore) -> None:
    await store._submits._named(submission(1, key="k", digest=b"d"), ())
    other = submission(2, key="k", digest=b"e")
    assert await store.submit([other]) == [Submitted(other.id, True)]
    assert await store.find("ann", "k") == other.id


async def test_a_password_is_in_no_message(server: Valkey) -> None:
    server.config("requirepass", "right")
    for user in ("", "somebody"):
        async with opened(f"redis://{user}:s3cret@127.0.0.1:{server.port}") as store:
            with pytest.raises(StoreError) as error:
                await store.counts()
            assert "refuses user or password" in in_both(error)[0]
            assert not any("s3cret" in text for text in (*in_both(error), repr(error.value)))
    async with opened(f"redis://127.0.0.1:{server.port}") as store:
        with pytest.raises(StoreError) as error:
            await store.counts()
        assert "wants a password" in in_both(error)[0]
    async with opened(f"redis://:right@127.0.0.1:{server.port}") as store:
        assert await store.counts() == {}


async def test_a_unix_socket() -> None:
    short = tempfile.TemporaryDirectory()  # such a path has 107 bytes at most
    with short as folder, valkey(Path(folder), options=(*DURABLE, "--unixsocket", f"{folder}/s")) as server:
        assert isinstance(server, Valkey)
        async with opened(f"unix://{folder}/s?db=3&prefix=other") as store:
            await submitted(store, submission())
            assert (await one(store)).id == "job_000001"
        with server.client() as client:
            assert client.info("keyspace").keys() == {"db3"}


async def test_settings_that_lose_nothing(store: RedisJobStore) -> None:
    assert await store.check() == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--appendonly", "no"), ["appendonly"]),
        (("--appendonly", "yes"), ["appendfsync is everysec"]),
        (
            ("--appendonly", "no", "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"),
            ["appendonly", "allkeys-lru"],
        ),
        (("--appendonly", "yes", "--rename-command", "CONFIG", ""), ["does not tell its appendfsync"]),
    ],
)
async def test_settings_that_lose_jobs_are_told(tmp_path: Path, options: tuple[str, ...], words: list[str]) -> None:
    with valkey(tmp_path, options=options) as server:
        assert isinstance(server, Valkey)
        async with opened(server.url) as store:
            notes = await store.check()
    assert len(notes) == len(words)
    for note, word in zip(notes, words, strict=True):
        assert word in note
        assert note.zh != str(note)
