"""The part of the config about which models are in memory, and when: `load` of a backend, and `memory` for all of them."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from pointsman.config.section import Section, Size, Span

Group = Literal["exclusive", "together"]


class Load(Section, frozen=True):
    """When a model is in memory, on an engine that the gateway starts or can tell to load and unload. See docs/models.md."""

    when: Annotated[
        Literal["start", "demand"],
        Meta(description="start: as soon as the gateway runs; demand: with the first request for it"),
    ] = "start"
    idle: Annotated[Span, Meta(description="unloaded after so long without a request; default: never")] | None = None
    pin: Annotated[bool, Meta(description="never unloaded for another model, nor because it is idle")] = False
    group: Annotated[str, Meta(min_length=1, description="a group under memory.groups")] | None = None
    memory: (
        Annotated[
            Size,
            Meta(
                description="what it takes; default: estimated from its file; where there is none, what it took the "
                "last time, at first the whole budget"
            ),
        ]
        | None
    ) = None
    deadline: Annotated[float, Meta(gt=0, le=86_400, description="seconds after which a load has failed")] = 300.0
    drain: Annotated[
        float,
        Meta(
            ge=0,
            le=86_400,
            description="seconds that replies under way have to end where an operator unloads it, or it begins anew; for "
            "another model none is cut off",
        ),
    ] = 30.0
    restart: (
        Annotated[
            str,
            Meta(
                min_length=9,
                description='cron time at which it begins anew, once it is idle: "0 4 * * *" is every day at four',
            ),
        ]
        | None
    ) = None


class Memory(Section, frozen=True):
    """What models may take together, and who makes room for whom. See docs/models.md."""

    budget: Annotated[Size, Meta(description="for all models that come and go; default: no limit")] | None = None
    groups: Annotated[
        dict[str, Group],
        Meta(
            description="name → exclusive: one of the group is in memory at a time; together: all of them, or none",
        ),
    ] = {}
    patience: Annotated[
        float,
        Meta(
            ge=0,
            le=86_400,
            description="seconds that requests for a model wait before one that is in use makes room for it",
        ),
    ] = 20.0
    gather: Annotated[
        float,
        Meta(
            ge=0,
            le=3600,
            description="seconds that they wait before one makes room that was in use as short a time ago; more: fewer "
            "loads, longer waits",
        ),
    ] = 0.0
