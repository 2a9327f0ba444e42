"""`POST /v1/batches` bodies."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from pointsman.domain.errors import PointsmanError, did_you_mean
from pointsman.domain.said import Said, said
from pointsman.http.jobs.read import webhook_of
from pointsman.http.openai.files import LONGEST, SHORTEST
from pointsman.http.strict_json import parse_body

ENDPOINTS = ("/v1/chat/completions", "/v1/completions", "/v1/embeddings")
_FIELDS = ("input_file_id", "endpoint", "completion_window", "metadata", "output_expires_after", "webhook")
_SPAN = re.compile(r"([1-9][0-9]{0,5})([mhd])")
_UNITS = {"m": 60, "h": 3600, "d": 86_400}
_HOUR, _WEEK = 3600, 7 * 86_400
_PAIRS, _KEY, _VALUE = 16, 64, 512


class BatchWish(msgspec.Struct, frozen=True, kw_only=True):
    """`window` as it was said, `seconds` what it means; `keep` how many seconds its files are kept, None: as all are.
    `webhook` is the URL that is told of its end."""

    input_file: str
    endpoint: str
    window: str
    seconds: float
    metadata: dict[str, str] = {}
    keep: float | None = None
    webhook: str | None = None


def read_batch(data: bytes) -> BatchWish:
    """Raises PointsmanError: 400 that names the field and says what is valid."""
    tree = parse_body(data).tree
    for name in tree:
        if name not in _FIELDS:
            hint, valid = did_you_mean(name[:100], list(_FIELDS)), ", ".join(_FIELDS)
            raise _wrong(name, said(*_UNKNOWN, name=name[:100], hint=hint, valid=valid), "unknown_field")
    input_file = tree.get("input_file_id")
    if not isinstance(input_file, str) or not input_file:
        raise _wrong("input_file_id", _NO_FILE)
    endpoint = tree.get("endpoint")
    if endpoint not in ENDPOINTS:
        shown = _short(endpoint)
        hint, valid = did_you_mean(shown, list(ENDPOINTS)), ", ".join(ENDPOINTS)
        raise _wrong("endpoint", said(*_NO_ENDPOINT, shown=shown, hint=hint, valid=valid))
    window = tree.get("completion_window")
    return BatchWish(
        input_file=input_file,
        endpoint=endpoint,
        window=str(window),
        seconds=_span(window),
        metadata=_metadata(tree.get("metadata")),
        keep=_keep(tree.get("output_expires_after")),
        webhook=webhook_of(tree.get("webhook")),
    )


def _span(window: Any) -> float:
    found = _SPAN.fullmatch(window) if isinstance(window, str) else None
    seconds = int(found[1]) * _UNITS[found[2]] if found else 0
    if not _HOUR <= seconds <= _WEEK:
        raise _wrong("completion_window", said(*_NO_WINDOW, shown=_short(window)))
    return float(seconds)


def _metadata(value: Any) -> dict[str, str]:
    if value is None:
        return {}
    if (
        not isinstance(value, dict)
        or len(value) > _PAIRS
        or not all(0 < len(key) <= _KEY for key in value)
        or not all(isinstance(text, str) and len(text) <= _VALUE for text in value.values())
    ):
        raise _wrong("metadata", said(*_NO_METADATA, pairs=_PAIRS, key=_KEY, value=_VALUE))
    return value


def _keep(value: Any) -> float | None:
    if value is None:
        return None
    seconds = value.get("seconds") if isinstance(value, dict) and value.get("anchor") == "created_at" else None
    if not isinstance(seconds, int) or isinstance(seconds, bool) or not SHORTEST <= seconds <= LONGEST:
        raise _wrong("output_expires_after", said(*_NO_KEEP, low=SHORTEST, high=LONGEST))
    return float(seconds)


def _short(value: Any) -> str:
    return str(value)[:100]


def _wrong(param: str, message: Said, code: str = "bad_request") -> PointsmanError:
    return PointsmanError(message, param=param[:100], code=code)


_UNKNOWN = ('a batch has no field "{name}"{hint}; valid: {valid}', "批处理没有字段“{name}”{hint}（可用的有：{valid}）")
_NO_FILE = Said(
    "input_file_id must be the id of a file that was uploaded with purpose=batch",
    "input_file_id 必须是以 purpose=batch 上传的文件的 id",
)
_NO_ENDPOINT = (
    'batches do not take the endpoint "{shown}"{hint}; valid: {valid}',
    "批处理不支持 endpoint“{shown}”{hint}（可用的有：{valid}）",
)
_NO_WINDOW = (
    'completion_window must be a span of time from 1h to 7d, such as 24h, not "{shown}"',
    "completion_window 必须是 1h 到 7d 的时长，如 24h，不能是“{shown}”",
)
_NO_METADATA = (
    "metadata must be an object of at most {pairs} texts of {value} characters, with names of at most {key}",
    "metadata 必须是对象，最多 {pairs} 项，名称不超过 {key} 个字符，值是不超过 {value} 个字符的文本",
)
_NO_KEEP = (
    'output_expires_after must be {{"anchor": "created_at", "seconds": N}}, N from {low} to {high}',
    'output_expires_after 必须是 {{"anchor": "created_at", "seconds": N}}，N 为 {low} 到 {high}',
)
