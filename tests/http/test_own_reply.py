"""The gateway's own completion as bytes is the completion."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.request import Endpoint, Request
from pointsman.http.openai.reply import completion, completion_data

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(TEXT, TEXT, TEXT, st.integers(0, 10), st.integers(0, 2_000_000_000), st.sampled_from([1, 100]))
def test_as_bytes_it_is_the_same(name: str, model: str, text: str, tokens: int, created: int, times: int):
    for endpoint in get_args(Endpoint)[:2]:
        request = Request(f"req_{name}", endpoint, model, ())
        for _ in range(2):
            data = completion_data(request, text * times, created, tokens)
            assert data == msgspec.json.encode(completion(request, text * times, created, tokens))


@pytest.mark.parametrize("endpoint", get_args(Endpoint)[:2])
def test_what_is_kept_of_one_reply_is_no_part_of_another(endpoint: Endpoint):
    for name, model, text, tokens in (
        ("a", "m", "hi", 1),
        ("b", "m", "hi", 2),
        ("c", "n", "hi", 1),
        ("d", "m", "ho", 1),
    ):
        request = Request(name, endpoint, model, ())
        told = msgspec.json.decode(completion_data(request, text, 7, tokens))
        assert told == completion(request, text, 7, tokens)
