"""What `bench admission` makes of replies, and how its client reads them."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.bench.admission.arrivals import (
    CALLS,
    CHAIN,
    Arrival,
    Shape,
    arrivals,
    fitting,
    mean_tokens,
    prompt_of,
)
from pointsman.bench.admission.client import Outcome, Reply, ask
from pointsman.bench.admission.figures import fairness, figures, max_min, waits
from pointsman.bench.admission.gateway import Asked, unaccounted

AMOUNTS = st.dictionaries(st.text("abcdef", min_size=1, max_size=2), st.floats(0.1, 100), min_size=1, max_size=8)


def reply(caller: str = "a", outcome: Outcome = "ok", first: float | None = 1.0, **more: object) -> Reply:
    made = Reply(Arrival(0.0, caller, 90, 10), 0.0, outcome, first=first, total=2.0, tokens=10)
    for name, value in more.items():
        setattr(made, name, value)
    return made


@given(AMOUNTS, st.floats(0.0, 1.0))
def test_shares_are_the_largest_equal_ones(asked: dict[str, float], part: float) -> None:
    whole = sum(asked.values()) * part
    shares = max_min(asked, whole)
    assert shares.keys() == asked.keys() and sum(shares.values()) == pytest.approx(whole)
    largest = max(shares.values())
    for name, share in shares.items():
        assert share <= asked[name] * (1 + 1e-9)
        assert share == pytest.approx(largest) or share == pytest.approx(asked[name])


def test_fairness() -> None:
    even = [reply("a"), reply("b"), reply("b", "shed", None)]
    assert fairness(even, 10.0) == pytest.approx(1.0)
    flooded = [reply("a", "timeout", None), *(reply("b") for _ in range(40))]
    assert fairness(flooded, 10.0) == pytest.approx(0.5)
    assert fairness([reply("a", "shed", None)], 10.0) == 0.0


def test_figures_count_each_request_once() -> None:
    values = figures([reply(), reply(first=11.0), reply(CHAIN, "shed", None), reply("b", "timeout", None)], 10.0, 10.0)
    assert [values[f"{name}_n"] for name in ("sent", "ok", "shed", "error", "timeout", "lost", "good")] == [
        4, 2, 1, 0, 1, 0, 1,
    ]  # fmt: skip
    assert values["good_tokens_per_s"] == 1.0 and values["others_good_ratio"] == pytest.approx(1 / 3)


def test_estimates_are_held_against_what_was_waited() -> None:
    told = [reply(placed=0.5, estimate=3.0, admitted=4.5), reply(placed=0.5, estimate=6.0, admitted=2.5)]
    values = waits([*told, reply(placed=0.5, estimate=3.0), reply()])
    assert (values["estimated_n"], values["estimate_error_median_s"], values["estimate_off_median_s"]) == (2, 1.5, 2.5)


def test_the_same_seed_asks_the_same_and_bursts_stay() -> None:
    shape = Shape(chains=(0.25,))
    first, again = arrivals(2.0, 60.0, 7, shape), arrivals(2.0, 60.0, 7, shape)
    assert first == again != arrivals(2.0, 60.0, 8, shape)
    assert sum(each.caller == CHAIN for each in first) == CALLS
    assert [each.at for each in first] == sorted(each.at for each in first)
    usual = [each for each in first if each.caller != CHAIN]
    assert 60 <= len(usual) <= 200 and all(each.at < 60.0 for each in first)
    chain = [prompt_of(each, 7) for each in first if each.caller == CHAIN]
    assert len(set(chain)) == CALLS and len({text[:500] for text in chain}) == 1


@pytest.mark.parametrize("speed", [10.0, 40.0, 400.0])
def test_lengths_fit_the_engine(speed: float) -> None:
    shape = fitting(speed, 20.0, ())
    assert mean_tokens(shape) == pytest.approx(speed, rel=0.6)
    assert shape.longest <= max(speed * 5, 8)


def test_accounts_that_differ_are_told() -> None:
    replies = [reply(request_id="r1"), reply(outcome="shed", request_id="r2")]
    exact = Asked({"ok": 1, "failed": 1}, {"ok": 1, "failed": 1}, 1, {"r1", "r2"})
    assert unaccounted(replies, exact) == []
    assert len(unaccounted(replies, Asked({"ok": 1}, {"ok": 1}, 1, {"r1"}))) == 2
    assert unaccounted(replies, Asked({"ok": 1, "failed": 1}, {"ok": 1, "failed": 1}, 0, {"r1", "r2"}))


STREAM = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Pointsman-Request-Id: req_1\r\nConnection: close\r\n\r\n"
)
CONTENT = b'data: {"choices":[{"delta":{"content":"x"}}]}\n\n'
USAGE = b'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1}}\n\n'
SHED = b'data: {"error":{"code":"shed","message":"too late"}}\n\n'
FULL = b'{"error":{"code":"queue_full"}}'
BUSY = b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nContent-Length: 31\r\n\r\n" + FULL


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (STREAM + CONTENT + USAGE + b"data: [DONE]\n\n", "ok"),
        (STREAM + b": waiting; ahead=3; wait=12\n\n: waiting\n\n" + CONTENT + USAGE + b"data: [DONE]\n\n", "ok"),
        (STREAM + b": waiting; ahead=3\n\n" + SHED, "shed"),
        (BUSY, "shed"),
        (STREAM + SHED.replace(b"shed", b"reset"), "error"),
        (STREAM + CONTENT, "lost"),
        (b"", "lost"),
        (None, "timeout"),
    ],
)
async def test_the_client_knows_how_a_reply_ended(said: bytes | None, outcome: str) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        if said is None:
            await reader.read()
        else:
            for start in range(0, len(said), 7):  # in pieces
                writer.write(said[start : start + 7])
                await writer.drain()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        got = await ask(port, Arrival(0.0, "a", 3, 1), 1, 0.3 if said is None else 20.0)
    assert got.outcome == outcome
    if outcome == "ok":
        assert (got.request_id, got.tokens, got.input_tokens) == ("req_1", 1, 9) and got.first is not None
        assert (got.estimate, got.placed is None) in ((None, True), (12.0, False))
