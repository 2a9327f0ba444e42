"""A batch's input: cut into lines, checked, and put into lots."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.http.openai.batch_lines import BatchLines
from pointsman.pipeline.batches.check import SHOWN, Checked, check
from pointsman.pipeline.batches.input_lines import InputLine, input_lines, lots
from thorough import tries

CHAT = "/v1/chat/completions"


async def given_as(pieces: Iterable[bytes]) -> AsyncGenerator[bytes, None]:
    for piece in pieces:
        yield piece


async def read(pieces: Iterable[bytes], longest: int = 100) -> list[InputLine]:
    return [line async for some in input_lines(given_as(pieces), longest) for line in some]


def plainly(data: bytes, longest: int) -> list[InputLine]:
    """The slow, obvious way."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    found = [(number, None if len(line) > longest else line.strip(b" \t\r")) for number, line in enumerate(lines, 1)]
    return [(number, line) for number, line in found if line != b""]


@settings(max_examples=tries(300, 1000))
@given(
    st.lists(
        st.sampled_from([b"a", b"\n", b"\r\n", b" ", b"\t", b"\xef\xbb\xbf", b"\xff", b"0123456789"]), max_size=40
    ),
    st.lists(st.integers(0, 80), max_size=6),
)
async def test_lines_are_the_same_however_the_file_is_cut(parts: list[bytes], cuts: list[int]):
    data = b"".join(parts)
    at = [0, *sorted({cut for cut in cuts if 3 <= cut < len(data)}), len(data)]
    pieces = [data[begin:end] for begin, end in itertools.pairwise(at)]
    assert await read(pieces, 12) == plainly(data, 12)


async def test_a_line_that_never_ends_is_not_kept():
    pieces = [b"x" * 1000] * 1000
    assert await read([b"a\n", *pieces, b"\nb"]) == [(1, b"a"), (2, None), (3, b"b")]


@given(st.lists(st.integers(0, 30), max_size=60), st.integers(1, 7), st.integers(1, 60), st.integers(0, 70))
async def test_lots_begun_behind_a_lot_are_the_lots_that_there_were(
    sizes: list[int], most: int, size: int, behind: int
):
    lines = [(number, b"x" * length or None) for number, length in enumerate(sizes, 1)]

    async def put(skip: int) -> list[list[InputLine]]:
        async def some() -> AsyncIterator[list[InputLine]]:
            for at in range(0, len(lines), 4):
                yield lines[at : at + 4]

        return [lot async for lot in lots(some(), most, size, skip)]

    whole = await put(0)
    assert [line for lot in whole for line in lot] == lines and all(0 < len(lot) <= most for lot in whole)
    done = 0
    for index, lot in enumerate(whole[:behind]):
        done += len(lot)
        assert await put(done) == whole[index + 1 :]


def request(name: Any = "a", **changes: Any) -> bytes:
    line = {"custom_id": name, "method": "POST", "url": CHAT, "body": {"model": "m", "messages": []}} | changes
    return json.dumps({key: value for key, value in line.items() if value is not ...}, ensure_ascii=False).encode()


async def checked(*lines: bytes, most: int = 1000, longest: int = 10_000) -> Checked:
    return await check(given_as([b"\n".join(lines)]), CHAT, BatchLines(), most=most, longest=longest)


async def test_a_sound_file_has_its_requests_counted():
    assert await checked(b"\xef\xbb\xbf" + request("a") + b"\r", b"", request("b", extra=1), b"  ") == Checked(2, ())


@pytest.mark.parametrize(
    ("line", "code", "param", "about"),
    [
        (b"{", "invalid_json", None, ("column 2", "第 2 列")),
        (b"[]", "invalid_json", None, ("JSON object", "JSON 对象")),
        (b'{"custom_id": "\xff"}', "invalid_json", None, ("UTF-8", "UTF-8")),
        (b'{"custom_id":"a","custom_id":"b"}', "duplicate_key", "custom_id", ("twice", "两次")),
        (request(body={"a": 1}).replace(b'"a": 1', b'"a": 1, "a": 2'), "duplicate_key", "a", ("twice", "两次")),
        (request(...), "invalid_custom_id", "custom_id", ("512", "512")),
        (request(""), "invalid_custom_id", "custom_id", ("512", "512")),
        (request(7), "invalid_custom_id", "custom_id", ("512", "512")),
        (request("x" * 513), "invalid_custom_id", "custom_id", ("512", "512")),
        (request("one"), "duplicate_custom_id", "custom_id", ("line 1", "第 1 行")),
        (request(method="GET"), "invalid_method", "method", ("GET", "GET")),
        (request(method=...), "invalid_method", "method", ("POST", "POST")),
        (request(url="/v1/embeddings"), "mismatched_url", "url", (CHAT, CHAT)),
        (request(url=...), "mismatched_url", "url", (CHAT, CHAT)),
        (request(body="text"), "invalid_body", "body", ("object", "对象")),
        (request(body=...), "invalid_body", "body", ("object", "对象")),
        (request("b", body={"text": "x" * 10_000}), "line_too_long", None, ("10000", "10000")),
    ],
)
async def test_what_is_wrong_is_told_with_its_line(line: bytes, code: str, param: str | None, about: tuple[str, str]):
    found = await checked(request("one"), request("two"), line, request("four"))
    [problem] = found.problems
    assert (problem.code, problem.line, problem.param) == (code, 3, param)
    assert about[0] in problem.message[0] and about[1] in problem.message[1]


async def test_an_empty_file_is_told():
    for data in (b"", b"\n \r\n", b"\xef\xbb\xbf"):
        [problem] = (await checked(data)).problems
        assert (problem.code, problem.line) == ("empty_file", None)


async def test_too_many_requests_are_told():
    [problem] = (await checked(*(request(f"r{n}") for n in range(301)), most=300)).problems
    assert problem.code == "too_many_requests" and "300" in problem.message[0] and "300" in problem.message[1]
    assert not (await checked(*(request(f"r{n}") for n in range(300)), most=300)).problems


async def test_no_more_problems_are_listed_than_somebody_reads():
    found = await checked(*[b"{"] * 1000)
    assert len(found.problems) == SHOWN and [problem.line for problem in found.problems] == [*range(1, SHOWN + 1)]
