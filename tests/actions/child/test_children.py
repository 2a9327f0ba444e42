"""Work in children: limits, failures, and nothing left of it whatever happens."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from actions.child.works import Done, Task
from pointsman.actions.child import Children, Limits, Work
from pointsman.domain.said import Said
from pointsman.ports.action import ActionFailed

WORK = Work("actions.child.works:work", Task, Done)
WARM = Work("actions.child.works:work", Task, Done, warm=True)
SLOW = Limits(seconds=60.0, memory=400 << 20, file_size=8 << 20, answer=1 << 20)
QUICK = Limits(seconds=1.0, memory=400 << 20)


@pytest.fixture
async def children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Children]:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    monkeypatch.setattr("pointsman.actions.child.children.GRACE", 0.2)
    made = Children(tmp_path / "work", asyncio.Semaphore(4))
    yield made
    await made.close()
    assert list((tmp_path / "work").iterdir() if (tmp_path / "work").exists() else ()) == []


async def done(children: Children, what: str, text: str = "", work: Work[Task, Done] = WORK) -> Done:
    async with children.folder() as folder:
        limits = QUICK if what in ("sleep", "spin", "fork") else SLOW
        return await children.run(work, Task(what, text), folder, limits)


def left() -> tuple[int, int, list[str]]:
    """Children, descriptors and zombies of this process."""
    own = psutil.Process()
    kin = own.children(recursive=True)
    return len(kin), own.num_fds(), [str(one) for one in kin if one.status() == psutil.STATUS_ZOMBIE]


async def test_a_task_and_its_result(children: Children) -> None:
    assert (await done(children, "echo", "你好")).text == "你好"
    assert (await done(children, "chinese", "x")).text == "x——“引号”\n\u2028\x00"
    where, temporary = (await done(children, "where")).text.split()
    assert where == temporary and not Path(where).exists()


async def test_what_a_library_prints_is_no_answer(children: Children) -> None:
    assert (await done(children, "print")).text == "the truth"


@pytest.mark.parametrize(
    ("what", "code", "words"),
    [
        ("sleep", "timeout", "within 1 s"),
        ("spin", "timeout", "within 1 s"),
        ("grow", "memory", "more memory"),
        ("fill", "crashed", "unexpected"),
        ("exit", "crashed", "unexpected"),
        ("broken", "crashed", "unexpected"),
        ("recurse", "crashed", "unexpected"),
        ("long", "crashed", "unexpected"),
    ],
)
async def test_limits_and_failures(children: Children, what: str, code: str, words: str) -> None:
    before = left()
    with pytest.raises(ActionFailed) as caught:
        await done(children, what, "text")
    failure = caught.value
    assert failure.code == code and words in failure.message and isinstance(failure.message, Said)
    assert "secret" not in (failure.detail or ""), "values stay out of the log"
    assert left()[0] == before[0] and not left()[2]


async def test_a_failure_of_its_own_comes_back_whole(children: Children) -> None:
    with pytest.raises(ActionFailed) as caught:
        await done(children, "fail")
    failure = caught.value
    assert (failure.code, failure.detail, failure.again, failure.refused) == ("odd", "seven", True, True)
    assert failure.message == "It is odd." and isinstance(failure.message, Said) and failure.message.zh == "很奇怪。"


async def test_what_is_not_installed_is_named(children: Children) -> None:
    missing = Work("no_such_module_here:work", Task, Done, extra="pointsman[maths]")
    with pytest.raises(ActionFailed) as caught:
        await done(children, "echo", work=missing)
    assert caught.value.code == "setup" and "pip install 'pointsman[maths]'" in caught.value.message


async def test_a_warm_child_serves_one_task_and_the_next_waits(children: Children) -> None:
    first = await done(children, "echo", "a", WARM)
    for _ in range(200):
        if children._warm:
            break
        await asyncio.sleep(0.02)
    [(process, _, _)] = children._warm.values()
    second = await done(children, "echo", "b", WARM)
    assert second.text == "b" and second.number == process.pid != first.number
    third = await done(children, "echo", "c", WARM)
    assert third.number != second.number, "no task sees what another left"


async def test_a_warm_child_that_died_is_replaced(children: Children) -> None:
    await done(children, "echo", "a", WARM)
    for _ in range(200):
        if children._warm:
            break
        await asyncio.sleep(0.02)
    [(process, _, _)] = children._warm.values()
    process.kill()
    await process.wait()
    assert (await done(children, "echo", "b", WARM)).text == "b"


async def test_what_a_child_began_ends_with_it(children: Children, tmp_path: Path) -> None:
    with pytest.raises(ActionFailed):
        await done(children, "fork")
    pid = int((tmp_path / "work" / "grandchild").read_text())
    (tmp_path / "work" / "grandchild").unlink()
    for _ in range(100):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            break
        await asyncio.sleep(0.02)
    else:
        pytest.fail(f"process {pid} is left")


@pytest.mark.parametrize("work", [WORK, WARM], ids=["cold", "warm"])
async def test_two_hundred_cancelled_tasks_leave_nothing(
    children: Children, tmp_path: Path, work: Work[Task, Done]
) -> None:
    """Cancelled at every moment of their life: before the spawn, while it imports, while it works."""
    await done(children, "echo", "a", work)
    await children.close()
    children._warmth = True
    before = left()
    for batch in range(25):
        tasks = [asyncio.create_task(done(children, "sleep", work=work)) for _ in range(8)]
        await asyncio.sleep(batch * 0.012)
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(result, asyncio.CancelledError) for result in results)
    await children.close()
    after = left()
    assert after[0] == before[0] and after[1] <= before[1] + 1 and not after[2], (before, after)
    assert list((tmp_path / "work").iterdir()) == []


async def test_children_end_with_their_gateway(tmp_path: Path) -> None:
    """kill -9 of the process that they belong to, with a warm one among them."""
    program = """
import asyncio, pathlib, sys
from actions.child.test_children import *
async def main():
    children = Children(pathlib.Path(sys.argv[1]), asyncio.Semaphore(4))
    await done(children, "echo", "a", WARM)
    tasks = [asyncio.create_task(done(children, "sleep", work=WORK)) for _ in range(2)]
    await asyncio.sleep(0.8)
    print("ready", flush=True)
    await asyncio.sleep(100)
asyncio.run(main())
"""
    tests = str(Path(__file__).parents[2])
    command = [sys.executable, "-c", program, str(tmp_path / "work")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": tests}) as own:
        assert own.stdout and own.stdout.readline() == "ready\n"
        kin = psutil.Process(own.pid).children(recursive=True)
        assert len(kin) == 3
        own.kill()
        own.wait()
    _, alive = await asyncio.to_thread(psutil.wait_procs, kin, 10)
    assert alive == []


async def test_places_are_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    places = asyncio.Semaphore(1)
    children = Children(tmp_path / "work", places)
    running = asyncio.create_task(done(children, "sleep"))
    await asyncio.sleep(0.3)
    waiting = asyncio.create_task(done(children, "echo", "x"))
    await asyncio.sleep(0.1)
    assert not waiting.done()
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    assert (await waiting).text == "x" and not places.locked()
