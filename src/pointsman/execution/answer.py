"""Is this response a good one? And if not: whose fault, and is another target worth a try?"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said

Verdict = Literal["good", "final", "next"]
_CLIENT_FAULTS = frozenset((400, 409, 413, 415, 422, 451))


def judge(status: int) -> Verdict:
    """`final`: the request itself is at fault, every target would say so. `next`: this target cannot, another may
    (overload, a crash, and also 401, 403, 404: the gateway's own settings are wrong for this backend)."""
    if 200 <= status < 300:
        return "good"
    return "final" if status in _CLIENT_FAULTS else "next"


def backend_error(
    target: str, status: int, body: bytes | dict[str, Any], retry_after: float | None = None
) -> PointsmanError:
    """The engine's own words in the gateway's error shape. 4xx that the client caused keep their status (422 becomes
    400); what the client cannot help becomes 502, and overload 503 or 429 as it was."""
    message, code, kind, param = _words(body)
    final = judge(status) == "final"
    shown = status if final or status in (429, 503) else 502
    shown = 400 if shown == 422 else shown
    if isinstance(message, Said):  # the gateway's own words: what came is no reply, whatever its status
        message = said("{target}: {message}", "{target}：{message}", target=target, message=message)
    elif not final:
        message = said(
            "{target} answered {status}: {message}",
            "{target} 返回了 {status}：{message}",
            target=target,
            status=status,
            message=message,
        )
    return PointsmanError(
        message
        or said(
            "{target} answered {status} without a word",
            "{target} 返回了 {status}，没有任何说明",
            target=target,
            status=status,
        ),
        status=shown,
        type=kind if final and kind else ("invalid_request_error" if final else "api_error"),  # type: ignore[arg-type]
        code=code or ("bad_request" if final else "backend_error"),
        param=param,
        src="backend",
        retry_after=retry_after,
    )


def _words(body: bytes | dict[str, Any]) -> tuple[str, str | None, str | None, str | None]:
    """Engines put their message in error.message (OpenAI, llama.cpp, vLLM ≥ 0.10), message (older vLLM), error
    (Ollama's own API) or detail (FastAPI)."""
    data: Any = body
    if isinstance(body, bytes):
        try:
            data = msgspec.json.decode(body)
        except msgspec.DecodeError:
            return body[:500].decode("utf-8", "replace").strip(), None, None, None
    if not isinstance(data, dict):
        return str(data)[:500], None, None, None
    error = data.get("error", data)
    if not isinstance(error, dict):
        return str(error)[:2000], None, None, None
    message = error.get("message") or error.get("detail") or ""
    code, kind, param = error.get("code"), error.get("type"), error.get("param")
    if not isinstance(code, str):
        code = kind if isinstance(kind, str) and kind.endswith(("_error", "_exceeded")) else None
    if isinstance(kind, str) and "context" in kind:
        code, kind = "context_length_exceeded", "invalid_request_error"
    return (
        message if isinstance(message, Said) else str(message)[:2000],
        code,
        kind if isinstance(kind, str) and kind.endswith("_error") else None,
        param if isinstance(param, str) else None,
    )
