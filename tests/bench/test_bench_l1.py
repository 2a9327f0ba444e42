"""`bench l1`: its measuring on an engine that is told what to say, its tables, and its own material."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from arbiters.llm.scripted import Scripted
from cli.invoke import Shell
from pointsman.bench.l1.instructions import INSTRUCTIONS
from pointsman.bench.l1.measure import AT_ONCE, Plan, run_l1
from pointsman.bench.l1.requests import ENHANCED, INTENTS
from pointsman.bench.l1.schemas import FORMS, LEVELS
from pointsman.bench.l1_tables import as_csv, fit, l1_tables
from pointsman.bench.panels import panels_of
from pointsman.bench.results import read_results
from pointsman.bench.tables import as_text
from pointsman.domain.json_schema import validator_of
from pointsman.domain.said import Tongue


def example(schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """A value that holds to a schema, as far as these schemas need it."""
    if "$ref" in schema:
        return example(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return example(schema[key][0], root)
    if "allOf" in schema:
        return {name: value for part in schema["allOf"] for name, value in example(part, root).items()}
    kind = schema["type"] if isinstance(schema["type"], str) else schema["type"][-1]
    if kind == "object":
        found = {name: example(part, root) for name, part in schema.get("properties", {}).items() if name != "children"}
        if not found and "patternProperties" in schema:
            return {"mon": "9-17"}
        return found or {"one": example(schema["additionalProperties"], root)}
    if kind == "array":
        return [example(schema["items"], root)] * max(1, schema.get("minItems", 1))
    patterns = {r"^\d{4}-\d{2}-\d{2}$": "2025-01-31", r"^\d{5}$": "12345", "^[A-Z]{2}-[0-9]{4}$": "AB-1234",
                "^INV-[0-9]{4}$": "INV-0001", "^[a-z]{3,12}$": "web", "^[0-9]{6,12}$": "1234567"}  # fmt: skip
    plain = {"string": patterns.get(schema.get("pattern", ""), "word"), "null": None, "boolean": True}
    return plain.get(kind, max(1, schema.get("minimum", 0)) if kind == "integer" else 0.5)


def test_the_schemas_are_sound_and_each_can_be_met():
    assert len(FORMS) == 30 and {form.level for form in FORMS} == set(LEVELS)
    assert len({form.name for form in FORMS}) == 30
    for form in FORMS:
        jsonschema_rs.meta.validate(form.schema)
        value = example(form.schema, form.schema)
        assert validator_of(form.schema).is_valid(value), (form.name, value)
        assert not validator_of(form.schema).is_valid({"no": []}), form.name


RIGHT = ("Ready.", "Yes", "no.", "12", "9", "blue-42", "deep blue calm", "apple\npear\nplum", '{"city": "Rome"}', "APPLE",
         "It is cold.", "Cold", "abc", "Money", "Thank you")  # fmt: skip
WRONG = ("I am READY to help", "Yes, it is", "yes", "7+5=12", "4", "blue 42", "the sea is deep", "1 line", "city: Rome",
         "apple", "Snow falls.", "the opposite is cold", "a b c", "weather", "谢谢")  # fmt: skip
RIGHT_ZH = ("就绪", "是。", "不是", "12", "9", "蓝色-42", "波涛汹涌", "苹果\n梨\n桃", '{"city": "北京"}', "APPLE",
            "天寒地冻。", "冷", "abc", "钱", "谢谢")  # fmt: skip
WRONG_ZH = ("我已就绪", "在", "是", "等于 12", "4", "蓝色 42", "大海很大很大", "苹果", "城市：北京", "apple",
            "下雪了", "反义词是冷", "a b c", "天气", "thanks")  # fmt: skip


@pytest.mark.parametrize(("language", "right", "wrong"), [("en", RIGHT, WRONG), ("zh", RIGHT_ZH, WRONG_ZH)])
def test_instructions_are_checked(language: str, right: tuple[str, ...], wrong: tuple[str, ...]):
    asked = [each for each in INSTRUCTIONS if each.language == language]
    assert len(asked) == len(right) == len(wrong)
    for each, good, bad in zip(asked, right, wrong, strict=True):
        assert each.check(good), (each.text, good)
        assert not each.check(bad) and not each.check(""), (each.text, bad)


class Counting(Scripted):
    async def count_tokens(self, messages: Any) -> int | None:
        return len(str(messages)) // 4


def says(path: str, fields: dict[str, Any]) -> Any:
    """Contracts with a comma too many, most of the schemas, "Yes" to instructions, the first label."""
    if "response_format" not in fields and "structured_outputs" not in fields:
        return {"choices": [{"message": {"content": "Yes"}}]}
    if "structured_outputs" in fields:
        token = fields["structured_outputs"]["choice"][0]
        position = {"token": token, "logprob": -0.1}
        usage = {"prompt_tokens": 60, "completion_tokens": 1}
        return {"choices": [{"message": {"content": token}, "logprobs": {"content": [position]}}], "usage": usage}
    schema = fields["response_format"]["json_schema"]["schema"]
    name = next(form.name for form in FORMS if form.schema == schema)
    if name == "tree":
        return 400, {"error": "recursive"}
    text = json.dumps(example(schema, schema)) if len(name) % 3 != 1 else "no"
    return {"choices": [{"message": {"content": text[:-1] + ",}" if name == "contract" else text}}]}


async def test_what_is_measured(tmp_path: Path):
    told: list[str] = []
    backend = Counting("vllm", says)
    results = await run_l1(
        [("small", backend), ("away", Scripted("vllm", says, health="down"))], Plan(calls=7, most=4), told.append
    )
    values = {sample.row: sample.values for sample in results.samples}
    assert (values["contract"]["valid"], values["contract"]["repaired"]) == (0.0, 1.0)
    assert values["arbiter"]["valid"] == 1.0 and values["arbiter"]["tokens"] == 60.0
    assert values["schemas 5"]["accepted"] == 0.8 and 0.0 < values["schemas 2"]["valid"] < 1.0
    assert [row for row in values if row.startswith("parallel")] == ["parallel 1", "parallel 2", "parallel 4"]
    assert values["parallel 4"]["failed"] == 0.0 and fit(results, "small") == 4
    assert values["instructions en"]["followed"] == pytest.approx(2 / 15)
    assert values["plain query"]["tokens"] > 0 and values["field sql_snippet"]["tokens"] > 0
    assert results.failures[0].subject == "away" and any("contract, 0 of 7" in text for text in told)

    results.save(tmp_path / "l1.json")
    read = read_results(tmp_path / "l1.json")
    tongues: tuple[Tongue, ...] = ("en", "zh")
    for tongue in tongues:
        shown = "\n".join(line for table in l1_tables(read) for line in as_text(table, tongue))
        assert "100.0%" in shown and ("模型" in shown) == (tongue == "zh") and "small" in shown
    lines = list(csv.DictReader(as_csv(read).splitlines()))
    assert {"model": "small", "engine": "vllm", "row": "contract", "key": "repaired", "value": "1"} in lines
    assert {panel["kind"] for panel in panels_of(read)} == {"bars", "lines"}


async def test_a_step_with_failures_is_the_last():
    backend = Scripted("vllm", lambda path, fields: (429, {}))
    results = await run_l1([("m", backend)], Plan(calls=1, most=AT_ONCE[-1]), lambda text: None)
    assert [sample.row for sample in results.samples if sample.row.startswith("parallel")] == ["parallel 1"]
    assert fit(results, "m") == 0


def test_the_requests_tell_every_field():
    assert len({intent.name for intent in INTENTS}) == len(INTENTS) and len(ENHANCED) == 6


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize(
    ("arguments", "en", "zh"),
    [
        (("--models", "heavi"), 'no model "heavi", did you mean "heavy"? (valid: heavy)', "没有模型“heavi”"),
        (("-n", "0"), "numbers must be above 0", "各个数都要大于 0"),
        (("--plot", "x.svg"), "make bench installs matplotlib", "make bench 会装好 matplotlib"),
        (("--csv", "no/x.csv"), "no/x.csv cannot be written", "no/x.csv 无法写入"),
    ],
)
def test_mistakes(shell: Shell, arguments: tuple[str, ...], en: str, zh: str):
    shell.write(
        "pointsman.yaml", "models: {heavy: {backends: [{engine: vllm, model: m, base_url: 'http://127.0.0.1:1'}]}}\n"
    )
    for tongue, wanted in (("en", en), ("zh", zh)):
        done = shell.run("bench", "l1", *arguments, "--language", tongue)
        assert done.code == 1 and wanted in done.err


def test_a_server_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    shell = Shell(tmp_path, monkeypatch, capsys)
    shell.write(
        "pointsman.yaml", "models: {heavy: {backends: [{engine: vllm, model: m, base_url: 'http://127.0.0.1:1'}]}}\n"
    )
    done = shell.run("bench", "l1", "--models", "heavy", "--language", "en")
    assert done.code == 1 and "FAILED heavy" in done.out
