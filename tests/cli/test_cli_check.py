"""`pointsman check`: says that all is well, or all that is not."""

from __future__ import annotations

import pytest

from cli.invoke import MODELS, Shell

BROKEN = "servr: {}\nserver: {prot: 1}\nlog: {prompts: ful}\n"


def test_all_is_well(shell: Shell) -> None:
    shell.write("pointsman.yaml", MODELS)
    done = shell.run("check")
    assert (done.code, done.err) == (0, "")
    assert "ok: pointsman.yaml" in done.out
    assert "2 targets" in done.out
    assert "policy" in done.out


def test_all_is_well_as_json(shell: Shell) -> None:
    shell.write("pointsman.yaml", MODELS)
    done = shell.run("check", "--json")
    assert done.code == 0
    assert (done.json["ok"], done.json["problems"]) == (True, [])
    assert len(done.json["policy"]) == 12


def test_what_is_not_well(shell: Shell) -> None:
    shell.write("pointsman.yaml", BROKEN)
    done = shell.run("check")
    assert (done.code, done.out) == (1, "")
    lines = done.err.splitlines()
    assert lines[-1] == "3 problems"
    assert lines[0].startswith('error: pointsman.yaml:1: servr: unknown key, did you mean "server"? (valid: ')
    assert lines[1].startswith("error: pointsman.yaml:2: server.prot: ")
    assert lines[2].startswith("error: pointsman.yaml:3: log.prompts: ")
    assert "Traceback" not in done.err


def test_what_is_not_well_as_json(shell: Shell) -> None:
    shell.write("pointsman.yaml", BROKEN)
    done = shell.run("check", "--json")
    assert done.code == 1
    assert done.json["ok"] is False
    assert [problem["path"] for problem in done.json["problems"]] == ["servr", "server.prot", "log.prompts"]
    for problem in done.json["problems"]:
        assert set(problem) == {"path", "where", "message", "valid"}
        assert problem["where"].startswith("pointsman.yaml:")
    assert done.json["problems"][2]["valid"] == "sealed, off, full"


def test_json_has_the_same_keys_whatever_is_wrong(shell: Shell) -> None:
    shell.write("pointsman.yaml", MODELS)
    sound = shell.run("check", "--json").json
    shell.write("pointsman.yaml", BROKEN)
    broken = shell.run("check", "--json").json
    gone = shell.run("check", "--json", "-c", "gone.yaml").json
    assert set(sound) == {"ok", "problems", "notes", "policy", "findings", "undecided", "pairs", "cost", "schedules"}
    for found in (broken, gone):
        assert list(found) == list(sound)
        assert found.pop("problems") and found.pop("ok") is False
        assert found == {
            "notes": [], "policy": None, "findings": [], "undecided": [], "pairs": None, "cost": None, "schedules": [],
        }  # fmt: skip


def test_an_action_that_nothing_provides_is_a_note_and_no_problem(shell: Shell) -> None:
    shell.write("pointsman.yaml", MODELS + "rules: {packs: [], files: [r.yaml]}\n")
    shell.write("r.yaml", "- {id: a, pattern: [x], action: fly}\n")
    assert "note: rule a: nothing provides its action 'fly'" in shell.run("check").out
    assert any("fly" in note for note in shell.run("check", "--json").json["notes"])


def test_a_case_that_does_not_hold(shell: Shell) -> None:
    shell.write("pointsman.yaml", MODELS + "rules: {packs: [], files: [r.yaml]}\n")
    cases = "examples: [z], counter_examples: [an x], boundary: [{text: xx, takes: false}]"
    shell.write("r.yaml", f"- {{id: a, when: {{any: [x]}}, answer: y, {cases}}}\n")
    done = shell.run("check")
    assert done.code == 1
    assert "'z'" in done.err
    assert "'an x'" in done.err
    assert "2 problems" in done.err


def test_where_the_config_is(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shell.run("check").code == 0  # none: defaults
    shell.write("other.yaml", BROKEN)
    assert shell.run("check", "-c", "other.yaml").code == 1
    assert shell.run("check", "--config", "other.yaml").code == 1
    monkeypatch.setenv("POINTSMAN_CONFIG", "other.yaml")
    assert shell.run("check").code == 1
    shell.write("good.yaml", MODELS)
    assert "good.yaml" in shell.run("check", "-c", "good.yaml").out


@pytest.mark.parametrize("name", ["gone.yaml", "."])
def test_a_file_that_cannot_be_read(shell: Shell, name: str) -> None:
    done = shell.run("check", "-c", name)
    assert done.code == 1
    assert done.err.startswith("error: ")
    assert "1 problem" in done.err


def test_rules_are_found_beside_the_config_and_not_beside_the_shell(shell: Shell) -> None:
    shell.write("sub/pointsman.yaml", MODELS + "rules: {packs: [./p], files: [r.yaml]}\n")
    shell.write("sub/r.yaml", "- {id: a, pattern: [x], answer: y}\n")
    shell.write("sub/p/pack.yaml", "name: p\n")
    shell.write("sub/p/rules.yaml", "- {id: b, pattern: [x], answer: y}\n")
    assert "2 rules" in shell.run("check", "-c", "sub/pointsman.yaml").out


def cased(head: str, takes: str, misses: str) -> str:
    """A rule in one line, with the cases that it must have."""
    return f"- {{{head}, examples: [{takes}], counter_examples: [x], boundary: [{{text: {misses}, takes: false}}]}}\n"


def shadowed(shell: Shell) -> Shell:
    """A pack whose rules go before some of another pack."""
    shell.write("pointsman.yaml", MODELS + "rules: {packs: [], files: [r.yaml, s.yaml]}\n")
    shell.write(
        "r.yaml",
        cased("id: export, priority: 60, when: {any: [导出]}, answer: a", "导出", "出")
        + cased("id: chart, when: {any: [图表, 图表页]}, answer: b", "图表", "图"),
    )
    shell.write(
        "s.yaml",
        cased("id: report, when: {all: [导出, 报表]}, answer: c", "导出报表", "报表")
        + "\n"
        + cased("id: twin, when: {any: [图表页, 图表]}, answer: d", "图表", "图")
        + cased("id: vip, priority: 70, when: {all: [图表, 打印], tools: true}, answer: e", "打印图表", "图"),
    )
    return shell


def test_what_is_proved_is_told_and_is_no_error(shell: Shell) -> None:
    done = shadowed(shell).run("check")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    hidden = "never takes a request: export before it takes all of them: '导出报表'"
    assert f"s.yaml:1: rule report: shadowed: {hidden}" in done.out
    assert "s.yaml:3: rule twin: duplicate: takes the same requests as rule chart" in done.out
    assert [line.split(":")[0] for line in lines[:2]] == ["warning", "warning"]
    assert any(line.startswith("note: ") and "dead keyword" in line and "图表页" in line for line in lines)
    assert any(line.startswith("cost: 5 rules, 5 terms") for line in lines)
    assert lines[-1].startswith("ok: ")


def test_strict(shell: Shell) -> None:
    done = shadowed(shell).run("check", "--strict")
    assert done.code == 1
    assert done.out.count("error: ") == 2
    assert "2 warnings" in done.err
    assert "ok: " not in done.out
    done = shell.run("check", "--strict", "--json")
    assert (done.code, done.json["ok"]) == (1, False)
    shell.write("s.yaml", "[]\n")
    assert shell.run("check", "--strict").code == 0


def test_what_is_proved_as_json(shell: Shell) -> None:
    found = shadowed(shell).run("check", "--json").json
    assert found["ok"] is True
    assert set(found) == {"ok", "problems", "notes", "policy", "findings", "undecided", "pairs", "cost", "schedules"}
    for finding in found["findings"]:
        assert set(finding) == {
            "kind", "severity", "rule", "other", "where", "message", "text", "given", "detail",
        }  # fmt: skip
    kinds = [(finding["kind"], finding["rule"], finding["other"]) for finding in found["findings"]]
    assert kinds[:2] == [("duplicate", "twin", "chart"), ("shadowed", "report", "export")]
    [shadow] = [finding for finding in found["findings"] if finding["kind"] == "shadowed"]
    assert (shadow["severity"], shadow["text"], shadow["detail"]) == ("warning", "导出报表", ["export"])
    assert shadow["where"].endswith("s.yaml:1")
    assert found["undecided"] == []
    assert found["cost"]["rules"] == 5
    assert found["cost"]["compile_ms"] > 0
    assert found["cost"]["decision_us"] > 0


def test_what_is_proved_in_chinese(shell: Shell) -> None:
    out = shadowed(shell).run("check", "--language", "zh").out
    assert "警告：" in out
    assert "被遮蔽：不会接到任何请求：排在前面的 export 都接走了：'导出报表'" in out
    assert "重复：和规则 chart 接的请求完全相同" in out


def test_many_notes_are_cut(shell: Shell) -> None:
    shell.write("pointsman.yaml", MODELS + "rules: {packs: [], files: [r.yaml]}\n")
    shell.write("r.yaml", "".join(f"- {{id: r{n}, pattern: [词{n}, 字{n}], action: faq}}\n" for n in range(9)))
    out = shell.run("check").out
    assert out.count("cases missing: has no") == 5
    assert "note: cases missing: 4 more (--json lists all)" in out
    assert sum(finding["kind"] == "no_cases" for finding in shell.run("check", "--json").json["findings"]) == 9


def test_names_that_no_key_has(shell: Shell) -> None:
    key = "{name: ci, hash: 'sha256:" + "0" * 64 + "', role: bot, group: team}"
    shell.write("pointsman.yaml", MODELS + f"rules: {{packs: [], files: [r.yaml]}}\nauth: {{keys: [{key}]}}\n")
    head = "id: a, when: {any: [z], role: [bot, boss], group: team, entry: auto}, answer: y"
    shell.write("r.yaml", cased(head, "z", "zz"))
    [finding] = [each for each in shell.run("check", "--json").json["findings"] if each["kind"] == "dangling"]
    assert finding["detail"] == ["role", "boss"]
    assert shell.run("check", "--strict").code == 1
