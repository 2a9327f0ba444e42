"""Reports made inside the test's own process, over the demo; and independent sums to hold them against."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actions.orders import DEMO, NOW, Make
from pointsman.actions.child import Room
from pointsman.actions.report.demo import demo_database
from pointsman.actions.report.demo_reports import demo_reports
from pointsman.actions.report.job import Job
from pointsman.actions.report.make import carry_out
from pointsman.actions.report.settings import SourceSettings
from pointsman.domain.report import ReportFile, ReportPlan, ReportSpec


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    demo_database(folder, NOW.date())
    return folder


@pytest.fixture(scope="session")
def demo_sql(demo_folder: Path) -> Callable[..., list[tuple[Any, ...]]]:
    """Runs SQL of the test's own on the demo."""
    path = demo_database(demo_folder, NOW.date())

    def run(sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with contextlib.closing(sqlite3.connect(path)) as database:
            return database.execute(sql, values).fetchall()

    return run


@pytest.fixture(scope="session")
def demo_specs() -> dict[str, ReportSpec]:
    return {spec.name: spec for spec in demo_reports()}


@pytest.fixture
def make(tmp_path: Path, demo_folder: Path) -> Make:
    """One report, in this process: its path and what the engine says of it. Raises ActionFailed."""
    made = 0

    def run(
        plan: ReportPlan,
        spec: ReportSpec,
        source: SourceSettings = DEMO,
        *,
        seconds: float = 60,
        zone: str | None = None,
    ) -> tuple[Path, ReportFile]:
        nonlocal made
        made += 1
        folder = tmp_path / f"made-{made}"
        folder.mkdir()
        if source.demo:
            source = SourceSettings(demo=True, folder=str(demo_folder))
        job = Job(task="report", spec=spec, source=source, now=NOW, plan=plan, zone=zone or "Asia/Shanghai")
        file = carry_out(job, Room(folder, seconds)).file
        assert file is not None
        assert (folder / file.path).stat().st_size == file.bytes
        return folder / file.path, file

    return run
