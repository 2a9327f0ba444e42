"""What a report shows, whatever file it becomes."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

import msgspec

from pointsman.actions.report.document import Fact, word
from pointsman.actions.report.figures import Figures
from pointsman.actions.report.sections import Section
from pointsman.domain.report import ReportPlan, ReportSpec


class Content(msgspec.Struct, frozen=True):
    """`sections` are tables beside the summary, a sheet or a section each; the charts of the `pictured` ones stand in the
    summary instead of the usual ones (None: the usual ones). `facts` say what was understood."""

    spec: ReportSpec
    plan: ReportPlan
    figures: Figures
    sections: Sequence[Section]
    pictured: Sequence[Section] | None
    facts: Sequence[Fact]
    now: datetime.datetime

    def notices(self) -> list[str]:
        """What the reader must know: that groups were put together, though not how many were asked for, and charts that are
        not as they were asked for."""
        figures, plan = self.figures, self.plan
        told = []
        if figures.others is not None and len(figures.groups) != plan.top:
            told.append(word("groups_hidden", plan.language, shown=f"{len(figures.groups):,}"))
        return [*told, *dict.fromkeys(section.note for section in self.pictured or () if section.note)]
