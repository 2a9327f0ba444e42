"""Every mistake is said at once and where it was made: in the file, a rule file, the environment or a flag."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pointsman.app.build import build
from pointsman.config.load import load
from pointsman.domain.errors import Problems
from ruling import case_lines

MODEL = "models: {light: {backends: [{engine: ollama, model: m}]}}\n"


def said(folder: Path, text: str, env: dict[str, str] | None = None, flags: dict[str, Any] | None = None) -> list[str]:
    """What `check` would say, with paths relative to the folder."""
    path = folder / "pointsman.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Problems) as caught:
        build(load(path, flags, env or {}))
    return [str(problem).replace(f"{folder}/", "") for problem in caught.value.problems]


def has(lines: list[str], *starts: str) -> bool:
    return len(lines) == len(starts) and all(any(line.startswith(start) for line in lines) for start in starts)


def test_all_stages_at_once(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text(
        "- id: a\n  when: {any: [x]}\n  route:\n    task: faq\n    tier: lihgt\n"
        + case_lines("x")
        + "- id: b\n  when: {any: [y]}\n  answer: z\n  counter_examples:\n    - no\n    - y\n"
        + "  examples: [y]\n  boundary: [{text: yy, takes: false}]\n",
        encoding="utf-8",
    )
    (tmp_path / "s.yaml").write_text("- id: a\n  when: {any: [x]}\n  answer: y\n" + case_lines("x"), encoding="utf-8")
    (tmp_path / "t.yaml").write_text("- id: c\n  when: {any: [x]}\n  anser: y\n", encoding="utf-8")
    text = MODEL + (
        "log:\n  kep: 1d\n"
        "fallback:\n  target: lihgt\n"
        "rules: {packs: [], files: [r.yaml, s.yaml, t.yaml]}\n"
        "actions:\n  one:\n    route:\n      tier: lihgt\n  two: {anser: x}\n"
        "sources:\n  s: {folder: x}\n"
        "reports:\n  r:\n    source: q\n    table: t\n    time: d\n    measures: {m: {title: {fr: x}}}\n"
        "    template: gone.typ\n    group_by: [z]\n"
        "server:\n  public_url: ftp://h\n"
    )
    lines = said(tmp_path, text, {"POINTSMAN_LOG_KEEP": "x"}, {"server.port": -1})
    assert has(
        lines,
        "pointsman.yaml:3: log.kep: ",
        "pointsman.yaml:5: fallback.target: ",
        "r.yaml:5: rules.a.route.target: ",
        "r.yaml:14: rules.b.counter_examples: ",
        "s.yaml:1: rules.a: ",
        "t.yaml:3: rules[0].anser: ",
        "t.yaml:1: rules[0]: ",
        "pointsman.yaml:10: actions.one.route.target: ",
        "pointsman.yaml:11: actions.two.anser: ",
        "pointsman.yaml:13: sources.s: ",
        "pointsman.yaml:16: reports.r.source: ",
        "pointsman.yaml:19: reports.r.measures.m.title.fr: ",
        "pointsman.yaml:20: reports.r.template: ",
        "pointsman.yaml:21: reports.r.group_by[0]: ",
        "pointsman.yaml:23: server.public_url: ",
        "environment: POINTSMAN_LOG_KEEP: ",
        "command line: --port: ",
    ), "\n".join(lines)


def test_a_broken_section_makes_no_mistakes_elsewhere(tmp_path: Path) -> None:
    text = (
        "models: {light: {backends: [{engine: vlm, model: m}]}, heavy: {backends: [{engine: ollama, model: n}]}}\n"
        "entries: {auto: {pack: []}}\nrules: {pack: []}\nauth: {keys: [{name: a}]}\nsources: {s: {uri: x}}\n"
        "routes: [{name: a, target: light, match: {entry: other}}]\nfallback: {target: light}\n"
        "actions: {a: {route: {tier: light}}}\nserver: {host: 0.0.0.0}\n"
        "reports: {r: {source: s, table: t, time: d, measures: {m: {}}}}\n"
    )
    lines = said(tmp_path, text)
    assert has(
        lines,
        "pointsman.yaml:1: models.light.backends[0].engine: ",
        "pointsman.yaml:2: entries.auto.pack: ",
        "pointsman.yaml:3: rules.pack: ",
        "pointsman.yaml:4: auth.keys[0].hash: ",
        "pointsman.yaml:5: sources.s.uri: ",
    ), "\n".join(lines)


def test_a_mistake_of_meaning_is_blamed_on_whoever_made_it(tmp_path: Path) -> None:
    [host] = said(tmp_path, "server: {host: 127.0.0.1}\n", flags={"server.host": "0.0.0.0"})
    assert host.startswith("command line: --host: 0.0.0.0 can be reached")
    [zone] = said(tmp_path, "server: {timezone: UTC}\n", {"POINTSMAN_SERVER_TIMEZONE": "Mars"})
    assert zone.startswith("environment: POINTSMAN_SERVER_TIMEZONE: ")


@pytest.mark.parametrize(
    "text",
    [
        "auth:\n  keys: [{name: a, hash: '${S}'}]\n",
        "models:\n  a: {backends: [{engine: vllm, model: m, base_url: '${S}'}]}\n",
        "server:\n  port: ${S}\n",
    ],
)
def test_a_secret_is_never_shown(tmp_path: Path, text: str) -> None:
    [line] = said(tmp_path, text, {"S": "abc-secret"})
    assert line.startswith("pointsman.yaml:2: ")
    assert "${S}" in line
    assert "secret" not in line


def test_a_missing_variable_is_said_once(tmp_path: Path) -> None:
    [line] = said(tmp_path, "auth: {keys: [{name: a, hash: '${NO}'}]}\n")
    assert "no variable NO" in line


def test_two_variables_in_one_mapping_in_braces(tmp_path: Path) -> None:
    path = tmp_path / "pointsman.yaml"
    path.write_text(
        "models: {a: {backends: [{engine: vllm, base_url: http://${H}/v1, api_key: ${K}, model: ${M}}]}}\n",
        encoding="utf-8",
    )
    [backend] = build(load(path, None, {"H": "h", "K": "k", "M": "m"})).loaded.config.models["a"].backends
    assert (backend.base_url, backend.api_key, backend.model) == ("http://h/v1", "k", "m")


def test_a_name_comes_from_no_variable(tmp_path: Path) -> None:
    [line] = said(tmp_path, "models: {${T}: {backends: [{engine: ollama, model: m}]}}\n", {"T": "light"})
    assert line.startswith("pointsman.yaml:1: models.${T}: ")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("log: {keep: [1]}", ["log.keep", "str", "30d"]),
        ("files: {keep: 7}", ["7 is not a span of time: 30s"]),
        ("files: {memory: true}", ["true is not a size: 512MB"]),
        ("server: {language: 5}", ["5 is not one of them", "zh, en"]),
        (
            MODEL + "routes: [{name: a, target: light, match: {language: 5}}]",
            ["a text or a list of texts, not a number", "zh, en, other"],
        ),
        (
            "sources: {s: {demo: true}}\nreports: {r: {source: s, table: t, time: d, measures: {m: {title: 5}}}}",
            ["measures.m.title", "a text or a mapping", "{zh: …, en: …}"],
        ),
        (
            "sources: {s: {demo: true}}\nreports: {r: {source: s, table: t, time: d, measures: {m: {}}, dimensions: "
            "{a: {values: [{value: x, wrods: []}]}}}}",
            ["reports.r.dimensions.a.values[0].wrods", '"words"'],
        ),
        (
            "models: {a: {backends: [{engine: openai, model: m, base_url: http://h/v1/chat/completions}]}}",
            ["base_url", "names an endpoint", "http://h/v1"],
        ),
        ("models: {a: {backends: [{engine: ollama, model: m, api_key: 'a\\n'}]}}".replace("'", '"'), ["api_key"]),
    ],
)
def test_what_is_valid_is_said(tmp_path: Path, text: str, words: list[str]) -> None:
    [line] = said(tmp_path, text)
    for word in words:
        assert word in line


def test_a_template_lies_beside_the_config(tmp_path: Path) -> None:
    (tmp_path / "mine.typ").write_text("", encoding="utf-8")
    path = tmp_path / "pointsman.yaml"
    path.write_text(
        "sources: {s: {demo: true}}\n"
        "reports: {r: {source: s, table: t, time: d, measures: {m: {}}, template: mine.typ}}\n",
        encoding="utf-8",
    )
    [report] = build(load(path, None, {})).policy.document.reports
    assert report.template == "mine.typ"
    assert [(template.name, template.file) for template in report.templates] == [
        ("mine.typ", str(tmp_path / "mine.typ"))
    ]


def test_an_absent_model_is_a_note(tmp_path: Path) -> None:
    path = tmp_path / "pointsman.yaml"
    path.write_text("models: {a: {backends: [{engine: embedded, model: /no/such.gguf}]}}\n", encoding="utf-8")
    [note] = build(load(path, None, {})).notes
    assert note.startswith("models.a.backends[0].model: ")
    assert "/no/such.gguf" in note
