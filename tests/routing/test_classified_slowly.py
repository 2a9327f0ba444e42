"""What is told of a text is what the slow and obvious way tells: the same task, the same confidence, the same difficulty, to
the last bit."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pointsman.domain.characters import whole_characters
from pointsman.learning.pieces import piece_set, piece_sets, pieces, plain
from pointsman.routing.classifier.both import both
from pointsman.routing.classifier.difficulty import shipped_difficulty
from pointsman.routing.classifier.instruction import instruction
from pointsman.routing.classifier.layout import layout
from pointsman.routing.classifier.tasks import shipped_tasks
from routing import slowly

SETS = Path(__file__).resolve().parents[1] / "sets"
SPOKEN = """translate summarise the following email please what is why write a poem code bug don't it's naïve über
请帮我 翻译 成英文 下面 的 会议记录 總結 為什麼 写一首诗 这段代码 數學 题 ，。 、 ： ？ ！ 「」 “” ‘’ （ ）
3 12 12345678 ３ ① ½ ﬁ ＡＢＣ ｱ ﾊﾟ が 한국어 привет สวัสดี مرحبا ß İ ſ 𝒳 𠮷 é e\u0301 _ a_b"""
CODED = (
    "$ x ( ) ; { } = => == > < <b> </b> / ' ` ``` \" “ ” ‘ ’ 7 函 é return function import def select from #include * :"
)
SPACES = [" ", "\n", "\t", "\r", "\x1c", "\x85", "\u00a0", "\u200b", "\u2028", "\u3000"]
WORDS = SPOKEN.split() + CODED.split() + SPACES
SIGNS = [*CODED.split(), *SPACES, "def ", "select "]
parts = st.one_of(st.sampled_from(WORDS), st.text(max_size=8), st.text("请個。，:“”'\"?\n ab0", max_size=30))
texts = st.builds(lambda by, found: by.join(found), st.sampled_from(["", " ", "\n"]), st.lists(parts, max_size=120))


def same(text: str) -> None:
    """`text` without halves of surrogate pairs."""
    spelt = plain(text)
    assert spelt == slowly.plain(text)
    assert pieces(spelt) == list(dict.fromkeys(slowly.pieces(spelt)))
    assert instruction(spelt) == slowly.instruction(spelt)
    assert layout(spelt) == slowly.layout(spelt)
    tasks, difficulty, row = shipped_tasks(), shipped_difficulty(), piece_set(spelt)
    told = slowly.task(tasks, text), slowly.difficulty(difficulty, text)
    assert tasks.of(spelt) == (told[0] if row else None)
    assert difficulty.of(text, row) == told[1]
    assert both(tasks, difficulty).of(text, spelt) == (told if row else None)
    asked = instruction(spelt)
    assert piece_sets(spelt, asked) == (set(slowly.pieces(spelt)), set(slowly.pieces(asked)))


@settings(max_examples=200)
@given(texts)
@example("")
@example("x" * 3000)
@example("the quick brown fox, " * 200)
@example("把下面这句话翻译成英文：" * 200)
def test_any_text(text: str) -> None:
    same(whole_characters(text))


@settings(max_examples=400)
@given(st.text("$x(){};=<>/ \nf函，\"'`:“”", max_size=40) | st.lists(st.sampled_from(SIGNS), max_size=20).map("".join))
@example("$return(x)")
@example("a() $b(c)")
@example("it's 'a quoted text that is long' isn't 'it that is longer than twenty'")
def test_code_and_quotes(text: str) -> None:
    spelt = plain(text)
    assert (layout(spelt), instruction(spelt)) == (slowly.layout(spelt), slowly.instruction(spelt))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_texts_of_the_sets(language: str) -> None:
    for line in (SETS / "tasks" / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()[::4]:
        same(json.loads(line)["text"])


@pytest.mark.slow
def test_long_questions() -> None:
    with gzip.open(SETS / "routing" / "scores_train.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            same(json.loads(line)["question"])
