"""What clients say of a list that they want, in the query of its URL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said
from pointsman.http.exchange import Client

T = TypeVar("T")


def limit_of(client: Client, default: int, most: int) -> int:
    """How many it wants. Raises a 400."""
    asked = client.argument("limit")
    if asked is None:
        return default
    if not (asked.isascii() and asked.isdigit()) or not 1 <= int(asked[:9]) <= most:
        en, zh = (
            "limit must be a whole number from 1 to {most}, not {asked!r}",
            "limit 必须是 1 到 {most} 的整数，不能是 {asked!r}",
        )
        raise PointsmanError(said(en, zh, most=most, asked=asked[:100]), param="limit")
    return int(asked)


def order_of(client: Client) -> Literal["asc", "desc"]:
    """The newest first, unless it says otherwise. Raises a 400."""
    asked = client.argument("order")
    if asked == "asc":
        return "asc"
    if asked not in (None, "desc"):
        en, zh = "order must be asc or desc, not {asked!r}", "order 必须是 asc 或 desc，不能是 {asked!r}"
        raise PointsmanError(said(en, zh, asked=asked[:100]), param="order")
    return "desc"


def page(items: Sequence[T], most: int, id_of: Callable[[T], str], shown: Callable[[T], Any]) -> dict[str, Any]:
    """A page of at most so many; `items` has one more where there is another page."""
    on_it = items[:most]
    return {
        "object": "list",
        "data": [shown(item) for item in on_it],
        "first_id": id_of(on_it[0]) if on_it else None,
        "last_id": id_of(on_it[-1]) if on_it else None,
        "has_more": len(items) > most,
    }


def after(items: Sequence[T], client: Client, id_of: Callable[[T], str]) -> Sequence[T]:
    """Those behind the one that the client saw last. Raises a 400 where it is none of them."""
    asked = client.argument("after")
    if not asked:
        return items
    for index, item in enumerate(items):
        if id_of(item) == asked:
            return items[index + 1 :]
    raise nothing_after(asked)


def nothing_after(asked: str) -> PointsmanError:
    en, zh = (
        'after must be the id of one that the list has; it has no "{asked}"',
        "after 必须是列表中已有的 id；列表里没有“{asked}”",
    )
    return PointsmanError(said(en, zh, asked=asked[:100]), param="after")
