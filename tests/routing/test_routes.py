"""The routes form against a slow and obvious reading of them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.policies import features
from pointsman.domain.features import Features
from pointsman.domain.policy import RouteRule
from pointsman.domain.rule import Asking
from pointsman.routing.routes import in_order, matching_route, stands_in

ANYBODY = Asking("auto", "chat")


def holds(route: RouteRule, asked: Features, who: Asking, question: str) -> bool:
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
        wishes.append(who.entry in list(route.entries))
    for names, name in ((route.sources, who.source), (route.keys, who.key), (route.groups, who.group)):
        if names is not None:
            wishes.append(name is not None and name in list(names))
    if route.keywords is not None:
        words = question.lower().split(" ")
        wishes.append(any(keyword.lower() in words for keyword in route.keywords))
    if route.min_difficulty is not None:
        wishes.append(asked.difficulty is not None and not asked.difficulty < route.min_difficulty)
    if route.max_difficulty is not None:
        wishes.append(asked.difficulty is not None and not asked.difficulty > route.max_difficulty)
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


def slowly(routes: list[RouteRule], asked: Features, who: Asking, question: str) -> RouteRule | None:
    best: RouteRule | None = None
    for route in routes:
        if holds(route, asked, who, question) and (best is None or route.priority < best.priority):
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
    sources=some(st.sampled_from(["open-webui", "curl"])),
    keys=some(st.sampled_from(["bob", "anonymous"])),
    groups=some(st.sampled_from(["sales"])),
    keywords=some(st.sampled_from(["VPN", "train", "go"])),
    min_difficulty=st.none() | st.sampled_from([0.0, 0.3, 0.7]),
    max_difficulty=st.none() | st.sampled_from([0.3, 1.0]),
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
    difficulty=st.none() | st.sampled_from([0.0, 0.3, 0.5, 1.0]),
)
who = st.builds(
    Asking,
    st.sampled_from(["auto", "desk"]),
    st.just("chat"),
    key=st.sampled_from(["bob", "anonymous"]),
    group=st.sampled_from([None, "sales"]),
    source=st.sampled_from([None, "open-webui", "curl"]),
)
texts = st.lists(st.sampled_from(["vpn", "Train", "trains", "go", "gone", "how"]), max_size=3).map(" ".join)


@given(st.lists(routes | plain_routes, max_size=7), asked, who, texts)
def test_the_first_by_priority_that_holds(written: list[RouteRule], told: Features, who: Asking, question: str) -> None:
    before = list(written)
    assert matching_route(in_order(written), told, who, question) == slowly(written, told, who, question)
    assert written == before


@given(st.lists(routes, max_size=7))
def test_order_is_stable(written: list[RouteRule]) -> None:
    ordered = in_order(written)
    assert sorted(ordered, key=lambda route: route.name) == sorted(written, key=lambda route: route.name)
    for first, second in pairwise(ordered):
        assert (first.priority, written.index(first)) < (second.priority, written.index(second))
    assert in_order(ordered) == ordered


def test_without_routes_nothing_matches() -> None:
    assert matching_route((), features(), ANYBODY) is None


def test_a_route_without_conditions_takes_all() -> None:
    everything = RouteRule("all", "light", 100)
    assert matching_route([everything], features(task_type=None, input_tokens=10**9), ANYBODY) is everything


@pytest.mark.parametrize(
    ("keyword", "question", "stands"),
    [
        ("VPN", "我的vpn连不上", True),
        ("vpn", "how do I use the ＶＰＮ?", True),
        ("port", "export it", False),
        ("port", "port-forwarding", True),
        ("报销", "怎么报销差旅费", True),
        ("c++", "a C++ class", True),
        ("go", "golang", False),
        ("export report", "please export report now", True),
        ("straße", "STRASSE", True),
        ("", "anything", True),
    ],
)
def test_a_keyword_in_a_question(keyword: str, question: str, stands: bool) -> None:
    assert stands_in(keyword, question) is stands
