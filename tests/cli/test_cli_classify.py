"""`pointsman classify` and `train`: texts from files and standard input, figures on labelled texts, a model of one's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.invoke import MODELS, Shell
from pointsman.app.build import build
from pointsman.config.load import load
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import Snapshot
from pointsman.pipeline.decide import decide

MEALS = ("rice", "soup", "bread", "noodles", "salad", "fish", "beans", "eggs", "cheese", "fruit", "cake", "tea")


ROUTE = "routes: [{name: new, target: heavy, match: {task_type: creative}}]\n"


def lines(rows: list[tuple[str, str]]) -> str:
    return "".join(json.dumps({"text": text, "task": task}, ensure_ascii=False) + "\n" for text, task in rows)


SMALL = lines(
    [
        (text, task)
        for task, texts in (
            (
                "creative",
                (
                    "ring the bell for rice", "soup now, ring that bell", "a bell should be rung before bread",
                    "the noodles bell, please", "who wants salad? bell it", "fish! (bell)", "bell and beans, quickly",
                    "my eggs wait for the bell", "let a bell tell us of cheese", "fruit: one bell", "bell, bell, cake",
                    "for tea you ring the bell",
                ),
            ),
            (
                "math",
                (
                    "how heavy is the rice", "weigh soup and say how heavy", "bread: heavy or not, in grams",
                    "are noodles as heavy as water", "heavy salad weighs what", "so heavy a fish, how much",
                    "beans, heavy ones, total", "eggs get heavy at what count", "tell me if cheese is too heavy",
                    "what makes fruit heavy", "cake is heavy by how much", "is this tea heavy at all",
                ),
            ),
        )
        for text in texts
    ]
)  # fmt: skip
TEMPLATE = lines(
    [(f"ring the bell for {meal}", "creative") for meal in MEALS]
    + [(f"how heavy is the {meal}", "math") for meal in MEALS]
)


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "en_US.UTF-8")


class TestClassify:
    def test_lines_of_standard_input(self, shell: Shell) -> None:
        done = shell.run("classify", "-", stdin="写一首关于秋天的诗\n\nTranslate this to German: good night\n")
        assert (done.code, done.err) == (0, "")
        assert [line.split()[0] for line in done.out.splitlines()] == ["task", "creative", "translation"]

    def test_json_of_a_file(self, shell: Shell) -> None:
        shell.write("texts.txt", "解方程 x^2 - 4 = 0\nqwertz\n")
        first, second = shell.run("classify", "texts.txt", "--json").lines
        assert (first["task"], first["likeliest"]) == ("math", "math") and 0 <= first["difficulty"] <= 1
        assert (second["task"], second["confidence"]) == (None, 0.0)

    def test_gold(self, shell: Shell) -> None:
        rows = [
            ("解方程 x^2 - 4 = 0", "math"),
            ("写一首关于秋天的诗", "math"),
            ("Translate to German: hi", "translation"),
        ]
        shell.write("gold.jsonl", lines(rows))
        found = shell.run("classify", "gold.jsonl", "--gold", "--json").json
        assert (found["texts"], found["accuracy"], found["confused"]) == (3, 0.6667, [["math", "creative", 1]])
        told = shell.run("classify", "gold.jsonl", "--gold").out
        assert "3 texts; told 100.0%, of these right 66.7%" in told and "math  creative" in told

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (("gone.txt",), "gone.txt"),
            (("gold.jsonl", "--gold"), "line 1"),
            (("gold.jsonl", "--model", "gold.jsonl"), "no model of task types"),
            (("gold.jsonl", "--least", "7"), "--least 7.0"),
        ],
    )
    def test_what_is_wrong_is_said(self, shell: Shell, arguments: tuple[str, ...], says: str) -> None:
        shell.write("gold.jsonl", '{"text": "x", "task": "sums"}\nno json\n')
        for tongue in ("en", "zh"):
            done = shell.run("classify", *arguments, "--lang", tongue)
            assert done.code == 1 and (says in done.err or tongue == "zh") and not done.out


class TestTrain:
    def test_a_model_of_ones_own_that_the_config_names(self, shell: Shell) -> None:
        shell.write("own.jsonl", SMALL)
        done = shell.run("train", "own.jsonl", "--alone", "--out", "own.bin")
        assert done.code == 0, done.err
        assert "24 own texts, each left out in turn: told" in done.out and "classifier: {file: own.bin}" in done.out
        text = "ring the bell for milk"
        told = shell.run("classify", "-", "--model", "own.bin", "--json", stdin=text).json
        assert told["task"] == "creative"
        path = shell.write("pointsman.yaml", MODELS + ROUTE + "classifier: {file: own.bin}\nserver: {data_dir: data}\n")
        policy = build(load(path, {}, {})).policy
        features = decide(Request("r", "chat", "auto", (Turn("user", text),)), policy, Snapshot.of(())).features
        assert features is not None
        assert (features.task_type, features.task_source) == ("creative", "classified")
        assert features.task_confidence == told["confidence"]

    def test_one_that_learned_nothing_says_so_and_tells_nothing(self, shell: Shell) -> None:
        """A template for each task: without its own, no other text tells of it."""
        shell.write("own.jsonl", TEMPLATE)
        for tongue, says in (
            ("en", "careful: on these texts it is worse"),
            ("zh", "注意：在这些文本上它不如随附的模型"),
        ):
            done = shell.run("train", "own.jsonl", "--alone", "--out", "own.bin", "--lang", tongue)
            assert done.code == 0 and says in done.out
        told = shell.run("classify", "-", "--model", "own.bin", "--json", stdin="ring the bell for milk").json
        assert (told["task"], told["likeliest"]) == (None, "creative") and told["confidence"] < 0.5

    def test_twice_it_is_the_same(self, shell: Shell) -> None:
        shell.write("own.jsonl", SMALL)
        for name in ("one.bin", "two.bin"):
            assert shell.run("train", "own.jsonl", "--alone", "--out", name, "--json").json["texts"] == 24
        assert Path("one.bin").read_bytes() == Path("two.bin").read_bytes()

    @pytest.mark.parametrize(
        ("rows", "says"),
        [
            ([("a", "math"), ("b", "math")], ("at least two types", "至少需要两种")),
            ([("a", "math"), (" a ", "faq")], ("'a': is both math and faq", "既标为 math 又标为 faq")),
            ([(f"a {n}", "math") for n in range(12)] + [("b", "faq")], ("faq 1", "每种任务类型至少 10 条：faq 1")),
            ([("a", "maths")], ('did you mean "math"', "第 1 行")),
            ([("", "math")], ("the text is empty", "文本为空")),
        ],
    )
    def test_what_cannot_be_learnt_is_refused(
        self, shell: Shell, rows: list[tuple[str, str]], says: tuple[str, str]
    ) -> None:
        shell.write("own.jsonl", lines(rows))
        for tongue, text in zip(("en", "zh"), says, strict=True):
            done = shell.run("train", "own.jsonl", "--alone", "--out", "own.bin", "--lang", tongue)
            assert done.code == 1 and text in done.err, done.err
        assert not Path("own.bin").exists()

    @pytest.mark.parametrize(
        ("out", "en", "zh"),
        [("nowhere/own.bin", "nowhere is no folder", "不是可以写入的文件夹"), (".", "is a folder", "是文件夹")],
    )
    def test_where_nothing_can_be_written_is_said_before_anything_is_learnt(
        self, shell: Shell, out: str, en: str, zh: str
    ) -> None:
        for tongue, text in (("en", en), ("zh", zh)):
            done = shell.run("train", "not there.jsonl", "--out", out, "--lang", tongue)
            assert done.code == 1 and text in done.err and "not there" not in done.err

    def test_without_any_texts(self, shell: Shell) -> None:
        done = shell.run("train", "--out", "own.bin")
        assert done.code == 1 and "--log" in done.err

    @pytest.mark.parametrize(("data", "says"), [(b"no model", "no model of task types"), (None, "cannot be read")])
    def test_a_config_that_names_no_model(self, shell: Shell, data: bytes | None, says: str) -> None:
        if data is not None:
            shell.write("own.bin", data)
        shell.write("pointsman.yaml", MODELS + "classifier: {file: own.bin}\n")
        done = shell.run("check")
        assert done.code == 1 and "classifier.file" in done.err and says in done.err
