"""External programs as children: their limits, and what is left of them."""

from __future__ import annotations

import asyncio
import ctypes
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psutil
import pytest

from actions.left import held, running_in
from pointsman.actions.child import Children, Limits
from pointsman.ports.action import ActionFailed
from thorough import tries

SHELL = "/bin/sh"
PYTHON = [str(Path(sys.executable).resolve()), "-I", "-S"]
LANDLOCK = sys.platform == "linux" and ctypes.CDLL(None).syscall(444, None, 0, 1) >= 4


@pytest.fixture
def children(tmp_path: Path) -> Children:
    return Children(tmp_path / "work")


@pytest.fixture
async def folder(children: Children) -> AsyncIterator[Path]:
    async with children.folder() as made:
        yield made


@pytest.fixture
def nothing_left() -> Iterator[None]:
    before = held()
    yield
    assert held() == before


async def test_what_it_prints_and_how_it_ends(children: Children, folder: Path, nothing_left: None) -> None:
    done = await children.program([SHELL, "-c", "echo out; echo err >&2; pwd; exit 3"], folder, Limits())
    assert (done.status, done.errors) == (3, b"err\n")
    assert done.out.decode().split() == ["out", str(folder)]


async def test_a_program_that_is_not_there(children: Children, folder: Path, nothing_left: None) -> None:
    done = await children.program(["/nowhere/at/all"], folder, Limits())
    assert done.status == 127 and b"/nowhere/at/all" in done.errors


async def test_it_sees_hardly_an_environment_and_no_input(
    children: Children, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "hunter2")
    done = await children.program([SHELL, "-c", "env; cat"], folder, Limits())
    names = {line.partition("=")[0] for line in done.out.decode().splitlines()}
    assert names <= {"PATH", "HOME", "TMPDIR", "LC_ALL", "PWD", "SHLVL", "_", "OLDPWD"}


async def test_lines_come_as_they_are_printed(children: Children, folder: Path) -> None:
    lines: list[bytes] = []
    go = folder / "go"

    async def on_line(line: bytes) -> None:
        lines.append(line)
        go.touch()  # the second line waits for the first to be seen

    script = "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two"
    done = await children.program([SHELL, "-c", script], folder, Limits(), on_line)
    assert lines == [b"one", b"two"] and done.out == b""


async def test_time_is_limited(children: Children, folder: Path, nothing_left: None) -> None:
    with pytest.raises(ActionFailed) as failed:
        await children.program([SHELL, "-c", "sleep 60 & sleep 60"], folder, Limits(seconds=0.2))
    assert failed.value.code == "timeout"
    assert running_in("sleep 60 & sleep 60") == []


async def test_output_is_limited(children: Children, folder: Path, nothing_left: None) -> None:
    with pytest.raises(ActionFailed) as failed:
        await children.program([SHELL, "-c", "yes"], folder, Limits(answer=1000))
    assert failed.value.code == "too_large"
    flood = "yes | head -c 50000000 >&2; echo end >&2"
    done = await children.program([SHELL, "-c", flood], folder, Limits())
    assert done.errors.endswith(b"end\n") and len(done.errors) <= 16 << 10


async def test_memory_files_and_cores_are_limited(children: Children, folder: Path) -> None:
    hungry = "x = bytearray(400 << 20)"
    done = await children.program([*PYTHON, "-c", hungry], folder, Limits(memory=300 << 20))
    assert done.status == 1 and b"MemoryError" in done.errors
    done = await children.program(
        [*PYTHON, "-c", "open('big', 'wb').write(bytes(100_000))"], folder, Limits(file_size=50_000)
    )
    assert done.status != 0 and (folder / "big").stat().st_size <= 50_000
    done = await children.program([SHELL, "-c", "ulimit -c; ulimit -n; nice"], folder, Limits())
    assert done.out.split() == [b"0", b"256", b"5"]


@pytest.mark.skipif(not LANDLOCK, reason="this kernel has no Landlock with a network part")
async def test_it_reads_and_writes_its_folder_and_calls_nobody(
    children: Children, folder: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    script = f"cat {secret}; cat /etc/passwd; echo x > {tmp_path}/made; ls {tmp_path}; echo in > own; cat own"
    done = await children.program([SHELL, "-c", script], folder, Limits())
    assert done.out == b"in\n" and not (tmp_path / "made").exists()
    assert secret.read_text() == "hunter2"
    with socket.create_server(("127.0.0.1", 0)) as server:
        call = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}))"
        done = await children.program([*PYTHON, "-c", call], folder, Limits())
        assert b"PermissionError" in done.errors
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()


async def test_many_that_are_cancelled_leave_nothing(children: Children, folder: Path) -> None:
    """At all times of their lives: before they have begun, while they run, when they are about to end."""
    await children.program([SHELL, "-c", "true"], folder, Limits())
    before = held()
    for number in range(tries(48, 200)):
        started = asyncio.Event()

        async def on_line(line: bytes, started: asyncio.Event = started) -> None:
            started.set()

        script = "echo begun; sleep 30 & sleep 30" if number % 2 else "echo begun"
        task = asyncio.create_task(children.program([SHELL, "-c", script], folder, Limits(), on_line))
        if number % 4 < 2:
            await started.wait()
        else:
            await asyncio.sleep(number % 8 * 0.002)
        task.cancel()
        assert isinstance((await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError)
    assert held() == before
    assert running_in("sleep 30 & sleep 30") == []
    assert [child for child in psutil.Process().children() if child.status() == psutil.STATUS_ZOMBIE] == []


async def test_no_more_at_a_time_than_there_are_places(tmp_path: Path) -> None:
    children = Children(tmp_path / "work", asyncio.Semaphore(2))
    at_once: list[int] = []
    async with children.folder() as folder:

        async def one(number: int) -> None:
            async def on_line(line: bytes) -> None:
                at_once.append(len(list(folder.glob("here-*"))))

            script = f"touch here-{number}; echo; sleep 0.05; rm here-{number}"
            await children.program([SHELL, "-c", script], folder, Limits(), on_line)

        await asyncio.gather(*map(one, range(8)))
    assert len(at_once) == 8 and max(at_once) <= 2
