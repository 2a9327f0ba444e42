"""Reports of a config: the catalog with the values of its sources, and the settings of those."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Collection
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec

from pointsman.actions.child import Children
from pointsman.actions.report.demo_reports import SOURCE, demo_reports
from pointsman.actions.report.runner import ReportRunner
from pointsman.actions.report.settings import SourceSettings
from pointsman.app.refused import refused
from pointsman.app.report_templates import templates_of, with_template
from pointsman.config.schema import Config
from pointsman.config.timezone import zone_name
from pointsman.domain.errors import Problem
from pointsman.domain.report import DimensionSpec, DimensionValue, Period, ReportPlan, ReportSpec
from pointsman.domain.said import said
from pointsman.pipeline.catalog import catalog_of
from pointsman.ports.action import ActionFailed
from pointsman.store.files.local import LocalFiles

Values = dict[str, tuple[DimensionValue, ...]]
"""Those of each dimension, by its name."""


def _located(url: str | None, base: Path) -> str | None:
    """A relative SQLite file is looked for beside the config, as folders and templates are."""
    kind, slashes, path = (url or "").partition(":///")
    if not slashes or not kind.startswith("sqlite") or not path or path.startswith(("/", ":memory:", "file:")):
        return url
    return f"{kind}:///{(base / path).as_posix()}"


def sources_of(config: Config, base: Path) -> tuple[dict[str, SourceSettings], list[Problem]]:
    """The sound sources, and what is wrong with the others. Folders are relative to the config file."""
    found: dict[str, SourceSettings] = {}
    problems = []
    for name, source in config.sources.items():
        folder = str(base / source.folder) if source.folder else None
        try:
            found[name] = SourceSettings(
                url=_located(source.url, base), folder=folder, format=source.format, demo=source.demo
            )
        except ValueError as error:
            problems.append(refused(f"sources.{name}", error))
    return found, problems


def specs_of(config: Config, base: Path, broken: Collection[str]) -> tuple[tuple[ReportSpec, ...], list[Problem]]:
    """The catalog as the config says it, and what is wrong with it. With `sources` among the `broken` sections, what reports
    say of them is not looked at."""
    specs, problems = catalog_of(config.reports, None if "sources" in broken else config.sources)
    templates, wrong = templates_of(config, base)
    problems += wrong
    placed = []
    for spec in specs:
        spec, wrong = with_template(spec, templates, base)
        problems += wrong
        placed.append(spec)
    return tuple(placed), problems


def with_values(
    config: Config,
    specs: tuple[ReportSpec, ...],
    sources: dict[str, SourceSettings],
    data: Path,
    base: Path,
    before: tuple[ReportSpec, ...],
) -> tuple[tuple[ReportSpec, ...], list[str]]:
    """The catalog with the values and synonyms that come from sources, read now, and notes on what could not be read:
    there those of `before`, the catalog until now, stay. A demo source without any report brings its own. `data` is the
    data folder, `base` the config's."""
    if not specs:
        demo = next((name for name, source in sources.items() if source.demo), None)
        if demo is None:
            return (), []
        templates, _ = templates_of(config, base)
        specs = tuple(
            msgspec.structs.replace(spec, source=demo, templates=templates)
            for spec in demo_reports()
            if spec.source == SOURCE
        )
    notes: list[str] = []
    wanted = [spec for spec in specs if _reads_values(spec)]
    if wanted:
        read = asyncio.run(_values(wanted, sources, data, config, notes))
        known = {spec.name: _values_in(spec) for spec in before}
        specs = tuple(_with_values(spec, read.get(spec.name, known.get(spec.name, {}))) for spec in specs)
    return specs, notes


async def _values(
    specs: list[ReportSpec], sources: dict[str, SourceSettings], data: Path, config: Config, notes: list[str]
) -> dict[str, Values]:
    runner = _runner(config, data)
    now = datetime.datetime.now(ZoneInfo(zone_name(config.server.timezone)))
    found = {}
    for spec in specs:
        try:
            found[spec.name] = await runner.values_of(sources[spec.source], spec, now)
        except ActionFailed as failure:
            en = "reports.{name}: the values of its dimensions could not be read: {why}"
            zh = "reports.{name}：无法读取各维度的取值：{why}"
            notes.append(said(en, zh, name=spec.name, why=failure.message))
    return found


def _reads_values(spec: ReportSpec) -> bool:
    return any(dimension.values_from is not None for dimension in spec.dimensions)


def _values_in(spec: ReportSpec) -> Values:
    return {dimension.name: dimension.values for dimension in spec.dimensions}


def _with_values(spec: ReportSpec, read: Values) -> ReportSpec:
    def filled(dimension: DimensionSpec) -> DimensionSpec:
        if dimension.values_from is None:
            return dimension
        return msgspec.structs.replace(dimension, values=read.get(dimension.name, ()))

    return msgspec.structs.replace(spec, dimensions=tuple(map(filled, spec.dimensions)))


def unusable_reports(
    config: Config, specs: tuple[ReportSpec, ...], sources: dict[str, SourceSettings], data: Path
) -> tuple[list[Problem], list[str]]:
    """What each report's source says of it: a table, column or template that is not there is a problem; a source that
    cannot be reached now is a note."""
    problems: list[Problem] = []
    notes: list[str] = []
    for spec in specs:
        path = f"reports.{spec.name}"
        source = sources[spec.source]
        failure = None if source.demo else asyncio.run(_tried(config, spec, source, data))
        if failure is None:
            continue
        if failure.code in ("schema", "query", "template"):
            problems.append(Problem(path, failure.message))
        else:
            notes.append(said("{path}: {why}", "{path}：{why}", path=path, why=failure.message))
    return problems, notes


async def _tried(config: Config, spec: ReportSpec, source: SourceSettings, data: Path) -> ActionFailed | None:
    """Makes the report of one day that no sale can have: everything is looked at and no row is read. The queries for
    values are made as they stand."""
    now = datetime.datetime.now(ZoneInfo(zone_name(config.server.timezone)))
    day = datetime.date(1900, 1, 1)
    plan = ReportPlan(spec.name, "csv", Period(day, day + datetime.timedelta(days=1), "day"), group_by=spec.group_by)
    runner = _runner(config, data)
    try:
        await runner.run(plan, spec, source, now)
    except ActionFailed as failure:
        if failure.code != "empty":
            return failure
    try:
        if _reads_values(spec):
            await runner.values_of(source, spec, now)
    except ActionFailed as failure:
        return failure
    return None


def _runner(config: Config, data: Path) -> ReportRunner:
    """For questions to sources, of which no file comes."""
    children = Children(data / "work", warmth=False)
    return ReportRunner(LocalFiles(data / "files"), children, data / "demo", timeout=config.files.timeout)
