"""How large a body may be, and what is said of a larger one."""

from __future__ import annotations

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said


def too_large(limit: int, size: int | None) -> PointsmanError:
    """For a body of more than `limit` bytes; `size`: as many as it says that it has."""
    has = (
        said("has {size} bytes", "有 {size} 字节", size=size) if size else Said("is larger than that", "超过了这个上限")
    )
    return PointsmanError(
        said(
            "the body may have {limit} bytes (server.max_body); this one {has}",
            "请求体最多 {limit} 字节（server.max_body）；收到的{has}",
            limit=limit,
            has=has,
        ),
        status=413,
        code="body_too_large",
    )
