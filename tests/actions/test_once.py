"""One published effect per name: of several that make it at a time, after a death, and for a report with its file."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actions.orders import DEMO, LAST_FRIDAY, NOW, runner_in
from pointsman.actions.once import Once
from pointsman.actions.report.action import ReportAction
from pointsman.domain.links import Links
from pointsman.domain.report import ReportPlan, ReportSpec
from pointsman.ports.action import Effect, MadeFile, Occasion
from pointsman.ports.file_store import FileStoreError
from pointsman.store.files.local import LocalFiles

OCCASION = Occasion(request_id="req_1", tongue="en", base_url="http://gateway")
NAMED = Occasion(request_id="req_1", tongue="en", base_url="http://gateway", effect="req_1.0.1")


@pytest.fixture
def files(tmp_path: Path) -> LocalFiles:
    return LocalFiles(tmp_path / "files")


async def keys(files: LocalFiles) -> list[str]:
    return [stored.key for stored in await files.ls("")]


class Worker:
    """Publishes a file and tells of it; at `gate` it waits, where there is one."""

    def __init__(self, files: LocalFiles, name: str, gate: asyncio.Barrier | None = None) -> None:
        self.files, self.name, self.gate = files, name, gate
        self.runs = 0

    async def make(self) -> Effect:
        self.runs += 1
        key = f"reports/{self.name}{self.runs}"
        await self.files.publish(key, self.name.encode())
        if self.gate is not None:
            await self.gate.wait()
        return Effect(f"made by {self.name}", files=(MadeFile(key, "a.txt", "text/plain", 1),))


async def test_the_second_run_tells_what_the_first_made(files: LocalFiles) -> None:
    worker = Worker(files, "a")
    effects = [await Once(files).run("req_1.0.1", worker.make) for _ in range(3)]
    assert [effect.text for effect in effects] == ["made by a"] * 3 and worker.runs == 1
    assert await keys(files) == ["effects/req_1.0.1", "reports/a1"]
    assert (await Once(files).run("req_1.0.2", worker.make)).text == "made by a" and worker.runs == 2


async def test_without_a_name_each_is_its_own(files: LocalFiles) -> None:
    worker = Worker(files, "a")
    for _ in range(2):
        await Once(files).run(None, worker.make)
    assert worker.runs == 2 and await keys(files) == ["reports/a1", "reports/a2"]


async def test_of_several_at_a_time_one_is_left(files: LocalFiles) -> None:
    gate = asyncio.Barrier(4)
    workers = [Worker(files, name, gate) for name in "abcd"]
    effects = await asyncio.gather(*(Once(files).run("x", worker.make) for worker in workers))
    assert len({effect.text for effect in effects}) == 1
    winner = effects[0].text[-1]
    assert await keys(files) == ["effects/x", f"reports/{winner}1"]


async def test_a_failure_is_not_for_ever(files: LocalFiles) -> None:
    effects = iter([Effect("no", "failed", "report_source"), Effect("yes"), Effect("never")])

    async def make() -> Effect:
        return next(effects)

    assert [(await Once(files).run("x", make)).text for _ in range(3)] == ["no", "yes", "yes"]


async def test_a_refusal_is(files: LocalFiles) -> None:
    refused = Effect("which period?", "refused", "no_rows", asks=True)

    async def make() -> Effect:
        return refused

    assert await Once(files).run("x", make) == refused
    assert await Once(files).run("x", Worker(files, "a").make) == refused


async def test_what_is_raised_goes_through(files: LocalFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    async def make() -> Effect:
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        await Once(files).run("x", make)
    assert await keys(files) == []
    publish = LocalFiles.publish

    async def full(self: LocalFiles, key: str, content: bytes | Path) -> bool:
        if key.startswith("effects/"):
            raise FileStoreError("full")
        return await publish(self, key, content)

    with monkeypatch.context() as patched:
        patched.setattr(LocalFiles, "publish", full)
        with pytest.raises(FileStoreError, match="full"):
            await Once(files).run("x", Worker(files, "a").make)
    assert await keys(files) == ["reports/a1"]
    assert (await Once(files).run("x", Worker(files, "b").make)).text == "made by b"


async def test_an_effect_that_was_purged_at_once(files: LocalFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(self: LocalFiles, key: str, content: bytes | Path) -> bool:
        return False

    monkeypatch.setattr(LocalFiles, "publish", refuse)

    async def make() -> Effect:
        return Effect("ours", files=(MadeFile("reports/a", "a", "text/plain", 1),))

    assert (await Once(files).run("x", make)).text == "ours"


# ── the report action ────────────────────────────────────────────────────────────────────────────────────────────────

PLAN = {"plan": msgspec.to_builtins(ReportPlan("sales", "csv", LAST_FRIDAY))}


def action(data: Path, demo_folder: Path, specs: dict[str, ReportSpec]) -> ReportAction:
    runner = runner_in(data, demo=demo_folder)
    made = ReportAction(
        runner, Once(LocalFiles(data / "files")), Links(b"k" * 32), NOW.timestamp, lambda *_: "which period?"
    )
    made.install(tuple(specs.values()), {"demo": DEMO}, timezone="Asia/Shanghai", keep=3600.0, public_url=None)
    return made


@pytest.fixture
def specs(demo_specs: dict[str, ReportSpec]) -> dict[str, ReportSpec]:
    return {name: msgspec.structs.replace(spec, source="demo") for name, spec in demo_specs.items()}


async def test_two_workers_make_one_report(tmp_path: Path, demo_folder: Path, specs: dict[str, ReportSpec]) -> None:
    files = LocalFiles(tmp_path / "files")
    both = [action(tmp_path, demo_folder, specs) for _ in range(2)]
    first, second = await asyncio.gather(*(each.run(PLAN, NAMED) for each in both))
    assert first == second and first.outcome == "ok" and "http://gateway/files/" in first.text
    effect, report = await keys(files)
    assert effect == "effects/req_1.0.1" and report.startswith("reports/")
    linked = Links(b"k" * 32).open(first.text.rpartition("/files/")[2].split()[0], NOW.timestamp())
    assert linked.path == report
    assert await both[0].run(PLAN, NAMED) == first and len(await keys(files)) == 2
    assert await both[0].run(PLAN, OCCASION) != first and len(await keys(files)) == 3


KILLED = """
import asyncio, os, signal, sys
sys.path[:0] = {path!r}
from pathlib import Path
from actions.test_once import *
from pointsman.actions.report.demo_reports import demo_reports
specs = {{spec.name: msgspec.structs.replace(spec, source="demo") for spec in demo_reports()}}
publish = LocalFiles.publish
async def until_killed(self, key, content):
    if key.startswith("effects/"):
        os.kill(os.getpid(), signal.SIGKILL)
    return await publish(self, key, content)
LocalFiles.publish = until_killed
asyncio.run(action(Path({data!r}), Path({demo!r}), specs).run(PLAN, NAMED))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal there")
async def test_a_worker_killed_between_file_and_effect(
    tmp_path: Path, demo_folder: Path, specs: dict[str, ReportSpec]
) -> None:
    files = LocalFiles(tmp_path / "files")
    script = KILLED.format(path=sys.path, data=str(tmp_path), demo=str(demo_folder))
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", script)
    assert await process.wait() == -signal.SIGKILL
    [orphan] = await keys(files)
    assert orphan.startswith("reports/")

    effect = await action(tmp_path, demo_folder, specs).run(PLAN, NAMED)
    assert effect.outcome == "ok"
    assert sum(key.startswith("effects/") for key in await keys(files)) == 1 and len(await keys(files)) == 3
    assert await files.purge("reports/", time.time() + 1) == 2  # the orphan goes with all others


async def test_a_store_that_cannot_keep_it(
    tmp_path: Path, demo_folder: Path, specs: dict[str, ReportSpec], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person is told; a worker tries again."""

    async def full(self: LocalFiles, key: str, content: bytes | Path) -> bool:
        raise FileStoreError("full")

    monkeypatch.setattr(LocalFiles, "publish", full)
    report = action(tmp_path, demo_folder, specs)
    effect = await report.run(PLAN, OCCASION)
    assert (effect.outcome, effect.error) == ("failed", "report_store") and "could not be stored" in effect.text
    chinese: Any = {"plan": {**PLAN["plan"], "language": "zh"}}
    assert "无法保存" in (await report.run(chinese, OCCASION)).text
    with pytest.raises(FileStoreError):
        await report.run(PLAN, NAMED)
