"""The runner: a child for each job, killed when it has to be, and nothing left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from actions.orders import (
    DEMO,
    LAST_FRIDAY,
    NOW,
    ORDERS,
    SOME,
    children_in,
    runner_in,
    simple_plan,
    simple_spec,
    sqlite_file,
)
from pointsman.actions.child import children as children_module
from pointsman.actions.child.work import Answer, Order
from pointsman.actions.report.job import Job, Outcome
from pointsman.actions.report.runner import REPORT, ReportRunner
from pointsman.actions.report.settings import SourceSettings
from pointsman.domain.report import (
    DimensionSpec,
    DimensionValue,
    Filter,
    Format,
    ReportPlan,
    ReportSpec,
    TemplateSpec,
    Titles,
    ValuesFrom,
)
from pointsman.domain.said import in_zh
from pointsman.ports.action import ActionFailed
from pointsman.ports.file_store import FileStoreError

Sql = Callable[..., list[tuple[Any, ...]]]
SLOW = (
    ORDERS
    + """
CREATE VIEW slow AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000000000)
SELECT '2026-03-01' AS sold_on, 'x' AS region, i AS amount FROM n;"""
)


@pytest.fixture
def runner(tmp_path: Path, demo_folder: Path) -> ReportRunner:
    return runner_in(tmp_path / "data", demo=demo_folder)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def left(data: Path) -> list[str]:
    """What lies in the data folder: files, and folders of jobs."""
    files = [path for path in (data / "files").rglob("*") if path.is_file()]
    return sorted(path.relative_to(data).as_posix() for path in [*files, *(data / "work").glob("*")])


@pytest.fixture
def shop(tmp_path: Path) -> SourceSettings:
    return sqlite_file(tmp_path / "shop.sqlite", SLOW, SOME)


def children() -> list[psutil.Process]:
    """Of this process itself: a gateway that it has started has some of its own."""
    found = []
    for process in psutil.Process().children():
        with contextlib.suppress(psutil.Error):
            if "pointsman.actions.child.entry" in process.cmdline() or process.status() == psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


async def child_at_work() -> psutil.Process:
    for _ in range(1500):
        for process in children():
            with contextlib.suppress(psutil.Error):
                if process.cpu_times().user > 0.3:
                    return process
        await asyncio.sleep(0.02)
    raise AssertionError("no child")


@pytest.mark.parametrize("format", ["pdf", "xlsx", "csv"])
async def test_a_file_of_each_kind(
    format: Format, runner: ReportRunner, data: Path, demo_specs: dict[str, ReportSpec], demo_sql: Sql
) -> None:
    file = await runner.run(ReportPlan("sales", format, LAST_FRIDAY, language="zh"), demo_specs["sales"], DEMO, NOW)
    assert re.fullmatch(rf"reports/[0-9a-f]{{48}}\.{format}", file.path)
    assert left(data) == [f"files/{file.path}"]
    path = data / "files" / file.path
    assert path.stat().st_size == file.bytes
    assert all(each.stat().st_mode & 0o077 == 0 for each in (path, path.parent, data / "files", data / "work"))
    start = {"pdf": b"%PDF-", "xlsx": b"PK\x03\x04", "csv": b"\xef\xbb\xbf"}[format]
    assert path.read_bytes().startswith(start)
    amount, rows = demo_sql("SELECT sum(amount), count(*) FROM sales WHERE sold_on = '2026-11-20'")[0]
    assert file.totals["amount"] == pytest.approx(amount) and file.rows == rows
    assert not children()


async def test_the_demo_is_made_where_it_is_wanted(tmp_path: Path, demo_specs: dict[str, ReportSpec]) -> None:
    runner = runner_in(tmp_path / "data")
    plan = ReportPlan("sales", "csv", LAST_FRIDAY)
    await runner.run(plan, demo_specs["sales"], DEMO, NOW)
    assert [path.suffix for path in (tmp_path / "data" / "demo").iterdir()] == [".sqlite"]
    own = SourceSettings(demo=True, folder=str(tmp_path / "own"))
    await runner.run(plan, demo_specs["sales"], own, NOW)
    assert (tmp_path / "own").is_dir()


@pytest.mark.parametrize(
    ("changes", "plan", "kind"),
    [
        ({}, {"filters": (Filter("region", ("华南",), ("华南区",)),)}, "empty"),
        ({"table": "order"}, {}, "schema"),
        ({"templates": (TemplateSpec("x", file="/nowhere/x.typ", default=True),)}, {"format": "pdf"}, "template"),
    ],
)
async def test_failures_come_back_as_they_are(
    changes: dict[str, Any], plan: dict[str, Any], kind: str, runner: ReportRunner, data: Path, shop: SourceSettings
) -> None:
    with pytest.raises(ActionFailed) as caught:
        await runner.run(simple_plan(**plan), simple_spec(**changes), shop, NOW)
    assert caught.value.code == kind and in_zh(caught.value.message) and caught.value.message
    assert left(data) == [] and not children()


async def test_cancelling_kills_the_child(runner: ReportRunner, data: Path, shop: SourceSettings) -> None:
    running = asyncio.create_task(runner.run(simple_plan(), simple_spec(table="slow"), shop, NOW))
    child = await child_at_work()
    assert len(left(data)) == 2  # its folder, and what it says
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not child.is_running() and not children()
    assert left(data) == []
    assert (await runner.run(simple_plan(), simple_spec(), shop, NOW)).rows == 3


async def test_cancelling_at_any_moment_leaves_nothing(runner: ReportRunner, data: Path, shop: SourceSettings) -> None:
    for delay in (0, 0.001, 0.01, 0.05, 0.2, 0.4):
        running = asyncio.create_task(runner.run(simple_plan("pdf"), simple_spec(), shop, NOW))
        await asyncio.sleep(delay)
        unfinished = running.cancel()
        [end] = await asyncio.gather(running, return_exceptions=True)
        assert isinstance(end, asyncio.CancelledError) is unfinished and (unfinished or delay >= 0.2)
        assert not children() and [name for name in left(data) if not name.endswith(".pdf")] == []


async def test_time_runs_out(tmp_path: Path, data: Path, shop: SourceSettings) -> None:
    runner = runner_in(data, timeout=1.0)
    with pytest.raises(ActionFailed) as caught:
        await runner.run(simple_plan(), simple_spec(table="slow"), shop, NOW)
    assert caught.value.code == "timeout" and "1 秒" in in_zh(caught.value.message)
    assert left(data) == [] and not children()


async def test_a_child_that_hangs_is_killed(monkeypatch: pytest.MonkeyPatch, data: Path, shop: SourceSettings) -> None:
    monkeypatch.setattr(children_module, "COMMAND", (sys.executable, "-c", "import time; time.sleep(60)"))
    monkeypatch.setattr(children_module, "GRACE", 0.2)
    with pytest.raises(ActionFailed) as caught:
        await runner_in(data, timeout=0.3).run(simple_plan(), simple_spec(), shop, NOW)
    assert caught.value.code == "timeout" and not children() and left(data) == []


@pytest.mark.parametrize(
    ("program", "kind", "detail"),
    [
        ("import os; os.abort()", "crashed", "status -6"),
        ("import sys; sys.exit('last words')", "crashed", "last words"),
        ("print('not json')", "crashed", "JSON"),
        ("print('x' * 20_000_000)", "crashed", "status"),
        ("raise MemoryError", "memory", ""),
    ],
)
async def test_a_child_that_dies(
    program: str, kind: str, detail: str, monkeypatch: pytest.MonkeyPatch, data: Path, shop: SourceSettings
) -> None:
    monkeypatch.setattr(children_module, "COMMAND", (sys.executable, "-c", program))
    with pytest.raises(ActionFailed) as caught:
        await runner_in(data).run(simple_plan(), simple_spec(), shop, NOW)
    assert caught.value.code == kind and detail in str(caught.value.detail)
    assert left(data) == []


@pytest.mark.skipif(sys.platform != "linux", reason="the limit works on Linux")
async def test_memory_runs_out(data: Path, shop: SourceSettings) -> None:
    with pytest.raises(ActionFailed) as caught:
        await runner_in(data, memory=130 << 20).run(simple_plan("pdf"), simple_spec(), shop, NOW)
    assert caught.value.code == "memory"
    assert left(data) == []


async def test_no_more_at_a_time_than_allowed(tmp_path: Path, shop: SourceSettings) -> None:
    runner = runner_in(tmp_path)
    most = 0

    async def watch() -> None:
        nonlocal most
        while True:
            most = max(most, len(children()))
            await asyncio.sleep(0.01)

    watching = asyncio.create_task(watch())
    made = await asyncio.gather(*(runner.run(simple_plan(), simple_spec(), shop, NOW) for _ in range(3)))
    watching.cancel()
    assert len({file.path for file in made}) == 3 and most == 1


async def test_values_of_a_dimension(runner: ReportRunner, data: Path, shop: SourceSettings) -> None:
    spec = simple_spec(
        dimensions=(
            DimensionSpec("region", Titles("地区", "Region"), "region", values_from=ValuesFrom("orders", "region")),
            DimensionSpec("day", Titles("日期", "Day"), "sold_on"),
        )
    )
    values = await runner.values_of(shop, spec, NOW)
    assert {name: set(found) for name, found in values.items()} == {
        "region": {DimensionValue("华东"), DimensionValue("华北")}
    }
    with pytest.raises(ActionFailed, match="no table"):
        await runner.values_of(shop, simple_spec(table="x"), NOW)
    assert left(data) == []


async def test_at_most_5000_values(runner: ReportRunner, tmp_path: Path) -> None:
    rows = [("2026-03-01", f"region {n:05}", 1.0) for n in range(5100)] + [
        ("2026-03-01", None, 1.0),
        ("2026-03-01", " ", 1),
    ]
    source = sqlite_file(tmp_path / "many.sqlite", ORDERS, rows)
    asked = ValuesFrom("orders", "region")
    spec = simple_spec(dimensions=(DimensionSpec("region", Titles("x", "x"), "region", values_from=asked),))
    values = (await runner.values_of(source, spec, NOW))["region"]
    assert len(values) in (4999, 5000) and values[-1].value < "region 05000"


def test_tidying(tmp_path: Path) -> None:
    """What a killed gateway left behind goes after a day."""
    places = children_in(tmp_path)
    places.tidy()  # there is no such folder yet
    long_ago = time.time() - 2 * 86_400
    for name, age in (("old", long_ago), ("new", time.time())):
        folder = tmp_path / "work" / name
        folder.mkdir(parents=True)
        (folder / "report.pdf").write_text("x")
        (tmp_path / "work" / f"{name}.log").write_text("x")
        os.utime(folder, (age, age))
        os.utime(tmp_path / "work" / f"{name}.log", (age, age))
    places.tidy()
    assert left(tmp_path) == ["work/new", "work/new.log"]


async def test_a_store_that_is_full(tmp_path: Path, shop: SourceSettings) -> None:
    (tmp_path / "files").write_bytes(b"in the way")
    with pytest.raises(FileStoreError):
        await runner_in(tmp_path).run(simple_plan(), simple_spec(), shop, NOW)
    assert left(tmp_path) == []


async def test_now_needs_a_zone(runner: ReportRunner, shop: SourceSettings) -> None:
    with pytest.raises(ValueError, match="time zone"):
        await runner.run(simple_plan(), simple_spec(), shop, NOW.replace(tzinfo=None))


async def test_the_next_report_finds_a_process_that_waits(tmp_path: Path, data: Path, shop: SourceSettings) -> None:
    """It has imported what reports need, takes the next one and no second, and goes when all ends."""
    places = children_in(data, warmth=True)
    runner = runner_in(data, children=places)
    await runner.run(simple_plan(), simple_spec(), shop, NOW)
    async with asyncio.timeout(20):
        while not children():
            await asyncio.sleep(0.02)
    [waiting] = children()
    running = asyncio.create_task(runner.run(simple_plan(), simple_spec(table="slow"), shop, NOW))
    assert (await child_at_work()).pid == waiting.pid
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not waiting.is_running()
    await places.close()
    assert not children() and [name for name in left(data) if name.startswith("work/")] == []


# ── the child alone ──────────────────────────────────────────────────────────────────────────────────────────────────

COMMAND = (*children_module.COMMAND, REPORT.function, REPORT.extra)


def order(folder: Path, source: SourceSettings, **changes: Any) -> bytes:
    folder.mkdir()
    job = Job(task="report", spec=simple_spec(**changes), source=source, now=NOW, plan=simple_plan())
    task = msgspec.Raw(msgspec.json.encode(job))
    line = Order(folder=str(folder), seconds=60.0, memory=None, file_size=None, task=task)
    return msgspec.json.encode(line) + b"\n"


def test_one_line_in_one_line_out(tmp_path: Path, shop: SourceSettings) -> None:
    line = order(tmp_path / "work", shop)
    command = (*COMMAND, str(os.getpid()))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin and child.stdout
        child.stdin.write(line)
        child.stdin.flush()
        said = child.stdout.read()
        assert child.wait() == 0
    assert said.count(b"\n") == 1
    outcome = msgspec.convert(msgspec.json.decode(said, type=Answer).result, Outcome)
    assert outcome.file is not None and outcome.file.rows == 3 and (tmp_path / "work" / outcome.file.path).is_file()


@pytest.mark.parametrize("at_work", [True, False])
def test_the_child_ends_with_its_parent(at_work: bool, tmp_path: Path, shop: SourceSettings) -> None:
    """While it makes a report, and while it waits for one."""
    program = """
import os, subprocess, sys, time
child = subprocess.Popen([*sys.argv[1:], str(os.getpid())], stdin=subprocess.PIPE)
child.stdin.write(sys.stdin.buffer.readline())
child.stdin.flush()
print(child.pid, flush=True)
time.sleep(60)
"""
    line = order(tmp_path / "work", shop, table="slow") if at_work else b""
    with subprocess.Popen(
        [sys.executable, "-c", program, *COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdin and parent.stdout
        parent.stdin.write(line)
        parent.stdin.close()
        child = psutil.Process(int(parent.stdout.readline()))
        deadline = time.monotonic() + 20
        while child.cpu_times().user < 0.5 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert child.is_running()
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        psutil.wait_procs([child], timeout=30)
        assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


@pytest.mark.parametrize("absent", ["sqlalchemy", "duckdb"])
def test_what_is_not_installed(absent: str, tmp_path: Path, shop: SourceSettings) -> None:
    program = (
        f"import sys; sys.modules[{absent!r}] = None\n"
        "import runpy; runpy.run_module('pointsman.actions.child.entry', run_name='__main__')"
    )
    source = shop if absent == "sqlalchemy" else SourceSettings(folder=str(tmp_path), format="csv")
    line = order(tmp_path / "work", source)
    command = [sys.executable, "-c", program, REPORT.function, REPORT.extra, str(os.getpid())]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin and child.stdout
        child.stdin.write(line)
        child.stdin.flush()
        failure = msgspec.json.decode(child.stdout.read(), type=Answer).failure
        assert child.wait() == 0
    assert failure is not None and failure.code == "setup"
    assert "pip install 'pointsman[report]'" in failure.zh and "pointsman[report]" in failure.en


def test_the_gateway_imports_none_of_the_extra() -> None:
    program = (
        "import sys, pointsman.actions.report.runner, pointsman.actions.report.demo_reports\n"
        "print([name for name in ('sqlalchemy', 'duckdb', 'typst', 'xlsxwriter') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
