"""`pointsman explain`: what would be decided on a text, or on a thousand, and why."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from cli.invoke import MODELS, Done, Shell
from flat_rules import FLAT_RULES
from ruling import cases as with_cases

SETS = Path(__file__).resolve().parent.parent / "sets"
CONTRACT = {
    *("stage", "rule", "action", "parameters", "reason", "matched", "features", "risk", "intent", "execution_path"),
    *("confidence", "fallback_reason", "clarification", "targets", "seed", "policy", "snapshot"),
}
SINCE_THEN = {"導出本周的報表": "export_pdf"}
"""What the set labelled when 繁 and 简 were words apart; since docs/adr/0028-folding.md they are one."""


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SETS / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def desk(shell: Shell) -> Shell:
    """Rules in the flat form, and models."""
    shell.write("pointsman.yaml", MODELS + "rules: {packs: [builtin:smalltalk], files: [rules.yaml]}\n")
    shell.write("rules.yaml", FLAT_RULES)
    return shell


class TestOneText:
    def test_for_people(self, desk: Shell) -> None:
        done = desk.run("explain", "导出昨天的报表PDF")
        assert (done.code, done.err) == (0, "")
        for words in ("stage    l0", "export_pdf", "time: 昨天 (2–4)", "features about", "zh", "policy   "):
            assert words in done.out

    def test_a_routed_one_for_people(self, desk: Shell) -> None:
        out = desk.run("explain", "What is a monad", "--task", "math").out
        for words in ("stage    model", "target   qwen2.5:3b@", "(fallback)", "task math (declared)"):
            assert words in out

    def test_as_json(self, desk: Shell) -> None:
        shown = desk.run("explain", "--json", "导出昨天的报表PDF").json
        assert set(shown) >= CONTRACT
        assert (shown["stage"], shown["rule"], shown["action"]) == ("l0", "export_pdf", "export_pdf")
        assert {(match["group"], match["text"]) for match in shown["matched"]} >= {
            ("pattern", "导出"),
            ("time", "昨天"),
        }

    @pytest.mark.parametrize(
        ("text", "rule"),
        [
            ("导出昨天的报表PDF", "export_pdf"),
            ("请生成本周的销售报表", "export_pdf"),
            ("把Q1的文档导出来", "export_pdf"),
            ("检查 main.py 里的漏洞", "code_review"),
            ("Please review app.js for a bug", "code_review"),
            ("今天生成一首诗", None),
            ("不要导出昨天的报表PDF", None),
            ("this debugging guide", None),
            ("导出报表PDF", None),
            ("苹果手机今天降价了吗", None),
        ],
    )
    def test_document_a_five_hits_and_five_misses(self, desk: Shell, text: str, rule: str | None) -> None:
        shown = desk.run("explain", text, "--json").json
        assert shown["rule"] == rule
        if rule is None:
            assert shown["stage"] == "model"

    def test_a_steering_rule_shows_its_rule_and_its_model(self, desk: Shell) -> None:
        shown = desk.run("explain", "检查 main.py 里的漏洞", "--json").json
        assert (shown["stage"], shown["rule"], shown["action"]) == ("model", "code_review", "route")
        assert shown["parameters"] == {"task": "code_review"}
        assert shown["targets"]

    def test_an_empty_text(self, desk: Shell) -> None:
        assert desk.run("explain", "", "--json").json["rule"] == "guard.empty"

    def test_named_models_roles_and_tasks(self, desk: Shell) -> None:
        assert (
            desk.run("explain", "hi", "--json", "--model", "heavy")
            .json["targets"][0]["target"]
            .startswith("qwen2.5:32b@")
        )
        assert desk.run("explain", "qwertz", "--json", "--task", "faq").json["features"]["task_type"] == "faq"
        desk.write("rules.yaml", f"- {{id: r, when: {{any: [x], role: admin}}, answer: y, {with_cases('x')}}}\n")
        assert desk.run("explain", "x", "--json", "--role", "admin").json["rule"] == "r"
        assert desk.run("explain", "x", "--json").json["rule"] is None

    def test_an_unknown_model_lists_the_valid(self, desk: Shell) -> None:
        done = desk.run("explain", "hi", "--model", "hevy")
        assert (done.code, done.out) == (1, "")
        assert 'did you mean "heavy"' in done.err
        assert "model-light" in done.err

    @pytest.mark.parametrize("text", ["a\udcffb", "\ud83d", "\x00", "\x1b[31m", "a\nb"])
    def test_odd_texts_of_a_shell(self, desk: Shell, text: str) -> None:
        """Bytes that are no UTF-8 come from the command line as lone surrogates."""
        for options in ([], ["--json"]):
            done = desk.run("explain", text, *options)
            assert done.code in (0, 1)
            assert done.out or done.err

    def test_a_broken_config_is_said(self, desk: Shell) -> None:
        desk.write("pointsman.yaml", "servr: {}")
        done = desk.run("explain", "hi", "--json")
        assert done.code == 1
        assert 'did you mean "server"' in done.err

    def test_it_needs_no_model_and_makes_no_files(self, desk: Shell) -> None:
        before = sorted(desk.folder.rglob("*"))
        assert desk.run("explain", "What is a monad").code == 0
        assert sorted(desk.folder.rglob("*")) == before


class TestMany:
    def lines(self, shell: Shell, *objects: Any, options: tuple[str, ...] = ()) -> Done:
        text = b"".join(
            item if isinstance(item, bytes) else (item if isinstance(item, str) else json.dumps(item)).encode() + b"\n"
            for item in objects
        )
        return shell.run("explain", "-", *options, stdin=text)

    def test_texts_and_json_lines(self, desk: Shell) -> None:
        done = self.lines(
            desk,
            "导出昨天的报表PDF",
            {"text": "hi"},
            {"messages": [{"role": "user", "content": "hi"}]},
            {"messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "image_url"}]}]},
            {"messages": [{"role": "assistant", "content": "Shall I?"}, {"role": "user", "content": "ok"}]},
            {"text": "hi", "model": "heavy"},
            {"text": "hi", "tools": [{"type": "function"}]},
            "",
            "   ",
            "你好\r",
        )
        assert done.code == 0
        assert [line["rule"] for line in done.lines] == [
            *("export_pdf", "smalltalk_greeting_en", "smalltalk_greeting_en"),
            *(None, None, None, None, "smalltalk_greeting_zh"),
        ]
        assert all(set(line) >= CONTRACT for line in done.lines)

    def test_a_line_may_declare_its_task(self, desk: Shell) -> None:
        [line] = self.lines(desk, {"text": "qwertz", "task": "faq"}).lines
        assert (line["features"]["task_type"], line["features"]["task_source"]) == ("faq", "declared")

    def test_a_task_that_there_is_not_is_an_error(self, desk: Shell) -> None:
        done = self.lines(desk, {"text": "qwertz", "task": "fax"})
        assert done.code == 1
        assert "faq" in done.json["error"]["message"]

    @pytest.mark.parametrize(
        "bad",
        [
            {"text": 5},
            {"text": None},
            {},
            {"txt": "hi"},
            {"messages": []},
            {"messages": "hi"},
            {"messages": [{"role": "user"}]},
            {"messages": [{"role": "boss", "content": "hi"}]},
            {"messages": [5]},
            {"text": "hi", "model": "nobody"},
            {"text": "hi", "model": 5},
            b'{"text": "unterminated\n',
            b'{"text": "hi",}\n',
            b'{"messages": [{"role": "user", "content": "\\ud800"}]}\n',
            b'{"text": "\\ud800"}\n',
            b'{"text": "a", "text": "b"}\n',
            b"\xff\xfe\n",
            b'{"text": "\xff"}\n',
            b'{"a":' * 2000 + b"\n",
        ],
        ids=lambda bad: repr(bad)[:40],
    )
    def test_a_bad_line_is_one_error_and_the_rest_goes_on(self, desk: Shell, bad: Any) -> None:
        done = self.lines(desk, "hi", bad, {"text": "hi"})
        assert done.code == 1
        assert done.err == ""
        assert len(done.lines) == 3
        error = done.lines[1]["error"]
        assert error["line"] == 2
        assert error["message"]
        assert [done.lines[0]["rule"], done.lines[2]["rule"]] == ["smalltalk_greeting_en"] * 2

    @pytest.mark.parametrize("text", ["[1, 2]", "{ a }", "{{question}}", "}", '"quoted"'])
    def test_what_only_looks_like_json_is_a_text(self, desk: Shell, text: str) -> None:
        assert self.lines(desk, text).code == 0

    def test_line_numbers_count_empty_lines(self, desk: Shell) -> None:
        assert self.lines(desk, "", "", {"text": 5}).json["error"]["line"] == 3

    def test_nothing_on_standard_input(self, desk: Shell) -> None:
        assert desk.run("explain", "-") == Done(0, "", "")

    def test_a_last_line_without_an_end(self, desk: Shell) -> None:
        assert desk.run("explain", "-", stdin="hi").json["rule"] == "smalltalk_greeting_en"

    def test_options_hold_for_every_line(self, desk: Shell) -> None:
        done = self.lines(desk, "hi", {"text": "hi"}, options=("--model", "heavy", "--task", "math"))
        assert all(line["targets"][0]["target"].startswith("qwen2.5:32b") for line in done.lines)
        assert {line["features"]["task_type"] for line in done.lines} == {"math"}

    def test_a_thousand_texts(self, desk: Shell) -> None:
        texts = [
            row["text"] for row in rows("document_a_rules.jsonl") + rows("task_types.jsonl") + rows("language.jsonl")
        ]
        texts = (texts * 3)[:1000]
        began = time.perf_counter()
        done = desk.run("explain", "-", stdin="".join(json.dumps({"text": text}) + "\n" for text in texts))
        print(f"explain: 1,000 texts in {time.perf_counter() - began:.2f} s")
        assert done.code == 0
        assert len(done.lines) == 1000


class TestFrozenSets:
    def test_document_a_rules(self, shell: Shell) -> None:
        shell.write("pointsman.yaml", MODELS + "rules: {packs: [], files: [rules.yaml]}\n")
        shell.write("rules.yaml", FLAT_RULES)
        labelled = rows("document_a_rules.jsonl")
        cases = [case | {"rule": SINCE_THEN.get(case["text"], case["rule"])} for case in labelled]
        assert sum(case != before for case, before in zip(cases, labelled, strict=True)) == len(SINCE_THEN)
        done = shell.run("explain", "-", stdin="".join(json.dumps({"text": case["text"]}) + "\n" for case in cases))
        assert done.code == 0
        wrong = [
            (case["text"], case["rule"], line["rule"], case["note"])
            for case, line in zip(cases, done.lines, strict=True)
            if case["rule"] != line["rule"]
        ]
        print(f"flat form: {len(cases) - len(wrong)}/{len(cases)} right")
        for miss in wrong:
            print("  text {!r}: should be {}, is {} ({})".format(*miss))
        assert len(cases) == 120
        assert len(wrong) <= 1

    def test_smalltalk(self, shell: Shell) -> None:
        shell.write("pointsman.yaml", MODELS + "rules: {packs: [builtin:smalltalk]}\n")
        cases = rows("smalltalk.jsonl")
        texts = []
        for case in cases:
            messages = [dict(message) for message in case["messages"]]
            if case["images"]:
                last = messages[-1]
                last["content"] = [{"type": "text", "text": last["content"]}, {"type": "image_url", "image_url": {}}]
            line = {"messages": messages, **({"tools": [{"type": "function"}]} if case["tools"] else {})}
            texts.append(json.dumps(line) + "\n")
        done = shell.run("explain", "-", stdin="".join(texts))
        assert done.code == 0
        taken = [line["stage"] == "l0" for line in done.lines]
        should = [case["take"] for case in cases]
        false = [case for case, hit in zip(cases, taken, strict=True) if hit and not case["take"]]
        recall = sum(hit and wanted for hit, wanted in zip(taken, should, strict=True)) / sum(should)
        print(
            f"small talk: recall {recall:.3f} on {sum(should)}, false hits {len(false)} of {len(should) - sum(should)}"
        )
        for case in false:
            print("  false hit:", case["note"], "|", case["messages"][-1]["content"])
        assert len(should) - sum(should) == 130
        assert len(false) <= 3
