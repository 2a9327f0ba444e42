"""Which web pages may call the gateway from a browser: those of this machine, and those that the config lists."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said
from pointsman.http.header_lines import header_lines

_EXPOSED = (
    b"x-pointsman-request-id, x-pointsman-stage, x-pointsman-rule, x-pointsman-target, x-pointsman-reason, "
    b"x-pointsman-policy, x-pointsman-masked, x-pointsman-cache, x-pointsman-hint"
)


class Cors:
    """`allowed` are origins (`https://chat.example.com`) or `*`."""

    def __init__(self, allowed: Sequence[str]) -> None:
        self._all = "*" in allowed
        self._allowed = frozenset(origin.rstrip("/").lower() for origin in allowed)

    def headers(self, origin: str | None) -> bytes:
        """Response headers for a request of that origin; none where it may not read the answer."""
        if origin is None or not self.allows(origin):
            return b""
        return header_lines(
            (b"access-control-allow-origin", origin.encode("latin-1")),
            (b"access-control-expose-headers", _EXPOSED),
            (b"vary", b"Origin"),
        )

    def preflight(self, origin: str, wanted: str | None) -> bytes:
        """The answer to a browser that asks first. Raises a 403 for an origin that is not let in."""
        if not self.allows(origin):
            raise self.refusal(origin)
        return self.headers(origin) + header_lines(
            (b"access-control-allow-methods", b"GET, POST, DELETE, OPTIONS"),
            (b"access-control-allow-headers", (wanted or "authorization, content-type").encode("latin-1")),
            (b"access-control-max-age", b"86400"),
        )

    @staticmethod
    def refusal(origin: str) -> PointsmanError:
        return PointsmanError(
            said(
                "pages of {origin} may not call this gateway; list that origin under server.cors",
                "来自 {origin} 的网页不能调用这个网关；如需放行，请把这个来源写到 server.cors 下",
                origin=origin[:200],
            ),
            status=403,
            type="permission_error",
            code="origin_not_allowed",
        )

    def allows(self, origin: str) -> bool:
        if self._all or origin.lower() in self._allowed:
            return True
        try:
            host = urlsplit(origin).hostname
        except ValueError:
            return False
        return host in ("localhost", "127.0.0.1", "::1")
