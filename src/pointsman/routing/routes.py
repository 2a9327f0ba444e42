"""The routes form: the first line, by priority, that the request satisfies."""

from __future__ import annotations

from collections.abc import Sequence

from pointsman.domain.features import Features
from pointsman.domain.policy import RouteRule


def in_order(routes: Sequence[RouteRule]) -> tuple[RouteRule, ...]:
    """Lowest priority number first; among equals the one written first."""
    return tuple(sorted(routes, key=lambda route: route.priority))


def matching_route(routes: Sequence[RouteRule], features: Features, entry: str) -> RouteRule | None:
    """`routes` as `in_order` gives them. A route that names task types matches no request without one."""
    for route in routes:
        if _matches(route, features, entry):
            return route
    return None


def _matches(route: RouteRule, features: Features, entry: str) -> bool:
    return (
        (route.max_tokens is None or features.input_tokens <= route.max_tokens)
        and (route.min_tokens is None or features.input_tokens >= route.min_tokens)
        and (route.task_types is None or features.task_type in route.task_types)
        and (route.languages is None or features.language in route.languages)
        and (route.entries is None or entry in route.entries)
        and (route.min_turns is None or features.turns >= route.min_turns)
        and (route.code is None or features.code == route.code)
        and (route.tools is None or features.tools == route.tools)
        and (route.images is None or bool(features.images) == route.images)
        and (route.brief is None or features.brief == route.brief)
    )
