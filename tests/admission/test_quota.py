"""Quotas of a key: by time, by tokens, at a time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.admission.quota import MINUTE, Account, Bucket, Exceeded, Quota


def test_a_minutes_worth_may_come_at_once_and_then_evenly() -> None:
    account = Account(Quota(requests=3), 0.0)
    assert [account.begin(1, 0.0) for _ in range(3)] == [None] * 3
    assert account.begin(1, 0.0) == Exceeded("requests", 3, pytest.approx(20.0))
    assert account.begin(1, 19.0) is not None
    assert account.begin(1, 20.0) is None
    assert account.begin(1, 20.0) is not None


def test_at_a_time() -> None:
    account = Account(Quota(concurrency=2), 0.0)
    assert account.begin(1, 0.0) is None and account.begin(1, 0.0) is None
    assert account.begin(1, 0.0) == Exceeded("concurrency", 2, None)
    account.end(1, 1, 1.0)
    assert account.begin(1, 1.0) is None


def test_tokens_that_were_not_used_come_back() -> None:
    account = Account(Quota(tokens=1000), 0.0)
    assert account.begin(900, 0.0) is None
    assert account.begin(200, 0.0) == Exceeded("tokens", 1000, pytest.approx(6.0))
    account.end(900, 100, 0.0)
    assert account.begin(200, 0.0) is None


def test_more_than_a_minutes_worth_goes_when_all_is_there_and_is_paid_for_after() -> None:
    account = Account(Quota(tokens=100), 0.0)
    assert account.begin(300, 0.0) is None
    assert account.begin(1, 100.0) is not None, "the debt is two minutes"
    assert account.begin(1, 2 * MINUTE + 1) is None


def test_nothing_is_counted_for_what_is_turned_away() -> None:
    account = Account(Quota(requests=1, tokens=10), 0.0)
    assert account.begin(10, 0.0) is None
    for _ in range(5):
        assert account.begin(1, 30.0) is not None
    assert account.begin(10, MINUTE) is None


@given(st.integers(1, 100), st.lists(st.tuples(st.floats(0, 30), st.integers(1, 40)), max_size=80))
def test_never_more_than_a_full_bucket_and_what_flowed_in(most: int, story: list[tuple[float, int]]) -> None:
    bucket, now, taken = Bucket(most, 0.0), 0.0, 0.0
    for passed, amount in story:
        now += passed
        if amount <= most and bucket.wait(amount, now) == 0:
            bucket.take(amount, now)
            taken += amount
        assert taken <= most + now * most / MINUTE + 1e-6
