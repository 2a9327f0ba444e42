"""The contract's response headers: what was decided, in a form that any HTTP client can read."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import quote

from pointsman.domain.decision import Decision

_SAFE = " !#$&'()*+,-./:;<=>?@[]^_`{|}~\""
_LONGEST = 400


def decision_headers(decision: Decision, target: str | None = None) -> list[tuple[bytes, bytes]]:
    """Text outside ASCII is percent-encoded UTF-8. The target is there once one has answered."""
    headers = [
        (b"x-pointsman-stage", decision.stage.encode()),
        (b"x-pointsman-reason", _text(decision.reason)),
        (b"x-pointsman-policy", decision.policy.encode()),
    ]
    if decision.rule:
        headers.append((b"x-pointsman-rule", _text(decision.rule)))
    if target:
        headers.append(target_header(target))
    return headers


def target_header(target: str) -> tuple[bytes, bytes]:
    """Who answered: `model@backend`."""
    return b"x-pointsman-target", _text(target)


@lru_cache(maxsize=512)
def _text(text: str) -> bytes:
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    if text.isascii() and text.isprintable() and "%" not in text:
        return text.encode()
    return quote(text, safe=_SAFE).encode()
