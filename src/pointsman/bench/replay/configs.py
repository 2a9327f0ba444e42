"""Configs for a bench of `replay`: rules and targets as a small shop has them, and what somebody would like to change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import yaml

_PACKS = ["smalltalk", "no-drawing", "length-guard", "injection-guard"]
_ADDED = """
- id: capital_city
  when: {any: [capital of, 首都]}
  negation: ignore
  answer: {en: Please look it up in the atlas., zh: 请查地图册。}
  examples: [the capital of Peru, 秘鲁的首都是哪里]
  counter_examples: [capital gains]
  boundary: [{text: capitals, takes: false}]
- id: how_many
  when: {any: [how many, 多少]}
  negation: ignore
  route: {target: light}
  examples: [how many of them, 一共多少]
  counter_examples: [how much]
  boundary: [{text: how manly, takes: false}]
"""
_WORTH = {
    "light": {None: 0.55, "math": 0.3, "classification": 0.7, "translation": 0.7, "extraction": 0.65},
    "heavy": {None: 0.7, "math": 0.7, "classification": 0.72, "translation": 0.73, "extraction": 0.7},
}
"""Tier → kind of task (None: any) → quality, made up."""
_GRADED = 40
Changed = Callable[[dict[str, Any]], None]


def made_of(light: dict[str, Any], heavy: dict[str, Any]) -> dict[str, Any]:
    """By routes: what is short goes to the light target, all else to the heavy one."""
    return {
        "models": {"light": {"backends": [light]}, "heavy": {"backends": [heavy]}},
        "rules": {"packs": [f"builtin:{name}" for name in _PACKS]},
        "entries": {"auto": {}},
        "routes": [{"name": "short", "match": {"max_tokens": 25}, "target": "light", "priority": 10}],
        "fallback": {"target": "heavy"},
    }


def scored(config: dict[str, Any]) -> None:
    """By scores instead, with a table of what each model is worth."""
    config["quality"] = {"file": "quality.jsonl"}
    config["policy"] = {"good": {"quality": 1.0, "latency": 0.3, "cost": 0.1}}
    config["entries"] = {"auto": {"policy": "good"}}
    del config["routes"]


def patient(config: dict[str, Any]) -> None:
    """Other weights: quality counts, and time hardly."""
    config["policy"]["good"] = {"quality": 1.0, "latency": 0.1, "cost": 0.0}


def surer(config: dict[str, Any]) -> None:
    """A task is only told where its model is surer of it."""
    config["classifier"] = {"least": 0.6}


def other_rules(config: dict[str, Any]) -> None:
    """A rule more that answers, and one that steers."""
    config["rules"]["files"] = ["added.yaml"]


def other_routes(config: dict[str, Any]) -> None:
    """More goes to the light target; of what is short, sums go to the heavy one."""
    config["routes"] = [
        {
            "name": "sums",
            "match": {"keywords": ["percent", "minutes", "百分", "分钟"]},
            "target": "heavy",
            "priority": 5,
        },
        {"name": "short", "match": {"max_tokens": 60}, "target": "light", "priority": 10},
    ]
    other_rules(config)


def write(folder: Path, config: dict[str, Any], *changes: Changed) -> Path:
    """The file, in a folder of its own."""
    folder.mkdir(parents=True)
    changed = deepcopy(config)
    for change in changes:
        change(changed)
    (folder / "added.yaml").write_text(_ADDED, encoding="utf-8")
    (folder / "quality.jsonl").write_text("".join(_quality(changed)), encoding="utf-8")
    path = folder / "pointsman.yaml"
    path.write_text(yaml.safe_dump(changed, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return path


def _quality(config: dict[str, Any]) -> Iterator[str]:
    for tier, worth in _WORTH.items():
        [backend] = config["models"][tier]["backends"]
        for task, value in worth.items():
            row = {"model": backend["model"], "task": task, "value": value, "weight": _GRADED}
            yield msgspec.json.encode(row).decode() + "\n"
