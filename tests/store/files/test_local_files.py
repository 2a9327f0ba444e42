"""What is true of files in a folder alone: who may read them, what a full disk and other file systems do."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pointsman.domain.said import Said
from pointsman.ports.file_store import FileStoreError
from pointsman.store.files import local
from pointsman.store.files.local import LocalFiles


@pytest.fixture
def files(tmp_path: Path) -> LocalFiles:
    return LocalFiles(tmp_path / "files")


def everything(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


async def test_they_are_their_owners_alone(files: LocalFiles, tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        await files.publish("a/b/c", b"x")
        given = tmp_path / "given"
        given.write_bytes(b"y")
        given.chmod(0o666)
        await files.publish("a/d", given)
    finally:
        os.umask(old)
    for path in (tmp_path / "files").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0
    assert (tmp_path / "files").stat().st_mode & 0o077 == 0


async def test_a_path_of_the_same_file_system_is_moved(files: LocalFiles, tmp_path: Path) -> None:
    given = tmp_path / "given"
    given.write_bytes(b"x")
    os.utime(given, (1, 1))
    inode = given.stat().st_ino
    await files.publish("a", given)
    assert (tmp_path / "files/a").stat().st_ino == inode
    found = await files.stat("a")
    assert found is not None and found.changed > 1e9  # since it was published


async def test_a_path_of_another_one_is_copied(
    files: LocalFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def elsewhere(self: Path, target: Path) -> Path:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(Path, "replace", elsewhere)
    given = tmp_path / "given"
    given.write_bytes(b"x" * 3_000_000)
    assert await files.publish("a", given)
    assert await files.read("a") == b"x" * 3_000_000 and not given.exists()
    assert everything(tmp_path / "files") == ["a"]


async def test_where_the_file_system_knows_no_links(
    files: LocalFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_link(*_: Any) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_link)
    assert await files.publish("a", b"first")
    assert not await files.publish("a", b"second")
    assert await files.read("a") == b"first" and everything(tmp_path / "files") == ["a"]


async def test_a_link_whose_answer_was_lost_is_ours(files: LocalFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    link = os.link

    def twice(source: Path, target: Path) -> None:
        link(source, target)
        link(source, target)

    monkeypatch.setattr(os, "link", twice)
    assert await files.publish("a", b"x")


async def test_a_folder_is_no_file(files: LocalFiles) -> None:
    await files.publish("a/b", b"x")
    assert await files.stat("a") is None and await files.read("a") is None
    await files.delete("a")
    with pytest.raises(FileStoreError, match="Is a directory"):
        await files.publish("a", b"y")
    with pytest.raises(FileStoreError):
        await files.publish("a/b/c", b"y")
    assert await files.read("a/b") == b"x"


async def test_purge_takes_what_was_left_half_done_after_a_day(files: LocalFiles, tmp_path: Path) -> None:
    await files.publish("a/b", b"x")
    left, fresh = tmp_path / "files/a/~left", tmp_path / "files/a/~fresh"
    for path in (left, fresh):
        path.write_bytes(b"half")
    long_ago = time.time() - 2 * local.ORPHANS
    os.utime(left, (long_ago, long_ago))
    assert [found.key for found in await files.ls("")] == ["a/b"]
    assert await files.purge("", time.time() + 1) == 1
    assert everything(tmp_path / "files") == ["a/~fresh"]


async def test_empty_folders_go_too(files: LocalFiles, tmp_path: Path) -> None:
    await files.publish("a/b/c", b"x")
    await files.delete("a/b/c")
    long_ago = time.time() - 2 * local.ORPHANS
    os.utime(tmp_path / "files/a/b", (long_ago, long_ago))
    assert await files.purge("", time.time()) == 0
    assert not (tmp_path / "files/a/b").exists()
    assert await files.publish("a/b/c", b"y")


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit there")
@pytest.mark.parametrize("by_path", [False, True])
def test_a_full_disk(tmp_path: Path, by_path: bool) -> None:
    """A process that may write no file beyond 1 MiB is refused what it would be by a full disk."""
    program = f"""
import asyncio, resource, sys
from pathlib import Path
from pointsman.ports.file_store import FileStoreError
from pointsman.store.files.local import LocalFiles
files, big = LocalFiles(Path({str(tmp_path / "files")!r})), b"x" * (4 << 20)
given = Path({str(tmp_path / "given")!r})
given.write_bytes(big)
def elsewhere(self, target):
    raise OSError({errno.EXDEV}, "Invalid cross-device link")
Path.replace = elsewhere
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
try:
    asyncio.run(files.publish("a/b", given if {by_path} else big))
except FileStoreError as error:
    print(error)
    print(error.args[0].zh)
print(asyncio.run(files.stat("a/b")), asyncio.run(files.ls("")))
assert asyncio.run(files.publish("a/b", b"small"))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "the file a/b cannot be kept or read: File too large",
        "文件 a/b 无法存取：文件太大",
        "None []",
    ]
    assert everything(tmp_path / "files") == ["a/b"] and (tmp_path / "files/a/b").read_bytes() == b"small"


async def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "files").write_bytes(b"in the way")
    files = LocalFiles(tmp_path / "files")
    with pytest.raises(FileStoreError) as caught:
        await files.publish("a", b"x")
    assert isinstance(caught.value.args[0], Said) and "已经存在" in caught.value.args[0].zh
    assert await files.ls("") == [] and await files.purge("", 1e12) == 0
