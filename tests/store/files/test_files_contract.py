"""The promise of `ports.file_store`, kept by every store: whole or not at all, published once, never changed."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pointsman.ports.file_store import FileStore, FileStoreError
from pointsman.store.files.keys import LONGEST
from thorough import tries

BIG = 20 << 20
"""Bytes: more than one piece, and more than an S3 store sends at once."""


async def whole(files: FileStore, key: str) -> bytes:
    pieces = [piece async for piece in files.pieces(key)]
    assert all(0 < len(piece) <= 1 << 20 for piece in pieces)
    return b"".join(pieces)


def given(folder: Path, content: bytes) -> Path:
    path = folder / secrets.token_hex(8)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("content", [b"", b"x", bytes(range(256)) * 3 * 4096, os.urandom(64) * (BIG // 64)])
async def test_what_is_published_is_there_whole(files: FileStore, content: bytes, tmp_path: Path) -> None:
    began = time.time() - 2
    path = given(tmp_path, content)
    assert await files.publish("by/bytes", content) is True
    assert await files.publish("by/path", path) is True
    assert not path.exists()
    for key in ("by/bytes", "by/path"):
        assert await files.read(key) == content and await whole(files, key) == content
        found = await files.stat(key)
        assert found is not None and (found.key, found.size) == (key, len(content))
        assert began <= found.changed <= time.time() + 1
    assert [(found.key, found.size) for found in await files.ls("by/")] == [
        ("by/bytes", len(content)),
        ("by/path", len(content)),
    ]


@pytest.mark.parametrize("first", [b"first", b"1" * BIG])
@pytest.mark.parametrize("second", [b"second", b"2" * BIG])
async def test_the_first_one_stays(files: FileStore, first: bytes, second: bytes, tmp_path: Path) -> None:
    assert await files.publish("a", first) is True
    path = given(tmp_path, second)
    assert await files.publish("a", path) is False
    assert not path.exists()
    assert await files.publish("a", first) is False  # the same content, and yet another's
    assert await files.read("a") == first
    assert [found.key for found in await files.ls("")] == ["a"]


async def test_one_of_many_at_once(files: FileStore, tmp_path: Path) -> None:
    contents = [bytes([65 + n]) * (10 if n % 2 else 9 << 20) for n in range(6)]
    done = await asyncio.gather(*(files.publish("a/b", given(tmp_path, content)) for content in contents))
    assert sorted(done) == [False] * 5 + [True]
    assert await files.read("a/b") == contents[done.index(True)]


async def test_what_is_not_there(files: FileStore) -> None:
    assert await files.stat("a/b") is None and await files.read("a/b") is None
    with pytest.raises(FileNotFoundError):
        await whole(files, "a/b")
    await files.delete("a/b")
    assert await files.ls("a/") == [] and await files.purge("", 1e12) == 0


@pytest.mark.parametrize("content", [b"x", b"x" * BIG])
async def test_what_is_deleted_is_gone_and_may_be_published_anew(files: FileStore, content: bytes) -> None:
    await files.publish("a/b", content)
    await files.delete("a/b")
    assert await files.stat("a/b") is None and await files.ls("") == []
    assert await files.publish("a/b", b"anew") is True
    assert await files.read("a/b") == b"anew"


async def test_a_prefix_is_a_folder(files: FileStore) -> None:
    for key in ("a/1", "a/b/2", "ab/3", "c"):
        await files.publish(key, b"x")

    async def keys(prefix: str) -> list[str]:
        return [found.key for found in await files.ls(prefix)]

    assert await keys("") == ["a/1", "a/b/2", "ab/3", "c"]
    assert await keys("a/") == await keys("a") == ["a/1", "a/b/2"]
    assert await keys("a/b/") == ["a/b/2"] and await keys("c") == [] and await keys("d/") == []


async def test_purge_goes_by_age_and_prefix(files: FileStore) -> None:
    await files.publish("a/1", b"x")
    await files.publish("a/2", b"x" * BIG)
    await files.publish("b/3", b"x")
    assert await files.purge("", time.time() - 3600) == 0
    assert await files.purge("a/", time.time() + 3600) == 2
    assert [found.key for found in await files.ls("")] == ["b/3"]
    assert await files.purge("a/", time.time() + 3600) == 0


@pytest.mark.parametrize(
    "key",
    [
        *("", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "a/.", "a b", "a\\b", "a\n", "ä", "报表", "~a", "!large/a"),
        *("a%2f", "a" * 201, "a/" * (LONGEST // 2) + "a", "a\0", "C:"),
    ],
)
async def test_what_is_no_key(files: FileStore, key: str) -> None:
    for wrong in (files.publish(key, b"x"), files.stat(key), files.read(key), files.delete(key)):
        with pytest.raises(ValueError):
            await wrong
    with pytest.raises(ValueError):
        await whole(files, key)
    if key:
        for refused in (files.ls(f"{key}/"), files.purge(f"{key}/", 1e12)):
            with pytest.raises(ValueError):
                await refused


async def test_what_is_a_key(files: FileStore) -> None:
    keys = [".a", "...", "-", "A.b_c-d", "a/" * 20 + "z", "a" * 200, "reports/" + "0" * 48 + ".xlsx"]
    for key in keys:
        assert await files.publish(key, key.encode()) is True
        assert await files.read(key) == key.encode()
    assert [found.key for found in await files.ls("")] == sorted(keys)


async def test_a_path_that_is_not_there(files: FileStore, tmp_path: Path) -> None:
    with pytest.raises(FileStoreError):
        await files.publish("a", tmp_path / "none")
    assert await files.stat("a") is None


# ── processes ────────────────────────────────────────────────────────────────────────────────────────────────────────


def start(program: str) -> subprocess.Popen[str]:
    script = f"import sys\nsys.path[:0] = {sys.path!r}\n" + program
    return subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def published(program: subprocess.Popen[str]) -> str:
    out, _ = program.communicate(timeout=60)
    assert program.returncode == 0
    return out


RACE = """
import asyncio
from pathlib import Path
{make}
async def race():
    print("ready", flush=True)
    sys.stdin.readline()
    print(*[int(await files.publish(f"a/{{n}}", b"{who}" * (10 if n % 5 else 9 << 20))) for n in range(20)])
asyncio.run(race())
"""


async def test_two_processes(files: FileStore, files_made: str) -> None:
    """Each of twenty keys is published by one of them."""
    both = [start(RACE.format(make=files_made, who=who)) for who in "AB"]
    for process in both:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    first, second = [[int(mark) for mark in published(process).split()] for process in both]
    assert [a + b for a, b in zip(first, second, strict=True)] == [1] * 20
    for number in range(20):
        content = await files.read(f"a/{number}")
        assert content is not None and set(content) == set(b"A" if first[number] else b"B")
        assert len(content) == (10 if number % 5 else 9 << 20)


KILLED = """
import asyncio, os, signal
from pathlib import Path
{make}
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
calls = 0
def traced(frame, event, argument):
    global calls
    if {source!r} in frame.f_code.co_filename:
        calls += 1
        if calls == {at}:
            die()
    return traced
import threading
threading.settrace(traced)
sys.settrace(traced)
print(asyncio.run(files.publish("a/b", b"x" * {size})))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal there")
@pytest.mark.parametrize("size", [100, 9 << 20])
async def test_a_kill_at_any_line_leaves_it_whole_or_not_there(
    files: FileStore, files_made: str, files_source: str, size: int
) -> None:
    """Killed at the first line of ours, at the 7th (each day at the 19th), …, until it is through."""
    seen = set()
    for at in range(1, 2000, tries(18, 6)):
        process = start(KILLED.format(make=files_made, source=files_source, at=at, size=size))
        process.communicate(timeout=60)
        found = await files.stat("a/b")
        assert found is None or found.size == size
        assert [stored.key for stored in await files.ls("")] == ([] if found is None else ["a/b"])
        seen.add(found is not None)
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL
        if found is None:
            assert await files.publish("a/b", b"after") is True
        else:
            assert await files.read("a/b") == b"x" * size
        await files.delete("a/b")
    assert process.returncode == 0 and seen == {True, False}
