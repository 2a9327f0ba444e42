"""The part of the config about scores: what quality, latency and cost weigh, and where qualities are read from."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from pointsman.config.feedback_schema import FeedbackWeights
from pointsman.config.section import Section

Weight = Annotated[float, Meta(ge=0, le=1000)]


class Weighting(Section, frozen=True):
    """What a target's score is made of: quality × its quality - latency × its latency - cost × its cost, each of these 0 to
    1. What is left out is as in the shipped one of that name, and 0 in one of your own. See docs/routing.md."""

    quality: Annotated[Weight, Meta(description="of how good its replies are at this kind of task")] | None = None
    latency: (
        Annotated[Weight, Meta(description="of the time until the reply is whole, beside the slowest target")] | None
    ) = None
    cost: Annotated[Weight, Meta(description="of the work that the reply is, beside the dearest target")] | None = None
    stay: Annotated[
        float,
        Meta(ge=0, le=1, description="how much better another target must be to take over a session, of all weights"),
    ] = 0.1


class Classifier(Section, frozen=True):
    """Which models tell the task type of a request where nobody declared it, and how difficult it is. See
    docs/routing/tasks-card.md and docs/routing/difficulty-card.md."""

    file: (
        Annotated[
            str,
            Meta(
                min_length=1,
                description="what `pointsman train` wrote, relative to this file; default: the model that ships",
            ),
        ]
        | None
    ) = None
    least: (
        Annotated[
            float,
            Meta(
                ge=0, le=1, description="confidence below which no task type is told; default: what its training found"
            ),
        ]
        | None
    ) = None
    difficulty: (
        Annotated[
            str,
            Meta(
                min_length=1,
                description="what `pointsman train --scores` wrote, relative to this file; default: the model that ships",
            ),
        ]
        | None
    ) = None
    timeout: Annotated[
        float,
        Meta(
            gt=0,
            le=60,
            description="seconds for the embedding model, where a model was trained with --features e5; then the request"
            " is classified by spelling",
        ),
    ] = 0.25


class QualityTable(Section, frozen=True):
    """How good models were measured to be, and what feedback moves that by. Without figures a model counts as good as others
    of its size."""

    file: (
        Annotated[
            str,
            Meta(
                min_length=1,
                description="JSON lines {model, task, value, weight}, as `bench quality` writes them; relative to this file",
            ),
        ]
        | None
    ) = None
    explore: Annotated[
        float,
        Meta(
            ge=0,
            le=0.5,
            description="share of scored requests that go to the second best target, so that it is heard of too; 0: none",
        ),
    ] = 0.0
    feedback: FeedbackWeights = FeedbackWeights()


class Cost(Section, frozen=True):
    """What an hour of this backend's work costs. Targets are compared in a unit that all of them have: money, watt-hours, or
    else seconds of work."""

    money_per_hour: Annotated[float, Meta(ge=0, le=1_000_000, description="in any one currency")] | None = None
    watts: Annotated[float, Meta(ge=0, le=1_000_000, description="what it draws while it works")] | None = None


SHIPPED: dict[str, tuple[float, float, float]] = {"interactive": (1.0, 0.3, 0.1), "batch": (1.0, 0.0, 0.3)}
"""Name → quality, latency, cost."""


def weights_of(name: str, given: Weighting) -> tuple[float, float, float]:
    """Quality, latency, cost, with what was left out."""
    quality, latency, cost = SHIPPED.get(name, (0.0, 0.0, 0.0))
    return (
        quality if given.quality is None else given.quality,
        latency if given.latency is None else given.latency,
        cost if given.cost is None else given.cost,
    )
