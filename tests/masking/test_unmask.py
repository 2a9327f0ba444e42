"""Values come back into whole replies and into streams, wherever these are cut."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.engine import DONE, USAGE, conversation, delta, event, events_of
from pointsman.http.openai.aggregate import Aggregate
from pointsman.masking import UnmaskedStream, Unmasker

VALUES = {
    "<PHONE_1>": "13812345678",
    "<PHONE_11>": "+49 30 1",
    "<SECRET_1>": 'a"b\\c\n你',
    "<ID_CARD_1>": "11010519491231002X",
}
UNMASKER = Unmasker(VALUES)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    return [data[start:end] for start, end in pairwise([0, *sorted(places), len(data)])]


def through(pieces: list[bytes], unmasker: Unmasker = UNMASKER) -> bytes:
    stream = UnmaskedStream(unmasker)
    return b"".join([*map(stream.feed, pieces), stream.flush()])


def whole(stream: bytes) -> dict[str, Any]:
    aggregate = Aggregate()
    aggregate.feed(stream)
    return aggregate.result()


def expected(text: str, values: dict[str, str] = VALUES) -> str:
    """One name after the other: no value holds another's name."""
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def call(arguments: str, index: int = 0, **more: Any) -> bytes:
    return delta(None, tool_calls=[{"index": index, "function": {"arguments": arguments}} | more])


words = st.sampled_from(
    [*VALUES, "<PHONE_2>", "<PHO", "NE_1>", "PHONE_1>", "<", ">", "_1>", "<b>", " 你好 ", "\\", "\\u003c", '"', "x"]
)
texts = st.lists(words, max_size=8).map("".join)


@given(texts)
def test_known_names_become_values_and_all_else_stays(text: str):
    assert UNMASKER.text(text) == expected(text)


@given(st.lists(st.lists(words, max_size=4).map("".join), max_size=8), st.data())
def test_a_text_in_any_pieces_gives_what_it_gives_in_one(pieces: list[str], data: st.DataObject):
    stream = conversation(*pieces)
    got = through(cut(stream, data.draw(st.lists(st.integers(0, len(stream)), max_size=9))))
    assert whole(got)["choices"][0]["message"]["content"] == expected("".join(pieces))
    assert got.endswith(DONE)


def test_a_stream_split_at_every_byte_and_a_text_at_every_character():
    text = "Ruf <PHONE_1> an, nicht <PHONE_2>: <PHONE_11>! <<SECRET_1>> <ID_CARD"
    stream = conversation(*text)
    once = through([stream])
    assert whole(once)["choices"][0]["message"]["content"] == expected(text)
    for place in range(0, len(stream), 3):
        assert through(cut(stream, [place])) == once
    assert through([stream[at : at + 1] for at in range(len(stream))]) == once


def test_only_what_may_begin_a_placeholder_is_kept_back():
    stream = UnmaskedStream(UNMASKER)

    def said(text: str) -> str:
        events = events_of(stream.feed(delta(text)))
        return "".join(event["choices"][0]["delta"]["content"] for event in events)

    assert said("abc<") == "abc"
    assert said("P") == ""
    assert said("x") == "<Px"
    assert said("a<PHONE_1") == "a"
    assert said("2 <b> <PHONE_1") == "<PHONE_12 <b> "
    assert said(">!") == "13812345678!"
    assert said("<phone_1>") == "<phone_1>"


def test_without_placeholders_every_byte_passes_at_once():
    odd = b'data: {"id":"c",  "choices":[ {"index":0,"delta":{"content":"<\\u4f60 1"},"x":1.50} ]}\r\n\r\n'
    stream = UnmaskedStream(UNMASKER)
    assert stream.feed(odd) == odd
    assert stream.feed(b": waiting\n\ndata: {bad <\n\n") == b": waiting\n\ndata: {bad <\n\n"


def test_what_is_kept_comes_with_the_end_of_its_choice_with_the_end_of_the_stream_or_before_an_error():
    kept = through([delta("a <PHO"), delta(finish="stop"), USAGE, DONE])
    assert whole(kept)["choices"][0]["message"]["content"] == "a <PHO" and len(events_of(kept)) == 3
    assert whole(kept)["usage"]["total_tokens"] == 5
    unfinished = through([delta("a <PHO"), DONE])
    assert whole(unfinished)["choices"][0]["message"]["content"] == "a <PHO" and unfinished.endswith(DONE)
    assert {event["id"] for event in events_of(unfinished)} == {"c1"}
    broken = through([delta("a <PHO"), event({"error": {"message": "no"}})])
    assert [*map(set, events_of(broken))][-1] == {"error"} and events_of(broken)[1]["choices"][0]["delta"][
        "content"
    ] == "<PHO"
    assert whole(through([delta("a <PHO")]))["choices"][0]["message"]["content"] == "a <PHO"


@given(
    st.dictionaries(st.sampled_from("abc"), texts, min_size=1),
    st.booleans(),
    st.data(),
)
def test_arguments_of_a_call_stay_json_with_the_values_in_it(arguments: dict[str, str], go: bool, data: st.DataObject):
    """Go's encoder, and so Ollama, writes `<` as an escape."""
    text = json.dumps(arguments, ensure_ascii=data.draw(st.booleans()))
    if go:
        text = text.replace("<", "\\u003c").replace(">", "\\u003e")
    pieces = cut(text.encode("utf-16-le"), [2 * n for n in data.draw(st.lists(st.integers(0, len(text)), max_size=9))])
    stream = b"".join(call(piece.decode("utf-16-le")) for piece in pieces) + delta(finish="tool_calls") + DONE
    got = whole(through(cut(stream, data.draw(st.lists(st.integers(0, len(stream)), max_size=5)))))
    function = got["choices"][0]["message"]["tool_calls"][0]["function"]
    assert json.loads(function["arguments"]) == {key: expected(value) for key, value in arguments.items()}


def test_calls_beside_each_other_and_words_are_told_apart():
    stream = [
        delta("w <PHO", tool_calls=[{"index": 0, "id": "i", "function": {"name": "f", "arguments": '"<PH'}}]),
        call('"\\u003cSECR', 1),
        call("ONE_1>", 0),
        call('ET_1>"', 1),
        delta("NE_1>", reasoning="<PHONE_1"),
        call('"<PHONE_', 0),
        delta(finish="tool_calls"),
        DONE,
    ]
    message = whole(through(stream))["choices"][0]["message"]
    assert message["content"] == "w 13812345678" and message["reasoning"] == "<PHONE_1"
    first, second = (one["function"]["arguments"] for one in message["tool_calls"])
    assert first == '"13812345678"<PHONE_' and json.loads(second) == VALUES["<SECRET_1>"]
    assert message["tool_calls"][0]["id"] == "i" and message["tool_calls"][0]["function"]["name"] == "f"


def test_several_choices_and_plain_completions():
    def piece(index: int, text: str, finish: str | None = None) -> bytes:
        return event(
            {"object": "text_completion", "choices": [{"index": index, "text": text, "finish_reason": finish}]}
        )

    got = whole(
        through([piece(0, "<PHO"), piece(1, "<SEC"), piece(0, "NE_1>", "stop"), piece(1, "x<", "length"), DONE])
    )
    assert [(choice["text"], choice["finish_reason"]) for choice in got["choices"]] == [
        ("13812345678", "stop"), ("<SECx<", "length"),
    ]  # fmt: skip


def test_names_escaped_by_the_engines_own_json_are_found():
    raw = b'data: {"choices":[{"index":0,"delta":{"content":"\\u003cPHONE_1\\u003e"}}]}\n\n'
    assert events_of(through([raw]))[0]["choices"][0]["delta"]["content"] == "13812345678"


def test_json_that_was_asked_for_stays_json():
    text = json.dumps({"password": "<SECRET_1>"})
    got = whole(through([conversation(*text)], Unmasker(VALUES, json=True)))["choices"][0]["message"]["content"]
    assert json.loads(got) == {"password": VALUES["<SECRET_1>"]}


@pytest.mark.parametrize("ending", [b"\n\n", b"\r\n\r\n"])
def test_lines_keep_their_ends(ending: bytes):
    stream = conversation("<PHONE_1>", "x").replace(b"\n\n", ending)
    got = through([stream])
    assert got.count(ending) == stream.count(ending) and got.count(b"\n") == stream.count(b"\n")
    assert b"13812345678" in got


def reply(**message: Any) -> bytes:
    return json.dumps({"id": "x", "choices": [{"index": 0, "message": message}], "usage": {"total_tokens": 3}}).encode()


def test_a_whole_reply():
    calls = [{"id": "c", "function": {"name": "f", "arguments": '{"s": "<SECRET_1>"}'}}]
    data = reply(content="<PHONE_1> <PHONE_2>", reasoning_content="<PHONE_11>", tool_calls=calls)
    got = json.loads(UNMASKER.data(data))
    message = got["choices"][0]["message"]
    assert message["content"] == "13812345678 <PHONE_2>" and message["reasoning_content"] == "+49 30 1"
    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {"s": VALUES["<SECRET_1>"]}
    assert got["usage"] == {"total_tokens": 3} and got["id"] == "x"


@pytest.mark.parametrize("data", [reply(content="<PHONE_2> 1.50"), b"no json <PHONE_1>", b"[1, <", b'"<PHONE_1>"', b""])
def test_a_reply_without_known_placeholders_is_byte_for_byte_the_engines(data: bytes):
    assert UNMASKER.data(data) is data


def test_documents_that_a_ranking_gives_back():
    data = json.dumps(
        {"results": [{"index": 0, "document": {"text": "<PHONE_1>"}}, {"index": 1, "document": "<PHONE_1>"}]}
    )
    results = json.loads(UNMASKER.data(data.encode()))["results"]
    assert [result["document"] for result in results] == [{"text": "13812345678"}, "13812345678"]


def test_what_may_begin_a_placeholder_is_exactly_what_does():
    """The slow way: all beginnings of all names, in every way to write their ends."""
    names = [*VALUES, "<PHONE_12>"]
    unmasker = Unmasker(dict.fromkeys(names, "x"))
    plain = {name[:end] for name in names for end in range(1, len(name))}
    opens, closes = ("<", "\\u003c", "\\u003C"), (">", "\\u003e", "\\u003E")
    escaped = {open_ + name[1:-1] + close for name in names for open_ in opens for close in closes}
    in_json = {name[:end] for name in escaped for end in range(1, len(name))}
    others = {text[:at] + "Q" + text[at + 1 :] for text in in_json for at in range(len(text))} | escaped | set(names)
    for text in plain | in_json | others:
        assert (unmasker.held(text, False) == len(text)) is (text in plain), text
        assert (unmasker.held(text, True) == len(text)) is (text in in_json), text


@pytest.mark.parametrize(
    "value", ["<PHONE_1>", "\\u003cPHONE_1>", "\\<PHONE_1>", "\\\\<PHONE_1>", "\\u003cPHONE_1\\u003e", "\\"]
)
def test_escapes_in_arguments_cut_at_every_place(value: str):
    """Behind an escaped backslash `u003c` is only text."""
    text = json.dumps({"a": value}).replace("<", "\\u003c").replace(">", "\\u003e")
    for place in range(len(text)):
        stream = call(text[:place]) + call(text[place:]) + delta(finish="tool_calls") + DONE
        for pieces in ([stream], stream.split(b"\n")):
            got = whole(through(pieces if len(pieces) == 1 else [piece + b"\n" for piece in pieces]))
            arguments = got["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"]
            assert json.loads(arguments) == {"a": value.replace("<PHONE_1>", "13812345678")}
