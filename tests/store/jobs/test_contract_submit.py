"""What every store says and does of jobs that are submitted."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pointsman.domain.job import QUEUES, Job, Submitted
from pointsman.domain.lifecycle import Place
from pointsman.ports.job_store import JobStore
from store.jobs.makes import NOON, child, claimed, folded, ids, submission, submitted, there
from store.jobs.stores import SHARED, Grounds


async def test_a_job_is_as_it_was_submitted(store: JobStore) -> None:
    sent = submission(
        1,
        queue="webhook",
        kind="webhook",
        key="k",
        digest=b"d",
        parent="job_000001.7",
        expires=NOON + 60.5,
        webhook="https://example.org/hook?a=b",
    )
    assert await store.submit([sent]) == [Submitted(sent.id, True)]
    assert await there(store, sent.id) == Job(
        id=sent.id,
        queue="webhook",
        kind="webhook",
        caller="ann",
        created=sent.created,
        updated=sent.created,
        body=sent.body,
        key="k",
        parent="job_000001.7",
        expires=NOON + 60.5,
        webhook="https://example.org/hook?a=b",
        place=Place(),
        version=1,
        token=0,
        generation=1,
        worker="",
    )


async def test_its_trace_begins_with_the_submission(store: JobStore) -> None:
    (job,) = await submitted(store, submission())
    (first,) = steps = await store.trace(job.id)
    assert folded(steps) == Place()
    assert (first.at, first.token) == (job.created, 0)


async def test_nothing_is_submitted(store: JobStore) -> None:
    assert await store.submit([]) == []


async def test_the_same_id_twice_makes_one_job(store: JobStore) -> None:
    assert await store.submit([submission()]) == [Submitted("job_000001", True)]
    assert await store.submit([submission(body=b"other")]) == [Submitted("job_000001", False)]
    assert (await there(store, "job_000001")).body == b"body 1"
    assert len(await store.trace("job_000001")) == 1
    assert ids(await claimed(store, 9)) == ["job_000001"]


async def test_the_same_id_after_it_went_on_changes_nothing(store: JobStore) -> None:
    await submitted(store, submission())
    (job,) = await claimed(store)
    assert await store.submit([submission()]) == [Submitted(job.id, False)]
    assert await there(store, job.id) == job
    assert await claimed(store) == []


async def test_the_same_key_twice_gives_the_job_that_there_is(store: JobStore) -> None:
    await store.submit([submission(1, key="k", digest=b"d")])
    assert await store.submit([submission(2, key="k", digest=b"d")]) == [Submitted("job_000001", False)]
    assert await store.get("job_000002") is None
    assert await store.trace("job_000002") == []
    assert ids(await claimed(store, 9)) == ["job_000001"]


async def test_the_same_submission_with_its_key_again(store: JobStore) -> None:
    """As a caller does whose first answer was lost."""
    sent = submission(1, key="k", digest=b"d")
    assert [await store.submit([sent]) for _ in range(3)] == [[Submitted(sent.id, n == 0)] for n in range(3)]


async def test_a_key_with_another_digest_is_a_conflict(store: JobStore) -> None:
    await store.submit([submission(1, key="k", digest=b"d")])
    assert await store.submit([submission(2, key="k", digest=b"e")]) == [Submitted("job_000001", False, True)]
    assert await store.get("job_000002") is None
    assert ids(await claimed(store, 9)) == ["job_000001"]


async def test_a_key_is_its_callers_own(store: JobStore) -> None:
    first, second = submission(1, key="k", digest=b"d"), submission(2, key="k", digest=b"e", caller="bob")
    assert await store.submit([first, second]) == [Submitted(first.id, True), Submitted(second.id, True)]
    assert await store.find("ann", "k") == first.id
    assert await store.find("bob", "k") == second.id


async def test_caller_and_key_are_not_run_together(store: JobStore) -> None:
    """Each of these pairs gives the same text when its parts are joined without care."""
    pairs = [
        ("a", "b:c"),
        ("a:b", "c"),
        ("a", "b/c"),
        ("a/b", "c"),
        ("ab", "c"),
        ("a", "bc"),
        ("a\0b", "c"),
        ("", "abc"),
    ]
    sent = [submission(n, caller=caller, key=key) for n, (caller, key) in enumerate(pairs)]
    assert await store.submit(sent) == [Submitted(each.id, True) for each in sent]
    assert [await store.find(*pair) for pair in pairs] == [each.id for each in sent]


async def test_jobs_without_a_key_are_never_the_same(store: JobStore) -> None:
    assert [each.created for each in await store.submit([submission(1), submission(2)])] == [True, True]


async def test_an_empty_key_is_a_key(store: JobStore) -> None:
    await store.submit([submission(1, key="")])
    assert await store.submit([submission(2, key="")]) == [Submitted("job_000001", False)]
    assert await store.find("ann", "") == "job_000001"


async def test_results_are_in_the_order_of_the_submissions(store: JobStore) -> None:
    await store.submit([submission(5, key="k"), submission(3)])
    sent = [submission(9), submission(3), submission(7, key="k"), submission(1), submission(8, key="k", digest=b"x")]
    assert await store.submit(sent) == [
        Submitted("job_000009", True),
        Submitted("job_000003", False),
        Submitted("job_000005", False),
        Submitted("job_000001", True),
        Submitted("job_000005", False, True),
    ]


async def test_the_same_twice_in_one_call(store: JobStore) -> None:
    sent = [
        submission(1),
        submission(1),
        submission(2, key="k"),
        submission(3, key="k"),
        submission(4, key="k", digest=b"x"),
    ]
    assert await store.submit(sent) == [
        Submitted("job_000001", True),
        Submitted("job_000001", False),
        Submitted("job_000002", True),
        Submitted("job_000002", False),
        Submitted("job_000002", False, True),
    ]
    assert ids(await claimed(store, 9)) == ["job_000001", "job_000002"]


async def test_five_hundred_at_once(store: JobStore) -> None:
    sent = [submission(number) for number in range(500)]
    assert await store.submit(sent) == [Submitted(each.id, True) for each in sent]
    assert ids(await claimed(store, 1000)) == [each.id for each in sent]


async def test_five_hundred_callers(store: JobStore) -> None:
    sent = [submission(number, queue=QUEUES[number % 3]) for number in range(500)]
    results = await asyncio.gather(*(store.submit([each]) for each in sent))
    assert results == [[Submitted(each.id, True)] for each in sent]
    assert sorted(ids(await claimed(store, 1000))) == [each.id for each in sent]


async def test_of_many_that_come_at_once_under_a_key_one_is_made(store: JobStore) -> None:
    results = await asyncio.gather(*(store.submit([submission(number, key="k")]) for number in range(50)))
    (made,) = [each.id for (each,) in results if each.created]
    assert {each.id for (each,) in results} == {made}
    assert ids(await claimed(store, 99)) == [made]


@pytest.mark.parametrize("grounds", SHARED, indirect=True)
async def test_a_key_holds_for_all_instances(grounds: Grounds) -> None:
    stores = [await grounds.open() for _ in range(3)]
    calls = [stores[number % 3].submit([submission(number, key="k")]) for number in range(60)]
    results = await asyncio.gather(*calls)
    (made,) = [each.id for (each,) in results if each.created]
    assert {each.id for (each,) in results} == {made}
    for store in stores:
        assert await store.find("ann", "k") == made


async def test_children_come_with_or_without_their_parent(store: JobStore) -> None:
    assert await store.submit([child("job_000001", 1), child("job_000002", 2)]) == [
        Submitted("job_000001.000001", True),
        Submitted("job_000002.000002", True),
    ]
    (parent,) = await submitted(store, submission(1))
    assert (parent.left, parent.spent, parent.version) == (0, 0, 1)


TEXTS = [
    "",
    "合同 第七条",
    "Ünïcødé 🚂 \u202e",
    "new\nline\ttab\0nul",
    "'; drop table jobs; --",
    "{a}:b|c*?[x]",
    "x" * 5000,
]


@pytest.mark.parametrize("text", TEXTS)
async def test_texts_come_back_as_they_are(store: JobStore, text: str) -> None:
    (job,) = await submitted(store, submission(caller=text, key=text, webhook=text, body=text.encode()))
    assert (job.caller, job.key, job.webhook, job.body) == (text, text, text, text.encode())
    assert await store.find(text, text) == job.id
    (taken,) = await claimed(store, worker=text)
    assert (taken.worker, taken.key, taken.body) == (text, text, text.encode())


BODIES: dict[str, Any] = {
    "empty": b"",
    "all bytes": bytes(range(256)) * 3,
    "1 MB": bytes(range(251)) * 4178,
    "no text": b"\xff\xfe\x00\x80",
    "lines": b"\r\n$3\r\nfoo\r\n",
}


@pytest.mark.parametrize("name", BODIES)
async def test_bodies_survive_byte_for_byte(store: JobStore, name: str) -> None:
    body = BODIES[name]
    (job,) = await submitted(store, submission(body=body))
    assert job.body == body
    (taken,) = await claimed(store)
    assert taken.body == body


async def test_long_ids(store: JobStore) -> None:
    longest = "job_" + "7" * 96
    (job,) = await submitted(store, submission(id=longest))
    assert ids(await claimed(store)) == [job.id] == [longest]
