"""`quality` of the config: what is refused, and with which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointsman.config.load import load


@pytest.mark.parametrize(
    ("text", "path", "english", "chinese"),
    [
        ("{explore: 0.7}", "quality.explore", "0.5", "0.5"),
        ("{feedback: {half_life: 0d}}", "quality.feedback.half_life", "12h, 14d", "12h、14d"),
        ("{feedback: {half_life: 90s}}", "quality.feedback.half_life", "an hour or more", "不少于一小时"),
        ("{feedback: {bound: 2}}", "quality.feedback.bound", "0.5", "0.5"),
        ("{feedback: {bound: .nan}}", "quality.feedback.bound", "", ""),
        ("{feedback: {per_caller: 0}}", "quality.feedback.per_caller", "0", "0"),
        ("{feedback: {rating: -1}}", "quality.feedback.rating", "0", "0"),
        ("{feedback: {ratings: 1}}", "quality.feedback.ratings", 'did you mean "rating"', "是不是“rating”"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, path: str, english: str, chinese: str) -> None:
    (tmp_path / "pointsman.yaml").write_text(f"quality: {text}\n", "utf-8")
    [problem] = load(tmp_path / "pointsman.yaml", None, {}).problems
    assert problem.path == path and problem.where and problem.where.endswith(":1")
    assert english in problem.text("en") and chinese in problem.text("zh")
