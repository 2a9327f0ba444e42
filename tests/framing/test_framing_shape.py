"""Pieces laid over a message must lie where a slow and obvious search over all places says."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.framing.literal import Literal
from pointsman.framing.shape import Shape
from thorough import tries

PIECES = ["ab", "a", "bb", "ba"]
texts = st.text("ab.", max_size=14)


def placements(text: str, pieces: Sequence[str], at: int = 0) -> Iterator[tuple[int, ...]]:
    """Every way to put these pieces into the text one after another: their beginnings."""
    if not pieces:
        yield ()
        return
    for start in range(at, len(text) - len(pieces[0]) + 1):
        if text.startswith(pieces[0], start):
            for rest in placements(text, pieces[1:], start + len(pieces[0])):
                yield (start, *rest)


def obvious(text: str, pieces: Sequence[str], holes: Sequence[str]) -> tuple[int, int] | None:
    asked = holes.index("question")
    firm = [(index, piece) for index, piece in enumerate(pieces) if piece]
    found = []
    for starts in placements(text, [piece for _, piece in firm]):
        at = {index: start for (index, _), start in zip(firm, starts, strict=True)}
        if 0 in at and at[0] != 0:
            continue
        if (last := len(pieces) - 1) in at and at[last] + len(pieces[last]) != len(text):
            continue
        found.append(at)
    if not found:
        return None
    if "context" in holes[asked:]:
        best = min(found, key=lambda at: (at.get(asked, 0), at[asked + 1]))
    else:
        lead = max(index for index in range(asked) if holes[index] == "context") + 1
        best = min(found, key=lambda at: (-at.get(asked + 1, len(text)), -at[lead], at[asked]))
    return best.get(asked, 0) + len(pieces[asked]), best.get(asked + 1, len(text))


HOLES = [
    ("context", "question"),
    ("context", "any", "question"),
    ("any", "context", "question"),
    ("context", "context", "question"),
    ("context", "any", "question", "any"),
    ("question", "context"),
    ("any", "question", "context"),
    ("question", "any", "context", "any"),
]


@given(st.data())
@settings(max_examples=tries(180, 600))
def test_shapes_agree_with_the_obvious_search(data: st.DataObject) -> None:
    holes = data.draw(st.sampled_from(HOLES))
    ends = st.sampled_from(["", *PIECES])
    pieces = [
        data.draw(ends),
        *(data.draw(st.sampled_from(PIECES)) for _ in holes[1:]),
        data.draw(ends),
    ]
    text = data.draw(texts)
    shape = Shape([Literal(piece) if piece else None for piece in pieces], holes)
    assert shape.question(text, 0, len(text)) == obvious(text, pieces, holes)


def test_all_short_texts_agree() -> None:
    for holes in HOLES[:3] + HOLES[5:7]:
        pieces = ["a", *("b" for _ in holes[1:]), ""]
        shape = Shape([Literal(piece) if piece else None for piece in pieces], holes)
        for text in map("".join, itertools.product("ab.", repeat=6)):
            assert shape.question(text, 0, 6) == obvious(text, pieces, holes), (text, holes)


@pytest.mark.parametrize(
    ("piece", "text", "where"),
    [
        ("Given the text", "Given  the\n text", (0, 16)),
        ("Given the text", "Giventhe text", None),
        ("根据 以下", "根据以下", (0, 4)),
        ("根据以下", "根据 以下", None),
        ("问题：", "问题:", (0, 3)),
        ("问题:", "x问题：", (1, 4)),
        ("Question?", "question?", None),
        ("a\nb", "a b", None),
        ("a\nb", "a \r\n\n b", (0, 7)),
        ("a\n", "xa \n\ny", (1, 4)),
        ("a\n", "xa y", None),
        ("\na", "x\n\n a", (2, 5)),
        ("\na", "xa", None),
        ("a b", "a" + " " * 200 + "b", (0, 202)),
        ("a b", "a" + " " * 201 + "b", None),
        ("a b", "a\u3000b", (0, 3)),
        ("ab cd", "ab ab cd", (3, 8)),
        ("a b", "aa b", (1, 4)),
    ],
)
def test_a_piece_is_flexible_in_white_space_and_width(piece: str, text: str, where: tuple[int, int] | None) -> None:
    literal = Literal(piece)
    assert literal.first(text, 0, len(text)) == where
    assert literal.last(text, 0, len(text)) == where
    at_start = literal.at_start(text, 0, len(text))
    assert at_start == (where if where and where[0] == 0 else None)
    at_end = literal.at_end(text, 0, len(text))
    if where and where[1] == len(text):
        assert at_end == where


def test_the_first_and_the_last_place_differ() -> None:
    literal = Literal("to be")
    text = "to be or not to  be."
    assert literal.first(text, 0, len(text)) == (0, 5)
    assert literal.last(text, 0, len(text)) == (13, 19)
    assert literal.first(text, 1, len(text)) == (13, 19)
    assert literal.last(text, 0, 18) == (0, 5)
    assert literal.first(text, 0, 4) is None


@pytest.mark.parametrize("source", ["：", " ?! ", "(:)"])
def test_punctuation_alone_is_no_piece(source: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Literal(source)


def test_a_piece_that_begins_a_thousand_times_without_being_there_is_given_up() -> None:
    literal = Literal("to bee")
    near, far = "bee " * 999, "bee " * 1000
    assert literal.first(near + "to bee", 0, len(near) + 6) == (len(near), len(near) + 6)
    assert literal.first(far + "to bee", 0, len(far) + 6) is None
    assert literal.last("to bee " + near, 0, len(near) + 7) == (0, 6)
    assert literal.last("to bee " + far, 0, len(far) + 7) is None
