"""The part of the config about who is let in to which target: the queue, and circuit breakers."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from pointsman.config.pressure_schema import Pressure
from pointsman.config.section import Section, Size


class Limits(Section, frozen=True):
    """What a backend may hold at a time; others wait in the gateway, where they can be told and put in order."""

    sequences: (
        Annotated[
            Annotated[int, Meta(ge=1, le=100_000)] | Literal["auto"],
            Meta(
                description="requests, or auto: found out by how the engine does; default: the engine's slots, where it "
                "tells them; else no limit",
                extra={"zh": "请求数；或 auto：按引擎的表现自动摸索；默认：引擎报告的槽位数，不报告则不限"},
            ),
        ]
        | None
    ) = None
    cells: (
        Annotated[
            int,
            Meta(
                ge=1, le=1_000_000_000, description="tokens of prompts and replies in its KV cache; default: no limit"
            ),
        ]
        | None
    ) = None


class Quota(Section, frozen=True):
    """What one key may ask for, over all processes; see docs/admission.md. Nothing: no limit."""

    requests: Annotated[int, Meta(ge=1, le=10_000_000, description="requests a minute")] | None = None
    tokens: (
        Annotated[int, Meta(ge=1, le=10_000_000_000, description="tokens a minute, of prompts and replies")] | None
    ) = None
    concurrency: Annotated[int, Meta(ge=1, le=100_000, description="requests at a time")] | None = None


class Breaker(Section, frozen=True):
    """When a target that fails is left alone for a while: at least `ratio` of at least `least` tries within `window`."""

    ratio: Annotated[float, Meta(gt=0, le=1, description="share of tries that fail")] = 0.05
    least: Annotated[int, Meta(ge=1, le=100_000, description="tries before anything is concluded")] = 20
    window: Annotated[float, Meta(ge=1, le=3600, description="seconds that tries count for")] = 30.0
    pause: Annotated[
        float, Meta(ge=0.1, le=300, description="seconds before a probe may try it again; doubled each time that fails")
    ] = 10.0


class Gpu(Section, frozen=True):
    """The GPU that models share with actions that declare `gpu_memory`: these wait until there is room beside the models."""

    memory: (
        Annotated[
            Size, Meta(description="what the card has; default: as NVIDIA's driver says, without one nobody waits")
        ]
        | None
    ) = None
    models: (
        Annotated[
            Size,
            Meta(
                description="what models take of it; default: what the driver calls used while no action runs; with memory: "
                "nothing"
            ),
        ]
        | None
    ) = None


class Admission(Section, frozen=True):
    """Who is let in. See docs/admission.md."""

    queue: Annotated[int, Meta(ge=0, le=100_000, description="requests that wait at most; others get 429")] = 256
    wait: Annotated[
        float,
        Meta(gt=0, le=86_400, description="seconds that one waits at most; then 503, or at once where it is foreseen"),
    ] = 300.0
    breaker: Breaker = msgspec.field(default_factory=Breaker)
    gpu: Gpu = msgspec.field(default_factory=Gpu)
    pressure: Pressure = msgspec.field(default_factory=Pressure)
