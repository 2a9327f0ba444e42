"""Configs that the contract and the documents promise: they load, and mean what their authors mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flat_rules import FLAT_RULES
from pipeline.policies import features
from pointsman.app.build import Built, build
from pointsman.cli.gateway_client import KEY
from pointsman.config.load import Loaded, load
from pointsman.config.schema import Config
from pointsman.domain.features import Features
from pointsman.domain.policy import RouteRule, Weights
from pointsman.domain.rule import Asking
from pointsman.routing.routes import matching_route
from ruling import cases

CONTRACT = """
server:    {host: 127.0.0.1, port: 8900, data_dir: ./data}
models:                       # tier or name → where it runs
  light:   {backends: [{engine: embedded, model: builtin:smollm2-135m}]}
  heavy:   {backends: [{engine: vllm, base_url: http://127.0.0.1:8000/v1, model: qwen2.5-7b, api_key: ${VLLM_KEY}}]}
entries:   {auto: {packs: [desk], arbiter: off, policy: interactive}}
rules:     {packs: [./packs], files: [./rules.yaml]}      # rules in the flat form load as they stand
routes:    [{name: long, match: {min_tokens: 3000}, target: heavy, priority: 1}]
fallback:  {target: light, max_retries: 2}
policy:    {interactive: {quality: 1, latency: 1, cost: 0.5}, batch: {quality: 1, latency: 0, cost: 1}}
arbiter:   {gate: 0.7, intents: {sql_optimize: {about: SQL advice}}, verify: heavy}
admission: {queue: 64}
store: sqlite:///jobs.sqlite
actions: {export_pdf: {answer: The report is being made.}}
telemetry: {otlp: {endpoint: "http://127.0.0.1:4318"}}
auth: {keys: []}
log: {prompts: sealed, keep: 30d}
"""

OLLAMA = """
models:
  medium: {backends: [{engine: ollama, model: "qwen2.5:7b"}]}
fallback: {target: medium}
"""

DOCUMENT_B = """\
routes:
  - name: "simple_qa"
    match:
      max_tokens: 200
      task_type: ["greeting", "faq", "classification"]
    target: "model-light"
    priority: 1
  - name: "standard_task"
    match:
      max_tokens: 2000
      task_type: ["summarization", "extraction", "code_completion"]
    target: "model-medium"
    priority: 2
  - name: "complex_reasoning"
    match:
      min_tokens: 2000
      task_type: ["analysis", "multi_step", "long_context"]
    target: "model-heavy"
    priority: 3
fallback:
  target: "model-medium"
  max_retries: 2
"""
THREE = """\
models:
  light: {backends: [{engine: ollama, model: "qwen2.5:3b"}]}
  medium: {backends: [{engine: ollama, model: "qwen2.5:7b"}]}
  heavy: {backends: [{engine: ollama, model: "qwen2.5:32b"}]}
"""


def loaded(folder: Path, text: str, env: dict[str, str] | None = None, flags: dict[str, Any] | None = None) -> Loaded:
    path = folder / "pointsman.yaml"
    path.write_text(text, encoding="utf-8")
    return load(path, flags, env or {})


@pytest.fixture
def document_b(tmp_path: Path) -> Built:
    return build(loaded(tmp_path, THREE + DOCUMENT_B))


def route_of(built: Built, request: Features, entry: str = "auto") -> str | None:
    route: RouteRule | None = matching_route(built.policy.routes, request, Asking(entry, "chat"))
    return route.name if route else None


@pytest.mark.parametrize("secret", ["${VLLM_KEY}", '"${VLLM_KEY}"'], ids=["as it stands", "quoted"])
def test_the_example_of_the_contract_loads(tmp_path: Path, secret: str) -> None:
    (tmp_path / "rules.yaml").write_text(FLAT_RULES, encoding="utf-8")
    pack = tmp_path / "packs" / "desk"
    pack.mkdir(parents=True)
    (pack / "pack.yaml").write_text('name: desk\nversion: "1"\n', encoding="utf-8")
    vpn = f"- {{id: vpn, when: {{any: [vpn]}}, answer: Ask the desk., {cases('vpn')}}}\n"
    (pack / "rules.yaml").write_text(vpn, encoding="utf-8")
    built = build(loaded(tmp_path, CONTRACT.replace("${VLLM_KEY}", secret), {"VLLM_KEY": "secret-of-vllm"}))
    config = built.loaded.config
    assert (config.server.host, config.server.port, config.server.data_dir) == ("127.0.0.1", 8900, "./data")
    assert config.models["heavy"].backends[0].api_key == "secret-of-vllm"
    assert config.entries["auto"].packs == ["desk"]
    assert {rule.id for rule in built.policy.document.rules} == {"vpn", "export_pdf", "code_review"}
    assert b"secret-of-vllm" not in built.policy.document.encode()
    assert built.policy.document.weights == {"interactive": Weights(1, 1, 0.5)}


def test_three_lines_for_a_user_of_ollama(tmp_path: Path) -> None:
    built = build(loaded(tmp_path, OLLAMA))
    assert built.policy.document.fallback == "medium"
    assert [target.model for target in built.policy.document.targets] == ["qwen2.5:7b"]
    assert list(built.policy.entries) == ["auto"]
    assert built.notes == ()
    for name in ("medium", "model-medium", "qwen2.5:7b"):
        assert built.policy.resolve(name) == (None, ("qwen2.5:7b@127.0.0.1:11434",))


def test_no_file_is_a_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    config = load(None, None, {}).config
    assert (config.server.host, config.server.port, config.log.prompts) == ("127.0.0.1", 8900, "sealed")


@pytest.mark.parametrize(
    "text", ["", "\n", "# only a comment\n", "---\n", "{}", "~", "null", "\ufeff", "\ufeffserver: {}"]
)
def test_a_file_that_says_nothing_is_the_defaults(tmp_path: Path, text: str) -> None:
    assert loaded(tmp_path, text).config == Config()


class TestDocumentB:
    def test_targets_are_the_three_tiers(self, document_b: Built) -> None:
        names = document_b.policy.document.names
        assert names["model-light"] == names["light"] == ("qwen2.5:3b@127.0.0.1:11434",)
        assert names["model-medium"] == names["medium"]
        assert names["model-heavy"] == names["heavy"]
        assert document_b.policy.document.fallback == "model-medium"
        assert document_b.policy.document.max_retries == 2
        assert document_b.notes == ()

    @pytest.mark.parametrize(
        ("tokens", "task", "route"),
        [
            (1, "greeting", "simple_qa"),
            (200, "faq", "simple_qa"),
            (201, "faq", None),
            (200, "classification", "simple_qa"),
            (2000, "summarization", "standard_task"),
            (2001, "summarization", None),
            (1, "code_completion", "standard_task"),
            (1999, "analysis", None),
            (2000, "analysis", "complex_reasoning"),
            (100_000, "long_context", "complex_reasoning"),
            (10, "open_qa", None),
            (10, None, None),
            (5000, None, None),
        ],
    )
    def test_bounds_are_inclusive_and_need_their_task(
        self, document_b: Built, tokens: int, task: str | None, route: str | None
    ) -> None:
        assert route_of(document_b, features(input_tokens=tokens, task_type=task)) == route

    def test_tokens_are_those_of_the_prompt_not_of_the_question_or_reply(self, document_b: Built) -> None:
        asked = features(input_tokens=201, question_tokens=3, task_type="faq")
        assert route_of(document_b, asked) is None

    def test_the_lowest_number_wins_wherever_it_stands(self, tmp_path: Path) -> None:
        more = DOCUMENT_B.replace(
            "fallback:", "  - {name: urgent, match: {task_type: faq}, target: model-heavy, priority: 0}\nfallback:"
        )
        built = build(loaded(tmp_path, THREE + more))
        assert route_of(built, features(input_tokens=10, task_type="faq")) == "urgent"
        assert route_of(built, features(input_tokens=10, task_type="greeting")) == "simple_qa"

    def test_equal_numbers_go_by_place(self, tmp_path: Path) -> None:
        routes = "routes: [{name: a, target: heavy, priority: 5}, {name: b, target: light, priority: 5}]\n"
        built = build(loaded(tmp_path, THREE + routes))
        assert route_of(built, features()) == "a"


def test_one_task_may_stand_without_a_list(tmp_path: Path) -> None:
    built = build(loaded(tmp_path, THREE + "routes: [{name: m, match: {task_type: math}, target: heavy}]\n"))
    assert route_of(built, features(task_type="math")) == "m"
    assert route_of(built, features(task_type="faq")) is None


def test_document_a_loads_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(FLAT_RULES, encoding="utf-8")
    built = build(loaded(tmp_path, OLLAMA + "rules: {packs: [], files: [rules.yaml]}\n"))
    export, review = built.policy.document.rules
    assert (export.id, export.priority, export.action) == ("export_pdf", 95, "export_pdf")
    assert (review.id, review.priority, review.action) == ("code_review", 88, "code_review")
    assert any("export_pdf" in note and "actions" in note for note in built.notes)
    assert not any(note.startswith("rule code_review") for note in built.notes)  # a task type: it steers


class TestWords:
    def test_off_and_no_are_words(self, tmp_path: Path) -> None:
        text = (
            "models: {no: {backends: [{engine: ollama, model: on}], aliases: [off, y]}}\n"
            "entries: {yes: {arbiter: off}}\nlog: {prompts: off}\nfallback: {target: no}\n"
        )
        config = loaded(tmp_path, text).config
        assert list(config.models) == ["no"]
        assert config.models["no"].aliases == ["off", "y"]
        assert config.models["no"].backends[0].model == "on"
        assert list(config.entries) == ["yes"]
        assert config.entries["yes"].arbiter == "off"
        assert config.log.prompts == "off"
        assert config.fallback.target == "no"

    def test_a_time_of_day_is_no_number(self, tmp_path: Path) -> None:
        text = "actions: {x: {route: {a: 1:30, b: 0x1F, c: 0o17, d: 017, e: 2001-12-14, f: 1e3, g: true, h: ~}}}\n"
        assert loaded(tmp_path, text).config.actions["x"].route == {
            "a": "1:30",
            "b": 31,
            "c": 15,
            "d": 17,
            "e": "2001-12-14",
            "f": 1000.0,
            "g": True,
            "h": None,
        }

    def test_merge_keys_and_anchors_work(self, tmp_path: Path) -> None:
        text = (
            "models:\n  light: {backends: [&one {engine: vllm, base_url: http://a:1/v1, model: m}]}\n"
            "  heavy: {backends: [{<<: *one, model: big}]}\n"
        )
        backend = loaded(tmp_path, text).config.models["heavy"].backends[0]
        assert (backend.engine, backend.base_url, backend.model) == ("vllm", "http://a:1/v1", "big")


class TestPrecedence:
    FILE = "server: {host: 127.0.0.2, port: 1111, data_dir: from-file}\nlog: {keep: 7d}\n"

    def test_the_file_wins_over_defaults(self, tmp_path: Path) -> None:
        config = loaded(tmp_path, self.FILE).config
        assert (config.server.port, config.log.keep, config.log.prompts) == (1111, "7d", "sealed")

    def test_the_environment_wins_over_the_file(self, tmp_path: Path) -> None:
        env = {"POINTSMAN_SERVER_PORT": "2222", "POINTSMAN_LOG_PROMPTS": "off", "PATH": "x"}
        config = loaded(tmp_path, self.FILE, env).config
        assert (config.server.host, config.server.port) == ("127.0.0.2", 2222)
        assert (config.log.keep, config.log.prompts) == ("7d", "off")

    def test_flags_win_over_the_environment(self, tmp_path: Path) -> None:
        env = {"POINTSMAN_SERVER_PORT": "2222", "POINTSMAN_SERVER_HOST": "127.0.0.3"}
        flags = {"server.port": 0, "server.host": None, "server.data_dir": "from-flag"}
        server = loaded(tmp_path, self.FILE, env, flags).config.server
        assert (server.port, server.host, server.data_dir) == (0, "127.0.0.3", "from-flag")

    def test_both_work_without_a_file(self) -> None:
        config = load(None, {"server.port": 1}, {"POINTSMAN_LOG_KEEP": "12h"}).config
        assert (config.server.port, config.log.keep) == (1, "12h")

    @pytest.mark.parametrize(
        ("name", "text", "field", "value"),
        [
            (
                "POINTSMAN_SERVER_CORS",
                "http://a.example, http://b.example",
                "cors",
                ["http://a.example", "http://b.example"],
            ),
            ("POINTSMAN_SERVER_CORS", "*", "cors", ["*"]),
            ("POINTSMAN_SERVER_DATA_DIR", "/srv/pointsman", "data_dir", "/srv/pointsman"),
            ("POINTSMAN_SERVER_DATA_DIR", "2026", "data_dir", "2026"),
            ("POINTSMAN_SERVER_DATA_DIR", "/srv/[a]: b", "data_dir", "/srv/[a]: b"),
            ("POINTSMAN_SERVER_HEARTBEAT_AFTER", "2.5", "heartbeat_after", 2.5),
            ("POINTSMAN_SERVER_MAX_BODY", "1MB", "max_body", "1MB"),
            ("POINTSMAN_SERVER_LANGUAGE", "zh", "language", "zh"),
        ],
    )
    def test_every_setting_of_the_environment_can_be_given(self, name: str, text: str, field: str, value: Any) -> None:
        assert getattr(load(None, None, {name: text}).config.server, field) == value

    @pytest.mark.parametrize("name", ["POINTSMAN_CONFIG", KEY])
    def test_what_only_the_commands_read_is_no_setting(self, name: str) -> None:
        assert load(None, None, {name: "x"}).config == load(None, None, {}).config


class TestSecrets:
    def test_they_are_put_in_anywhere(self, tmp_path: Path) -> None:
        text = OLLAMA + "server: {host: '${A_HOST}', data_dir: '${HOME_OF}/x/${HOME_OF}'}\n"
        server = loaded(tmp_path, text, {"A_HOST": "127.0.0.9", "HOME_OF": "/h"}).config.server
        assert (server.host, server.data_dir) == ("127.0.0.9", "/h/x//h")

    def test_what_a_secret_holds_is_a_text_and_not_yaml(self, tmp_path: Path) -> None:
        text = "models: {a: {backends: [{engine: openai, base_url: http://h/v1, model: m, api_key: '${K}'}]}}"
        backend = loaded(tmp_path, text, {"K": "x: [1, ${K}]"}).config.models["a"].backends[0]
        assert backend.api_key == "x: [1, ${K}]"


def test_a_rule_file_without_rules_is_told(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("# nothing yet\n", encoding="utf-8")
    (tmp_path / "pointsman.yaml").write_text("rules: {packs: [], files: [rules.yaml]}\n", encoding="utf-8")
    [note] = [note for note in build(load(tmp_path / "pointsman.yaml", {}, {})).notes if "rules.yaml" in note]
    assert note.endswith("holds no rules")
