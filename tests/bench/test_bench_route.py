"""`pointsman bench route`: on questions made for it, where it is known what each router must reach."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy
import pytest

from cli.invoke import Shell
from pointsman.bench.route.figures import Point
from pointsman.bench.route.pair import answered, check_pair, chosen_pair
from pointsman.bench.route.scored import read_scored
from pointsman.bench.route.splits import folds_of
from pointsman.bench.route.sweep import ACCURACIES, swept
from pointsman.domain.errors import PointsmanError

TOPICS = {"sums": "prove that the sum {n} of {n} odd numbers is a square", "facts": "who was king number {n} of norway"}


def row(number: int, **more: Any) -> dict[str, Any]:
    """Every third question of either kind is as good from both; else the heavy one is needed for sums, not for facts."""
    kind = ("sums", "facts")[number % 2]
    needed = kind == "sums" and number % 3 > 0
    return {
        "question": TOPICS[kind].format(n=number),
        "scores": {"small": 0.0 if needed else 1.0, "big": 1.0 if needed or number % 5 else 0.0},
        "task": kind,
        **more,
    }


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.chdir(tmp_path)
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.setenv(name, "C")
    return Shell(tmp_path, monkeypatch, capsys)


def written(shell: Shell, rows: list[dict[str, Any]], name: str = "s.jsonl") -> str:
    (shell.folder / name).write_text("".join(json.dumps(each) + "\n" for each in rows), "utf-8")
    return name


def methods_of(told: dict[str, Any], split: int = 0) -> dict[str, dict[str, Any]]:
    return {method["name"]: method for method in told["splits"][split]["methods"]}


def test_a_whole_run(shell: Shell) -> None:
    costs = {"small": 1.0, "big": 8.0}
    file = written(shell, [row(number, cost=costs, latency={"small": 0.1, "big": 0.9}) for number in range(240)])
    arguments = ("bench", "route", "--scores", file, "--rounds", "20", "--no-peer", "--sweep", "--csv", "c.csv")
    done = shell.run(*arguments, "--json", "r.json")
    assert done.code == 0, done.out + done.err
    told = json.loads((shell.folder / "r.json").read_text("utf-8"))
    assert (told["light"], told["heavy"], told["why"]) == ("small", "big", "lowest and highest mean cost")
    assert told["tasks"] == {"facts": 120, "sums": 120} and told["skipped"] == {"tf-idf": "--no-peer"}
    found = methods_of(told)
    assert set(found) == {"pointsman", "shipped", "length", "random", "oracle"}
    assert found["oracle"]["apgr"]["value"] > found["pointsman"]["apgr"]["value"] > found["random"]["apgr"]["value"]
    assert found["length"]["over_length"] is None and found["pointsman"]["over_length"]["low"] is not None
    ends = found["oracle"]["curve"][0], found["oracle"]["curve"][-1]
    assert [end["recovered"] for end in ends] == pytest.approx([0, 1])
    assert [end["cost"] for end in ends] == pytest.approx([1, 8])
    assert [end["latency"] for end in ends] == pytest.approx([0.1, 0.9])
    assert max(point["recovered"] for point in found["oracle"]["curve"]) >= 1
    assert [split["split"] for split in told["splits"]] == ["random", "tasks"]
    assert told["sweep"]["lines"][-1]["chance"]["quality"] == pytest.approx(
        found["oracle"]["curve"][7]["quality"], abs=0.02
    )
    lines = (shell.folder / "c.csv").read_text("utf-8").splitlines()
    assert lines[0] == "split,router,calls,quality,recovered,cost,latency" and len(lines) == 1 + 2 * 5 * 21
    assert "APGR" in done.out and "steep above 85 %" in done.out and "always heavy: quality" in done.out
    shell.run(*arguments, "--json", "again.json")
    again = json.loads((shell.folder / "again.json").read_text("utf-8"))
    assert {**again, "machine": None} == {**told, "machine": None}
    chinese = shell.run(*arguments, "--language", "zh")
    assert "随机分折" in chinese.out and "逐个留出任务" in chinese.out and "85% 以上陡升" in chinese.out


def test_the_peer(shell: Shell) -> None:
    pytest.importorskip("sklearn")
    rows = [{**row(number), "task": None} for number in range(120)]
    done = shell.run(
        "bench", "route", "--scores", written(shell, rows), "--rounds", "20", "--one-pair", "--json", "r.json"
    )
    assert done.code == 0, done.err
    told = json.loads((shell.folder / "r.json").read_text("utf-8"))
    assert methods_of(told)["tf-idf"]["apgr"]["value"] > 0.7
    assert methods_of(told)["pointsman"]["over_tfidf"] is not None
    assert told["versions"]["tf-idf"].startswith("scikit-learn ")


def test_no_tasks_and_other_pairs(shell: Shell) -> None:
    rows = [row(number) for number in range(120)]
    for each in rows:
        del each["task"]
        each["scores"]["tiny"] = 0.0
    done = shell.run("bench", "route", "--scores", written(shell, rows), "--rounds", "20", "--no-peer", "--light", "small",
                     "--heavy", "big", "--json", "r.json")  # fmt: skip
    assert done.code == 0, done.err
    told = json.loads((shell.folder / "r.json").read_text("utf-8"))
    assert (len(told["splits"]), told["why"]) == (1, "as named")
    assert [pair["light"] for pair in told["pairs"]] == ["tiny"] and "no task is left out" in done.out


def bad(shell: Shell, content: str, *more: str) -> tuple[str, str]:
    (shell.folder / "bad.jsonl").write_text(content, "utf-8")
    told = []
    for tongue in ("en", "zh"):
        done = shell.run("bench", "route", "--scores", "bad.jsonl", "--no-peer", *more, "--language", tongue)
        assert (done.code, done.out) == (1, "")
        told.append(done.err)
    return told[0], told[1]


GOOD = json.dumps(row(1)) + "\n"


@pytest.mark.parametrize(
    ("content", "en", "zh"),
    [
        (GOOD + "{\n\n[]\n" + GOOD, "line 2: ", "第 2 行"),
        (GOOD + '{"question": "a"}\n', "line 2: Object missing required field `scores`", "第 2 行"),
        ('{"question": " ", "scores": {"a": 1, "b": 0}}\n', "line 1: the question is empty", "第 1 行：问题是空的"),
        ('{"question": "a", "scores": {"a": 1}}\n', "line 1: scores of fewer than two", "第 1 行：评分少于两个模型"),
        ('{"question": "a", "scores": {"a": 1, "b": 1e999}}\n', "line 1: ", "第 1 行"),
        ('{"question": "a", "scores": {"a": 1, "b": "x"}}\n', "line 1: ", "第 1 行"),
        ('{"question": "a", "scores": {"a": 1, "b": 0}, "cost": {"a": -1}}\n', "cost of a is -1.0", "a 的 cost 是 -1.0"),
        ("x\n" * 8, "line 5: ", "还有 3 行"),
        ("", "bad.jsonl holds no questions", "bad.jsonl 里没有问题"),
    ],
)  # fmt: skip
def test_bad_lines(shell: Shell, content: str, en: str, zh: str) -> None:
    told = bad(shell, content)
    assert en in told[0] and zh in told[1]


def both(light: list[float], heavy: list[float]) -> str:
    rows = [
        {"question": f"q {n}", "scores": {"a": x, "b": y}} for n, (x, y) in enumerate(zip(light, heavy, strict=True))
    ]
    return "".join(json.dumps(each) + "\n" for each in rows)


@pytest.mark.parametrize(
    ("content", "more", "en", "zh"),
    [
        (both([0, 0, 0], [1, 1, 1]), (), "one class only", "只有一类"),
        (both([0, 1], [0, 1]), (), "one class only", "只有一类"),
        (both([1, 0], [0, 0]), ("--light", "a", "--heavy", "b"), "b is no better than a", "b 总体上不比 a 好"),
        (both([0, 0], [1, 0]), ("--light", "c"), "there is no model c (valid: a, b)", "没有 c 这个模型"),
        (both([0, 0], [1, 0]), ("--light", "b", "--heavy", "b"), "the same model", "是同一个模型"),
        (both([0, 0], [1, 0]), ("--folds", "1"), "--folds is at least 2", "--folds 至少是 2"),
        (both([0, 0], [1, 0]), ("--without", "x"), "have no task", "没有 task"),
        (both([0, 0], [1, 0]), ("--csv", "no/x.csv"), "is no folder that can be written to", "不是可以写入的文件夹"),
    ],
)
def test_nothing_to_route_by(shell: Shell, content: str, more: tuple[str, ...], en: str, zh: str) -> None:
    told = bad(shell, content, *more)
    assert en in told[0] and zh in told[1]


def test_files(shell: Shell, tmp_path: Path) -> None:
    assert "cannot be read" in shell.run("bench", "route", "--scores", "none.jsonl").err
    (tmp_path / "x.jsonl.gz").write_bytes(b"no gzip")
    assert "x.jsonl.gz" in shell.run("bench", "route", "--scores", "x.jsonl.gz").err
    (tmp_path / "y.jsonl.gz").write_bytes(gzip.compress((GOOD + json.dumps(row(2)) + "\n").encode()))
    rows = read_scored(tmp_path / "y.jsonl.gz")
    assert [each.kind for each in rows] == ["facts", "sums"]
    assert [each.kind for each in read_scored(tmp_path / "y.jsonl.gz", {"sums"})] == ["facts"]


def test_the_pair(tmp_path: Path) -> None:
    """By cost where all have one, else by quality; one named, the other found."""
    told = [{"question": "q", "scores": {"a": 0.2, "b": 0.9, "c": 0.5}, "cost": {"a": 5, "b": 1, "c": 9}}]
    (tmp_path / "p.jsonl").write_text(json.dumps(told[0]) + "\n", "utf-8")
    rows = read_scored(tmp_path / "p.jsonl")
    assert chosen_pair(rows, None, None)[:2] == ("b", "c")
    assert chosen_pair(rows, "c", None)[:2] == ("c", "a")
    del told[0]["cost"]
    (tmp_path / "p.jsonl").write_text(json.dumps(told[0]) + "\n", "utf-8")
    rows = read_scored(tmp_path / "p.jsonl")
    assert chosen_pair(rows, None, None)[:2] == ("a", "b")
    with pytest.raises(PointsmanError, match="share no questions"):
        check_pair(answered(rows, "a", "b"), "a", "b")


def test_folds_are_whole_and_leave_out_what_they_route() -> None:
    kinds = ["x", "y", "x", "z", "y", "x", "z"]
    for split in ("random", "tasks"):
        folds = folds_of(split, kinds, 3, seed=5)  # type: ignore[arg-type]
        assert sorted(place for fold in folds for place in fold.out.tolist()) == list(range(7))
        for fold in folds:
            assert sorted({*fold.rest.tolist(), *fold.out.tolist()}) == list(range(7))
            assert not {*fold.rest.tolist()} & {*fold.out.tolist()}
            if split == "tasks":
                assert len({kinds[place] for place in fold.out.tolist()}) == 1
    first, second = (folds_of("random", kinds, 3, seed) for seed in (1, 1))
    assert [fold.out.tolist() for fold in first] == [fold.out.tolist() for fold in second]


def test_a_sweep_by_hand() -> None:
    """Ten questions; the heavy model is needed for the five last, and the router knows: its doubts are in the middle."""
    gaps = numpy.array([-1.0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    light = 1 - numpy.maximum(gaps, 0)

    def at(share: Any) -> Point:
        return Point(float(share.mean()), float((light + share * gaps).mean()), 0.0)

    told = swept(gaps, numpy.arange(10.0), at)
    assert [line.accuracy for line in told.lines] == list(ACCURACIES)
    assert told.right_heavy == 0.5
    assert told.lines[-1].chance.quality == told.lines[-1].doubt.quality == 1.0
    assert told.lines[4].doubt.quality == pytest.approx(
        1.0
    )  # 90 %: the one wrong choice costs nothing, both were right
    assert told.lines[0].chance.quality == pytest.approx(1 - 0.3 * 6 / 10)
    slope = (told.lines[-1].chance.quality - told.lines[0].chance.quality) * 100 / 3
    assert told.below_chance == pytest.approx(slope) and told.above_chance == pytest.approx(slope)
