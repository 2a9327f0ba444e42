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
        (b"x-pointsman-reason", header_text(reason)),
        (b"x-pointsman-policy", policy.encode()),
    ]
    if rule:
        pairs.append((b"x-pointsman-rule", header_text(rule)))
    if target:
        pairs.append((b"x-pointsman-target", header_text(target)))
    if hint:
        pairs.append((b"x-pointsman-hint", header_text(hint)))
    return header_lines(*pairs)


def header_text(text: str) -> bytes:
    """As a header can hold it; too much of it is cut."""
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    if text.isascii() and text.isprintable() and "%" not in text:
        return text.encode()
    return quote(text, safe=_SAFE).encode()
