"""What is said and published when feedback moves a quality."""

from __future__ import annotations

import logging

import pytest

from pointsman.domain.feedback import Word
from pointsman.domain.quality import Quality, QualityShift
from pointsman.pipeline.moved_quality import MovedQuality

TODAY = 20_000


def words(count: int) -> list[Word]:
    return [Word(TODAY, f"c{number}", "small", "math", None, False, False, False) for number in range(count)]


def test_each_change_is_one_line_and_one_publication(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "pointsman")
    published: list[tuple[QualityShift, ...]] = []
    moved = MovedQuality(published.append)
    moved.table = (Quality("small", None, 0.5, 20),)
    for count in (2, 2, 4, 0):
        moved.take(moved.work_out(words(count), (), TODAY))
    assert published == [
        (QualityShift("small", None, -0.05), QualityShift("small", "math", -0.05)),
        (QualityShift("small", None, -0.08), QualityShift("small", "math", -0.08)),
        (),
    ]
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 6
    assert lines[1] == (
        "feedback moves the quality of small at math from +0.00 to -0.05 (words: 2, replies watched: 0)"
    )
    assert lines[5].endswith("at math from -0.08 to +0.00 (words: 0, replies watched: 0)")


def test_of_several_processes_one_tells(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "pointsman")
    published: list[tuple[QualityShift, ...]] = []
    moved = MovedQuality(published.append, tells=False)
    moved.take(moved.work_out(words(4), (), TODAY))
    assert len(published) == 1 and not caplog.records
