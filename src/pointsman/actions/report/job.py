"""What the child that makes reports is asked, and what it gives back."""

from __future__ import annotations

import datetime
from typing import Literal

import msgspec

from pointsman.actions.report.settings import SourceSettings
from pointsman.domain.report import DimensionValue, ReportFile, ReportPlan, ReportSpec


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One piece of work. `report` needs a plan and writes `report.<format>` into the task's folder; `values` reads the
    values of the spec's dimensions that come from the source.

    `now` is the wall clock with its offset, `zone` the name of its zone, if it has one: an offset alone does not know
    summer time."""

    task: Literal["report", "values"]
    spec: ReportSpec
    source: SourceSettings
    now: datetime.datetime
    plan: ReportPlan | None = None
    zone: str | None = None


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two. The file's path is its name in the task's folder."""

    file: ReportFile | None = None
    values: dict[str, tuple[DimensionValue, ...]] | None = None
