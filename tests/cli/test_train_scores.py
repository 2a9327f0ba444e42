"""`pointsman train --scores`: a model of difficulties from graded questions, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cli.invoke import Shell
from pointsman.learning.pieces import pieces, plain
from pointsman.routing.classifier.difficulty import difficulty_of, shipped_difficulty

SUM, FACT = "prove that the sum {n} of {n} odd numbers is a square", "who was king number {n} of norway"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, monkeypatch, capsys)


def written(shell: Shell, rows: list[dict[str, Any]], name: str = "s.jsonl") -> str:
    (shell.folder / name).write_text("".join(json.dumps(each) + "\n" for each in rows), "utf-8")
    return name


def graded(count: int) -> list[dict[str, Any]]:
    """Facts are what the heavy model is needed for here, whatever labels say."""
    return [
        {
            "question": (SUM, FACT)[number % 2].format(n=number),
            "scores": {"small": 1.0 - number % 2, "tiny": 0.0, "big": 1.0},
            "task": ("sums", "facts")[number % 2],
        }
        for number in range(count)
    ]


def told(data: bytes, text: str) -> float:
    return difficulty_of(data).of(text, pieces(plain(text)))


def test_a_model_of_own_questions(shell: Shell) -> None:
    file = written(shell, graded(160))
    arguments = ("train", "--scores", file, "--light", "small", "--heavy", "big", "--out")
    done = shell.run(*arguments, "d.bin")
    assert done.code == 0, done.err
    assert "160 questions; light: small; heavy: big" in done.out and "random folds: APGR" in done.out
    assert "leave one task out: APGR" in done.out and "classifier: {difficulty: d.bin}" in done.out
    data = (shell.folder / "d.bin").read_bytes()
    assert told(data, FACT.format(n=7)) > told(data, SUM.format(n=8))
    model = difficulty_of(data)
    assert model.about == {"light": "small", "heavy": "big", "questions": "160"}
    ships = shipped_difficulty()
    assert model.layouts[0] == ships.layouts[0] and model.weights(0).items() <= ships.weights(0).items()
    again = shell.run(*arguments, "e.bin", "--json").json
    assert (shell.folder / "e.bin").read_bytes() == data and again["version"] == model.version
    assert [each["split"] for each in again["validated"]] == ["random", "tasks"]
    assert "随机分折：APGR" in shell.run(*arguments, "d.bin", "--language", "zh").out


def test_several_models_and_own_labels(shell: Shell) -> None:
    levels = ("easy", "medium", "hard")
    labels = [{"text": f"{level} thing number {n}", "difficulty": level} for n in range(30) for level in levels]
    done = shell.run("train", "--scores", written(shell, graded(120)), "--labelled", written(shell, labels, "l.jsonl"),
                     "--light", "small", "--light", "tiny", "--heavy", "big", "--out", "d.bin", "--json")  # fmt: skip
    assert done.code == 0, done.err
    assert done.json["light"] == "small, tiny"
    made = difficulty_of((shell.folder / "d.bin").read_bytes())
    scores = [made.scores(text, pieces(plain(text)))[0] for text in ("an easy thing", "a hard thing")]
    assert scores[0] < scores[1]


@pytest.mark.parametrize(
    ("rows", "more", "en", "zh"),
    [
        (graded(20), (), "20 questions are too few", "只有 20 个问题"),
        (graded(120), ("--light", "small", "--heavy", "tiny"), "one class only", "只有一类"),
        (
            [{"question": f"q {n}", "scores": {"a": float(n % 3 > 0), "b": float(n % 3 == 0)}} for n in range(120)],
            ("--light", "a", "--heavy", "b"),
            "no better than the light ones over all",
            "总体上并不比轻模型好",
        ),
        (graded(120), ("--light", "nobody"), "there is no model nobody", "没有 nobody 这个模型"),
        (
            [{"question": f"q {n}", "scores": {"a": 0.0, "b": 1.0}} for n in range(120)],
            (),
            "one class only: the heavy models are better at 120 of 120",
            "只有一类：120 个问题中有 120 个",
        ),
        (
            graded(120),
            ("--light", "small", "--labelled", "none.jsonl"),
            "none.jsonl cannot be read",
            "none.jsonl 无法读取",
        ),
        (graded(120), ("--light", "small", "--labelled", "s.jsonl"), "s.jsonl, line 1: not", "s.jsonl 第 1 行不是"),
    ],
)
def test_what_is_refused(shell: Shell, rows: list[dict[str, Any]], more: tuple[str, ...], en: str, zh: str) -> None:
    file = written(shell, rows)
    for tongue, wanted in (("en", en), ("zh", zh)):
        done = shell.run("train", "--scores", file, *more, "--out", "d.bin", "--language", tongue)
        assert (done.code, done.out) == (1, "") and wanted in done.err
    assert not (shell.folder / "d.bin").exists()


def test_labels_that_are_none(shell: Shell) -> None:
    for number, (labels, wanted) in enumerate(
        (
            ([{"text": "a", "difficulty": "awful"}], "difficulty 'awful'"),
            ([{"text": "a", "difficulty": "hard"}], "all equally difficult"),
            ([], "holds no texts"),
        )
    ):
        file = written(shell, labels, f"{number}.jsonl")
        done = shell.run("train", "--scores", written(shell, graded(120)), "--labelled", file, "--out", "d.bin",
                         "--light", "small", "--language", "en")  # fmt: skip
        assert done.code == 1 and wanted in done.err


def test_how_difficult_a_request_is(shell: Shell) -> None:
    """Told of requests whose targets are scored; a model of one's own is the one that tells."""
    models = (
        "models: {light: {backends: [{engine: ollama, model: a}]}, heavy: {backends: [{engine: ollama, model: b}]}}\n"
    )
    shell.write("pointsman.yaml", models + "entries: {auto: {policy: interactive}, plain: {}}\n")
    assert re.search(
        r", difficulty 0\.\d\d$",
        shell.run("explain", "What is the capital of France?", "--language", "en").out,
        re.MULTILINE,
    )
    assert re.search(r"，难度 0\.\d\d$", shell.run("explain", "法国的首都是哪里", "--language", "zh").out, re.MULTILINE)
    assert "difficulty" not in shell.run("explain", "hi there", "--model", "plain", "--language", "en").out
    shell.run("train", "--scores", written(shell, graded(160)), "--light", "small", "--heavy", "big", "--out", "d.bin")
    shell.write("pointsman.yaml", models + "entries: {auto: {policy: interactive}}\nclassifier: {difficulty: d.bin}\n")
    out = shell.run("explain", FACT.format(n=7), "--language", "en").out
    assert ", difficulty 0.9" in out or ", difficulty 1.0" in out
