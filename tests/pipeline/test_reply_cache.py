"""Kept replies: bounded in number, size and age, and only those that ended well."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.engine import DONE, USAGE, conversation, delta, event
from pointsman.pipeline.reply_cache import _OVERHEAD, Kept, ReplyCache, ended_well


def kept(size: int = 10, at: float = 0.0, text: bytes = b"x") -> Kept:
    return Kept("m@b", "application/json", text * size, False, True, at)


@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from("abcdef"), st.integers(0, 4000), st.integers(0, 3)), max_size=60),
    st.integers(1, 4),
    st.integers(1, 4),
)
def test_it_is_the_plain_list_of_what_is_left(steps: list[tuple[bool, str, int, int]], entries: int, kilobytes: int):
    """The slow way: a list, the one last wanted at its end, from which all is taken that is too old or too much."""
    limit = kilobytes * 3000
    cache = ReplyCache(5, entries, limit)
    slow: list[tuple[str, Kept]] = []
    now = 0.0
    for putting, key, size, later in steps:
        now += later
        slow = [(name, reply) for name, reply in slow if now - reply.at < 5]
        if putting:
            reply = kept(size, now)
            cache.put(key.encode(), reply)
            slow = [(name, old) for name, old in slow if name != key]
            if size + _OVERHEAD <= limit:
                slow.append((key, reply))
            while len(slow) > entries or sum(len(old.data) + _OVERHEAD for _, old in slow) > limit:
                slow.pop(0)
        else:
            found = next((reply for name, reply in slow if name == key), None)
            assert cache.get(key.encode(), now) is found
            if found is not None:
                slow = [(name, reply) for name, reply in slow if name != key] + [(key, found)]
        assert len(cache) == len(slow) and cache.size == sum(len(old.data) + _OVERHEAD for _, old in slow) <= limit


def test_what_is_too_old_takes_no_memory_once_anything_is_asked():
    cache = ReplyCache(30, 100, 1 << 20)
    for number in range(50):
        cache.put(b"%d" % number, kept(at=float(number)))
    assert cache.get(b"none", 60.0) is None and len(cache) == 19
    assert cache.get(b"none", 1000.0) is None and len(cache) == 0 and cache.size == 0


STREAM = conversation("a", 'the word "finish_reason": "tool_calls", "error"')


@pytest.mark.parametrize(
    ("data", "streams", "good"),
    [
        (STREAM, True, True),
        (STREAM[: -len(DONE)] + USAGE + DONE, True, True),
        (STREAM.replace(b'"finish_reason":"stop"', b'"finish_reason": "length"'), True, True),
        (STREAM[: -len(DONE)], True, False),
        (STREAM.replace(b'"finish_reason":"stop"', b'"finish_reason":"content_filter"'), True, False),
        (delta("x") + DONE, True, False),
        (delta("x") + event({"error": {"message": "no"}}) + DONE, True, False),
        (STREAM[: -len(DONE)] + event({"error": {"message": "no"}}) + DONE, True, False),
        (json.dumps({"choices": [{"finish_reason": "stop"}]}).encode(), False, True),
        (json.dumps({"choices": [{"finish_reason": "stop"}, {"finish_reason": "tool_calls"}]}).encode(), False, False),
        (json.dumps({"choices": [{"finish_reason": None}]}).encode(), False, False),
        (b'{"error": {}}', False, False),
        (b"", False, False),
    ],
)
def test_only_good_ends(data: bytes, streams: bool, good: bool):
    assert ended_well(data, streams) is good
