"""What the runner and its child say to each other: one line of JSON each way."""

from __future__ import annotations

import datetime
from typing import Literal

import msgspec

from pointsman.actions.report.failure import Reason
from pointsman.actions.report.settings import SourceSettings
from pointsman.domain.report import DimensionValue, ReportFile, ReportPlan, ReportSpec


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One piece of work. `report` needs a plan and writes `<name>.<format>` into `folder`, which is the job's own and
    takes its temporary files too; `values` reads the values of the spec's dimensions that come from the source.

    `now` is the wall clock with its offset, `zone` the name of its zone, if it has one: an offset alone does not know
    summer time. `seconds` is the time that is left, `memory` the address space in bytes (None: no limit). `parent` is
    the process that the child has to belong to."""

    task: Literal["report", "values"]
    spec: ReportSpec
    source: SourceSettings
    folder: str
    now: datetime.datetime
    seconds: float
    parent: int
    plan: ReportPlan | None = None
    name: str = "report"
    zone: str | None = None
    memory: int | None = None
    death_signal: bool = True


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """One of the three."""

    file: ReportFile | None = None
    values: dict[str, tuple[DimensionValue, ...]] | None = None
    error: Reason | None = None
