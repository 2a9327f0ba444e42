"""The contract's response headers: what was decided, in a form that any HTTP client can read."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import quote

from pointsman.domain.decision import Decision
from pointsman.http.header_lines import header_lines

_SAFE = " !#$&'()*+,-./:;<=>?@[]^_`{|}~\""
_LONGEST = 400


def decision_headers(decision: Decision, target: str | None = None) -> bytes:
    """As lines. Text outside ASCII is percent-encoded UTF-8. The target, `model@backend`, is there once one has answered."""
    return _lines(decision.stage, decision.reason, decision.policy, decision.rule, target, decision.hint)


@lru_cache(maxsize=512)
def _lines(stage: str, reason: str, policy: str, rule: str | None, target: str | None, hint: str | None) -> bytes:
    pairs = [
        (b"x-pointsman-stage", stage.encode()),
        (b"x-pointsman-reason", _text(reason)),
        (b"x-pointsman-policy", policy.encode()),
    ]
    if rule:
        pairs.append((b"x-pointsman-rule", _text(rule)))
    if target:
        pairs.append((b"x-pointsman-target", _text(target)))
    if hint:
        pairs.append((b"x-pointsman-hint", _text(hint)))
    return header_lines(*pairs)


def _text(text: str) -> bytes:
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    if text.isascii() and text.isprintable() and "%" not in text:
        return text.encode()
    return quote(text, safe=_SAFE).encode()
