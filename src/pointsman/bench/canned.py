"""What the benches ask and what the upstream answers, as bytes made once."""

from __future__ import annotations

import json
from typing import Any

MODEL = "bench-model"
CHAT = "/v1/chat/completions"
DONE = b"[DONE]"
EVENTS = 30
"""Events of the usual stream, `[DONE]` not counted."""
QUESTION = (
    "Our team moved most of its services last month, two of them still depend on an older library. Please summarise what "
    "remains to be done, who should own each item and which risks deserve attention before the end of the quarter. "
    "另外请说明移动端加载速度的改进空间，并按照影响范围排出先后顺序。"
)
_PIECE = " the work goes on, step by step"
_USAGE = {"prompt_tokens": 96, "completion_tokens": 28, "total_tokens": 124}
_TOP = {"id": "chatcmpl-bench", "created": 1_760_000_000, "model": MODEL, "system_fingerprint": "fp_bench"}


def asked(*, stream: bool, text: str = QUESTION) -> bytes:
    """The body of a request: a chat that no rule of the demo packs takes."""
    messages = [
        {"role": "system", "content": "You are a careful assistant who answers in the language of the question."},
        {"role": "user", "content": text},
    ]
    fields: dict[str, Any] = {"model": "auto", "messages": messages, "temperature": 0.7, "max_tokens": 256}
    if stream:
        fields["stream"] = True
    return _json(fields)


def greeting() -> bytes:
    """The body of a request that the pack `smalltalk` answers."""
    return _json({"model": "auto", "messages": [{"role": "user", "content": "你好"}]})


def payloads(events: int = EVENTS, *, usage: bool = False) -> list[bytes]:
    """The data of each event of a stream, in order: the role, pieces of text, the end; then usage where it is asked for,
    then `[DONE]`. `events` is at least 2 and counts neither of those two."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": f"{number}{_PIECE}"} for number in range(events - 2)]
    parts = [_event([{"index": 0, "delta": delta, "finish_reason": None}]) for delta in deltas]
    parts.append(_event([{"index": 0, "delta": {}, "finish_reason": "stop"}]))
    if usage:
        parts.append(_json({**_TOP, "object": "chat.completion.chunk", "choices": [], "usage": _USAGE}))
    return [*parts, DONE]


def whole(size: int = 0) -> bytes:
    """The completion as one object: the very one that the usual stream adds up to, of about 1 KB; its text is padded to
    make it `size` bytes where that is more."""
    text = "".join(f"{number}{_PIECE}" for number in range(EVENTS - 2))
    plain = _completion(text)
    return _completion(text + "x" * (size - len(plain))) if size > len(plain) else plain


def _completion(text: str) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return _json({**_TOP, "object": "chat.completion", "choices": [choice], "usage": _USAGE})


def _event(choices: list[dict[str, Any]]) -> bytes:
    return _json({**_TOP, "object": "chat.completion.chunk", "choices": choices})


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
