"""`pointsman log`: lists, filters, and shows one request whole."""

from __future__ import annotations

import json
import time
from pathlib import Path

import msgspec
import pytest

from cli.invoke import MODELS, Shell
from pipeline.policies import CONFIG, FILES, ask, fleet, policy_of
from pointsman.domain.feedback import Feedback
from pointsman.domain.record import Record, Timings
from pointsman.pipeline.decide import decide
from pointsman.store.log_writer import LogWriter

FLEET = fleet(small=2048)


def fill(folder: Path, scratch: Path, prompts: str = "sealed") -> None:
    """Four requests, the newest r3; two by rules, two for models."""
    folder.mkdir(parents=True, exist_ok=True)
    policy = policy_of(scratch, CONFIG, FILES)
    writer = LogWriter(folder, prompts, 1e9, linger=0.0)  # type: ignore[arg-type]
    now = time.time()
    for number, text in enumerate(["vpn broken", "qwertz", "我的工资", "prove it"]):
        request = msgspec.structs.replace(ask(text, caller=f"c{number}"), id=f"r{number}")
        record = Record(
            request,
            now - 3600 * (3 - number),
            "failed" if number == 1 else "ok",
            decide(request, policy, FLEET),
            status=502 if number == 1 else 200,
            error="reset" if number == 1 else None,
            timings=Timings(0.1, None, 0.4 if number == 0 else 1500.0),
        )
        writer.put(record, policy.document, FLEET)
    writer.close()


@pytest.fixture
def logged(shell: Shell, tmp_path_factory: pytest.TempPathFactory) -> Shell:
    fill(shell.folder / "data", tmp_path_factory.mktemp("policy"))
    shell.write("pointsman.yaml", MODELS + "server: {data_dir: data}\n")
    return shell


def ids(shell: Shell, *arguments: str) -> list[str]:
    done = shell.run("log", "--json", *arguments)
    assert (done.code, done.err) == (0, "")
    return [line["id"] for line in done.lines]


def test_a_list_for_people(logged: Shell) -> None:
    done = logged.run("log")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert [line.split()[-1] for line in lines if not line.startswith(" ")] == ["r3", "r2", "r1", "r0"]
    assert "502 reset" in done.out
    assert "vpn" in lines[-1]
    assert "400 µs" in lines[-1]
    assert "1500 ms" in lines[0]
    assert "工资" not in done.out


def test_as_json_without_any_text(logged: Shell) -> None:
    done = logged.run("log", "--json")
    assert [line["id"] for line in done.lines] == ["r3", "r2", "r1", "r0"]
    assert "question" not in done.lines[0]
    assert "工资" not in done.out
    assert done.lines[3]["features"]["language"] == "en"


def test_filters(logged: Shell) -> None:
    assert ids(logged, "--stage", "l0") == ["r2", "r0"]
    assert ids(logged, "--rule", "vpn") == ["r0"]
    assert ids(logged, "--outcome", "failed") == ["r1"]
    assert ids(logged, "--error", "reset") == ["r1"]
    assert ids(logged, "--caller", "c3") == ["r3"]
    assert ids(logged, "--language", "zh") == ["r2"]
    assert ids(logged, "--stage", "l0", "--language", "en") == ["r0"]
    assert ids(logged, "--model", "auto", "--endpoint", "chat", "--limit", "2") == ["r3", "r2"]
    assert ids(logged, "--since", "90m") == ["r3", "r2"]
    assert ids(logged, "--since", "7d") == ["r3", "r2", "r1", "r0"]
    assert ids(logged, "--task-type", "faq") == []
    assert ids(logged, "--rule", "nothing") == []


def test_with_texts(logged: Shell) -> None:
    done = logged.run("log", "--text", "--json")
    assert [line["question"] for line in done.lines] == ["prove it", "我的工资", "qwertz", "vpn broken"]
    assert "我的工资" in logged.run("log", "--text").out


def test_one_whole(logged: Shell) -> None:
    done = logged.run("log", "--id", "r0", "--json")
    assert done.json["question"] == "vpn broken"
    assert done.json["decision"]["rule"] == "vpn"
    assert json.loads(logged.run("log", "--id", "r0").out)["decision"]["matched"]


def test_what_its_caller_said_of_it(logged: Shell) -> None:
    writer = LogWriter(logged.folder / "data", "sealed", 1e9, linger=0.0)
    said = Feedback(request_id="r0", received=5.0, caller="c0", adopted=False, comment="不是这个意思")
    writer.put_feedback(said, time.time())
    writer.close()
    shown = logged.run("log", "--id", "r0", "--json").json["feedback"]
    assert (shown["adopted"], shown["rating"], shown["comment"]) == (False, None, "不是这个意思")
    assert "不是这个意思" in logged.run("log", "--id", "r0").out
    assert logged.run("log", "--id", "r1", "--json").json["feedback"] is None
    assert "feedback" not in logged.run("log", "--json").lines[0]


def test_one_that_there_is_not(logged: Shell) -> None:
    """A person who asks for one request and gets nothing should be told so."""
    done = logged.run("log", "--id", "nope")
    assert done.code == 1
    assert "nope" in done.err


def test_where_the_log_is(logged: Shell) -> None:
    (logged.folder / "data").rename(logged.folder / "elsewhere")
    assert logged.run("log").code == 1
    assert ids(logged, "--data-dir", "elsewhere", "--limit", "1") == ["r3"]


def test_no_log_yet(shell: Shell) -> None:
    done = shell.run("log")
    assert (done.code, done.out) == (1, "")
    assert "there is no log" in done.err


def test_prompts_that_were_not_kept(shell: Shell, tmp_path_factory: pytest.TempPathFactory) -> None:
    fill(shell.folder / "data", tmp_path_factory.mktemp("policy"), "off")
    assert "(not kept)" in shell.run("log", "--data-dir", "data", "--text").out
    assert shell.run("log", "--data-dir", "data", "--id", "r0", "--json").json["question"] is None


@pytest.mark.parametrize("key", [b"", b"short", bytes(range(32)), None], ids=["empty", "short", "another", "none"])
def test_a_key_that_does_not_fit(logged: Shell, key: bytes | None) -> None:
    path = logged.folder / "data" / "log.key"
    path.unlink() if key is None else path.write_bytes(key)
    done = logged.run("log", "--text")
    assert done.code == 0
    assert done.out.count("(not kept)") == 4
    assert key is not None or not path.exists()


@pytest.mark.parametrize("data", [b"", b"garbage", b"SQLite format 3\x00" + b"\x00" * 100])
def test_a_file_that_is_no_log(shell: Shell, data: bytes) -> None:
    shell.write("data/log.sqlite", data)
    done = shell.run("log", "--data-dir", "data")
    assert (done.code, done.out) == (1, "")
    assert "the log cannot be read" in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("--since", "yesterday"),
        ("--since", "5"),
        ("--limit", "0"),
        ("--limit", "-1"),
        ("--limit", "x"),
        ("--nope", "x"),
        ("--outcome", "banana"),
        ("--task-type", "codee"),
    ],
)
def test_usage(logged: Shell, arguments: tuple[str, ...]) -> None:
    done = logged.run("log", *arguments)
    assert (done.code, done.out) == (2, "")
    assert arguments[0] in done.err


def test_a_value_that_no_request_has(logged: Shell) -> None:
    """The valid ones are named, and one that is near."""
    assert "valid: ok, refused, failed" in logged.run("log", "--outcome", "banana").err
    assert 'did you mean "code_review"?' in logged.run("log", "--task-type", "codee_review").err


@pytest.mark.parametrize(
    "arguments", [("--limit", "99999999999999999999"), ("--since", "99999999999999999999d"), ("--id", "a\udcffb")]
)
def test_beyond_all_use_is_no_traceback(logged: Shell, arguments: tuple[str, ...]) -> None:
    assert logged.run("log", *arguments).code in (0, 1, 2)
