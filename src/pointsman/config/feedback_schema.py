"""The part of the config about what callers' feedback moves."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from pointsman.config.section import Section

_Grade = Annotated[float, Meta(ge=0, le=10)]
_HalfLife = Annotated[
    str,
    Meta(
        pattern=r"^[1-9][0-9]{0,4}(h|d)$",
        description="a span of an hour or more: 12h, 14d",
        extra={"zh": "不少于一小时的时长（如 12h、14d）"},
    ),
]


class FeedbackWeights(Section, frozen=True):
    """How far what callers say and do moves a model's quality. The weights are those of one reply beside one graded reply of
    the table; 0 leaves that kind out. See docs/routing/feedback.md."""

    half_life: Annotated[_HalfLife, Meta(description="after it a word counts half")] = "14d"
    bound: Annotated[
        float, Meta(ge=0, le=0.5, description="at most so much a quality moves; 0: feedback moves nothing")
    ] = 0.1
    per_caller: Annotated[
        float,
        Meta(gt=0, le=1000, description="what one caller's replies weigh in a day, of one model at one task, at most"),
    ] = 5.0
    rating: Annotated[_Grade, Meta(description="a rating: 1 is the grade 0, 5 the grade 1")] = 1.0
    adopted: Annotated[_Grade, Meta(description="adopted: the grade 1; 0.75 where it was edited, 0 for false")] = 1.0
    edited: Annotated[_Grade, Meta(description="edited, and nothing else was said: the grade 0.5")] = 0.5
    retried: Annotated[_Grade, Meta(description="retried, and nothing else was said: the grade 0")] = 0.5
    asked_again: Annotated[
        _Grade, Meta(description="nearly the same was asked again within five minutes, beside how often that is so")
    ] = 0.1
    hung_up: Annotated[
        _Grade, Meta(description="the caller went away while the reply came, beside how often that is so")
    ] = 0.05
