"""What is wrong with intents of a config, each with its place; and files of intents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.policies import backend, policy_of, tiers
from pointsman.app.build import build
from pointsman.config.load import load
from pointsman.domain.errors import Problems
from pointsman.domain.policy import RoleRule
from pointsman.domain.said import told

ACTIONS: dict[str, Any] = {
    "unlock": {
        "http": {"url": "http://desk.example.internal/{account}", "allow": ["desk.example.internal"]},
        "parameters": {"account": {"type": "string", "maxLength": 5}},
    },
    "desk": {"http": {"url": "http://desk.example.internal/{question}", "allow": ["desk.example.internal"]}},
}


def config(intents: Any = None, *, entry: str = "embedded", **arbiter: Any) -> dict[str, Any]:
    return {
        "models": tiers(light=[backend("small")], heavy=[backend("big")]),
        "entries": {"auto": {"arbiter": entry}},
        "rules": {"packs": []},
        "fallback": {"target": "light"},
        "actions": ACTIONS,
        "arbiter": {"shipped": False, "intents": intents or {"a": {"about": "a"}}, **arbiter},
    }


@pytest.mark.parametrize(
    ("data", "place", "words"),
    [
        (config(entry="embeded"), "entries.auto.arbiter", ["embedded", "light", "heavy"]),
        (config(verify="hevy"), "arbiter.verify", ['"heavy"']),
        (config(fill="nobody"), "arbiter.fill", ["off", "light"]),
        (config(clarify={"then": "dsk"}), "arbiter.clarify.then", ["open_ended", '"desk"']),
        (config(clarify={"then": "unlock"}), "arbiter.clarify.then", ["question"]),
        (config({"a": {"about": "a", "action": "unlok"}}), "arbiter.intents.a.action", ['"unlock"']),
        (config({"a": {"about": "a", "action": "export_pdf"}}), "arbiter.intents.a.action", ["desk, unlock"]),
        (config({"a": {"about": "a", "target": "hevy"}}), "arbiter.intents.a.target", ['"heavy"']),
        (config({"a": {"about": "a", "task": "maths"}}), "arbiter.intents.a.task", ['"math"']),
        (config({"a": {"about": "a", "action": "desk", "task": "math"}}), "arbiter.intents.a.task", ["not routed"]),
        (config({"a": {"about": "a", "parameters": {"x": 1}}}), "arbiter.intents.a.parameters", ["no action"]),
        (
            config({"a": {"about": "a", "action": "unlock", "parameters": {"acount": "b"}}}),
            "arbiter.intents.a.parameters.acount",
            ['"account"'],
        ),
        (
            config({"a": {"about": "a", "action": "unlock", "parameters": {"account": "too long"}}}),
            "arbiter.intents.a.parameters.account",
            ["maxLength"],
        ),
        (
            config({"a": {"about": "a", "action": "unlock", "roles": {"dba": {"parameters": {"account": 5}}}}}),
            "arbiter.intents.a.roles.dba.parameters.account",
            ["unlock"],
        ),
        (
            config({"a": {"about": "a", "roles": {"dba": {"action": "unlok"}}}}),
            "arbiter.intents.a.roles.dba",
            ['"unlock"'],
        ),
        (config({"open_ended": {"about": "x"}}), "arbiter.intents.open_ended", ["taken"]),
        (config({"a": {"about": "Same"}, "b": {"about": "same"}}), "arbiter.intents.b.about", ["'a'"]),
        (config({f"i{n}": {"about": f"n{n}"} for n in range(501)}), "arbiter.intents", ["501", "500"]),
    ],
)
def test_a_mistake(tmp_path: Path, data: dict[str, Any], place: str, words: list[str]) -> None:
    path = tmp_path / "pointsman.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    with pytest.raises(Problems) as caught:
        build(load(path, None, {}))
    [problem] = caught.value.problems
    assert problem.path == place and problem.where and f"{path}:" in problem.where
    for word in words:
        assert word in str(problem)
    assert any("一" <= character <= "鿿" for character in told(problem.message, "zh"))


def test_files_of_intents(tmp_path: Path) -> None:
    files = {
        "more.yaml": "unlock: {about: {en: Unlock, zh: 解锁}, action: unlock, roles: {dba: {parameters: {account: x}}}}\n"
    }
    policy = policy_of(tmp_path, config({"a": {"about": "a", "gate": 0.9}}, files=["more.yaml"]), files)
    rules = policy.document.arbiter
    assert rules is not None
    assert [(intent.name, intent.gate) for intent in rules.intents] == [("a", 0.9), ("unlock", 0.7)]
    assert rules.intents[1].about == {"en": "Unlock", "zh": "解锁"}
    assert rules.intents[1].roles == {"dba": RoleRule(None, {"account": "x"})}


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        ("a: {about: twice}\n", "more.yaml:1", ["already"]),
        ("b: {abuot: x}\n", "more.yaml:1", ["about"]),
        ("- b\n", "pointsman.yaml:", ["mapping"]),
        ("b: [\n", "more.yaml:", []),
        (None, "pointsman.yaml:", ["no such file"]),
    ],
)
def test_a_mistake_in_a_file(tmp_path: Path, text: str | None, where: str, words: list[str]) -> None:
    if text is not None:
        (tmp_path / "more.yaml").write_text(text, encoding="utf-8")
    path = tmp_path / "pointsman.yaml"
    path.write_text(yaml.safe_dump(config(files=["more.yaml"])), encoding="utf-8")
    with pytest.raises(Problems) as caught:
        build(load(path, None, {}))
    assert where in str(caught.value) and all(word in str(caught.value) for word in words)


def test_an_entry_without_intents_has_no_arbiter(tmp_path: Path) -> None:
    data = config()
    data["arbiter"] = {"shipped": False}
    policy = policy_of(tmp_path, data)
    assert policy.document.arbiter is None and policy.entries["auto"].arbiter == "off"


def test_what_the_owner_should_know(tmp_path: Path) -> None:
    data = config({"a": {"about": "a", "risk": "high"}}, entry="light")
    data["entries"]["auto"]["keep_local"] = True
    data["models"]["cloud"] = {"backends": [backend("far", base_url="https://api.example.com/v1")]}
    data["arbiter"]["fill"] = "cloud"
    path = tmp_path / "pointsman.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    notes = build(load(path, None, {})).notes
    for words in ("high risk (a)", "cloud is outside", "light arbitrates and serves chats"):
        assert any(words in note for note in notes), words
    data["arbiter"]["intents"] = {}
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    assert any("no intents" in note for note in build(load(path, None, {})).notes)


def test_examples_that_pull_two_ways(tmp_path: Path) -> None:
    intents = {
        "a": {"about": "a", "examples": ["Reset my password!", "unlock it"]},
        "b": {"about": "b", "examples": ["reset my password"]},
    }
    path = tmp_path / "pointsman.yaml"
    path.write_text(yaml.safe_dump(config(intents)), encoding="utf-8")
    with pytest.raises(Problems) as caught:
        build(load(path, None, {}))
    [problem] = caught.value.problems
    assert problem.path == "arbiter.intents.b.examples"
    assert "a has 'Reset my password!'" in problem.message and "reset my password" in problem.message


def test_intents_that_ship_lead_to_what_there_is(tmp_path: Path) -> None:
    data = config({"a": {"about": "a"}})
    data["arbiter"]["shipped"] = True
    data["actions"] = {"reckon": {"maths": {}}, "one": {"sql": {}}, "two": {"sql": {}}}
    rules = policy_of(tmp_path, data).document.arbiter
    assert rules is not None
    assert {intent.name: intent.action for intent in rules.intents} == {"a": None, "calculate": "reckon"}
    data["arbiter"]["intents"]["sums"] = {"about": "sums", "action": "reckon"}
    again = policy_of(tmp_path, data).document.arbiter
    assert again is not None and [intent.name for intent in again.intents] == ["a", "sums"]
