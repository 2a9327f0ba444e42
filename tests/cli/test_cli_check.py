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


def test_an_action_that_nothing_provides_is_a_note_and_no_problem(shell: Shell) -> None:
    shell.write("pointsman.yaml", MODELS + "rules: {packs: [], files: [r.yaml]}\n")
    shell.write("r.yaml", "- {id: a, when: {any: [x]}, action: fly}\n")
    assert "note: rule a: nothing provides its action 'fly'" in shell.run("check").out
    assert any("fly" in note for note in shell.run("check", "--json").json["notes"])


def test_a_case_that_does_not_hold(shell: Shell) -> None:
    shell.write("pointsman.yaml", MODELS + "rules: {packs: [], files: [r.yaml]}\n")
    shell.write("r.yaml", "- {id: a, when: {any: [x]}, answer: y, examples: [z], counter_examples: [an x]}\n")
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
    shell.write("sub/r.yaml", "- {id: a, when: {any: [x]}, answer: y}\n")
    shell.write("sub/p/pack.yaml", "name: p\n")
    shell.write("sub/p/rules.yaml", "- {id: b, when: {any: [x]}, answer: y}\n")
    assert "2 rules" in shell.run("check", "-c", "sub/pointsman.yaml").out
