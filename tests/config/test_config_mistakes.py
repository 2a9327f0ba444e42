"""Every kind of mistake in a config says where it stands and what is valid, all at once, and never a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pointsman.app.build import build
from pointsman.config.load import load
from pointsman.domain.errors import Problem, Problems
from ruling import case_lines

MODEL = "models: {light: {backends: [{engine: ollama, model: m}]}}\n"


def problems_of(
    folder: Path, text: str | bytes, env: dict[str, str] | None = None, flags: dict[str, Any] | None = None
) -> list[Problem]:
    """What `check` would say; fails where it would say nothing."""
    path = folder / "pointsman.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(Problems) as caught:
        build(load(path, flags, env or {}))
    assert caught.value.problems
    for problem in caught.value.problems:
        assert str(problem).strip()
    return caught.value.problems


def only(found: list[Problem]) -> Problem:
    assert len(found) == 1, [str(problem) for problem in found]
    return found[0]


@pytest.mark.parametrize(
    ("text", "path", "line", "said"),
    [
        # unknown keys, at every level
        ("log: {}\nservr: {}", "servr", 2, ['did you mean "server"', "models", "telemetry"]),
        ("server:\n  prot: 1", "server.prot", 2, ['did you mean "port"', "data_dir"]),
        (
            "models:\n  a:\n    backend: []\n    backends: [{engine: ollama, model: m}]",
            "models.a.backend",
            3,
            ['"backends"'],
        ),
        (
            "models:\n  a:\n    backends:\n      - engine: ollama\n        model: m\n        baseurl: x",
            "models.a.backends[0].baseurl",
            6,
            ['did you mean "base_url"', "first_byte_timeout"],
        ),
        (MODEL + "routes:\n  - name: a\n    target: light\n    prio: 1", "routes[0].prio", 5, ['"priority"', "match"]),
        (
            MODEL + "routes:\n  - name: a\n    target: light\n    match:\n      max_token: 1",
            "routes[0].match.max_token",
            6,
            ['"max_tokens"'],
        ),
        (MODEL + "fallback:\n  targt: light", "fallback.targt", 3, ['"target"', "max_retries"]),
        ("entries:\n  auto:\n    keeplocal: true", "entries.auto.keeplocal", 3, ['"keep_local"', "arbiter"]),
        ("rules:\n  file: []", "rules.file", 2, ['"files"', "packs"]),
        ("auth:\n  keys:\n    - {name: a, hash: sha256:" + "0" * 64 + ", hsh: x}", "auth.keys[0].hsh", 3, ['"hash"']),
        ("log:\n  kep: 3d", "log.kep", 2, ['"keep"', "prompts"]),
        # wrong types
        ("server: 5", "server", 1, ["mapping", "host", "port"]),
        ("server: []", "server", 1, ["mapping", "host"]),
        ("server:\n  port: many", "server.port", 2, ["int", "many"]),
        ("server:\n  port: 70000", "server.port", 2, ["65535", "70000"]),
        ("server:\n  port: -1", "server.port", 2, ["0", "-1"]),
        ("server:\n  port: yes", "server.port", 2, ["int", "yes"]),
        ("server:\n  port: 1.5", "server.port", 2, ["int"]),
        ("server:\n  cors: http://a", "server.cors", 2, ["array"]),
        ("server:\n  heartbeat_after: 0", "server.heartbeat_after", 2, ["0"]),
        ("server:\n  heartbeat_after: .nan", "server.heartbeat_after", 2, ["nan"]),
        ("server:\n  language: fr", "server.language", 2, ["fr", "zh, en"]),
        ("models: [a]", "models", 1, ["mapping"]),
        ("models:\n  a: ollama", "models.a", 2, ["mapping", "backends"]),
        ("models:\n  a:\n    backends: {a: b}", "models.a.backends", 3, ["list"]),
        ("models:\n  a:\n    backends: [ollama]", "models.a.backends[0]", 3, ["mapping", "engine"]),
        ("models:\n  a: {}", "models.a.backends", 2, ["missing"]),
        ("models:\n  7: {backends: [{engine: ollama, model: m}]}", "models.7", 2, ["quotes"]),
        (MODEL + "routes: {a: b}", "routes", 2, ["list"]),
        (MODEL + "routes:\n  - {target: light}", "routes[0].name", 3, ["missing"]),
        (MODEL + "fallback: {max_retries: 99}", "fallback.max_retries", 2, ["10"]),
        (MODEL + "entries:\n  auto: {keep_local: nope}", "entries.auto.keep_local", 3, ["bool", "nope"]),
        ("rules: {packs: builtin:smalltalk}", "rules.packs", 1, ["array"]),
        # words of a fixed list
        (
            "models:\n  a: {backends: [{engine: vlm, model: m}]}",
            "models.a.backends[0].engine",
            2,
            ['did you mean "vllm"', "embedded, llamacpp, vllm, ollama, trtllm, openai"],
        ),
        ("log: {prompts: ful}", "log.prompts", 1, ['"full"', "sealed, off, full"]),
        ("entries:\n  auto: {usage: always}", "entries.auto.usage", 2, ["always", "asked, force"]),
        # sizes and spans
        ("server:\n  max_body: 32XB", "server.max_body", 2, ["32XB", "512KB"]),
        ("server:\n  max_body: 1.5MB", "server.max_body", 2, ["1.5MB", "512KB"]),
        ("server:\n  max_body: 32", "server.max_body", 2, ["32", "512KB"]),
        ("log: {keep: forever}", "log.keep", 1, ["forever", "30d"]),
        ("log: {keep: 30}", "log.keep", 1, ["30", "30d"]),
        ("auth: {keys: [{name: a, hash: abc}]}", "auth.keys[0].hash", 1, ["abc", "sha256:"]),
        # keys given twice
        ("server:\n  port: 1\n  max_body: 1MB\n  port: 2", "server.port", 4, ["twice"]),
        (MODEL + "models: {}", "models", 2, ["twice"]),
        # what one part says of another
        (
            "models:\n  a: {backends: [{engine: vllm, model: m}]}",
            "models.a.backends[0].base_url",
            2,
            ["missing", "http://host:port/v1"],
        ),
        (
            "models:\n  a: {backends: [{engine: embedded, model: m, base_url: http://h/v1}]}",
            "models.a.backends[0].base_url",
            2,
            ["embedded"],
        ),
        (MODEL + "fallback:\n  target: lihgt", "fallback.target", 3, ['did you mean "light"', "model-light"]),
        (MODEL + "routes:\n  - {name: a, target: havy}", "routes[0].target", 3, ["havy", "light", "model-light"]),
        ("fallback: {target: light}", "fallback.target", 1, ["models is empty"]),
        ("rules:\n  packs: [builtin:smaltalk]", "rules.packs[0]", 2, ['did you mean "smalltalk"', "builtin:ops-faq"]),
        ("rules:\n  packs: [./nowhere]", "rules.packs[0]", 2, ["nowhere"]),
        ("rules:\n  files: [nowhere.yaml]", "rules.files[0]", 2, ["nowhere.yaml", "no such file"]),
        ("entries:\n  auto: {packs: [smaltalk]}", "entries.auto.packs[0]", 2, ['did you mean "smalltalk"']),
        (
            MODEL + "routes:\n  - name: a\n    target: light\n    match: {task_type: [faq, summarisation]}",
            "routes[0].match.task_type",
            5,
            ['did you mean "summarization"', "greeting"],
        ),
        (
            MODEL + "routes:\n  - name: a\n    target: light\n    match: {language: chinese}",
            "routes[0].match.language",
            5,
            ["chinese", "zh, en, other"],
        ),
        (
            MODEL + "routes:\n  - name: a\n    target: light\n    match: {entry: atuo}",
            "routes[0].match.entry",
            5,
            ['did you mean "auto"'],
        ),
        (
            MODEL + "routes:\n  - {name: a, target: light, match: {min_tokens: 5, max_tokens: 4}}",
            "routes[0].match",
            3,
            ["5", "4"],
        ),
        ("server:\n  host: 0.0.0.0", "server.host", 2, ["auth.keys", "pointsman keys new", "127.0.0.1"]),
        ('server:\n  host: "::"', "server.host", 2, ["auth.keys"]),
        ("server:\n  host: my.example.com", "server.host", 2, ["auth.keys"]),
        ("arbiter:\n  gate: 2", "arbiter.gate", 2, ["1"]),
        ("arbiter:\n  intents:\n    a: {about: b, exmples: []}", "arbiter.intents.a.exmples", 3, ["examples"]),
        ("entries:\n  light: {}\n" + MODEL, "models.light", 3, ["light", "entries.light"]),
        (
            "models:\n  a: {backends: [{engine: openai, model: m, base_url: 'localhost:80/v1'}]}",
            "models.a.backends[0].base_url",
            2,
            ["http://"],
        ),
        (
            "models:\n  a: {backends: [{engine: openai, model: m, base_url: 'http://[bad/v1'}]}",
            "models.a.backends[0].base_url",
            2,
            ["bad"],
        ),
        (
            "models:\n  a: {backends: [{engine: openai, model: m, base_url: htp://h/v1}]}",
            "models.a.backends[0].base_url",
            2,
            ["http"],
        ),
        # secrets
        ("server:\n  data_dir: /x/${NOT_THERE}", "server.data_dir", 2, ["NOT_THERE"]),
        # actions
        (MODEL + "actions:\n  a: {anser: x}", "actions.a.anser", 3, ['"answer"', "refuse, route"]),
        (MODEL + "actions:\n  a: {route: {tier: lihgt}}", "actions.a.route.target", 3, ['"light"']),
        (MODEL + "actions:\n  a: {route: {task: fax}}", "actions.a.route.task", 3, ['"faq"', "greeting"]),
        (MODEL + "actions:\n  a: {refuse: {why: x}}", "actions.a.refuse", 3, ["instead"]),
        (MODEL + "actions:\n  a: {answer: 'see {nope}'}", "actions.a.answer", 3, ["nope", "question"]),
        (MODEL + "actions:\n  a: hello", "actions.a", 3, ["answer"]),
    ],
)
def test_a_mistake(tmp_path: Path, text: str, path: str, line: int, said: list[str]) -> None:
    problem = only(problems_of(tmp_path, text))
    assert problem.path == path
    assert problem.where == f"{tmp_path / 'pointsman.yaml'}:{line}"
    for word in said:
        assert word in str(problem)


@pytest.mark.parametrize("number", ["99999999999999999999", "-99999999999999999999"])
def test_a_number_beyond_all_use(tmp_path: Path, number: str) -> None:
    text = MODEL + f"routes:\n  - {{name: a, target: light, priority: {number}}}\n"
    problem = only(problems_of(tmp_path, text))
    assert problem.path == "routes[0].priority"
    text = MODEL + f"actions:\n  a: {{route: {{body: {{seed: {number}}}}}}}\n"
    assert only(problems_of(tmp_path, text)).path.startswith("actions.a")


@pytest.mark.parametrize(("number", "said"), [(0, "expected int >= 1 (0)"), (-1, ">= 1 (-1)"), (100_001, "<= 100000")])
def test_a_number_out_of_bounds_where_a_word_would_do_too(tmp_path: Path, number: int, said: str) -> None:
    text = MODEL.replace("}]", f", limits: {{sequences: {number}}}}}]")
    problem = only(problems_of(tmp_path, text))
    assert problem.path.endswith("limits.sequences") and said in problem.message, str(problem)
    assert problem.valid is not None and "auto" in problem.valid


class TestAllAtOnce:
    def test_mistakes_of_form(self, tmp_path: Path) -> None:
        text = (
            "servr: {}\nserver: {prot: 1, port: x, max_body: 1, port: 2}\nlog: {prompts: ful}\n"
            "models: {a: {backends: [{engine: vlm}]}}\nroutes: [{name: a}, {target: b}]\nauth: {keys: [{name: a}]}\n"
        )
        found = problems_of(tmp_path, text, {"POINTSMAN_SERVER_PROT": "1"})
        assert {problem.path for problem in found} == {
            *("servr", "server.prot", "server.port", "server.max_body", "log.prompts"),
            *("models.a.backends[0].engine", "models.a.backends[0].model"),
            *("routes[0].target", "routes[1].name", "auth.keys[0].hash", "POINTSMAN_SERVER_PROT"),
        }

    def test_mistakes_of_meaning(self, tmp_path: Path) -> None:
        text = (
            "models: {light: {backends: [{engine: vllm, model: m}]}}\nfallback: {target: x}\nserver: {host: 0.0.0.0}\n"
            "routes: [{name: a, target: y, match: {task_type: z}}]\nrules: {packs: [builtin:x], files: [gone.yaml]}\n"
            "entries: {auto: {packs: [q]}}\n"
        )
        assert {problem.path for problem in problems_of(tmp_path, text)} == {
            *("models.light.backends[0].base_url", "fallback.target", "server.host", "routes[0].target"),
            *("routes[0].match.task_type", "rules.packs[0]", "rules.files[0]", "entries.auto.packs[0]"),
        }

    def test_mistakes_of_both_kinds(self, tmp_path: Path) -> None:
        text = MODEL + "server: {prot: 1}\nfallback: {target: lihgt}\nrules: {packs: [builtin:x]}\n"
        found = {problem.path for problem in problems_of(tmp_path, text)}
        assert found == {"server.prot", "fallback.target", "rules.packs[0]"}

    def test_mistakes_in_rules_and_in_the_config(self, tmp_path: Path) -> None:
        (tmp_path / "r.yaml").write_text("- {id: a, when: {any: [x]}, anser: y}\n", encoding="utf-8")
        text = MODEL + "fallback: {target: lihgt}\nrules: {packs: [], files: [r.yaml]}\n"
        found = " ".join(str(problem) for problem in problems_of(tmp_path, text))
        assert "fallback.target" in found
        assert "anser" in found


class TestRuleFiles:
    def rules(self, folder: Path, text: str) -> list[Problem]:
        (folder / "rules.yaml").write_text(text, encoding="utf-8")
        return problems_of(folder, MODEL + "rules: {packs: [], files: [rules.yaml]}\n")

    @pytest.mark.parametrize(
        ("text", "line", "said"),
        [
            ("- id: a\n  when: {any: [x]}\n  anser: y", 3, ['"answer"']),
            ("- id: a\n  pattern: [x, y]\n  prioritty: 1\n  action: faq", 3, ['"priority"']),
            ("rules:\n  - id: a\n    when: {any: [{regex: '(('}]}\n    answer: y", 3, ["regex", "(("]),
            ("- id: a\n  when: {any: [{regex: '(?=x)'}]}\n  answer: y", 2, ["look-around", "none"]),
            ("- id: a\n  when: {any: [x]}\n  route: {tier: lihgt}\n" + case_lines("x"), 3, ['"light"']),
            ("- id: a\n  when: {any: [x]}\n  route: {task: fax}\n" + case_lines("x"), 3, ['"faq"']),
            (
                f"- id: a\n  when: {{any: [x]}}\n  answer: y\n{case_lines('x')}"
                f"- id: a\n  when: {{any: [z]}}\n  answer: y\n{case_lines('z')}",
                7,
                ["a", "taken"],
            ),
            ("- id: a\n  when: {any: [x]}\n  answer: y\n" + case_lines("nothing", "y"), 4, ["nothing"]),
            ("- id: a\n  when: {any: [x]}\n  answer: y\n" + case_lines("x", "an x"), 5, ["an x"]),
            ("- id: a\n  when: {any: [x]}\n  answer: y\n" + case_lines("x", edge="(x)"), 6, ["(x)"]),
            (
                "- priority: 1\n  id: a\n  when: {any: [x]}\n  answer: y\n  examples: [x]",
                2,
                ["rules.a", "`counter_examples`, `boundary`"],
            ),
            ("- id: a\n  id: b\n  when: {any: [x]}\n  answer: y", 2, ["twice"]),
        ],
    )
    def test_a_mistake_stands_where_it_is(self, tmp_path: Path, text: str, line: int, said: list[str]) -> None:
        found = self.rules(tmp_path, text)
        assert any(problem.where == f"{tmp_path / 'rules.yaml'}:{line}" for problem in found), [str(p) for p in found]
        for word in said:
            assert any(word in str(problem) for problem in found)

    @pytest.mark.parametrize("data", [b"\xff\xfe", b"- [", b"\x00", b"a: !!bool x", b"- " * 3000])
    def test_what_is_no_yaml(self, tmp_path: Path, data: bytes) -> None:
        (tmp_path / "rules.yaml").write_bytes(data)
        found = problems_of(tmp_path, MODEL + "rules: {packs: [], files: [rules.yaml]}\n")
        assert "rules.yaml" in str(found[0])

    def test_a_text_is_no_list_of_rules(self, tmp_path: Path) -> None:
        assert "must be a list of rules" in str(only(self.rules(tmp_path, "just a text")))

    def test_a_pack_without_its_card_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "pack").mkdir()
        assert "pack.yaml" in str(only(problems_of(tmp_path, MODEL + "rules: {packs: [pack]}\n")))

    def test_a_card_with_a_mistake(self, tmp_path: Path) -> None:
        (tmp_path / "pack").mkdir()
        (tmp_path / "pack" / "pack.yaml").write_text("name: p\nverison: '1'\n", encoding="utf-8")
        problem = only(problems_of(tmp_path, MODEL + "rules: {packs: [pack]}\n"))
        assert '"version"' in str(problem)
        assert problem.where == f"{tmp_path / 'pack' / 'pack.yaml'}:2"


class TestEnvironmentAndFlags:
    def test_an_unknown_variable(self, tmp_path: Path) -> None:
        problem = only(problems_of(tmp_path, "", {"POINTSMAN_SERVER_PRT": "1"}))
        assert problem.where == "environment"
        assert 'did you mean "POINTSMAN_SERVER_PORT"' in str(problem)
        assert "POINTSMAN_LOG_PROMPTS" in str(problem)

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("POINTSMAN_SERVER_PORT", "abc"),
            ("POINTSMAN_SERVER_PORT", ""),
            ("POINTSMAN_SERVER_MAX_BODY", "1XB"),
            ("POINTSMAN_LOG_PROMPTS", "ful"),
            ("POINTSMAN_SERVER_HEARTBEAT_AFTER", "["),
            ("POINTSMAN_SERVER_HEARTBEAT_AFTER", "!!bool x"),
            ("POINTSMAN_SERVER_LANGUAGE", "fr"),
        ],
    )
    def test_a_bad_value_is_blamed_on_the_variable_and_not_on_the_file(
        self, tmp_path: Path, name: str, text: str
    ) -> None:
        problem = only(problems_of(tmp_path, "server: {port: 1, language: zh}\nlog: {prompts: off}\n", {name: text}))
        assert name in str(problem)
        assert "pointsman.yaml" not in str(problem)

    def test_a_bad_flag_is_not_blamed_on_the_file(self, tmp_path: Path) -> None:
        problem = only(problems_of(tmp_path, "server: {port: 1}\n", flags={"server.port": 70_000}))
        assert "65535" in str(problem)
        assert "pointsman.yaml" not in str(problem)

    def test_a_mistake_in_the_file_does_not_hide_behind_the_environment(self, tmp_path: Path) -> None:
        problem = only(problems_of(tmp_path, "server: 5\n", {"POINTSMAN_SERVER_PORT": "1"}))
        assert problem.path == "server"


class TestNoYaml:
    @pytest.mark.parametrize(
        ("data", "line", "said"),
        [
            (b"server:\n\tport: 1\n", 2, "token"),
            (b"server: {port: 1\n", 2, "expected"),
            (b"a: b: c\n", 1, "mapping"),
            (b"---\nserver: {}\n---\nlog: {}\n", 3, "document"),
            (b"? [a]\n: b\n", 1, "key"),
            (b"server: *nothing\n", 1, "alias"),
            (b"server: !!python/object:os.system {}\n", 1, "tag"),
        ],
    )
    def test_says_the_line(self, tmp_path: Path, data: bytes, line: int, said: str) -> None:
        problem = only(problems_of(tmp_path, data))
        assert problem.where == f"{tmp_path / 'pointsman.yaml'}:{line}"
        assert said in str(problem)

    @pytest.mark.parametrize(
        "data",
        [
            *(b"\xff\xfes\x00", b"server: {host: \xe9}", b"\x00", b"- a", b"just text", b"5", b"[]", b"true"),
            *(b"a: !!bool maybe", b"server: {host: !!timestamp foo}", b"server: {port: !!int abc}"),
            *(b"server: {port: !!float x}", b"server: !!set {a}", b"server: !!omap [a: 1]", b"log: !!binary '!'"),
            *(b"a: &a [*a]", b"a: &a {b: *a}", b"<<: 5", b"log: {<<: [1]}", b'host: "\\uD800"', b"1: 2", b"null: 2"),
            *(b"server: {port: 1" + b"0" * 5000 + b"}", b"{" * 100, b"[" * 10_000, b"- " * 10_000),
            *(b"a:\n" + b"".join(b" " * n + b"a:\n" for n in range(1, 300)),),
        ],
        ids=lambda data: repr(data[:30]),
    )
    def test_is_a_problem_and_no_traceback(self, tmp_path: Path, data: bytes) -> None:
        for problem in problems_of(tmp_path, data):
            assert "pointsman.yaml" in str(problem)
            assert len(str(problem)) < 2000

    def test_a_folder_and_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        for path, said in ((tmp_path, "directory"), (tmp_path / "gone.yaml", "no such file")):
            with pytest.raises(Problems, match=said):
                load(path, None, {})

    def test_a_bomb_of_aliases_is_refused_in_no_time(self, tmp_path: Path) -> None:
        path = tmp_path / "bomb.yaml"
        levels = [f"  l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9) if i else 'x'}]" for i in range(12)]
        path.write_text("reports:\n" + "\n".join(levels) + "\n", encoding="utf-8")
        code = (
            "import sys; from pathlib import Path; from pointsman.config.load import load\n"
            "from pointsman.domain.errors import Problems\n"
            "try: load(Path(sys.argv[1]), None, {})\n"
            "except Problems as error: print(error)"
        )
        done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=5)
        assert "bomb.yaml" in done.stdout
        assert done.stderr == ""
        assert len(done.stdout) < 10_000


@pytest.mark.parametrize(
    "section",
    ["server", "models", "entries", "rules", "routes", "fallback", "actions", "auth", "log", "policy", "store"],
)
def test_a_section_with_nothing_under_it_is_none_or_a_problem(tmp_path: Path, section: str) -> None:
    """What is left when a person comments out all lines of a section."""
    path = tmp_path / "pointsman.yaml"
    path.write_text(f"log: {{}}\n{section}:\n  # nothing yet\n" if section != "log" else "\nlog:\n", encoding="utf-8")
    try:
        build(load(path, None, {}))
    except Problems as error:
        problem = only(error.problems)
        assert (problem.path, problem.where) == (section, f"{path}:2")
