"""`pointsman rules mine` and `pointsman rules gaps`, as a shell runs them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec
import pytest

from cli.invoke import MODELS, Shell
from offline_mining.traffic import export_requests, near_misses, other_requests
from pipeline.policies import ask, fleet, policy_of
from pointsman.config.yaml_source import parse_yaml
from pointsman.domain.record import Record, Timings
from pointsman.pipeline.decide import decide
from pointsman.rules import parse_rules
from pointsman.store.log_writer import LogWriter

FLEET = fleet(m=4096)
CONFIG = MODELS + "rules: {packs: []}\nserver: {data_dir: data}\n"
ACTIONS = "actions: {export_report: {answer: 请到报表中心导出。}}\n"
TEXTS = export_requests(60) + near_misses() + other_requests(600)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("POINTSMAN_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    shell = Shell(tmp_path, monkeypatch, capsys)
    shell.write("pointsman.yaml", CONFIG)
    return shell


def fill(shell: Shell, scratch: Path, texts: list[str], prompts: str = "sealed") -> None:
    backend = {"engine": "ollama", "model": "m"}
    config = {"models": {"light": {"backends": [backend]}}, "fallback": {"target": "light"}, "rules": {"packs": []}}
    policy = policy_of(scratch, config)
    folder = shell.folder / "data"
    folder.mkdir()
    writer = LogWriter(folder, prompts, 1e9, linger=0.0)  # type: ignore[arg-type]
    now = time.time()
    for number, text in enumerate(texts):
        request = msgspec.structs.replace(ask(text), id=f"r{number}")
        record = Record(
            request,
            now - len(texts) + number,
            "ok",
            decide(request, policy, FLEET),
            target="m@m",
            timings=Timings(0.1, None, 2000.0),
        )
        writer.put(record, policy.document, FLEET)
    writer.close()


def test_proposals_from_a_file_ready_to_paste(shell: Shell) -> None:
    shell.write("asked.txt", "\n".join(TEXTS))
    done = shell.run("rules", "mine", "asked.txt", "--write", "mined.yaml", "--language", "en")
    assert (done.code, done.err) == (0, "")
    assert "mined_export_report: takes " in done.out and "estimated precision" in done.out
    written = parse_yaml((shell.folder / "mined.yaml").read_text(encoding="utf-8"), "mined.yaml").data
    [rule] = parse_rules(written, pack="mined")
    assert rule.action == "export_report"
    shell.write("pointsman.yaml", CONFIG.replace("packs: []", "packs: [], files: [mined.yaml]") + ACTIONS)
    assert shell.run("check", "--language", "en").code == 0
    taken = shell.run("explain", export_requests(60)[0], "--json").json
    assert taken["rule"] == "mined_export_report"


def test_proposals_from_the_log(shell: Shell, tmp_path_factory: pytest.TempPathFactory) -> None:
    fill(shell, tmp_path_factory.mktemp("policy"), TEXTS)
    done = shell.run("rules", "mine", "--json")
    [proposal] = done.json["proposals"]
    assert proposal["seconds"] == 2.0 * proposal["questions"] == 2.0 * len(proposal["ids"])
    texts = {TEXTS[int(name[1:])] for name in proposal["ids"]}
    assert len(texts & set(export_requests(60))) > 0.95 * len(texts)
    assert shell.run("rules", "mine", "data", "--json").json == done.json
    assert shell.run("rules", "mine", "--since", "1s", "--json").code == 1


def test_nothing_worth_a_rule(shell: Shell) -> None:
    shell.write("asked.txt", "\n".join(other_requests(300)))
    en = shell.run("rules", "mine", "asked.txt", "--language", "en")
    zh = shell.run("rules", "mine", "asked.txt", "--language", "zh", "--write", "none.yaml")
    assert (en.code, zh.code) == (1, 1)
    assert "nothing worth a rule" in en.out and "没有值得写成规则的" in zh.out
    assert not (shell.folder / "none.yaml").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("mine", "nowhere.csv"), 2, "there is no nowhere.csv"),
        (("mine", "--since", "soon"), 2, "no span of time"),
        (("mine", "--limit", "0"), 2, "--limit"),
        (("mine", "--min-share", "2"), 2, "min-share"),
        (("mine", "asked.csv", "--column", "zz"), 1, "no column 'zz'"),
        (("mine", "--write", "asked.csv"), 2, "exists already"),
        (("mine",), 1, "there is no log"),
        (("gaps",), 1, "there is no log"),
        (("gaps", "nowhere.csv"), 2, "there is no nowhere.csv"),
        (("gaps", "--least", "0"), 2, "--least"),
    ],
)
def test_what_cannot_be_done(shell: Shell, arguments: tuple[str, ...], code: int, said: str) -> None:
    shell.write("asked.csv", "text\n你好\n")
    done = shell.run("rules", *arguments, "--language", "en")
    assert (done.code, said in done.err) == (code, True), done.err


def test_a_log_whose_prompts_were_not_kept(shell: Shell, tmp_path_factory: pytest.TempPathFactory) -> None:
    fill(shell, tmp_path_factory.mktemp("policy"), TEXTS[:20], "off")
    for verb in ("mine", "gaps"):
        done = shell.run("rules", verb, "--language", "en")
        assert (done.code, "20 cannot be read" in done.out) == (1, True)


def test_gaps_of_the_log(shell: Shell, tmp_path_factory: pytest.TempPathFactory) -> None:
    texts = ["你们公司地址在哪"] * 3 + other_requests(60)[:40] + ["打印机卡纸了怎么办", "打印机又卡纸了怎么办"] * 8
    fill(shell, tmp_path_factory.mktemp("policy"), texts)
    done = shell.run("rules", "gaps", "--json")
    first = done.json["gaps"][0]
    assert (first["questions"], first["before"], first["now"], first["trend"]) == (16, 0, 16, "new")
    assert {texts[int(name[1:])] for name in first["ids"]} == {"打印机卡纸了怎么办", "打印机又卡纸了怎么办"}
    assert first["seconds"] == 32.0
    zh = shell.run("rules", "gaps", "--language", "zh", "--limit", "1")
    assert zh.code == 0 and "打印机" in zh.out and "新出现" in zh.out and "个较小的" not in zh.out
    assert "new ●" in shell.run("rules", "gaps", "--language", "en").out


def test_gaps_of_a_file(shell: Shell) -> None:
    shell.write("asked.csv", "text,time\n" + "".join(f"打印机卡纸,{number}\n" for number in range(9)))
    done = shell.run("rules", "gaps", "asked.csv", "--json")
    assert [gap["questions"] for gap in done.json["gaps"]] == [9]
    assert shell.run("rules", "gaps", "asked.csv", "--least", "10", "--language", "en").out.endswith("no gaps\n")
