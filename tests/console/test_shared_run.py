"""Something long that one process of a gateway does at a time, as two of them see it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from pointsman.console.shared_run import SharedRun
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said


class Sum(msgspec.Struct, frozen=True):
    of: list[int]
    total: int


def two(folder: Path) -> tuple[SharedRun[Sum], SharedRun[Sum]]:
    return SharedRun(folder / "runs", "sum", Sum), SharedRun(folder / "runs", "sum", Sum)


async def over(run: SharedRun[Sum]) -> None:
    while run.seen().since is not None:
        await asyncio.sleep(0.01)


async def summed() -> Sum:
    await asyncio.sleep(0.05)
    return Sum([1, 2], 3)


async def endless() -> Sum:
    await asyncio.sleep(600)
    raise AssertionError


def test_each_process_sees_that_it_runs_and_what_it_found(tmp_path: Path) -> None:
    async def run() -> None:
        one, other = two(tmp_path)
        assert one.seen().found is None and one.seen().since is None
        assert one.begin(summed)
        assert one.seen().since is not None and one.seen().since == other.seen().since
        assert not one.begin(summed) and not other.begin(summed)
        await over(other)
        assert one.seen() == other.seen() and other.seen().found == Sum([1, 2], 3)

    asyncio.run(run())


def test_each_process_sees_how_far_it_is(tmp_path: Path) -> None:
    async def run() -> None:
        one, other = two(tmp_path)
        one.begin(endless)
        assert other.seen().share is None
        one.tell(0.25)
        assert one.seen().share == other.seen().share == 0.25
        await one.close()
        assert other.seen().share is None
        other.begin(endless)
        assert one.seen().share is None
        await other.close()

    asyncio.run(run())


def test_what_came_to_nothing_says_why_beside_what_was_found_before(tmp_path: Path) -> None:
    async def refused() -> Sum:
        raise PointsmanError(Said("no room", "放不下"))

    async def broken() -> Sum:
        raise RuntimeError("a prompt")

    async def run() -> None:
        one, other = two(tmp_path)
        one.begin(summed)
        await over(one)
        one.begin(refused)
        await over(one)
        seen = other.seen()
        assert seen.found == Sum([1, 2], 3) and seen.failed is not None and seen.failed.zh == "放不下"
        one.begin(broken)
        await over(one)
        failed = other.seen().failed
        assert failed is not None and "log" in failed and "prompt" not in failed

    asyncio.run(run())


def test_who_runs_it_ends_when_another_process_wants_that(tmp_path: Path) -> None:
    async def run() -> None:
        one, other = two(tmp_path)
        one.begin(endless)
        await other.stop()
        assert one.seen().since is None and one.seen().failed is None
        assert other.begin(summed)
        await over(one)
        assert one.seen().found == Sum([1, 2], 3)
        await other.stop()

    asyncio.run(run())


def test_what_a_process_left_when_it_died_is_not_under_way(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "sum.json").write_text('{"since": 5.0, "found": {"of": [1], "total": 1}, "failed": null}')
    seen = SharedRun(folder, "sum", Sum).seen()
    assert seen.since is None and seen.found == Sum([1], 1)
    (folder / "sum.json").write_text('{"since": null, "found": {"of": "of another version"}}')
    assert SharedRun(folder, "sum", Sum).seen().found is None


def test_who_ends_gives_it_up_and_others_may_begin(tmp_path: Path) -> None:
    async def run() -> None:
        one, other = two(tmp_path)
        one.begin(endless)
        await other.close()
        assert other.seen().since is not None
        await one.close()
        assert other.seen().since is None and other.begin(summed)
        await other.close()

    asyncio.run(run())


def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(PointsmanError, match="data folder"):
        SharedRun(tmp_path / "runs", "sum", Sum).begin(summed)
