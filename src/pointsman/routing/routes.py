"""The routes form: the first line, by priority, that the request satisfies."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from pointsman.domain.features import Features
from pointsman.domain.policy import RouteRule
from pointsman.domain.rule import Asking


def in_order(routes: Sequence[RouteRule]) -> tuple[RouteRule, ...]:
    """Lowest priority number first; among equals the one written first."""
    return tuple(sorted(routes, key=lambda route: route.priority))


def matching_route(
    routes: Sequence[RouteRule], features: Features, asking: Asking, question: str = ""
) -> RouteRule | None:
    """`routes` as `in_order` gives them. A route that names task types, or bounds of difficulty, matches no request of which
    these are not known."""
    for route in routes:
        if _matches(route, features, asking) and (
            route.keywords is None or any(stands_in(keyword, question) for keyword in route.keywords)
        ):
            return route
    return None


def stands_in(keyword: str, question: str) -> bool:
    """Whether it stands there, whatever the case and the width. Where it begins or ends with a letter or digit of an
    alphabet, no other may stand before or after it."""
    return _pattern(keyword).search(plain(question)) is not None


def plain(text: str) -> str:
    """Full width as half width, all in one case."""
    return (text if text.isascii() else unicodedata.normalize("NFKC", text)).casefold()


@lru_cache(maxsize=1024)
def _pattern(keyword: str) -> re.Pattern[str]:
    word = plain(keyword).strip()
    before = r"(?<![a-z0-9])" if word[:1].isascii() and word[:1].isalnum() else ""
    after = r"(?![a-z0-9])" if word[-1:].isascii() and word[-1:].isalnum() else ""
    return re.compile(before + re.escape(word) + after)


def _matches(route: RouteRule, features: Features, asking: Asking) -> bool:
    return (
        (route.max_tokens is None or features.input_tokens <= route.max_tokens)
        and (route.min_tokens is None or features.input_tokens >= route.min_tokens)
        and (route.task_types is None or features.task_type in route.task_types)
        and (route.languages is None or features.language in route.languages)
        and (route.entries is None or asking.entry in route.entries)
        and (route.min_turns is None or features.turns >= route.min_turns)
        and (route.code is None or features.code == route.code)
        and (route.tools is None or features.tools == route.tools)
        and (route.images is None or bool(features.images) == route.images)
        and (route.brief is None or features.brief == route.brief)
        and (route.sources is None or asking.source in route.sources)
        and (route.keys is None or asking.key in route.keys)
        and (route.groups is None or asking.group in route.groups)
        and (route.min_difficulty is None or _known(features.difficulty, route.min_difficulty, 2.0))
        and (route.max_difficulty is None or _known(features.difficulty, -1.0, route.max_difficulty))
    )


def _known(value: float | None, least: float, most: float) -> bool:
    return value is not None and least <= value <= most
