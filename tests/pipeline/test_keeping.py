"""When two requests are one, and what of a reply is remembered."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec
import pytest

from execution.engine import DONE, USAGE, conversation
from pipeline.policies import ask
from pointsman.domain.decision import Decision, TargetChoice
from pointsman.domain.request import Request
from pointsman.pipeline.keeping import Keeping, Wish, keeping_of
from pointsman.pipeline.reply_cache import Kept, ReplyCache

STREAM = conversation("hello")
COUNTED = STREAM[: -len(DONE)] + USAGE + DONE
REQUEST = ask("hi")
DECISION = Decision("model", "because", targets=(TargetChoice("m@a", "fallback"), TargetChoice("m@b", "fallback")))


@dataclasses.dataclass
class Repeat:
    wish: Wish = "use"
    large: bool = False
    counted: bool = False
    said: bytes = b"hi"

    def identity(self) -> bytes:
        return self.said

    def replay(self, kept: Kept) -> tuple[str, bytes]:
        raise AssertionError


async def keep(
    cache: ReplyCache, data: bytes = STREAM, request: Request = REQUEST, decision: Decision = DECISION, **repeat: Any
) -> Keeping:
    """One request after another: a hit, or a new reply that is passed on."""
    asked = Repeat(**repeat)
    keeping = await keeping_of(cache, request, decision, asked)
    if keeping.look(0.0, asked.counted) is None:
        passed: list[bytes] = []
        pass_on = keeping.also(lambda piece: passed.append(piece) or len(passed) == 1)
        assert [pass_on(data[:30]), pass_on(data[30:])] == [True, False] and b"".join(passed) == data
        keeping.end("m@a", "text/event-stream", 0.0)
    return keeping


@pytest.mark.parametrize("large", [True, False])
async def test_the_same_again_is_a_hit(large: bool):
    cache = ReplyCache(30, 10, 1 << 20)
    assert (await keep(cache, large=large)).outcome == "miss"
    again = await keep(cache, large=large)
    assert again.outcome == "hit" and again.kept == Kept("m@a", "text/event-stream", STREAM, True, False, 0.0)


async def test_the_order_of_scored_targets_makes_no_other_request():
    cache = ReplyCache(30, 10, 1 << 20)
    turned = msgspec.structs.replace(DECISION, targets=DECISION.targets[::-1])
    await keep(cache)
    assert (await keep(cache, decision=turned)).outcome == "miss"
    first, second = (msgspec.structs.replace(each, scored="batch") for each in (DECISION, turned))
    assert (await keep(cache, decision=first)).outcome == "hit"
    assert (await keep(cache, decision=second)).outcome == "hit"


OTHERS: list[dict[str, Any]] = [
    {"said": b"ho"},
    *(
        {"request": msgspec.structs.replace(REQUEST, **{name: "other"})}
        for name in ("caller", "caller_role", "caller_group", "user", "model", "endpoint")
    ),
    {"decision": msgspec.structs.replace(DECISION, policy="other")},
    {"decision": msgspec.structs.replace(DECISION, rule="other")},
    {"decision": msgspec.structs.replace(DECISION, parameters={"body": {"temperature": 0}})},
    {"decision": msgspec.structs.replace(DECISION, targets=DECISION.targets[:1])},
    {"decision": msgspec.structs.replace(DECISION, targets=DECISION.targets[::-1])},
]


@pytest.mark.parametrize("other", OTHERS)
async def test_whatever_the_reply_may_depend_on_makes_another_request(other: dict[str, Any]):
    cache = ReplyCache(30, 10, 1 << 20)
    await keep(cache)
    assert (await keep(cache, **other)).outcome == "miss"
    assert (await keep(cache)).outcome == (await keep(cache, **other)).outcome == "hit"


@pytest.mark.parametrize("name", ["id", "session", "now", "stream"])
async def test_what_it_cannot_depend_on_does_not(name: str):
    cache = ReplyCache(30, 10, 1 << 20)
    await keep(cache)
    other = msgspec.structs.replace(REQUEST, **{name: {"now": 99.0, "stream": True}.get(name, "other")})
    assert (await keep(cache, request=other)).outcome == "hit"


async def test_a_reply_without_counts_does_not_serve_who_needs_them():
    cache = ReplyCache(30, 10, 1 << 20)
    await keep(cache)
    assert (await keep(cache, COUNTED, counted=True)).outcome == "miss"
    assert (await keep(cache, counted=True)).kept.data == COUNTED
    assert (await keep(cache)).kept.data == COUNTED


async def test_renewed_or_never_kept():
    cache = ReplyCache(30, 10, 1 << 20)
    assert (await keep(cache, wish="none")).outcome == "bypass" and len(cache) == 0
    await keep(cache)
    assert (await keep(cache, COUNTED, wish="none")).outcome == "bypass"
    assert (await keep(cache)).kept.data == STREAM
    assert (await keep(cache, COUNTED, wish="renew")).outcome == "bypass"
    assert (await keep(cache)).kept.data == COUNTED


async def test_of_a_reply_too_large_nothing_is_kept():
    cache = ReplyCache(30, 10, len(STREAM) - 1)
    keeping = await keep(cache)
    assert keeping._pieces == [] and len(cache) == 0
    assert (await keep(ReplyCache(30, 10, len(STREAM)))).outcome == "miss"
