"""Heads from examples: any size of set, the same each time, sure of what they know and of nothing else."""

from __future__ import annotations

import msgspec
import numpy
import pytest

from pointsman.arbiter.calibration import confidence
from pointsman.arbiter.fitting import ranked, rounded
from pointsman.arbiter.lesson import Lesson, lesson_of, unlike, with_background
from pointsman.arbiter.ngrams import counted
from pointsman.arbiter.shipped_intents import shipped_intents
from pointsman.arbiter.shipped_outside import shipped_outside
from pointsman.arbiter.stored import FORM, calibration_hash, decoded, encoded, lesson_hash
from pointsman.arbiter.training import Trained, heard, outside_share, train
from pointsman.domain.intent import OPEN_ENDED, Heard, Intent


def vectors_of(texts: tuple[str, ...]) -> numpy.ndarray:
    """Stands for an embedding: sums of fixed directions of a text's pieces."""
    found = numpy.zeros((len(texts), 32), numpy.float32)
    for line, text in enumerate(texts):
        for key in counted(text):
            found[line, key % 32] += 1 if key & 64 else -1
        found[line, 0] += 1e-3
    return found / numpy.linalg.norm(found, axis=1, keepdims=True)


def said(trained: Trained, text: str) -> tuple[str, float, Heard]:
    vector = vectors_of((text,))[0] if trained.heads.meaning else None
    found, odds = heard(trained.heads, text, vector)
    first = Heard(arbiter="", model="", scores=ranked(trained.heads.names, found), outside=rounded(odds))
    return *confidence(first, trained.calibration), first


def with_vectors(lesson: Lesson) -> Lesson:
    return lesson._replace(vectors=vectors_of(lesson.texts), embedding="test")


@pytest.fixture(scope="module")
def shipped() -> Trained:
    return train(lesson_of(tuple(shipped_intents().values()), shipped_outside()))


def test_by_spelling_alone(shipped: Trained) -> None:
    assert shipped.heads.embedding is None
    intent, sure, _ = said(shipped, "请导出上个月的销售报表，PDF")
    assert intent == "export_report" and sure > 0.7
    assert said(shipped, "draw a picture of two cats")[0] == "draw_image"
    intent, sure, _ = said(shipped, "给我讲个有意思的故事吧")
    assert intent == OPEN_ENDED or sure < 0.5
    assert said(shipped, "")[1] < 0.7


def test_equal_input_gives_equal_heads() -> None:
    intents = tuple(shipped_intents().values())[:3]
    lesson = with_vectors(lesson_of(intents, shipped_outside()))
    again = with_vectors(lesson_of(intents[::-1], shipped_outside()))
    assert lesson_hash(lesson) == lesson_hash(again)
    assert encoded(train(lesson)) == encoded(train(again))
    assert lesson_hash(lesson) != lesson_hash(with_vectors(lesson_of(intents, shipped_outside()[1:])))


def test_kept_and_read_again(shipped: Trained) -> None:
    for trained in (shipped, train(with_vectors(lesson_of(tuple(shipped_intents().values())[:2])))):
        read = decoded(encoded(trained))
        assert said(read, "导出报表")[2] == said(trained, "导出报表")[2]
        assert read.calibration == trained.calibration
        assert calibration_hash(read.calibration) == calibration_hash(trained.calibration)
    with pytest.raises(ValueError, match="another form"):
        decoded(msgspec.msgpack.encode({**msgspec.msgpack.decode(encoded(shipped)), "form": FORM + 1}))
    with pytest.raises(ValueError):
        decoded(b"\x81\xa4form\x01")


@pytest.mark.parametrize("embedding", [False, True])
@pytest.mark.parametrize(
    ("intents", "outside"),
    [
        ([Intent("one", examples=("export the report",))], ()),
        ([Intent("one", examples=("export the report", "报表导出"))], ("tell me a joke",)),
        ([Intent("one", {"en": "Export a report"})], ()),
        ([Intent("a", examples=("x",)), Intent("b", examples=("x",)), Intent("empty")], ("", "y")),
        ([Intent("a", examples=("draw a cat", "paint a dog"), counter_examples=("draw a conclusion",))], ()),
    ],
)
def test_small_sets(intents: list[Intent], outside: tuple[str, ...], embedding: bool) -> None:
    lesson = lesson_of(intents, outside)
    trained = train(with_vectors(lesson) if embedding else lesson)
    for text in ("export the report", "", "something else entirely", "x"):
        intent, sure, first = said(trained, text)
        assert 0 <= sure <= 1 and 0 <= first.outside <= 1
        assert intent in {OPEN_ENDED, *(each.name for each in intents)}
        assert abs(sum(score for _, score in first.scores) - 1) < 1e-3


def test_a_set_that_is_too_large_is_thinned() -> None:
    intents = [Intent(f"i{place}", examples=tuple(f"text {place} {n}" for n in range(3000))) for place in range(9)]
    lesson = lesson_of(intents)
    assert len(lesson.texts) <= 20_000 and (numpy.bincount(lesson.labels) >= 2000).all()


def test_general_talk_that_is_like_an_example_is_none() -> None:
    intents = [Intent("draw", examples=("draw a cat on the moon", "paint a dog on the hill"))]
    lesson = with_vectors(lesson_of(intents))
    others = ("draw a cat on the moon please", "what is the capital of France", "写一首诗")
    places = unlike(lesson, vectors_of(others))
    assert 0 not in places.tolist() and {1, 2} <= set(places.tolist())
    more = with_background(lesson, [counted(others[1])], vectors_of(others)[1:2])
    assert more.classes == 2 and more.background == 1 and len(more.texts) == len(lesson.texts) + 1
    train(more)


def test_what_is_assumed_to_be_outside() -> None:
    assert outside_share(1) > 0.9 and outside_share(15) == 0.5 and outside_share(150) < 0.1
