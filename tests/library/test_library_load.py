"""Reading: sources, what is wrong with them, reload, the import itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from importlib.resources import files
from pathlib import Path

import pytest

import pointsman
from library.office import OFFICE, office
from pointsman import Outcome, Rules, RulesError
from pointsman.domain.errors import Problems
from pointsman.library.sources import Source

ONE = """- id: {id}
  when: {{any: [{word}]}}
  answer: {text}
  examples: [{word}]
  counter_examples: [zzz]
  boundary: [{{text: "{word}s", takes: false}}]
"""


def one(path: Path, id: str = "a", word: str = "apple", text: str = "A") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(ONE.format(id=id, word=word, text=text), encoding="utf-8")
    return path


def test_files_packs_and_packs_that_ship_in_the_order_given(tmp_path: Path) -> None:
    file = one(tmp_path / "rules.yaml")
    one(tmp_path / "packs" / "p" / "more.yaml", "b", "berry")
    (tmp_path / "packs" / "p" / "pack.yaml").write_text("name: p\n", encoding="utf-8")
    rules = Rules.load(str(file), tmp_path / "packs")
    assert rules.ids == ("a", "b") and repr(rules) == f"<Rules {rules.hash}: 2 rules>"
    assert Rules.load(tmp_path / "packs" / "p", file).ids == ("b", "a")
    assert Rules.load("builtin:smalltalk", file).decide("hi").rule == "smalltalk_greeting_en"


def test_relative_to_where_the_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one(tmp_path / "rules.yaml")
    monkeypatch.chdir(tmp_path)
    assert Rules.load("rules.yaml").decide("apple").text == "A"


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        (["builtin:smaltalk"], 'did you mean "smalltalk"'),
        (["nowhere.yaml"], "nowhere.yaml: there is no such file"),
        (["empty"], "holds no pack"),
    ],
)
def test_what_is_not_there(sources: list[Source], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RulesError, match=r"Rules\.load: ") as caught:
        Rules.load(*sources)
    assert said in str(caught.value)
    with pytest.raises(TypeError, match="builtin:NAME"):
        Rules.load()


def test_all_that_is_wrong_at_once_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(
        "- id: a\n  wen: {any: [x]}\n  answer: A\n"
        "- id: b\n  when: {any: [x]}\n  route: {task: codes}\n"
        "  examples: [y]\n  counter_examples: [z]\n  boundary: [{text: xs, takes: false}]\n",
        encoding="utf-8",
    )
    with pytest.raises(RulesError) as caught:
        Rules.load("nowhere.yaml", path)
    assert isinstance(caught.value, Problems) and isinstance(caught.value, Exception)
    assert len(caught.value.problems) == 3  # of a file with a mistake of form the cases are not looked at
    assert f"{path}:2:" in str(caught.value) and "当" not in str(caught.value)
    path.write_text(path.read_text(encoding="utf-8").replace("wen", "when"), encoding="utf-8")
    with pytest.raises(RulesError) as caught:
        Rules.load(path)
    places = [problem.where for problem in caught.value.problems]
    assert places == [f"{path}:1", f"{path}:6", f"{path}:7"], "a lacks cases, b's task is none, b's example fails"
    assert "没有任务类型" in caught.value.said.zh
    with pytest.raises(RulesError) as caught:
        Rules.load(path, cases="skip")
    assert [problem.where for problem in caught.value.problems] == [f"{path}:6"]


def test_duplicate_ids(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match='id "a" is taken already'):
        Rules.load(one(tmp_path / "x.yaml"), one(tmp_path / "y.yaml"), cases="skip")


def test_plain_objects_and_yaml_text() -> None:
    rule = {"id": "a", "when": {"any": ["x"]}, "answer": "A"}
    assert Rules.parse([rule], cases="skip").decide("x").text == "A"
    assert Rules.parse({"rules": [rule]}, cases="skip").decide("x").text == "A"
    assert Rules.parse(json.dumps([rule]), cases="skip").decide("x").text == "A"
    with pytest.raises(RulesError, match="has no `examples`"):
        Rules.parse([rule])
    with pytest.raises(RulesError, match=r"mine:2: .*unknown key"):
        Rules.parse("- id: a\n  nonsense: 1\n", name="mine")
    with pytest.raises(RulesError, match="mine:1: "):
        Rules.parse("}", name="mine")
    with pytest.raises(RulesError, match="must be a list"):
        Rules.parse(3)
    assert not Rules.parse([], cases="skip").decide("x").taken


def test_an_action_that_was_not_given_is_a_mistake_where_actions_are() -> None:
    def carry_out(outcome: Outcome) -> str:
        return ""

    assert office().unbound == {"open_ticket"}
    assert office(actions={"open_ticket": carry_out, "more": carry_out}).unbound == frozenset()
    with pytest.raises(RulesError, match=r'no action .open_ticket. was given, did you mean "open_tickets"') as caught:
        office(actions={"open_tickets": carry_out})
    [problem] = caught.value.problems
    assert problem.where and int(problem.where.split(":")[1]) == 1 + OFFICE[: OFFICE.index("action:")].count("\n")


def test_a_task_type_is_no_action_to_be_carried_out() -> None:
    rule = {"id": "a", "when": {"any": ["x"]}, "action": "translation"}
    rules = Rules.parse([rule], cases="skip", actions={})
    assert rules.unbound == frozenset() and rules.decide("x").parameters == {"task": "translation"}


def test_reload(tmp_path: Path) -> None:
    path = one(tmp_path / "rules.yaml")
    rules = Rules.load(path)
    before = rules.hash
    assert rules.reload() is False and rules.hash == before
    one(path, text="B")
    assert rules.decide("apple").text == "A" and rules.reload() is True
    assert rules.decide("apple").text == "B" and rules.hash != before
    path.write_text("- id: a\n", encoding="utf-8")
    with pytest.raises(RulesError):
        rules.reload()
    assert rules.decide("apple").text == "B", "those in force stay"
    assert office().reload() is False


def test_threads_see_whole_rule_sets(tmp_path: Path) -> None:
    """Text and hash always belong together, whatever other threads do meanwhile."""
    path = one(tmp_path / "rules.yaml")
    rules = Rules.load(path)
    of = {rules.hash: "A"}
    one(path, text="B")
    rules.reload()
    of[rules.hash] = "B"
    stop, wrong, seen = threading.Event(), [], set()

    def ask() -> None:
        while not stop.is_set():
            found = rules.decide("an apple")
            seen.add(found.text)
            if of[found.rules] != found.text or not rules.explain("an apple").outcome.taken:
                wrong.append(found)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for turn in range(30):
        one(path, text="AB"[turn % 2])
        rules.reload()
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong and seen == {"A", "B"}


def test_the_package_says_what_it_exports() -> None:
    assert {"Rules", "Outcome", "Reply", "RulesError", "Explanation"} <= set(dir(pointsman)) and pointsman.__version__
    with pytest.raises(AttributeError, match="Rulez"):
        pointsman.Rulez  # type: ignore[attr-defined]  # noqa: B018
    assert files("pointsman").joinpath("py.typed").is_file() and files("pointsman").joinpath("__init__.pyi").is_file()


def test_the_stub_and_the_module_export_the_same() -> None:
    stub = files("pointsman").joinpath("__init__.pyi").read_text(encoding="utf-8")
    names = [line.split(" as ")[1] for line in stub.splitlines() if " as " in line]
    assert sorted([*names, "__version__"]) == sorted(pointsman.__all__)


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": ""}
    )
    return done.stdout.strip()


@pytest.mark.parametrize("code", ["import pointsman", "from pointsman import Rules"])
def test_the_import_is_light(code: str) -> None:
    heavy = (
        "asyncio",
        "sqlite3",
        "apsw",
        "httptools",
        "yaml",
        "re2",
        "langchain_core",
        "pointsman.http",
        "pointsman.config",
    )
    assert run(f"import sys; {code}; print([n for n in {heavy} if n in sys.modules])") == "[]"


def test_deciding_needs_no_server_no_store_and_no_model() -> None:
    parts = ("backends", "store", "fleet", "actions", "app", "http", "execution")
    code = (
        "import sys; from pointsman import Rules; r = Rules.load('builtin:smalltalk'); assert r.run('hi');"
        f"r.explain('x'); print([n for n in {parts} if 'pointsman.' + n in sys.modules])"
    )
    assert run(code) == "[]"
