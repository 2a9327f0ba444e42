"""Whatever stands in the file: a config or problems, and nothing else."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pointsman.app.build import build
from pointsman.config.load import Loaded, load
from pointsman.config.schema import Config
from pointsman.config.yaml_source import parse_yaml
from pointsman.domain.errors import Problems
from thorough import tries

KEYS = {
    "server": ["host", "port", "data_dir", "cors", "max_body", "heartbeat_after", "language"],
    "models": ["light", "heavy", "backends", "aliases", "engine", "model", "base_url", "external", "context", "name"],
    "entries": ["auto", "packs", "arbiter", "policy", "keep_local", "usage"],
    "rules": ["packs", "files"],
    "routes": ["name", "target", "match", "priority", "max_tokens", "min_tokens", "task_type", "language", "entry"],
    "fallback": ["target", "max_retries"],
    "actions": ["a", "answer", "refuse", "route", "why", "instead", "zh", "en", "task", "tier", "target", "body"],
    "auth": ["keys", "name", "hash", "role", "admin"],
    "log": ["prompts", "keep"],
    "policy": ["interactive", "quality"],
    "arbiter": ["gate"],
    "admission": ["queue"],
    "telemetry": ["otlp", "endpoint", "semconv", "sample", "headers"],
    "store": ["x"],
}
WORDS = [
    *("light", "heavy", "auto", "off", "ollama", "vllm", "embedded", "m", "faq", "32MB", "0B", "30d", "sealed", "full"),
    *(
        "builtin:smalltalk",
        "builtin:x",
        "http://127.0.0.1:1/v1",
        "http://[",
        "://",
        "",
        " ",
        ".",
        "{question}",
        "{",
        "${X}",
    ),
    *("你好", "\U0001f600", "\x7f", "a" * 300, "sha256:" + "0" * 64, "0.0.0.0", "::1", "\u2028"),
]
scalars = (
    st.sampled_from(WORDS)
    | st.none()
    | st.booleans()
    | st.integers(-3, 70_000)
    | st.integers()
    | st.floats(allow_nan=True, allow_infinity=True)
    | st.text(max_size=8)
)


def trees(section: str) -> st.SearchStrategy[Any]:
    keys = st.sampled_from(KEYS[section]) | st.text(max_size=4) | st.integers(0, 3) | st.none()
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5),
        max_leaves=10,
    )


sound_backend = st.fixed_dictionaries(
    {
        "engine": st.sampled_from(["ollama", "vllm", "openai", "embedded"]),
        "model": st.sampled_from(["m", "n", "light"]),
    },
    optional={
        "base_url": st.sampled_from(["http://127.0.0.1:1/v1", "http://h", "https://api.example.com", "http://[", ""]),
        "name": st.sampled_from(["one", "two", ""]),
        "external": st.booleans(),
        "context": st.integers(-1, 10**12),
        "slots": st.integers(0, 300),
    },
)
sound_models = st.dictionaries(
    st.sampled_from(["light", "medium", "heavy", "auto", "mine"]),
    st.fixed_dictionaries(
        {"backends": st.lists(sound_backend, max_size=3)},
        optional={"aliases": st.lists(st.sampled_from(["light", "model-light", "gpt-4", "m"]), max_size=2)},
    ),
    max_size=3,
)
documents = st.fixed_dictionaries(
    {}, optional={**{section: trees(section) for section in KEYS}, "models": trees("models") | sound_models}
)


def outcome(text: str) -> Loaded | Problems:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pointsman.yaml"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            loaded = load(path, None, {"X": "y"})
            build(loaded)
        except Problems as error:
            assert error.problems
            for problem in error.problems:
                assert problem.path is not None
                assert str(problem)
            return error
        return loaded


@settings(max_examples=tries(36, 120), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents)
def test_any_tree_gives_a_config_or_problems(tree: dict[str, Any]) -> None:
    result = outcome(yaml.safe_dump(tree, allow_unicode=True))
    if isinstance(result, Loaded):
        assert isinstance(result.config, Config)


@settings(max_examples=tries(24, 80), deadline=None)
@given(st.text(alphabet="abc:-[]{}&*!?|>'\"%@`#,\n\t 019~<=.é你\x00\ud800", max_size=60))
def test_any_text_gives_a_config_or_problems(text: str) -> None:
    outcome(text)


@settings(max_examples=tries(18, 60), deadline=None)
@given(st.dictionaries(st.text(alphabet="abcz_09", min_size=1, max_size=6), trees("server"), max_size=4))
def test_what_yaml_means_is_what_was_written(tree: dict[str, Any]) -> None:
    """Our YAML differs from PyYAML's only in what looks like a scalar of YAML 1.1; quoted texts are texts in both."""
    text = yaml.safe_dump(tree, allow_unicode=True, default_style='"', default_flow_style=False)
    assert repr(parse_yaml(text, "t").data) == repr(yaml.safe_load(text))
