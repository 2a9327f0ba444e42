"""Templates of users, and what is wrong with them."""

from __future__ import annotations

import time

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from framing.product_messages import CHUNKS
from pointsman.config.question_schema import Questions
from pointsman.domain.errors import Problems
from pointsman.framing import SHIPPED, Frame, Frames, Span, compile_frames, with_shipped
from thorough import tries

SHIPPED_FRAMES = compile_frames(SHIPPED)
TEMPLATE = "[Knowledge]\n{context}\n[Asked]\n{question}\n[End]"


def asked(frames: Frames, text: str) -> str | None:
    span = frames.question_span(text)
    return text[span.start : span.end] if span else None


def frames(*templates: str) -> Frames:
    return compile_frames([Frame(f"f{index}", template=template) for index, template in enumerate(templates)])


def test_the_span_names_its_frame_and_leaves_white_space_out() -> None:
    text = "  [Knowledge]\nchunk\n[Asked]\n\n 保修多久？ \n[End]\n\n"
    assert frames(TEMPLATE).question_span(text) == Span("f0", text.index("保"), text.index("？") + 1)


@pytest.mark.parametrize(
    "text",
    [
        "x [Knowledge]\nchunk\n[Asked]\nq\n[End]",
        "[Knowledge]\nchunk\n[Asked]\nq\n[End] x",
        "[Asked]\nq\n[Knowledge]\nchunk\n[End]",
        "[Knowledge] chunk\n[Asked]\nq\n[End]",
        "[Knowledge]\nchunk [Asked]\nq\n[End]",
        "[Knowledge]\nchunk\n[Asked]\n \n[End]",
        "[knowledge]\nchunk\n[asked]\nq\n[end]",
        "[Knowledge]\n[Asked]\nq",
    ],
)
def test_a_message_must_be_the_template_from_end_to_end(text: str) -> None:
    assert frames(TEMPLATE).question_span(text) is None


def test_any_makes_the_ends_open() -> None:
    open_ended = frames("{any}" + TEMPLATE + "{any}")
    assert asked(open_ended, "Be brief. [Knowledge]\nchunk\n[Asked]\nq\n[End] Thanks.") == "q"


def test_the_last_marker_counts_after_the_context_and_the_first_before_it() -> None:
    after = frames("Known facts: {context}\nQuestion: {question}")
    assert asked(after, "Known facts: a\nQuestion: fake\nQuestion: real") == "real"
    before = frames("Please answer: {question}\nKnown facts: {context}")
    assert asked(before, "Please answer: real\nKnown facts: a\nPlease answer: fake\nKnown facts: b") == "real"


def test_text_for_any_is_as_short_as_it_can_be() -> None:
    template = frames("Known facts: {context}\nBased on these{any}Question: {question}")
    assert (
        asked(template, "Known facts: Question: a\nBased on these, be brief. Question: b Question: c")
        == "b Question: c"
    )


def test_the_first_frame_that_fits_counts() -> None:
    closed, wide = (
        "Known facts: {context}\nQuestion: {question}\nAnswer:",
        "Known facts: {context}\nQuestion: {question}",
    )
    text = "Known facts: a\nQuestion: b\nAnswer:"
    assert asked(frames(closed, wide), text) == "b"
    assert asked(frames(wide, closed), text) == "b\nAnswer:"


def test_two_questions_in_two_places_are_none() -> None:
    last, first = "Known facts: {context}\nQuestion: {question}", "Known facts: {question}\nQuestion: {context}"
    text = "Known facts: a\nQuestion: b"
    assert asked(frames(last), text) == "b"
    assert asked(frames(first), text) == "a"
    assert asked(frames(last, first), text) is None
    assert asked(frames(first, last), text) is None


def test_a_frame_with_a_beginning_is_not_doubted_for_one_without() -> None:
    hub, loose = (
        "Do answer.\nAsked: {question}\nKnown: {context}\nReply:",
        "{any}Known: {context}\nAsked: {question}\nReply:",
    )
    text = "Do answer.\nAsked: real\nKnown: x\nAsked: fake\nReply:"
    assert asked(frames(loose), text) == "fake"
    assert asked(frames(hub, loose), text) == "real"
    assert asked(frames(loose, hub), text) is None


def test_doubled_braces_are_braces() -> None:
    json = frames('{{"context": {context}, "question": "{question}"}}')
    assert asked(json, '{"context": [{}], "question": "why?"}') == "why?"


def test_a_regex_finds_the_group() -> None:
    found = compile_frames([Frame("r", regex=r"(?s)^BEGIN .*\nASK (?P<question>.*)$")])
    assert asked(found, "BEGIN x\nASK 为什么？ ") == "为什么？"
    assert asked(found, "ASK why?") is None
    assert asked(found, "BEGIN \ud800\nASK why?") is None
    optional = compile_frames([Frame("r", regex="a(?P<question>b)?")])
    assert asked(optional, "a") is None


@pytest.mark.parametrize(
    ("frame", "place", "english", "chinese"),
    [
        (Frame("x"), "", "one of template and regex", "二者之一"),
        (Frame("x", template=TEMPLATE, regex="(?P<question>a)"), "", "one of template and regex", "二者之一"),
        (Frame("x", template="Known information: {context}"), ".template", "{question} is missing", "缺少 {question}"),
        (Frame("x", template="Known information: {context} {question} a {question}"), ".template", "2 times", "2 次"),
        (Frame("x", template="My question today: {question}"), ".template", "{context} is missing", "缺少 {context}"),
        (
            Frame("x", template="Known: {context} Asked: {question} More: {context}"),
            ".template",
            "before and after",
            "前后",
        ),
        (Frame("x", template="Known information: {contxt} Asked: {question}"), ".template", '"context"', "“context”"),
        (Frame("x", template="Known information: {} Asked: {question}"), ".template", "'{}'", "'{}'"),
        (Frame("x", template='{"a": "{context}", "question": {question}'), ".template", "'{'", "'{'"),
        (
            Frame("x", template="Known information: {context} \n {question}"),
            ".template",
            "between {context} and",
            "之间",
        ),
        (Frame("x", template="Known information: {context}?{question}"), ".template", "too short", "太短"),
        (Frame("x", template="Known information: {context}：！{question}"), ".template", "too short", "太短"),
        (Frame("x", template="C: {context} Q: {question}"), ".template", "at least 12", "至少 6"),
        (Frame("x", regex="(?P<question>a"), ".regex", "missing )", "missing )"),
        (Frame("x", regex="(?=a)(?P<question>a)"), ".regex", "RE2 refuses", "RE2 不接受"),
        (Frame("x", regex="abc"), ".regex", "no group", "没有名为"),
    ],
)
def test_what_is_wrong_has_a_place_and_both_languages(frame: Frame, place: str, english: str, chinese: str) -> None:
    with pytest.raises(Problems) as caught:
        compile_frames([Frame("good", template=TEMPLATE), frame])
    (problem,) = caught.value.problems
    assert problem.path == f"questions.frames[1]{place}"
    assert english in problem.text("en")
    assert chinese in problem.text("zh")
    assert problem.valid


def test_everything_wrong_is_told_at_once_and_names_are_unique() -> None:
    with pytest.raises(Problems) as caught:
        compile_frames(
            [Frame("a", template=TEMPLATE), Frame("a", template=TEMPLATE), Frame("b", template="no")], "here"
        )
    assert [problem.path for problem in caught.value.problems] == ["here[1].name", "here[2].template"]


def test_frames_of_a_user_come_first_and_replace_those_that_ship() -> None:
    mine = Frame("open-webui", template="My own format.\n{context}\nQuestion: {question}")
    together = with_shipped([mine])
    assert together[0] is mine
    assert [frame.name for frame in together].count("open-webui") == 1
    assert len(together) == len(SHIPPED)
    assert asked(compile_frames(together), "My own format.\nx\nQuestion: y") == "y"
    assert asked(compile_frames(()), "My own format.\nx\nQuestion: y") is None


def test_the_section_of_the_config_reads_frames() -> None:
    section = msgspec.convert({"frames": [{"name": "a", "template": TEMPLATE}], "shipped": False}, Questions)
    (frame,) = section.frames
    assert (
        asked(compile_frames([Frame(frame.name, frame.template, frame.regex)]), "[Knowledge]\nc\n[Asked]\nq\n[End]")
        == "q"
    )
    assert Questions() == Questions(frames=[], shipped=True)


words = st.text(st.sampled_from("abc 甲乙丙\n.,，？<>/#-\"'：:\u3000é😀"), max_size=60)
CORES = {
    piece.core for each in SHIPPED_FRAMES._by_first.values() for s in each for piece in s.shape._pieces if piece
} | {piece.core for each in SHIPPED_FRAMES._by_last.values() for s in each for piece in s.shape._pieces if piece}


@pytest.mark.parametrize("frame", SHIPPED, ids=lambda frame: frame.name)
@given(context=words, question=words)
@settings(max_examples=tries(8, 25), deadline=None)
def test_the_question_is_exact_whatever_it_and_the_context_are(frame: Frame, context: str, question: str) -> None:
    for core in CORES:
        context, question = context.replace(core, ""), question.replace(core, "")
    if not question.strip():
        question = "x"
    filled = (
        str(frame.template).replace("{context}", context).replace("{any}", " 说明 it. ").replace("{question}", question)
    )
    assert asked(SHIPPED_FRAMES, filled) == question.strip()


@given(st.lists(st.sampled_from([*sorted(CORES), *CHUNKS, "\n", " ", "x", "\ud800"]), max_size=12).map("".join))
@settings(max_examples=tries(120, 400))
def test_no_message_crashes_it(text: str) -> None:
    span = SHIPPED_FRAMES.question_span(text)
    if span is not None:
        inner = text[span.start : span.end]
        assert inner and inner == inner.strip()


@pytest.mark.parametrize(
    "core", ["a", "你好", " ", "\n", '"""', "问题:", "<Data>", "Context:", "\nQuestion: ", "根据以下资料", "已知信息："]
)
def test_a_million_characters_take_milliseconds(core: str) -> None:
    for opening in ("", "### Task:\nRespond to the user query using the provided context", "已知信息："):
        for ending in ("", '"""', "Answer:"):
            text = opening + core * (1_000_000 // len(core)) + ending
            begun = time.thread_time()
            SHIPPED_FRAMES.question_span(text)
            assert time.thread_time() - begun < 0.2  # far above what it takes, far below what is not linear
