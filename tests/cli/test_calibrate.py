"""`pointsman calibrate` and `pointsman bench intents`, by spelling alone."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import pointsman.bench.intents
import pointsman.embedding
from cli.invoke import Shell
from pointsman.arbiter.shipped_intents import shipped_intents
from pointsman.arbiter.shipped_outside import shipped_outside

CONFIG = """\
models: {medium: {backends: [{engine: vllm, base_url: "http://127.0.0.1:1/v1", model: m}]}}
entries: {auto: {arbiter: embedded}}
arbiter: {shipped: false, files: [intents.yaml]}
server: {data_dir: data}
"""
NAMES = ("export_report", "calculate")


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pointsman.embedding, "installed_model", lambda: None)
    monkeypatch.setattr(pointsman.bench.intents, "installed_model", lambda: None)
    made = Shell(tmp_path, monkeypatch, capsys)
    made.write("pointsman.yaml", CONFIG)
    intents = {
        name: {"about": shipped_intents()[name].about, "examples": list(shipped_intents()[name].examples[::2])}
        for name in NAMES
    }
    made.write("intents.yaml", json.dumps(intents, ensure_ascii=False))
    return made


def rows(part: int) -> list[dict[str, str]]:
    found = [{"text": text, "intent": name} for name in NAMES for text in shipped_intents()[name].examples[part::2]]
    return found + [{"text": text, "intent": "oos"} for text in shipped_outside()[part::4]]


def lines(part: int) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows(part))


def test_labels(shell: Shell) -> None:
    shell.write("labels.jsonl", lines(1))
    done = shell.run("calibrate", "--labels", "labels.jsonl", "--json", "--dry-run")
    assert done.code == 0 and done.json["file"] is None and not list(shell.folder.rglob("calibration-*.json"))
    done = shell.run("calibrate", "--labels", "labels.jsonl", "--language", "zh")
    assert done.code == 0 and "期望校准误差" in done.out and "已存入" in done.out
    [file] = shell.folder.rglob("calibration-*.json")
    kept = json.loads(file.read_text())
    assert kept["model"].startswith("spelling/") and kept["texts"] == len(rows(1))
    again = shell.run("calibrate", "--labels", "labels.jsonl", "--json").json
    assert again["calibration"]["threshold"] == kept["threshold"]


@pytest.mark.parametrize(
    ("arguments", "en", "zh"),
    [
        (("--labels", "none.jsonl"), "there is no none.jsonl", "没有 none.jsonl"),
        (("--labels", "odd.jsonl"), "has intents that the config has not: odd", "有配置中没有的意图：odd"),
        (("--labels", "few.jsonl"), "1 labelled texts are too few: at least 20", "带标签的文本太少（1 条）"),
        (("--weak", "--since", "soon"), "is no span of time", "不是时长"),
        (("--labels", "few.jsonl", "--plot", "x.gif"), "a plot ends in .svg / .png", "图的文件名以"),
    ],
)
def test_mistakes(shell: Shell, arguments: tuple[str, ...], en: str, zh: str) -> None:
    shell.write("odd.jsonl", '{"text": "x", "intent": "odd"}\n')
    shell.write("few.jsonl", '{"text": "x", "intent": "oos"}\n')
    for tongue, wanted in (("en", en), ("zh", zh)):
        done = shell.run("calibrate", *arguments, "--language", tongue)
        assert done.code == 1 and wanted in done.err, done


def test_bench(shell: Shell) -> None:
    shell.write("train.jsonl", lines(0))
    shell.write("test.jsonl.gz", gzip.compress(lines(1).encode()))
    done = shell.run("bench", "intents", "--train", "train.jsonl", "--test", "test.jsonl.gz", "--json", "out.json")
    assert done.code == 0 and "accuracy inside" in done.out and "Reliability" in done.out
    found = json.loads((shell.folder / "out.json").read_text())
    assert found["subjects"][0]["figures"]["accuracy"] >= 0.8 and found["intents"] == 2
    shell.write("broken.jsonl", '{"text": "x", "intent": "a"}\n{"text": 5}\n')
    for tongue, wanted in (("en", "broken.jsonl, line 2: not"), ("zh", "broken.jsonl 第 2 行不是")):
        done = shell.run("bench", "intents", "--train", "broken.jsonl", "--test", "x", "--language", tongue)
        assert done.code == 1 and wanted in done.err
