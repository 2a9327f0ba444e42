"""The text of a running engine's /metrics, asked once. Blocking, no proxies."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request

from pointsman.config.others_words import all_of
from pointsman.domain.said import said
from pointsman.memory.network import Unreadable

PATIENCE = 10.0
_MOST = 8 << 20


def fetch_metrics(url: str) -> str:
    """Of a base URL (`http://host:8000`, `…/v1`) or of the page itself. Raises Unreadable where it does not answer."""
    base = url.rstrip("/")
    page = base if base.endswith("/metrics") else base.removesuffix("/v1") + "/metrics"
    if not page.startswith(("http://", "https://")):
        raise Unreadable(
            said(
                "{url!r} is no URL (valid: http://host:port)", "{url!r} 不是 URL（合法写法：http://host:port）", url=url
            )
        )
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(page, timeout=PATIENCE) as response:
            data: bytes = response.read(_MOST)
    except (OSError, http.client.HTTPException, ValueError) as error:
        why = str(error) if isinstance(error, urllib.error.HTTPError) else all_of(error)
        raise Unreadable(said("{page} does not answer: {why}", "{page} 没有应答：{why}", page=page, why=why)) from None
    return data.decode("utf-8", "replace")
