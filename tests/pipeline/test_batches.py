"""A batch from its file to its file: whole, in parts, killed between any two steps, called off, out of time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pipeline.batch_house import BATCH, CHAT, House, echo, requests
from pointsman.domain.batch import progress_of, status_of
from pointsman.domain.job import Job
from pointsman.domain.lifecycle import step
from pointsman.domain.said import Said
from pointsman.http.jobs.kept import KeptReply, KeptRequest
from pointsman.pipeline.batches import handler
from pointsman.pipeline.batches.cancel import cancel, in_use
from pointsman.pipeline.batches.handler import Limits
from pointsman.pipeline.passage import Passage, TryAgain
from pointsman.ports.file_store import FileStoreError
from pointsman.ports.job_store import Fenced, Wanted


@pytest.fixture(autouse=True)
def small_lots(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(handler, "_LOT", 3)


async def call_off(house: House) -> Job | None:
    return await cancel(
        house.store, BATCH, house.time.now, f"op{house.time.now}", lambda job, place, at: (), house.stopped.append
    )


def phase(name: str) -> Any:
    return lambda job: progress_of(job).phase == name and job.place.disposition == "parked"


async def test_the_output_has_a_line_for_each_request_in_their_order(tmp_path: Path):
    house = House(tmp_path)
    await house.order(requests(10))
    await house.work()
    result = await house.result()
    assert (result["status"], result["counts"], result["errors"]) == ("completed", (10, 10, 0), None)
    for n, line in enumerate(result["output"], 1):
        assert line == {
            "id": f"batch_req_01.{n}",
            "custom_id": f"r{n}",
            "response": {
                "status_code": 200,
                "request_id": f"req_01.{n}",
                "body": {"said": {"n": n, "text": "一"}},
            },
            "error": None,
        }
    assert set(house.done.values()) == {1} and len(house.done) == 10
    assert not house.scraps()
    await house.check_traces()


async def test_each_request_is_a_job_of_its_own_for_the_same_caller(tmp_path: Path):
    seen: list[KeptRequest] = []

    def reply(kept: KeptRequest) -> KeptReply:
        seen.append(kept)
        return echo(kept)

    house = House(tmp_path, reply)
    await house.order(requests(4, stream=True))
    await house.work()
    assert [kept.request_id for kept in seen] == [f"req_01.{n}" for n in range(1, 5)]
    assert {(kept.path, kept.caller.name, kept.caller.group, kept.loopback) for kept in seen} == {
        (CHAT, "ann", "g", True)
    }
    assert "stream" not in json.loads(seen[0].body)
    children = await house.store.ls(Wanted(parent=BATCH), 10)
    assert [(job.id, job.queue, job.kind) for job in children] == [
        (f"job_01.{n}", "batch", "request") for n in (4, 3, 2, 1)
    ]


async def test_what_failed_stands_in_the_file_of_errors(tmp_path: Path):
    house = House(tmp_path)
    lines = requests(2) + [line.replace(b'"r1"', b'"bad"') for line in requests(1, status=400)]
    await house.order(lines)
    await house.work()
    result = await house.result()
    assert (result["status"], result["counts"]) == ("completed", (3, 2, 1))
    assert [line["custom_id"] for line in result["output"]] == ["r1", "r2"]
    [error] = result["errors"]
    assert (error["custom_id"], error["response"]["status_code"], error["error"]) == ("bad", 400, None)


async def test_a_reply_that_is_no_json_is_told_as_text(tmp_path: Path):
    bodies = iter(
        [b"plain\ntext", b"\xff\xfe", b"", b'{"a":1e400}', b'{"big": 123456789012345678901234567890, "f": 1.0}']
    )
    house = House(tmp_path, lambda kept: KeptReply(200, (), next(bodies)))
    await house.order(requests(5))
    await house.work()
    told = [line["response"] for line in (await house.result())["output"]]
    assert [response["body"] for response in told[:3]] == ["plain\ntext", "��", ""]
    assert told[4]["body"]["f"] == 1.0 and told[0]["request_id"] == "req_01.1"


async def test_a_dead_request_is_told_with_its_last_words(tmp_path: Path):
    house = House(tmp_path)
    await house.order(requests(2))
    await house.work(phase("in_progress"))
    [job] = await house.store.claim(("batch",), "w", 1, 10.0)
    passage = Passage(job, house.store, house.time, "w")
    await passage.begin("x")
    died = passage.change((("died", None),), (step(passage.place, "died"),), Said("the engine is gone", "引擎不在了"))
    await passage.make(replace(died, error="engine_gone"))
    await house.work()
    result = await house.result()
    assert result["counts"] == (2, 1, 1)
    [line] = result["errors"]
    assert (line["response"], line["error"]) == (None, {"code": "engine_gone", "message": "the engine is gone"})


async def test_an_input_that_is_wrong_fails_before_anything_is_done(tmp_path: Path):
    house = House(tmp_path)
    await house.order([*requests(5), b"{", b"[]"])
    job = await house.work()
    progress = progress_of(job)
    assert status_of(job) == "failed" and (job.error, job.place.outcome) == ("invalid_json", "failed")
    assert [problem.line for problem in progress.problems] == [6, 7]
    assert not house.done and not await house.store.ls(Wanted(parent=BATCH), 10)


async def test_too_many_requests_or_too_long_ones_fail(tmp_path: Path):
    for name, limits, code in (("a", Limits(requests=3), "too_many_requests"), ("b", Limits(line=60), "line_too_long")):
        house = House(tmp_path / name, limits=limits)
        await house.order(requests(4))
        assert (await house.work()).error == code


# Killed


async def clean(folder: Path, lines: list[bytes]) -> tuple[dict[str, Any], int]:
    house = House(folder)
    await house.order(lines)
    await house.work()
    assert house.deadly.steps.count("submit") == 3 and house.deadly.steps.count("publish") == 4
    return await house.result(), house.deadly.count


LINES = [*requests(6), *(line.replace(b'"r', b'"s') for line in requests(2, status=422))]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_killed_between_any_two_steps_it_gives_the_same(tmp_path: Path, after: bool):
    """Each request is carried out once, and stands in one file, once."""
    wanted, steps = await clean(tmp_path / "clean", LINES)
    assert wanted["counts"] == (8, 6, 2) and steps > 12
    for at in range(1, steps + 1):
        house = House(tmp_path / str(at))
        house.deadly.at, house.deadly.after = at, after
        await house.order(LINES)
        await house.work()
        assert house.kills == 1
        assert await house.result() == wanted, house.deadly.steps[at - 1]
        assert set(house.done.values()) == {1} and len(house.done) == 8
        assert not house.scraps()
        await house.check_traces()


async def test_killed_while_it_is_called_off_it_is_called_off_all_the_same(tmp_path: Path):
    """What others do until the next worker takes it up is delivered."""

    async def run(folder: Path, at: int, after: bool) -> House:
        house = House(folder)
        await house.order(requests(8))
        await house.work(lambda job: progress_of(job).submitted >= 8 and sum(house.done.values()) == 2)
        await call_off(house)
        house.deadly.at, house.deadly.after = house.deadly.count + at if at else 0, after
        await house.work()
        return house

    house = await run(tmp_path / "clean", 0, False)
    wanted = await house.result()
    assert (wanted["status"], wanted["counts"]) == ("cancelled", (8, 2, 6))
    assert [line["error"]["code"] for line in wanted["errors"]] == ["batch_cancelled"] * 6
    before = house.deadly.steps.index("publish")
    for at in range(1, len(house.deadly.steps) - before + 12):
        for after in (False, True):
            killed = await run(tmp_path / f"{at}{after}", at, after)
            result = await killed.result()
            told = (
                [line["custom_id"] for line in result["output"]],
                [line["custom_id"] for line in result["errors"] or ()],
            )
            assert sorted(told[0] + told[1]) == [f"r{n}" for n in range(1, 9)] and result["status"] == "cancelled"
            assert {f"job_01.{name[1:]}" for name in told[0]} == set(killed.done) and set(killed.done.values()) == {1}
            await killed.check_traces()


# Called off


async def test_called_off_before_it_began_it_is_over_at_once(tmp_path: Path):
    house = House(tmp_path)
    await house.order(requests(3))
    job = await call_off(house)
    assert job is not None and status_of(job) == "cancelled" and job.over
    assert await call_off(house) == job


async def test_called_off_while_its_input_is_checked_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    house = House(tmp_path)
    await house.order(requests(3))
    check = handler.check

    async def slow(*given: Any, **more: Any) -> Any:
        found = await check(*given, **more)
        if not house.stopped:
            house.stopped.append("")
            job = await call_off(house)
            assert job is not None and status_of(job) == "cancelling" and job.token == 2
        return found

    monkeypatch.setattr(handler, "check", slow)
    job = await house.work()
    assert status_of(job) == "cancelled" and not house.done and progress_of(job).output_file is None


async def test_called_off_while_requests_become_jobs_all_of_them_end(tmp_path: Path):
    """Whoever loses the batch may have a lot on its way to the store, which comes late."""
    house = House(tmp_path)
    await house.order(requests(12))
    submit, late = house.store.submit, []

    async def slow(submissions: Any) -> Any:
        if submissions[0].id == "job_01.4" and not late:
            late.append(submissions)
            await call_off(house)
            raise Fenced("job_01.4")
        return await submit(submissions)

    house.store.submit = slow  # type: ignore[method-assign]
    job = await house.work()
    assert len(await submit(late[0])) == 3
    result = await house.result()
    assert (result["status"], result["counts"]) == ("cancelled", (12, 0, 12)) and progress_of(job).submitted == 6
    assert [line["custom_id"] for line in result["errors"]] == [f"r{n}" for n in range(1, 13)]
    children = await house.store.ls(Wanted(parent=BATCH), 100)
    assert len(children) == 6 and all(child.over for child in children) and not house.done
    assert set(house.stopped) == {f"job_01.{n}" for n in range(1, 7)}


async def test_what_was_done_before_it_was_called_off_is_delivered(tmp_path: Path):
    house = House(tmp_path)
    await house.order(requests(5))
    await house.work(lambda job: sum(house.done.values()) == 3)
    job = await call_off(house)
    assert job is not None and status_of(job) == "cancelling"
    again = await call_off(house)
    assert again == job
    await house.work()
    result = await house.result()
    assert (result["status"], result["counts"]) == ("cancelled", (5, 3, 2))
    assert [line["custom_id"] for line in result["output"]] == ["r1", "r2", "r3"]


async def test_what_is_under_way_is_called_off_before_any_worker_is_free(tmp_path: Path):
    house = House(tmp_path)
    await house.order(requests(5))
    await house.work(phase("in_progress"))
    held = await house.store.claim(("batch",), "busy", 2, 10.0)
    await call_off(house)
    assert house.stopped == [job.id for job in held][::-1]
    for job in held:
        found = await house.store.get(job.id)
        assert found is not None and found.place.outcome == "cancelled" and found.token > job.token


async def test_one_that_is_over_stays_as_it_is(tmp_path: Path):
    house = House(tmp_path)
    assert await cancel(house.store, "batch_none", 1.0, "op", lambda job, place, at: ()) is None
    await house.order(requests(1))
    job = await house.work()
    assert await call_off(house) == job


# Out of time


async def test_what_is_not_done_in_time_expires_and_the_rest_is_delivered(tmp_path: Path):
    house = House(tmp_path)
    await house.order(requests(5))
    await house.work(lambda job: sum(house.done.values()) == 2)
    house.time.now += 86_401
    await house.work()
    result = await house.result()
    assert (result["status"], result["counts"]) == ("expired", (5, 2, 3))
    assert [line["error"]["code"] for line in result["errors"]] == ["batch_expired"] * 3


async def test_one_that_nobody_took_up_in_time_does_nothing(tmp_path: Path):
    house = House(tmp_path)
    await house.order(requests(9))
    house.time.now += 86_401
    job = await house.work()
    result = await house.result()
    assert (result["status"], result["counts"]) == ("expired", (9, 0, 9)) and not house.done
    assert progress_of(job).submitted == 3


# Files that fail


async def test_a_store_of_files_that_fails_is_tried_again_later(tmp_path: Path):
    house = House(tmp_path)
    await house.order(requests(1))

    def broken(file_id: str) -> Any:
        raise FileStoreError("gone")

    house.uploads.pieces = broken  # type: ignore[method-assign]
    with pytest.raises(TryAgain) as failed:
        await house.work()
    assert failed.value.delay is not None and failed.value.delay >= 60


async def test_an_input_that_disappears_ends_it(tmp_path: Path):
    house = House(tmp_path)
    await house.order(requests(5))
    await house.work(phase("in_progress"))
    await house.uploads.remove("file-1")
    job = await house.work()
    assert status_of(job) == "failed" and job.error == "input_file_gone"


async def test_a_file_is_in_use_until_its_batch_is_over(tmp_path: Path):
    house = House(tmp_path)
    await house.order(requests(2))
    upload = await house.uploads.find("file-1")
    assert upload is not None and await in_use(house.store, upload) == BATCH
    await house.work(phase("in_progress"))
    assert await in_use(house.store, upload) == BATCH
    await house.work()
    assert await in_use(house.store, upload) is None
