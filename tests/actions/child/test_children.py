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
from pointsman.actions.child import Children, Cores, Limits, Work
from pointsman.actions.child.memory import free_memory
from pointsman.actions.child.warm import IDLE
from pointsman.domain.said import Said
from pointsman.ports.action import ActionFailed
from thorough import tries

WORK = Work("actions.child.works:work", Task, Done)
WARM = Work("actions.child.works:work", Task, Done, warm=True)
FORKS = Work("actions.child.works:work", Task, Done, warm=True, forks=True)
THREADS = Work("actions.child.threads:work", Task, Done, warm=True, forks=True)
SLOW = Limits(seconds=60.0, memory=400 << 20, file_size=8 << 20, answer=1 << 20)
QUICK = Limits(seconds=1.0, memory=400 << 20)


@pytest.fixture
async def children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Children]:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    monkeypatch.setattr("pointsman.actions.child.children.GRACE", 0.2)
    made = Children(tmp_path / "work", Cores(4))
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
    kin = own.children()  # what other tests share (gateways, models) has children of its own, as it likes
    return len(kin), own.num_fds(), [str(one) for one in kin if one.status() == psutil.STATUS_ZOMBIE]


async def waiting(children: Children, work: Work[Task, Done], count: int = 1) -> list[int]:
    """Process ids of those that wait, as soon as there are so many."""
    async with asyncio.timeout(20):
        while len(found := children._warm.waiting(work)) < count:
            await asyncio.sleep(0.02)
    return [one.process.pid for one in found]


BOTH = pytest.mark.parametrize("work", [WORK, FORKS], ids=["once", "forks"])


@BOTH
async def test_a_task_and_its_result(children: Children, work: Work[Task, Done]) -> None:
    assert (await done(children, "echo", "你好", work)).text == "你好"
    assert (await done(children, "chinese", "x", work)).text == "x——“引号”\n\u2028\x00"
    where, temporary = (await done(children, "where", work=work)).text.split()
    assert where == temporary and not Path(where).exists()


@BOTH
async def test_what_a_library_prints_is_no_answer(children: Children, work: Work[Task, Done]) -> None:
    assert (await done(children, "print", work=work)).text == "the truth"


@BOTH
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
async def test_limits_and_failures(
    children: Children, what: str, code: str, words: str, work: Work[Task, Done]
) -> None:
    before = left()
    with pytest.raises(ActionFailed) as caught:
        await done(children, what, "text", work)
    await children.close()
    failure = caught.value
    assert failure.code == code and words in failure.message and isinstance(failure.message, Said)
    assert "secret" not in (failure.detail or ""), "values stay out of the log"
    assert left()[0] == before[0] and not left()[2]


@BOTH
async def test_a_failure_of_its_own_comes_back_whole(children: Children, work: Work[Task, Done]) -> None:
    with pytest.raises(ActionFailed) as caught:
        await done(children, "fail", work=work)
    failure = caught.value
    assert (failure.code, failure.detail, failure.again, failure.refused) == ("odd", "seven", True, True)
    assert failure.message == "It is odd." and isinstance(failure.message, Said) and failure.message.zh == "很奇怪。"


@pytest.mark.parametrize("forks", [False, True])
async def test_what_is_not_installed_is_named(children: Children, forks: bool) -> None:
    missing = Work("no_such_module_here:work", Task, Done, extra="pointsman[maths]", warm=True, forks=forks)
    with pytest.raises(ActionFailed) as caught:
        await done(children, "echo", work=missing)
    assert caught.value.code == "setup" and "pip install 'pointsman[maths]'" in caught.value.message


async def test_a_warm_child_serves_one_task_and_the_next_waits(children: Children) -> None:
    first = await done(children, "echo", "a", WARM)
    [pid] = await waiting(children, WARM)
    second = await done(children, "echo", "b", WARM)
    assert second.text == "b" and second.number == pid != first.number
    third = await done(children, "echo", "c", WARM)
    assert third.number != second.number, "no task sees what another left"


async def test_a_warm_child_that_died_is_replaced(children: Children) -> None:
    await done(children, "echo", "a", WARM)
    await waiting(children, WARM)
    [(process, _)] = children._warm.waiting(WARM)
    process.kill()
    await process.wait()
    assert (await done(children, "echo", "b", WARM)).text == "b"


async def test_what_a_child_began_ends_with_it(children: Children, tmp_path: Path) -> None:
    with pytest.raises(ActionFailed):
        await done(children, "fork")
    pid = int((tmp_path / "work" / "grandchild").read_text())
    (tmp_path / "work" / "grandchild").unlink()
    for _ in range(1500):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            break
        await asyncio.sleep(0.02)
    else:
        pytest.fail(f"process {pid} is left")


@pytest.mark.parametrize("work", [WORK, WARM, FORKS], ids=["cold", "warm", "forks"])
async def test_many_cancelled_tasks_leave_nothing(children: Children, tmp_path: Path, work: Work[Task, Done]) -> None:
    """Cancelled at every moment of their life: before the spawn, while it imports, while it works."""
    await done(children, "echo", "a", work)
    await children.close()
    before = left()
    children = Children(tmp_path / "work", Cores(4))
    for batch in range(0, 25, tries(3, 1)):
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
    """kill -9 of the process that they belong to; copies of children among them."""
    program = """
import asyncio, pathlib, sys
from actions.child.test_children import *
async def main():
    children = Children(pathlib.Path(sys.argv[1]), asyncio.Semaphore(4))
    await done(children, "echo", "a", FORKS)
    tasks = [asyncio.create_task(done(children, "sleep", work=work)) for work in (WORK, FORKS)]
    while len(psutil.Process().children(recursive=True)) < 3:
        await asyncio.sleep(0.02)
    print("ready", flush=True)
    await asyncio.sleep(100)
asyncio.run(main())
"""
    tests = str(Path(__file__).parents[2])
    command = [sys.executable, "-c", program, str(tmp_path / "work")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": tests}) as own:
        assert own.stdout and own.stdout.readline() == "ready\n"
        kin = psutil.Process(own.pid).children(recursive=True)
        assert len(kin) == 3, "one at work, and one with a copy at work"
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


# ── how many wait ────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_one_process_has_copies_of_itself_do_task_after_task(children: Children) -> None:
    first = await done(children, "echo", "a", FORKS)
    [pid] = await waiting(children, FORKS)
    second = await done(children, "echo", "b", FORKS)
    assert len({pid, first.number, second.number}) == 3, "a copy each, and none of them is the one that waits"
    assert await waiting(children, FORKS) == [pid]
    assert (await done(children, "remember", "a", FORKS)).text == "[]"
    assert (await done(children, "remember", "b", FORKS)).text == "[]", "no task sees what another left"


async def test_what_a_copy_began_ends_with_it(children: Children, tmp_path: Path) -> None:
    """The answer comes when nothing of it is left, what went into a session of its own among it."""
    answer = await done(children, "leave", "", FORKS)
    assert not psutil.pid_exists(int(answer.text))
    assert len(await waiting(children, FORKS)) == 1


async def test_a_copy_that_fails_takes_its_process_with_it(children: Children) -> None:
    await done(children, "echo", "a", FORKS)
    [pid] = await waiting(children, FORKS)
    with pytest.raises(ActionFailed):
        await done(children, "exit", "", FORKS)
    assert not psutil.pid_exists(pid) and await waiting(children, FORKS) != [pid]


async def test_where_an_import_began_a_thread_each_task_has_its_own_process(children: Children) -> None:
    first = await done(children, "echo", "a", THREADS)
    [pid] = await waiting(children, THREADS)
    second = await done(children, "echo", "b", THREADS)
    assert second.number == pid != first.number


@pytest.mark.parametrize("work", [WARM, FORKS], ids=["warm", "forks"])
async def test_as_many_wait_as_were_asked_of_at_a_time(children: Children, work: Work[Task, Done]) -> None:
    """Grown by demand up to the cores that there are; shrunk to one, and to none, when nobody asks."""
    before = left()
    await done(children, "echo", "a", work)
    assert len(await waiting(children, work)) == 1
    await asyncio.gather(*(done(children, "echo", str(number), work) for number in range(3)))
    assert len(await waiting(children, work, 3)) == 3
    await asyncio.gather(*(done(children, "echo", str(number), work) for number in range(9)))
    pids = await waiting(children, work, 4)
    assert len(pids) == 4, "no more than work at once"
    warm = children._warm
    warm.look(work.function)
    assert await waiting(children, work) == pids, "nine were asked of since the last look"
    warm.look(work.function)
    assert await waiting(children, work) == pids[:1]
    for _ in range(IDLE - 1):
        assert len(warm.waiting(work)) == 1
        warm.look(work.function)
    assert warm.waiting(work) == []
    await children.close()
    after = left()
    assert after[0] == before[0] and after[1] <= before[1] and not after[2], (before, after)


async def test_little_memory_keeps_one_of_a_kind(children: Children, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointsman.actions.child.warm.free_memory", lambda: 100 << 20)
    texts = await asyncio.gather(*(done(children, "echo", str(number), FORKS) for number in range(4)))
    assert [answer.text for answer in texts] == ["0", "1", "2", "3"]
    assert len(await waiting(children, FORKS)) == 1


async def test_a_second_task_takes_what_is_ready_first(children: Children) -> None:
    """It waits for no import where the first one's process is free before."""
    await done(children, "echo", "a", FORKS)
    pids = await waiting(children, FORKS)
    one, two = await asyncio.gather(done(children, "parent", "a", FORKS), done(children, "parent", "b", FORKS))
    assert [int(one.text), int(two.text)] == pids * 2


def test_memory_that_is_free(tmp_path: Path) -> None:
    machine = free_memory(tmp_path / "none")
    assert machine > 1 << 20
    (tmp_path / "memory.max").write_text("1000000\n")
    (tmp_path / "memory.current").write_text("400000\n")
    assert free_memory(tmp_path) == 600_000
    (tmp_path / "memory.max").write_text("max\n")
    assert free_memory(tmp_path) > 1 << 20
