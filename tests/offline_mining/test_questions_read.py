"""Questions from files and from the log."""

from __future__ import annotations

import json
import time
from pathlib import Path

import msgspec
import pytest

from pipeline.policies import CONFIG, FILES, ask, fleet, policy_of
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Turn
from pointsman.offline.question import Unreadable
from pointsman.offline.read_file import questions_of_file
from pointsman.offline.read_log import questions_of_log
from pointsman.pipeline.decide import decide
from pointsman.store.log_writer import LogWriter

FLEET = fleet(small=2048, middle=4096)
NOW = 1_780_000_000.0


def read(folder: Path, name: str, data: str | bytes, column: str | None = None) -> list[str]:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return [each.text for each in questions_of_file(path, column).found]


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.txt", "导出报表\n\n  你好 \n", ["导出报表", "你好"]),
        ("a.csv", "id,text,label\n1,导出报表,x\n2,你好,y\n", ["导出报表", "你好"]),
        ("a.csv", "n;问题\n1;a，b\n", ["a，b"]),
        ("a.tsv", "question\tn\na, b\t1\n", ["a, b"]),
        ("a.csv", 'text\n"a, ""b""\nc"\n', ['a, "b"\nc']),
        ("a.csv", "12,导出报表\n13,你好\n", ["导出报表", "你好"]),
        ("a.csv", "\ufefftext\n你好\n", ["你好"]),
        ("a.csv", "text\n导出报表\n".encode("gb18030"), ["导出报表"]),
        ("a.csv", "", []),
        ("a.jsonl", '{"text": "a"}\n"b"\n\n{"question": "c"}\n', ["a", "b", "c"]),
        ("a.log", '{"text": "a"}\n', ["a"]),
        (
            "a.jsonl",
            '{"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}, '
            '{"role": "user", "content": [{"type": "text", "text": "z"}, {"type": "image_url"}]}]}',
            ["z"],
        ),
    ],
)
def test_files(tmp_path: Path, name: str, data: str | bytes, expected: list[str]) -> None:
    assert read(tmp_path, name, data) == expected


def test_a_column_of_ones_own(tmp_path: Path) -> None:
    assert read(tmp_path, "a.csv", "text,asked\nx,导出报表\n", "Asked") == ["导出报表"]
    assert read(tmp_path, "a.jsonl", '{"text": "x", "asked": "y"}', "asked") == ["y"]
    with pytest.raises(Unreadable, match=r"no column 'zz' \(it has: text, asked\)"):
        read(tmp_path, "a.csv", "text,asked\nx,y\n", "zz")


def test_what_stands_beside_a_question(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "id,question,rule,time\nr1,你好,greet,2026-03-01T08:00:00+00:00\nr2,再见,,12.5\nr3,,x,\nr4,嗨,,soon\n"
    )
    asked = questions_of_file(path)
    assert [(each.id, each.label, each.at) for each in asked.found] == [
        ("r1", "greet", 1772352000.0),
        ("r2", None, 12.5),
        ("r4", None, None),
    ]
    assert asked.unread == 1
    lines = tmp_path / "a.jsonl"
    lines.write_text(json.dumps({"text": "你好", "id": 7, "label": "x", "time": 12.5}) + "\n[1]\n")
    [only] = questions_of_file(lines).found
    assert (only.id, only.label, only.at) == ("7", "x", 12.5)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="line 2") as caught:
        read(tmp_path, "a.jsonl", '"a"\n{oops\n')
    assert "第 2 行" in caught.value.args[0].zh
    with pytest.raises(Unreadable, match="UTF-8"):
        read(tmp_path, "a.txt", b"\xff\xff\xff")
    with pytest.raises(Unreadable, match="no column of texts"):
        read(tmp_path, "a.csv", "1,2\n3,4\n")


def fill(folder: Path, scratch: Path, prompts: str = "sealed") -> None:
    policy = policy_of(scratch, CONFIG, FILES)
    folder.mkdir(parents=True, exist_ok=True)
    writer = LogWriter(folder, prompts, 1e9, linger=0.0)  # type: ignore[arg-type]
    for number, text in enumerate(["qwertz", "我的工资", "### Task:\nSuggest\n", "prove it"]):
        request = msgspec.structs.replace(ask(text), id=f"r{number}", now=NOW)
        decision = decide(request, policy, FLEET)
        target = "middle@middle" if decision.stage == "model" else None
        timings = Timings(0.1, None, 1500.0)
        record = Record(request, time.time() - 3600 * (3 - number), "ok", decision, target=target, timings=timings)
        writer.put(record, policy.document, FLEET)
    loop = msgspec.structs.replace(ask("x"), id="r9", turns=(Turn("user", "x"), Turn("assistant", "y")))
    writer.put(Record(loop, time.time(), "ok", decide(loop, policy, FLEET)), policy.document, FLEET)
    writer.close()


def test_the_log(tmp_path: Path) -> None:
    fill(tmp_path / "data", tmp_path)
    asked = questions_of_log(tmp_path / "data")
    seen = {each.id: each for each in asked.found}
    assert set(seen) == {"r0", "r1", "r2", "r3"}  # in a tool loop there is no question
    assert (seen["r0"].text, seen["r0"].untaken, seen["r0"].settled, seen["r0"].seconds) == ("qwertz", True, False, 1.5)
    assert (seen["r1"].untaken, seen["r1"].settled, seen["r1"].seconds) == (False, True, None)
    assert [each.id for each in questions_of_log(tmp_path / "data", time.time() - 5000).found] == ["r2", "r3"]


def test_a_log_without_prompts(tmp_path: Path) -> None:
    fill(tmp_path / "data", tmp_path, "off")
    asked = questions_of_log(tmp_path / "data")
    assert (asked.found, asked.unread) == ((), 5)


def test_no_log_yet(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        questions_of_log(tmp_path)
