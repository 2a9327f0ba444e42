"""Weights, qualities and costs as people write them: what is wrong is said with its place, and what is valid."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from pointsman.app.build import Built, build
from pointsman.config.load import load
from pointsman.domain.errors import Problems
from pointsman.domain.policy import Weights
from pointsman.domain.quality import Quality
from pointsman.domain.said import Said

MODELS = {
    "light": {"backends": [{"engine": "ollama", "model": "small", "cost": {"watts": 90}}]},
    "heavy": {"backends": [{"engine": "ollama", "model": "large", "cost": {"money_per_hour": 1.5}}]},
}


def built(folder: Path, *lines: str | dict[str, Any], **config: Any) -> Built:
    if lines:
        written = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        (folder / "q.jsonl").write_text("\n".join(written), encoding="utf-8")
        config["quality"] = {"file": "q.jsonl"}
    path = folder / "pointsman.yaml"
    path.write_text(
        yaml.safe_dump({"models": MODELS, "rules": {"packs": []}, **config}, sort_keys=False), encoding="utf-8"
    )
    return build(load(path, None, {}))


def problems(folder: Path, *lines: str | dict[str, Any], **config: Any) -> list[str]:
    with pytest.raises(Problems) as refused:
        built(folder, *lines, **config)
    for problem in refused.value.problems:
        assert isinstance(problem.message, Said)
    return [str(problem).removeprefix(f"{folder}/") for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ({"quality": float("nan")}, "policy.x.quality: expected float >= 0.0 (nan)"),
        ({"latency": float("inf")}, "policy.x.latency: expected float <= 1000.0 (inf)"),
        ({"cost": -1}, "policy.x.cost: expected float >= 0.0 (-1)"),
        ({"quality": 1001}, "policy.x.quality: expected float <= 1000.0 (1001)"),
        ({"quality": "much"}, "policy.x.quality: expected float, got str ('much')"),
        ({"stay": 2}, "policy.x.stay: expected float <= 1.0 (2)"),
        ({"speed": 2}, "policy.x.speed: unknown key (valid: quality, latency, cost, stay)"),
        ({}, "policy.x: all its weights are 0"),
        ({"quality": 0, "latency": 0.0, "cost": 0}, "policy.x: all its weights are 0"),
    ],
)
def test_weights_that_are_none(tmp_path: Path, weights: dict[str, Any], says: str) -> None:
    [problem] = problems(tmp_path, policy={"x": weights}, entries={"auto": {"policy": "x"}})
    assert says in problem
    assert problem.startswith("pointsman.yaml:")


def test_shipped_weights_with_all_of_them_at_0(tmp_path: Path) -> None:
    [problem] = problems(tmp_path, policy={"batch": {"quality": 0, "cost": 0}})
    assert "policy.batch: all its weights are 0" in problem
    assert "(valid: quality, latency, cost: 0 to 1000, one of them above 0)" in problem


def test_an_entry_names_a_policy_that_is_none(tmp_path: Path) -> None:
    [problem] = problems(tmp_path, policy={"mine": {"cost": 1}}, entries={"auto": {"policy": "interctive"}})
    assert "entries.auto.policy: there is no policy 'interctive'" in problem
    assert 'did you mean "interactive"? (valid: interactive, batch, mine)' in problem


def test_what_is_left_out_is_as_it_ships_or_0(tmp_path: Path) -> None:
    entries = {name: {"policy": name} for name in ("interactive", "batch", "mine")} | {"plain": {}}
    policy = {"interactive": {"latency": 0.7, "stay": 0}, "mine": {"cost": 2}}
    document = built(tmp_path, policy=policy, entries=entries).policy.document
    assert document.weights == {
        "interactive": Weights(1.0, 0.7, 0.1, 0.0),
        "batch": Weights(1.0, 0.0, 0.3),
        "mine": Weights(0.0, 0.0, 2.0),
    }
    assert [entry.policy for entry in document.entries] == ["interactive", "batch", "mine", None]


class TestQualities:
    def test_are_part_of_the_policy(self, tmp_path: Path) -> None:
        first = built(tmp_path, {"model": "small", "task": "math", "value": 0.5, "weight": 9, "by": "me"})
        assert first.policy.document.quality == (Quality("small", "math", 0.5, 9),)
        second = built(tmp_path, {"model": "small", "task": "math", "value": 0.6})
        assert first.policy.hash != second.policy.hash

    @pytest.mark.parametrize(
        ("line", "says"),
        [
            ("{", "no line of qualities"),
            ("[1]", "no line of qualities"),
            ({"model": "m"}, "no line of qualities"),
            ({"model": "", "task": None, "value": 0.5}, "model is empty"),
            ({"model": "m", "task": "maths", "value": 0.5}, "no task type 'maths', did you mean \"math\"?"),
            ({"model": "m", "task": None, "value": 1.5}, "value 1.5 is not within 0 to 1"),
            ('{"model": "m", "task": null, "value": NaN}', "no line of qualities"),
            ({"model": "m", "task": None, "value": 0.5, "weight": 0}, "weight 0 is below 1"),
            ({"model": "small", "task": None, "value": 0.5}, "small has a figure for all tasks in line 1 already"),
        ],
    )
    def test_a_bad_line_is_named(self, tmp_path: Path, line: str | dict[str, Any], says: str) -> None:
        [problem] = problems(tmp_path, {"model": "small", "task": None, "value": 0.5}, "", line)
        assert problem.startswith("q.jsonl:3: quality.file: ") and says in problem

    def test_a_file_that_is_not_there_or_no_text(self, tmp_path: Path) -> None:
        [problem] = problems(tmp_path, quality={"file": "gone.jsonl"})
        assert "quality.file: " in problem and "gone.jsonl cannot be read" in problem
        (tmp_path / "q.jsonl").write_bytes(b"\xff\xfe\x00")
        [problem] = problems(tmp_path, quality={"file": "q.jsonl"})
        assert "it is no UTF-8" in problem


class TestNotes:
    def notes(self, folder: Path, *lines: dict[str, Any], **config: Any) -> str:
        return "\n".join(map(str, built(folder, *lines, **config).notes))

    def test_models_without_figures_and_figures_without_models(self, tmp_path: Path) -> None:
        line = {"model": "sma11", "task": None, "value": 0.5}
        notes = self.notes(tmp_path, line, entries={"auto": {"policy": "batch"}})
        assert "quality.file has no figures for large, small" in notes
        assert "quality.file: no backend has the model sma11" in notes
        assert "no figures" not in self.notes(tmp_path, line)

    def test_costs_that_not_all_have(self, tmp_path: Path) -> None:
        notes = self.notes(tmp_path, entries={"auto": {"policy": "batch"}})
        assert "cost.watts is missing for large@" in notes
        assert "cost.money_per_hour is missing for small@" in notes

    def test_weights_that_nobody_uses(self, tmp_path: Path) -> None:
        assert "policy.mine: no entry names it" in self.notes(tmp_path, policy={"mine": {"cost": 1}})
