"""The routes form against a slow and obvious reading of them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pipeline.policies import features
from pointsman.domain.features import Features
from pointsman.domain.policy import RouteRule
from pointsman.routing.routes import in_order, matching_route


def holds(route: RouteRule, asked: Features, entry: str) -> bool:
    """One line a condition, as the document says it."""
    wishes = []
    if route.max_tokens is not None:
        wishes.append(asked.input_tokens in range(route.max_tokens + 1))
    if route.min_tokens is not None:
        wishes.append(asked.input_tokens not in range(route.min_tokens))
    if route.task_types is not None:
        wishes.append(asked.task_type is not None and asked.task_type in list(route.task_types))
    if route.languages is not None:
        wishes.append(asked.language in list(route.languages))
    if route.entries is not None:
        wishes.append(entry in list(route.entries))
    if route.min_turns is not None:
        wishes.append(asked.turns not in range(route.min_turns))
    for wanted, has in (
        (route.code, asked.code),
        (route.tools, asked.tools),
        (route.images, asked.images > 0),
        (route.brief, asked.brief),
    ):
        if wanted is not None:
            wishes.append(wanted is has)
    return False not in wishes


def slowly(routes: list[RouteRule], asked: Features, entry: str) -> RouteRule | None:
    best: RouteRule | None = None
    for route in routes:
        if holds(route, asked, entry) and (best is None or route.priority < best.priority):
            best = route
    return best


tasks = st.sampled_from(["faq", "math", "analysis"])
few = st.integers(0, 6)
maybe = st.none() | st.booleans()


def some(values: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...] | None]:
    return st.none() | st.lists(values, max_size=2).map(tuple)


routes = st.builds(
    RouteRule,
    name=st.uuids().map(str),
    target=st.sampled_from(["light", "heavy"]),
    priority=st.integers(-2, 2),
    min_tokens=st.none() | few,
    max_tokens=st.none() | few,
    task_types=some(tasks),
    languages=some(st.sampled_from(["zh", "en", "other"])),
    entries=some(st.sampled_from(["auto", "desk"])),
    min_turns=st.none() | st.integers(1, 3),
    code=maybe,
    tools=maybe,
    images=maybe,
    brief=maybe,
)
plain_routes = st.builds(
    RouteRule,
    name=st.uuids().map(str),
    target=st.just("light"),
    priority=st.integers(0, 2),
    min_tokens=st.none() | few,
    max_tokens=st.none() | few,
    task_types=some(tasks),
)
asked = st.builds(
    features,
    input_tokens=few,
    task_type=st.none() | tasks,
    language=st.sampled_from(["zh", "en", "other"]),
    turns=st.integers(0, 3),
    code=st.booleans(),
    tools=st.booleans(),
    images=st.integers(0, 2),
    brief=st.booleans(),
)


@given(st.lists(routes | plain_routes, max_size=7), asked, st.sampled_from(["auto", "desk"]))
def test_the_first_by_priority_that_holds(written: list[RouteRule], question: Features, entry: str) -> None:
    before = list(written)
    assert matching_route(in_order(written), question, entry) == slowly(written, question, entry)
    assert written == before


@given(st.lists(routes, max_size=7))
def test_order_is_stable(written: list[RouteRule]) -> None:
    ordered = in_order(written)
    assert sorted(ordered, key=lambda route: route.name) == sorted(written, key=lambda route: route.name)
    for first, second in pairwise(ordered):
        assert (first.priority, written.index(first)) < (second.priority, written.index(second))
    assert in_order(ordered) == ordered


def test_without_routes_nothing_matches() -> None:
    assert matching_route((), features(), "auto") is None


def test_a_route_without_conditions_takes_all() -> None:
    everything = RouteRule("all", "light", 100)
    assert matching_route([everything], features(task_type=None, input_tokens=10**9), "any") is everything
