"""What the verbs print for people exists in Chinese and in English; what they print for programs does not change."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path

import pytest

from cli.invoke import MODELS, Done, Shell
from pointsman.cli import VERBS
from pointsman.cli.demo_gateway import OwnGateway
from pointsman.cli.spoken_log import SpokenLog
from pointsman.domain.said import Said
from pointsman.store.log_schema import NAME
from ruling import cases

BROKEN = "servr: {}\nserver: {prot: 1}\nlog: {prompts: ful}\n"
LOCALES = ("LC_ALL", "LC_MESSAGES", "LANG")
IDEOGRAPH = re.compile(r"[\u4e00-\u9fff]")
SENTENCE = re.compile(r"\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b")
MEASURED = re.compile(r'"(?:compile_ms|decision_us)":[\d.]+')


@pytest.fixture(autouse=True)
def no_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in LOCALES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")


def said(done: Done) -> str:
    return done.out + done.err


class TestWhichLanguage:
    @pytest.mark.parametrize(
        ("flag", "variable", "config", "locale", "is_chinese"),
        [
            (None, None, None, None, False),
            (None, None, None, "C", False),
            (None, None, None, "POSIX", False),
            (None, None, None, "C.UTF-8", False),
            (None, None, None, "en_US.UTF-8", False),
            (None, None, None, "fr_FR.UTF-8", False),
            (None, None, None, "zh_CN.UTF-8", True),
            (None, None, None, "zh_TW", True),
            (None, None, "zh", "en_US.UTF-8", True),
            (None, None, "en", "zh_CN.UTF-8", False),
            (None, "zh", "en", "en_US.UTF-8", True),
            (None, "en", "zh", "zh_CN.UTF-8", False),
            ("zh", "en", "en", "en_US.UTF-8", True),
            ("en", "zh", "zh", "zh_CN.UTF-8", False),
        ],
    )
    def test_flag_then_environment_then_config_then_locale(
        self,
        shell: Shell,
        monkeypatch: pytest.MonkeyPatch,
        flag: str | None,
        variable: str | None,
        config: str | None,
        locale: str | None,
        is_chinese: bool,
    ) -> None:
        if variable:
            monkeypatch.setenv("POINTSMAN_SERVER_LANGUAGE", variable)
        if locale:
            monkeypatch.setenv("LANG", locale)
        server = f"server: {{language: {config}}}\n" if config else ""
        options = ["--language", flag] if flag else []
        for text in (MODELS, MODELS + "nope: 1\n"):  # also where something else in the config is wrong
            shell.write("pointsman.yaml", text + server + "rules: {packs: []}\n")  # none whose words could be quoted
            done = shell.run("check", *options)
            assert bool(IDEOGRAPH.search(said(done))) is is_chinese

    def test_a_language_that_there_is_not(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("POINTSMAN_SERVER_LANGUAGE", "fr")
        assert "'fr' is not one of them" in shell.run("check").err
        assert shell.run("check", "--language", "fr").code == 2

    def test_the_first_locale_variable_that_is_set_counts(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LANG", "zh_CN.UTF-8")
        monkeypatch.setenv("LC_ALL", "C")
        assert "ok: " in shell.run("check").out

    @pytest.mark.parametrize("verb", ["check", "explain", "serve", "keys new", "keys hash", "init", "demo"])
    def test_verbs_that_take_the_flag(self, shell: Shell, verb: str) -> None:
        assert "--language {zh,en}" in shell.run(*verb.split(), "--help").out


@pytest.mark.usefixtures("chinese")
class TestCheck:
    def test_all_is_well(self, shell: Shell) -> None:
        shell.write("pointsman.yaml", MODELS + "rules: {packs: [], files: [r.yaml]}\n")
        shell.write("r.yaml", f"- {{id: a, when: {{any: [x]}}, answer: y, {cases('x')}}}\n")
        done = shell.run("check")
        assert (done.code, done.err) == (0, "")
        assert re.fullmatch(
            r"开销：1 条规则，1 个词（自动机里 0 个字串，0 字节），0 条每条文本都要试；编译用时 [\d.]+ ms，"
            r"一次判断 [\d.]+ µs\n"
            r"正常：pointsman.yaml：1 条规则（3 个用例全部通过），0 条路由，2 个目标；策略 [0-9a-f]{12}\n",
            done.out,
        )

    def test_without_a_file(self, shell: Shell) -> None:
        assert shell.run("check").out.splitlines()[-1].startswith("正常：没有文件，用内置默认值：")

    def test_what_is_not_well(self, shell: Shell) -> None:
        shell.write("pointsman.yaml", BROKEN)
        done = shell.run("check")
        assert (done.code, done.out) == (1, "")
        lines = done.err.splitlines()
        assert lines[-1] == "共 3 处问题"
        assert lines[0].startswith(
            "错误：pointsman.yaml:1：servr：不认识的键，是不是“server”？（合法取值：server, models"
        )
        assert lines[1].startswith("错误：pointsman.yaml:2：server.prot：")
        assert lines[2].startswith("错误：pointsman.yaml:3：log.prompts：")

    def test_a_note(self, shell: Shell) -> None:
        shell.write("pointsman.yaml", MODELS + "rules: {packs: [], files: [r.yaml]}\n")
        shell.write("r.yaml", f"- {{id: a, when: {{any: [x]}}, action: fly, {cases('x')}}}\n")
        assert "注意：规则 a：没有定义它的动作 'fly'" in shell.run("check").out

    def test_json_is_in_english(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        shell.write("r.yaml", f"- {{id: a, when: {{any: [x]}}, action: fly, {cases('x')}}}\n")
        for text in (
            BROKEN,
            MODELS + "rules: {packs: [], files: [r.yaml]}\n",
            MODELS + "server: {language: zh, x: 1}\n",
        ):
            shell.write("pointsman.yaml", text)
            monkeypatch.setenv("LANG", "zh_CN.UTF-8")
            there = shell.run("check", "--json")
            monkeypatch.setenv("LANG", "C")
            here = shell.run("check", "--json")
            assert MEASURED.sub("", there.out) == MEASURED.sub("", here.out)
            assert (there.code, there.err) == (here.code, here.err)
            assert not IDEOGRAPH.search(there.out)


@pytest.mark.usefixtures("chinese")
class TestExplain:
    def test_labels(self, shell: Shell) -> None:
        shell.write("pointsman.yaml", MODELS)
        lines = shell.run("explain", "什么是单子", "--task", "math").out.splitlines()
        assert lines[0] == "阶段     model"
        assert lines[1].startswith("原因     没有规则和路由命中")
        assert any(re.fullmatch(r"目标     qwen2.5:3b@\S+（默认）", line) for line in lines)
        assert any(re.fullmatch(r"特征     约 \d+ 个 token，zh，第 1 轮，任务：math（声明）", line) for line in lines)
        assert lines[-1].startswith("策略     ")

    def test_a_rule(self, shell: Shell) -> None:
        out = shell.run("explain", "你好").out
        assert "规则     smalltalk_greeting_zh → answer" in out
        assert "命中     " in out
        assert "任务：" in out

    def test_left_out(self, shell: Shell) -> None:
        shell.write(
            "pointsman.yaml",
            "models: {light: {backends: [{engine: openai, model: m, base_url: https://api.example.com/v1}]}}\n",
        )
        out = shell.run("explain", "什么是单子", "--model", "light").out
        assert "错误     keep_local" in out
        assert "（外部后端，而这个入口的请求必须留在本网内）" in out

    def test_an_unknown_model(self, shell: Shell) -> None:
        shell.write("pointsman.yaml", MODELS)
        done = shell.run("explain", "hi", "--model", "hevy")
        assert done.code == 1
        assert done.err.startswith("pointsman explain：没有名为“hevy”的模型，是不是“heavy”？")

    def test_json_is_in_english(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        shell.write("pointsman.yaml", MODELS)
        lines = b'{"text": 5}\n{"txt": "hi"}\n{"messages": 5}\n{"text": "hi", "task": "fax"}\n\xff\n{"a": \n'
        for options in (["explain", "-"], ["explain", "hello", "--json"]):
            monkeypatch.setenv("LANG", "zh_CN.UTF-8")
            there = shell.run(*options, stdin=lines)
            monkeypatch.setenv("LANG", "C")
            here = shell.run(*options, stdin=lines)
            if options[1] == "-":
                assert there == here
                assert not IDEOGRAPH.search(there.out)
            else:
                assert [line["reason"] for line in there.lines] == [line["reason"] for line in here.lines]


@pytest.mark.usefixtures("chinese")
class TestLog:
    def test_what_is_wrong(self, shell: Shell) -> None:
        assert "--since 'x' 不是时长（合法取值：30m、12h、7d）" in shell.run("log", "--since", "x").err
        assert shell.run("log", "--limit", "0").err == "pointsman log：--limit 至少是 1\n"
        done = shell.run("log", "--data-dir", "data")
        assert (done.code, done.err) == (1, "pointsman log：data 里还没有日志；有了第一个请求才会开始记录\n")

    @pytest.mark.parametrize("data", [b"", b"garbage", b"SQLite format 3\x00" + b"\x00" * 100])
    def test_a_file_that_is_no_log(self, shell: Shell, data: bytes) -> None:
        shell.write(f"data/{NAME}", data)
        done = shell.run("log", "--data-dir", "data")
        assert done.err.startswith("pointsman log：日志无法读取：")
        assert not SENTENCE.search(done.err)

    def test_its_language_is_a_filter(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        """And so cannot be the language of what is said."""
        monkeypatch.setenv("LANG", "C")
        assert "there is no log" in shell.run("log", "--data-dir", "data", "--language", "zh").err


class TestKeys:
    def test_a_new_one(self, shell: Shell) -> None:
        out = shell.run("keys", "new", "alice", "--language", "zh").out
        assert re.match(r"密钥（只显示这一次，请交给客户端）：\n  pm-\S+\n\n写进 pointsman.yaml：\n  auth:\n", out)
        english = shell.run("keys", "new", "alice").out
        assert english.split("\n", 5)[5].count("name") == out.split("\n", 5)[5].count("name")

    def test_none(self, shell: Shell) -> None:
        assert shell.run("keys", "hash", "--language", "zh").err == "pointsman keys hash：没有输入密钥\n"


@pytest.mark.usefixtures("chinese")
class TestUsage:
    def test_help_lists_the_verbs_in_chinese(self, shell: Shell) -> None:
        out = shell.run("--help").out
        for verb, purpose in VERBS.items():
            assert re.search(rf"^ +{verb} +{purpose.zh}$", out, re.MULTILINE)
        assert VERBS["check"].zh in shell.run("check", "--help").out

    @pytest.mark.parametrize(
        ("arguments", "line"),
        [
            ((), "pointsman：错误：缺少参数：VERB"),
            (("fly",), "pointsman：错误：参数 VERB：没有 'fly' 这个取值（合法取值："),
            (("check", "--nope"), "pointsman：错误：不认识的参数：--nope"),
            (("explain",), "pointsman explain：错误：缺少参数：TEXT"),
            (
                ("explain", "hi", "--task", "fax"),
                "pointsman explain：错误：参数 --task：没有 'fax' 这个取值（合法取值：",
            ),
            (("keys", "new"), "pointsman keys new：错误：缺少参数：name"),
            (("serve", "--port", "x"), "pointsman serve：错误：参数 --port：'x' 不是整数"),
            (("serve", "--port"), "pointsman serve：错误：参数 --port：缺少取值"),
            (("init", "--ports", "x"), "pointsman init：错误：参数 --ports：'x' 不是端口列表（合法取值："),
        ],
    )
    def test_mistakes(self, shell: Shell, arguments: tuple[str, ...], line: str) -> None:
        done = shell.run(*arguments)
        assert (done.code, done.out) == (2, "")
        assert done.err.splitlines()[0].startswith("usage: pointsman")
        assert line in done.err


class TestServe:
    @pytest.mark.parametrize(
        ("arguments", "line"),
        [
            (("--host", "0.0.0.0"), "错误：命令行：--host：其他机器可以访问 0.0.0.0，而 auth.keys 是空的"),
            (("--port", "70000"), "错误：命令行：--port：必须是不大于 65535 的整数（70000）"),
            (("--data-dir", "file"), "pointsman serve：server.data_dir：无法使用 file：已经存在"),
            (("--data-dir", "short"), "密钥是 32 字节"),
            (("--data-dir", "nolog"), f"pointsman serve：server.data_dir：nolog/{NAME}：它不是数据库文件"),
        ],
    )
    def test_that_cannot_start(self, shell: Shell, arguments: tuple[str, ...], line: str) -> None:
        shell.write("pointsman.yaml", MODELS)
        shell.write("file", "x")
        shell.write("short/log.key", b"short")
        shell.write(f"nolog/{NAME}", b"garbage" * 100)
        done = shell.run("serve", "--port", "0", "--language", "zh", *arguments)
        assert done.code == 1
        assert line in done.err
        assert not SENTENCE.search(re.sub(r"`[^`]*`", "", done.err))

    def test_lines_of_its_log(self) -> None:
        text = Said("the log %s cannot be written: %s", "日志 %s 无法写入：%s")
        record = logging.LogRecord("pointsman", logging.INFO, "x.py", 1, text, ("a", Said("full", "满了")), None)
        assert SpokenLog("zh").format(record).endswith("日志 a 无法写入：满了")
        assert SpokenLog("en").format(record).endswith("the log a cannot be written: full")
        assert record.msg is text

    def test_greeting(self, tmp_path: Path) -> None:
        gateway = OwnGateway(tmp_path, "zh")
        try:
            gateway.wait()
            assert gateway.base.startswith("http://127.0.0.1:")
        finally:
            gateway.stop()
        said = (tmp_path / "gateway.log").read_text(encoding="utf-8")
        assert "在另一个终端里试试：" in said
        assert "Try it" not in said
        assert re.search(r"Pointsman \S+ (?:已就绪|已启动，尚未就绪)，地址 http://", said)
        assert f"控制台：{gateway.base}/ui" in said


def test_english_is_as_it_was(shell: Shell) -> None:
    """The words that documents and scripts may rely on."""
    shell.write("pointsman.yaml", MODELS)
    assert re.fullmatch(
        r"(?:note: .*\n)*cost: \d+ rules, \d+ terms .*\n"
        r"ok: pointsman.yaml: \d+ rules \(\d+ cases hold\), 0 routes, 2 targets; policy [0-9a-f]{12}\n",
        shell.run("check").out,
    )
    lines = shell.run("explain", "What is a monad", "--task", "math").out.splitlines()
    assert lines[0] == "stage    model"
    assert re.fullmatch(r"target   qwen2.5:3b@\S+ \(fallback\)", lines[3] if "task" in lines[2] else lines[2])
    assert re.search(r"^features about \d+ tokens, en, turn 1, task math \(declared\)$", "\n".join(lines), re.MULTILINE)
    assert json.loads(shell.run("explain", "hi", "--json").out)["rule"] == "smalltalk_greeting_en"
    out = shell.run("keys", "new", "a").out
    assert re.match(r"key \(shown once; give it to the client\):\n  pm-\S+\n\nin pointsman.yaml:\n  auth:\n", out)
