"""What the child that makes reports is asked, and what it gives back."""

from __future__ import annotations

import datetime
from typing import Literal

import msgspec

from pointsman.actions.report.settings import SourceSettings
from pointsman.domain.report import DimensionValue, ReportFile, ReportPlan, ReportSpec, TemplateSpec


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


class Fault(msgspec.Struct, frozen=True):
    """A mistake in a template, in typst's words: the file as it is called beside the template, and lines from 1."""

    message: str
    file: str
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}" if self.line else f"{self.file}: {self.message}"


class Proof(msgspec.Struct, frozen=True):
    """What is to be tried out; `now` is the moment that is printed."""

    template: TemplateSpec
    now: datetime.datetime


class Proofed(msgspec.Struct, frozen=True):
    """Nothing wrong where there are no `errors`. `fonts` are the families that a PDF has."""

    errors: tuple[Fault, ...] = ()
    warnings: tuple[Fault, ...] = ()
    fonts: tuple[str, ...] = ()
