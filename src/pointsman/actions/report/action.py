"""The report action: a plan carried out, and told to the person with a link to the file."""

from __future__ import annotations

import datetime
import logging
from collections.abc import Callable, Mapping
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from pointsman.actions.once import Once
from pointsman.actions.report.named import named_plan
from pointsman.actions.report.runner import ReportRunner
from pointsman.actions.report.settings import SourceSettings
from pointsman.actions.specs import takes
from pointsman.domain.action import ActionSpec
from pointsman.domain.links import Linked, Links
from pointsman.domain.report import MeasureSpec, ReportFile, ReportPlan, ReportSpec
from pointsman.domain.report_words import shape_of
from pointsman.domain.said import Said, told
from pointsman.domain.wording import Tongue, say
from pointsman.planning.templates import template_for
from pointsman.ports.action import ActionFailed, Effect, MadeFile, Occasion
from pointsman.ports.file_store import FileStoreError

_MEDIA_TYPES = {
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "csv": "text/csv",
}
_SPEC = ActionSpec(
    name="report",
    kind="report",
    about={
        "en": "Makes a report of the catalog as a PDF, Excel or CSV file.",
        "zh": "把报表目录中的一份报表生成为 PDF、Excel 或 CSV 文件。",
    },
    parameters=takes({"plan": {"type": "object"}}),
)
log = logging.getLogger("pointsman")
_FAILED = Said("report %s failed: %s %s", "报表 %s 未能生成：%s %s")
_NOT_KEPT = Said(
    "The report was made, but its file could not be stored. Please try again in a moment.",
    "报表已经生成，但文件无法保存。请稍后重试。",
)


class ReportAction:
    """`once` sees to it that an effect with a name is published once. `install` gives it the reports and sources of a
    config; `ask_period` words the question that follows where no row matched (from title, lead and language)."""

    def __init__(
        self,
        runner: ReportRunner,
        once: Once,
        links: Links,
        clock: Callable[[], float],
        ask_period: Callable[[str, str, Tongue], str],
    ) -> None:
        self._runner = runner
        self._once = once
        self._links = links
        self._clock = clock
        self._ask_period = ask_period
        self._specs: dict[str, ReportSpec] = {}
        self._sources: Mapping[str, SourceSettings] = {}
        self._zone = ZoneInfo("UTC")
        self._keep = 0.0
        self._base: str | None = None

    def install(
        self,
        specs: tuple[ReportSpec, ...],
        sources: Mapping[str, SourceSettings],
        *,
        timezone: str,
        keep: float,
        public_url: str | None,
    ) -> None:
        self._specs = {spec.name: spec for spec in specs}
        self._sources = sources
        self._zone = ZoneInfo(timezone)
        self._keep = keep
        self._base = public_url.rstrip("/") if public_url else None

    @property
    def spec(self) -> ActionSpec:
        return _SPEC

    def check(self, parameters: dict[str, Any]) -> None:
        named_plan(parameters, self._specs)

    async def run(self, parameters: dict[str, Any], occasion: Occasion) -> Effect:
        plan = self._with_template(msgspec.convert(parameters["plan"], ReportPlan), occasion)
        try:
            return await self._once.run(occasion.effect, lambda: self._made(plan, occasion))
        except FileStoreError as error:
            if occasion.effect is not None:
                raise
            log.warning(_FAILED, plan.report, "store", error)
            return Effect(told(_NOT_KEPT, plan.language), "failed", "report_store")

    def _with_template(self, plan: ReportPlan, occasion: Occasion) -> ReportPlan:
        """Of a plan that a client named itself, too: the template that is meant for it."""
        spec = self._specs.get(plan.report)
        if plan.template is not None or spec is None:
            return plan
        meant = template_for(spec, occasion.user, occasion.caller, None, occasion.role)
        return msgspec.structs.replace(plan, template=meant)

    async def _made(self, plan: ReportPlan, occasion: Occasion) -> Effect:
        spec = self._specs[plan.report]
        now = datetime.datetime.fromtimestamp(self._clock(), self._zone)
        tongue = plan.language
        try:
            made = await self._runner.run(plan, spec, self._sources[spec.source], now)
        except ActionFailed as failure:
            said = told(failure.message, tongue)
            if failure.code == "empty":
                text = self._ask_period(getattr(spec.titles, tongue), said, tongue)
                return Effect(text, "refused", "no_rows", asks=True)
            log.warning(_FAILED, plan.report, failure.code, failure.detail or failure.message)
            return Effect(said, "failed", f"report_{failure.code}")
        expires = int(self._clock() + self._keep)
        name = _file_name(spec, plan)
        token = self._links.sign(Linked(made.path, name, expires))
        text = _told(spec, plan, made, f"{self._base or occasion.base_url}/files/{token}", self._keep)
        file = MadeFile(made.path, name, _MEDIA_TYPES[plan.format], made.bytes)
        return Effect(text, values={"rows": made.rows, "totals": made.totals}, files=(file,))


def _file_name(spec: ReportSpec, plan: ReportPlan) -> str:
    last = plan.period.end - datetime.timedelta(days=1)
    span = f"{plan.period.start}" if last == plan.period.start else f"{plan.period.start}_{last}"
    values = [label for f in plan.filters for label in f.labels]
    return "_".join([getattr(spec.titles, plan.language), *values, span]).replace("/", "-") + f".{plan.format}"


def _told(spec: ReportSpec, plan: ReportPlan, made: ReportFile, url: str, keep: float) -> str:
    """What was understood and made, line by line, and the link."""
    tongue = plan.language
    last = plan.period.end - datetime.timedelta(days=1)
    span = str(plan.period.start) if last == plan.period.start else f"{plan.period.start} – {last}"
    word = plan.period.text.strip()
    lines = [
        say(
            "report.made", tongue, title=getattr(spec.titles, tongue), format=plan.format.upper(), rows=f"{made.rows:,}"
        ),
        say("report.period", tongue, span=f"{span} ({word})" if word and word not in span else span),
    ]
    titles = {dimension.name: getattr(dimension.titles, tongue) for dimension in spec.dimensions}
    for narrowed in plan.filters:
        lines.append(say("report.filter", tongue, what=titles[narrowed.dimension], labels=", ".join(narrowed.labels)))
    if plan.group_by:
        labels = ", ".join(titles.get(name, name) for name in plan.group_by)
        lines.append(say("report.grouped", tongue, labels=labels))
    if shape := shape_of(plan, spec, tongue):
        lines.append(say("report.shape", tongue, shape=("、" if tongue == "zh" else ", ").join(shape)))
    totals = [_total(m, made.totals[m.name], tongue) for m in spec.measures if m.name in made.totals]
    if totals:
        lines.append(say("report.totals", tongue, totals=("；" if tongue == "zh" else "; ").join(totals)))
    if made.notice:
        lines.append(made.notice)
    lines.append(say("report.link", tongue, url=url, keep=_keep(keep, tongue)))
    return "\n".join(lines)


def _total(measure: MeasureSpec, value: float, tongue: Tongue) -> str:
    shown = f"{getattr(measure.titles, tongue)} {value:,.{measure.decimals}f}"
    return f"{shown} {getattr(measure.unit, tongue)}" if measure.unit else shown


def _keep(seconds: float, tongue: Tongue) -> str:
    units = ((86_400, "天", "days"), (3600, "小时", "hours"), (60, "分钟", "minutes"), (1, "秒", "seconds"))
    size, zh, en = next((unit for unit in units if seconds >= unit[0]), units[-1])
    return f"{seconds / size:.3g} {zh if tongue == 'zh' else en}"
