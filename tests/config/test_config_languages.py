"""Whatever is wrong with a config is said in Chinese and in English: the same place, the same valid values."""

from __future__ import annotations

import ast
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from config import test_config_mistakes as mistakes
from pointsman.app.build import build
from pointsman.app.refused import refused
from pointsman.config.convert import _members, _metas
from pointsman.config.load import load
from pointsman.config.others_words import all_of, type_says, why, yaml_says
from pointsman.config.schema import Config
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.said import Said, in_zh, said, told
from pointsman.rules import parse_rules
from pointsman.rules.regex import BadRegex, compile_regex
from rules import test_parse as rule_mistakes
from rules import test_regex as regex_mistakes
from ruling import cases

SRC = Path(__file__).resolve().parents[2] / "src" / "pointsman"
MODEL = mistakes.MODEL
QUOTED = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"|“[^”]*”|pip install [^；。）]*")
SENTENCE = re.compile(r"\b[a-z]{2,} [a-z]{2,}\b")
IDEOGRAPH = re.compile(r"[\u4e00-\u9fff]")


def table(test: Any) -> list[Any]:
    """The first arguments of a parametrized test."""
    names, rows = test.pytestmark[0].args[:2]
    return [row if isinstance(names, str) and "," not in names else row[0] for row in rows]


def check(problem: Problem, shown: str = "") -> None:
    """In both languages; the Chinese holds no English sentence. Names, quoted values and paths are as they are."""
    english, chinese = problem.text("en"), problem.text("zh")
    assert english == str(problem)
    assert isinstance(problem.message, Said), english
    assert IDEOGRAPH.search(problem.message.zh), english
    rest = QUOTED.sub("", chinese.replace(shown, "") if shown else chinese)
    assert not SENTENCE.search(rest), chinese
    assert in_zh(problem.message) in chinese
    for quoted in re.findall(r"'[^']*'", problem.message):  # what the author wrote is shown in both
        assert quoted[1:-1] in chinese, (english, chinese)


class TestEveryMistake:
    """Of the tables in test_config_mistakes.py and in the rules' own tests."""

    @pytest.mark.parametrize("text", table(mistakes.test_a_mistake))
    def test_of_a_config(self, tmp_path: Path, text: str) -> None:
        for problem in mistakes.problems_of(tmp_path, text):
            check(problem, str(tmp_path))

    @pytest.mark.parametrize("text", table(mistakes.TestRuleFiles.test_a_mistake_stands_where_it_is))
    def test_of_a_rule_file(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "rules.yaml").write_text(text, encoding="utf-8")
        for problem in mistakes.problems_of(tmp_path, MODEL + "rules: {packs: [], files: [rules.yaml]}\n"):
            check(problem, str(tmp_path))

    @pytest.mark.parametrize("data", table(mistakes.TestRuleFiles.test_what_is_no_yaml))
    def test_of_a_rule_file_that_is_no_yaml(self, tmp_path: Path, data: bytes) -> None:
        (tmp_path / "rules.yaml").write_bytes(data)
        for problem in mistakes.problems_of(tmp_path, MODEL + "rules: {packs: [], files: [rules.yaml]}\n"):
            check(problem, str(tmp_path))

    @pytest.mark.parametrize(
        "data",
        [
            *table(mistakes.TestNoYaml.test_says_the_line),
            *table(mistakes.TestNoYaml.test_is_a_problem_and_no_traceback),
        ],
        ids=lambda data: repr(data[:30]),
    )
    def test_of_yaml(self, tmp_path: Path, data: bytes) -> None:
        for problem in mistakes.problems_of(tmp_path, data):
            check(problem, str(tmp_path))

    @pytest.mark.parametrize(
        ("name", "text"),
        mistakes.TestEnvironmentAndFlags.test_a_bad_value_is_blamed_on_the_variable_and_not_on_the_file.pytestmark[
            0
        ].args[1],
    )
    def test_of_the_environment(self, tmp_path: Path, name: str, text: str) -> None:
        for problem in mistakes.problems_of(tmp_path, "", {name: text}):
            check(problem, str(tmp_path))
            assert problem.text("zh").startswith(f"环境变量：{name}：")

    @pytest.mark.parametrize("rule", table(rule_mistakes.test_each_problem_is_named_with_its_place))
    def test_of_a_rule(self, rule: Any) -> None:
        with pytest.raises(Problems) as caught:
            parse_rules([rule], pack="p", source="rules.yaml")
        for problem in caught.value.problems:
            check(problem)

    @pytest.mark.parametrize("data", table(rule_mistakes.test_bad_top_levels))
    def test_of_a_list_of_rules(self, data: Any) -> None:
        with pytest.raises(Problems) as caught:
            parse_rules(data, pack="p")
        for problem in caught.value.problems:
            check(problem)

    @pytest.mark.parametrize(
        "source",
        [
            *table(regex_mistakes.test_what_is_refused_says_why),
            *("[a", "a)", "*a", "a**", "[z-a]", "a{2000}", "a\\", "(?P<x", "(?i", "\\q"),
        ],
    )
    def test_of_a_regex(self, source: str) -> None:
        with pytest.raises(BadRegex) as caught:
            compile_regex(source)
        message = caught.value.args[0]
        assert isinstance(message, Said)
        assert not SENTENCE.search(QUOTED.sub("", message.zh)), message.zh


def problems_of(folder: Path, text: str, env: dict[str, str] | None = None, **flags: Any) -> list[Problem]:
    return mistakes.problems_of(folder, text, env, flags or None)


class TestMoreMistakes:
    """Those that stand in no table."""

    @pytest.mark.parametrize(
        "text",
        [
            "server: {public_url: ftp://h}",
            "server: {public_url: 'http://h/?a'}",
            "server: {timezone: Mars}",
            "server: {host: ''}\nauth: {keys: 5}",
            "auth: {keys: [{name: a, hash: sha256:" + "0" * 64 + "}, {name: a, hash: sha256:" + "1" * 64 + "}]}",
            "entries: {auto: {packs: [none]}}\nrules: {packs: []}",
            "rules: {packs: [builtin:]}",
            "rules: {packs: ['a\\0b']}",
            "rules: {files: ['a\\0b']}",
            "models: {'': {backends: []}}",
            "models: {a: {backends: []}}",
            "models: {a: {backends: [{engine: embedded, model: ''}]}}",
            "models: {a: {backends: [{engine: embedded, model: builtin:smol}]}}\nserver: 5",
            'models: {a: {backends: [{engine: openai, model: m, base_url: http://h/v1, api_key: "a\\nb"}]}}',
            "models: {a: {backends: [{engine: vllm, model: m, base_url: http://h/v1/chat/completions}]}}",
            "sources: {a: {}}",
            "sources: {a: {folder: x}}",
            "sources: {a: {url: '', demo: true}}",
            "sources: {a: {url: ' '}}",
            "sources: {a: {url: x, demo: true}}",
            "sources: {a: {demo: true, format: csv}}",
            "reports: {r: {source: q, table: t, time: d, measures: {}}}",
            "reports: {r: {source: q, table: t, time: d, measures: {m: {title: {}, unit: 5, decimals: 9}}}}",
            "reports: {r: {source: q, table: t, time: d, measures: {m: {title: {fr: x}}}, group_by: [z], template: x}}",
            "reports: {r: {source: q, table: t, time: d, measures: {m: {}}, dimensions: {d: {values: 5, words: x}}}}",
            "actions: {a: {answer: {}}}",
            "actions: {a: {route: {body: {}}}}",
            "actions: {a: {route: {body: {1: 2}}}}",
            "files: {keep: 7, memory: x}",
            "routes: [{name: a, target: b, match: {task_type: 5, language: {}, entry: 1.5, code: maybe, turns: 0}}]",
            "routes: [{name: '', target: ''}]",
            "policy: 5\nstore: 5\narbiter: []",
            "log: {1: 2}\n3: 4",
            "server: {port: 1e400, heartbeat_after: 1e9, cors: [1]}",
            "${NAME}: 1",
            "server: {port: 99999999999999999999}",
        ],
    )
    def test_is_said_in_both(self, tmp_path: Path, text: str) -> None:
        for problem in problems_of(tmp_path, text):
            check(problem, str(tmp_path))

    def test_places_and_valid_values_are_in_chinese_too(self, tmp_path: Path) -> None:
        shown = {
            problem.text("zh").replace(f"{tmp_path}/", "")
            for problem in problems_of(
                tmp_path,
                "fallback: {target: light}\nserver: {max_body: 1}\nsources: {s: {folder: x}}\n",
                {"POINTSMAN_LOG_PROMTS": "x"},
                **{"server.port": -1},
            )
        }
        assert (
            "pointsman.yaml:1：fallback.target：没有名为 'light' 的档位、别名或模型（合法取值：没有：models 是空的）"
            in shown
        )
        assert "pointsman.yaml:2：server.max_body：1 不是合法的容量（如 512KB、32MB）" in shown
        assert "pointsman.yaml:3：sources.s：folder 要写 format（合法取值：csv, parquet）" in shown
        assert any(line.startswith("命令行：--port：必须是不小于 0 的整数（-1）") for line in shown), shown
        assert any(
            line.startswith("环境变量：POINTSMAN_LOG_PROMTS：没有这项设置，是不是“POINTSMAN_LOG_PROMPTS”？")
            for line in shown
        )

    @pytest.mark.parametrize("data", ["- a", "5"])
    def test_the_outermost(self, tmp_path: Path, data: str) -> None:
        [problem] = problems_of(tmp_path, data)
        assert problem.text("zh").endswith("pointsman.yaml：最外层：必须是由各节组成的映射")
        assert str(problem).endswith("pointsman.yaml: top level: must be a mapping of sections")

    def test_packs(self, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        (tmp_path / "p").mkdir()
        (tmp_path / "p" / "pack.yaml").write_text("nam: p\nguard: 5\n", encoding="utf-8")
        for name in ("empty", "gone", "p", "x" * 300):
            for problem in problems_of(tmp_path, f"rules: {{packs: [{name}]}}"):
                check(problem, str(tmp_path))

    def test_files_that_cannot_be_read(self, tmp_path: Path) -> None:
        (tmp_path / "latin").write_bytes(b"a: \xe9")
        for path, chinese in (
            (tmp_path, "无法读取：这是文件夹，不是文件"),
            (tmp_path / "gone", "没有这个文件"),
            (tmp_path / "latin", "不是 UTF-8 编码（第 3 字节）"),
            (tmp_path / ("x" * 300), "无法读取：名字太长"),
        ):
            with pytest.raises(Problems) as caught:
                load(path, None, {})
            [problem] = caught.value.problems
            assert problem.text("zh") == f"{path}：{chinese}"

    @pytest.mark.parametrize(
        "text",
        [
            "auth:\n  keys: [{name: a, hash: '${S}'}]\n",
            "models:\n  a: {backends: [{engine: vllm, model: m, base_url: '${S}'}]}\n",
            "server:\n  port: ${S}\n",
            "server:\n  public_url: ${S}\n",
            "fallback:\n  target: ${S}\n",
        ],
    )
    def test_a_secret_is_never_shown(self, tmp_path: Path, text: str) -> None:
        for problem in problems_of(tmp_path, text, {"S": "abc-geheim"}):
            assert "geheim" not in problem.text("zh")
            assert "${S}" in problem.text("zh")


class TestNotes:
    def test_of_a_config(self, tmp_path: Path) -> None:
        (tmp_path / "r.yaml").write_text(
            f"- {{id: a, when: {{any: [x]}}, action: answr, {cases('x')}}}\n"
            f"- {{id: b, when: {{any: [y]}}, action: zzz, {cases('y')}}}\n",
            encoding="utf-8",
        )
        path = tmp_path / "pointsman.yaml"
        path.write_text(
            "models: {light: {backends: [{engine: embedded, model: gone.gguf}]}, "
            "heavy: {backends: [{engine: ollama, model: m}]}}\n"
            "rules: {packs: [], files: [r.yaml]}\n",
            encoding="utf-8",
        )
        notes = build(load(path, None, {})).notes
        assert [told(note, "zh") for note in notes[:3]] == [
            "没有设置 fallback.target；没有路由接住的请求会送到 light",
            *(told(note, "zh") for note in notes[1:3]),
        ]
        assert told(notes[1], "zh").startswith("规则 a：没有定义它的动作 'answr'，是不是“answer”？（命中的请求")
        assert told(notes[2], "zh").startswith("规则 b：没有定义它的动作 'zzz'（命中的请求")
        for note in notes:
            assert isinstance(note, Said), note
            assert not SENTENCE.search(QUOTED.sub("", note.zh)), note.zh

    def test_without_any_model(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        missing = Problem("model", said("it is not here", "这里没有"))

        def absent(**_: Any) -> None:
            raise missing

        monkeypatch.setattr("pointsman.app.targets.find_engine", absent)
        path = tmp_path / "pointsman.yaml"
        path.write_text("log: {}\n", encoding="utf-8")
        [note] = build(load(path, None, {})).notes
        assert note.startswith("no model is set up, so only rules answer (it is not here)")
        assert "（这里没有）" in told(note, "zh")


class TestOthersWords:
    """What libraries and the system say."""

    def test_of_the_system(self) -> None:
        for error in (OSError(2, "No such file or directory"), PermissionError(13, "Permission denied")):
            assert why(error) == error.strerror
            assert IDEOGRAPH.search(in_zh(why(error)))
        assert in_zh(why(OSError(9999, "strange"))) == "系统错误 9999"
        assert in_zh(all_of(ValueError("embedded null byte"))) == "含有零字节"
        assert in_zh(all_of(ValueError(said("a", "甲")))) == "甲"

    def test_of_yaml_what_is_not_known(self) -> None:
        text = yaml_says("something quite new")
        assert (str(text), in_zh(text)) == ("something quite new", "这里不符合 YAML 的写法")

    @pytest.mark.parametrize(
        ("data", "kind", "chinese"),
        [
            ("x", int, "必须是整数，而不是文本"),
            (5, typing.Annotated[int, msgspec.Meta(le=3)], "必须是不大于 3 的整数"),
            (0.0, typing.Annotated[float, msgspec.Meta(gt=0)], "必须是大于 0 的数字"),
            ("", typing.Annotated[str, msgspec.Meta(min_length=1)], "长度必须不小于 1"),
            ("x", list[str], "必须是列表，而不是文本"),
            (5, str | None, "必须是文本，而不是整数"),
            ([1], dict[str, int], "必须是映射，而不是列表"),
            ("no", bool, "必须是布尔值（true 或 false），而不是文本"),
        ],
    )
    def test_of_types(self, data: Any, kind: Any, chinese: str) -> None:
        with pytest.raises(msgspec.ValidationError) as caught:
            msgspec.convert(data, kind)
        assert type_says(str(caught.value)) == chinese

    def test_settings_that_lower_floors_refuse(self) -> None:
        problem = refused("p", ValueError(said("x is 5 (valid: 1 to 4)", "x 是 5（合法取值：1 到 4）")))
        assert (str(problem), problem.text("zh")) == ("p: x is 5 (valid: 1 to 4)", "p：x 是 5（合法取值：1 到 4）")


def test_descriptions_that_messages_quote_have_their_chinese() -> None:
    def structs(kind: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
        yield kind
        for hint in typing.get_type_hints(kind).values():
            for part in [hint, *typing.get_args(hint), *(a for b in typing.get_args(hint) for a in typing.get_args(b))]:
                if isinstance(part, type) and issubclass(part, msgspec.Struct):
                    yield from structs(part)

    seen = set(structs(Config))
    assert len(seen) > 10
    for struct in seen:
        for name, hint in typing.get_type_hints(struct, include_extras=True).items():
            for meta in _metas(hint):
                if meta.description and (meta.pattern or len(_members(hint)) > 1):
                    assert (meta.extra or {}).get("zh"), (struct.__name__, name)


FOLDERS = ("config", "rules", "app", "cli", "store")
FILES = ("actions/report/settings.py", "pipeline/document.py", "pipeline/rulebook.py", "pipeline/catalog.py")
PLACE = {
    "Problem": 1,
    "wrong": 1,
    "_wrong": 1,
    "PointsmanError": 0,
    "ArgumentTypeError": 0,
    "print_error": 1,
    "print": 0,
}
BAD_ENOUGH = ("ValueError", "FileNotFoundError", "BadRegex")


def sources() -> list[Path]:
    return [*(path for name in FOLDERS for path in sorted((SRC / name).glob("*.py"))), *(SRC / name for name in FILES)]


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(SRC)))
def test_no_message_is_written_in_one_language_alone(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        place = PLACE.get(name, 0 if name in BAD_ENOUGH else None)
        if place is None:
            continue
        given = [*node.args[place : place + 1], *(word.value for word in node.keywords if word.arg == "valid")]
        for text in given:
            if isinstance(text, ast.JoinedStr | ast.Constant):
                written = "".join(
                    str(part.value) if isinstance(part, ast.Constant) else ""
                    for part in (text.values if isinstance(text, ast.JoinedStr) else [text])
                )
                assert not re.search(r"[a-z]{2,} [a-z]{2,}", written), f"{path.name}:{node.lineno}: {written}"
