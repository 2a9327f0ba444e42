"""One JSON object from a server nearby, asked once. Blocking, no proxies."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

_LARGEST = 8 << 20


def get_json(url: str, headers: dict[str, str], seconds: float) -> tuple[int, dict[str, Any] | None]:
    """Status, and the object where it answers one. Raises OSError, ValueError, HTTPException where nobody answers."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(url, headers=headers)  # noqa: S310, of a config or a flag
    try:
        with direct.open(request, timeout=seconds) as response:
            return response.status, _object(response.read(_LARGEST))
    except urllib.error.HTTPError as error:
        with error:
            return error.code, _object(error.read(_LARGEST))


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None
