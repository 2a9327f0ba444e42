"""`POST /v1/feedback`: what a caller says of a reply that it got."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from pointsman.domain.errors import PointsmanError, did_you_mean
from pointsman.domain.feedback import HIGHEST, LONGEST, LOWEST, Asker, Feedback
from pointsman.domain.said import Said, said
from pointsman.http.exchange import Client
from pointsman.http.strict_json import APART, parse_body

_FIELDS = ("request_id", "adopted", "rating", "edited", "retried", "comment")
_LONGEST_ID = 100  # characters: no request of ours has one so long
_A_BOOL = Said("must be true or false", "必须是 true 或 false")
_A_RATING = said(
    "must be a whole number from {low} to {high}", "必须是 {low} 到 {high} 的整数", low=LOWEST, high=HIGHEST
)
_A_COMMENT = Said("must be text", "必须是文本")
_AN_ID = Said(
    "must be the x-pointsman-request-id of the reply, as text", "必须是文本，即回复的 x-pointsman-request-id 响应头"
)

Keep = Callable[[Feedback, Asker], Feedback | None]
"""Takes a feedback, and what is known of its request; gives what is kept of it, None where it cannot be kept."""


Find = Callable[[str], Awaitable[Asker | None]]
"""Whose that request was; None where there is no such request. Raises PointsmanError where that cannot be told."""


class FeedbackDoor:
    """Only who sent a request may speak of it: to everyone else it is one that there is not. Later words of the same
    caller replace its earlier ones. Who closes its page without waiting for the answer is heard all the same."""

    def __init__(self, find: Find, keep: Keep) -> None:
        self._find = find
        self._keep = keep

    async def post(self, client: Client, data: bytes) -> None:
        taking = asyncio.ensure_future(self._take(read_feedback(data, client)))
        client.json(201, await asyncio.shield(taking))

    async def _take(self, feedback: Feedback) -> Feedback:
        known = len(feedback.request_id) <= _LONGEST_ID
        asker = await self._find(feedback.request_id) if known else None
        if asker is None or asker.caller != feedback.caller:
            raise PointsmanError(
                said(
                    'there is no request "{id}" of yours; its id is in the header x-pointsman-request-id of the reply, '
                    "and it is known as long as the log is kept (log.keep)",
                    "没有你发过的请求“{id}”；请求的 id 在回复的 x-pointsman-request-id 响应头里，日志保留多久（log.keep）"
                    "就能反馈多久",
                    id=feedback.request_id[:_LONGEST_ID],
                ),
                status=404,
                type="not_found_error",
                code="request_not_found",
                param="request_id",
            )
        kept = self._keep(feedback, asker)
        if kept is None:
            raise PointsmanError(
                Said("the request log takes nothing at the moment; try again", "请求日志暂时无法写入；请稍后再试"),
                status=503,
                type="overloaded_error",
                code="log_unavailable",
                retry_after=1,
            )
        return kept


def read_feedback(data: bytes, client: Client) -> Feedback:
    """`null` is as good as leaving a field out, and so is an empty comment. Raises PointsmanError: 400 that names the
    field, 413."""
    if len(data) > APART:
        raise PointsmanError(
            said(
                "a feedback may have {limit} bytes; this one has {size}",
                "反馈最多 {limit} 字节；收到的有 {size} 字节",
                limit=APART,
                size=len(data),
            ),
            status=413,
            code="body_too_large",
        )
    tree = parse_body(data).tree
    for name in tree:
        if name not in _FIELDS:
            raise _unknown(name)
    request_id = tree.get("request_id")
    if not isinstance(request_id, str) or not request_id:
        raise _wrong("request_id", _AN_ID)
    feedback = Feedback(
        request_id=request_id,
        received=client.received,
        caller=client.caller.name,
        adopted=_bool(tree, "adopted"),
        rating=_rating(tree.get("rating")),
        edited=_bool(tree, "edited") is True,
        retried=_bool(tree, "retried") is True,
        comment=_comment(tree.get("comment")),
    )
    said_something = feedback.edited or feedback.retried
    if not said_something and feedback.adopted is None and feedback.rating is None and feedback.comment is None:
        raise PointsmanError(
            Said(
                "the feedback says nothing; give at least one of adopted, rating, comment (or edited: true, retried: true)",
                "反馈里什么都没有；请至少给出 adopted、rating、comment 中的一个（或 edited: true、retried: true）",
            ),
            code="empty_feedback",
        )
    return feedback


def _bool(tree: dict[str, Any], name: str) -> bool | None:
    value = tree.get(name)
    if value is not None and not isinstance(value, bool):
        raise _wrong(name, _A_BOOL)
    return value


def _rating(value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not LOWEST <= value <= HIGHEST:
        raise _wrong("rating", _A_RATING)
    return value


def _comment(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise _wrong("comment", _A_COMMENT)
    if value is not None and len(value) > LONGEST:
        must = said(
            "may have {most} characters; this one has {found}",
            "最多 {most} 个字符；收到的有 {found} 个",
            most=LONGEST,
            found=len(value),
        )
        raise _wrong("comment", must)
    return value or None


def _wrong(param: str, must: Said) -> PointsmanError:
    return PointsmanError(said("{param} {must}", "{param} {must}", param=param, must=must), param=param)


def _unknown(name: str) -> PointsmanError:
    return PointsmanError(
        said(
            'a feedback has no field "{name}"{hint}; valid: {valid}',
            "反馈没有字段“{name}”{hint}（可用的有：{valid}）",
            name=name[:100],
            hint=did_you_mean(name[:100], list(_FIELDS)),
            valid=", ".join(_FIELDS),
        ),
        code="unknown_field",
        param=name[:100],
    )
