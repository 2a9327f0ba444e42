"""The part of the config about schedules: what is asked again and again, without anybody there."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from pointsman.config.section import Section


class RunAs(Section, frozen=True):
    """As whom a schedule asks: what rules, models and the log see."""

    key: (
        Annotated[str, Meta(min_length=1, description="the name of one of auth.keys: its role, its group, its jobs")]
        | None
    ) = None
    user: Annotated[str, Meta(min_length=1, description="the user of the request")] | None = None
    role: Annotated[str, Meta(min_length=1, description="what rules see as role; default: the key's")] | None = None


class Schedule(Section, frozen=True):
    """A question, or an action, that is done at the times of a cron expression: `ask`, or `action` with `parameters`."""

    cron: Annotated[
        str, Meta(min_length=1, description='minute hour day month weekday: "0 8 * * 1" is Mondays at eight')
    ]
    timezone: (
        Annotated[str, Meta(description="IANA name by which the times count; default: server.timezone")] | None
    ) = None
    ask: Annotated[str, Meta(min_length=1, description="the saved question, as a user would write it")] | None = None
    action: Annotated[str, Meta(min_length=1, description="instead: an action by its name")] | None = None
    parameters: Annotated[dict[str, Any], Meta(description="what that action takes")] = {}
    entry: Annotated[str, Meta(min_length=1, description="the entry that is asked; default: the first")] | None = None
    run_as: RunAs = msgspec.field(default=RunAs(), name="as")
    deliver: Annotated[list[str], Meta(description="channels of delivery that get what comes of it")] = []
    on_failure: Annotated[list[str], Meta(description="channels that are told where nothing comes of it")] = []
    language: (
        Annotated[Literal["zh", "en"], Meta(description="language of mails and of an action; default: the question's")]
        | None
    ) = None
    missed: Annotated[
        Literal["once", "skip"],
        Meta(description="times at which no gateway was there: the last of them is made up for, or none is"),
    ] = "once"
    allow_model: Annotated[
        bool, Meta(description="true lets a question go to a model that no rule takes, or that is asked back")
    ] = False
    enabled: Annotated[bool, Meta(description="false: it is checked and not done")] = True
