"""One pass for many patterns must say what each pattern by itself would."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from pointsman.features import signs
from pointsman.features.latin import FOREIGN
from pointsman.features.sieve import Sieve
from pointsman.features.wildcards import pieces

SETS = Path(__file__).resolve().parent.parent / "sets"
PATTERNS = [signs.CODE, signs.BRIEF, signs.GREETING]
ALONE = [re2.compile(pattern) for pattern in PATTERNS]
WORDS = [word for pattern in PATTERNS for word in re2.compile(r"[\p{Han}]+|[a-z]+").findall(pattern)]
BETWEEN = ["", "", " ", " ", "的", ".", "\n", " x" * 30, "甲" * 25, "(", ") {", ";", "=", "1", "é"]


@pytest.mark.parametrize(
    ("pattern", "plain", "wild", "begins"),
    [
        ("ab|c", "ab|c", "", ""),
        ("(?i)a|b.{1,3}c|d", "(?i)a|d", "(?i)b.{1,3}c", "(?i)b"),
        ("a(?:b|c.*d)e|f", "f", "a(?:b|c.*d)e", "a(?:b|c)"),
        ("a(?:b.c)?d", "a(?:b.c)?d", "", ""),
        ("a(?:b.*c)?d", "", "a(?:b.*c)?d", "a"),
        (r"[|)(.]\|\.{2,3}x", "", r"[|)(.]\|\.{2,3}x", r"[|)(.]\|"),
        (r"\p{Han}+?\x{C0}.+|[]a]b", "[]a]b", r"\p{Han}+?\x{C0}.+", r"\p{Han}+?\x{C0}"),
        (r"(?s:x.{0,9}y)|z", "z", r"(?s:x.{0,9}y)", "(?s:x)"),
    ],
)
def test_a_pattern_falls_into_pieces_at_its_wildcards(pattern: str, plain: str, wild: str, begins: str) -> None:
    assert pieces(pattern) == (plain, wild, begins)


def agree(text: str) -> None:
    data = text.encode()
    marks = signs.SIGNS.look(data)
    alone = [pattern.search(text) is not None for pattern in ALONE]
    assert [signs.SIGNS.holds(number, data, marks) for number in range(3)] == alone
    assert (signs.IS_GREETING in marks) == alone[-1]


def test_the_sets_of_the_tests() -> None:
    for path in sorted(SETS.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            agree(line)
            agree(str(json.loads(line).get("text", "")))


@pytest.mark.parametrize("seed", range(4))
def test_texts_of_the_words_of_the_patterns(seed: int) -> None:
    rnd = random.Random(seed)
    for _ in range(500):
        agree("".join(rnd.choice(WORDS) + rnd.choice(BETWEEN) for _ in range(rnd.randint(1, 8))))


@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    agree(text)
    marks = signs.SIGNS.look(text.encode())
    assert (signs.HAS_HAN in marks) == (re2.search(r"\p{Han}", text) is not None)
    assert (signs.HAS_LATIN in marks) == (re2.search(r"[A-Za-z\x{C0}-\x{24F}]", text) is not None)
    assert (signs.HAS_OTHER_SCRIPT in marks) == (re2.search(f"[{signs.OTHER_SCRIPTS}]", text) is not None)


@pytest.mark.parametrize("word", sorted(FOREIGN))
def test_a_foreign_word_is_seen_wherever_it_stands(word: str) -> None:
    for text in (word, f"x {word.upper()}?", f"({word})", f"a\u3000{word}\x1fb"):
        assert signs.MAY_BE_FOREIGN in signs.SIGNS.look(text.encode())


def test_marks_of_a_sieve() -> None:
    sieve = Sieve(["a", "b.*c", "d|e.{2}f"])
    data = b"b x"
    assert not sieve.holds(1, data, sieve.look(data))
    data = b"e--f b c"
    marks = sieve.look(data)
    assert [sieve.holds(number, data, marks) for number in range(3)] == [False, True, True]
    assert sieve.mark(0) in sieve.look(b"a")
    assert not sieve.look(b"zzz")
