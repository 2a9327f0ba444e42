"""The files of OpenAI's batches: requests, a line each, and what became of them."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from pointsman.domain.batch import Order
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said, told
from pointsman.http.jobs.kept import KeptReply, encode, reply_of, request_of
from pointsman.http.jobs.read import whole
from pointsman.http.strict_json import parse_body
from pointsman.pipeline.batches.dialect import BadLine, Fate, Line, Result

LONGEST_NAME = 512
_LINE = Said("this line", "这一行")
_REQUEST_ID = b"x-pointsman-request-id"


class BatchLines:
    """`Order.ask` is a kept request without a body."""

    def read(self, data: bytes, endpoint: str) -> Line:
        try:
            parsed = parse_body(data, _LINE)
        except PointsmanError as error:
            why = error.message if isinstance(error.message, Said) else Said(error.message, error.message)
            raise BadLine(why, error.code, error.param) from None
        tree = parsed.tree
        name = tree.get("custom_id")
        if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
            raise BadLine(said(*_NO_NAME, most=LONGEST_NAME), "invalid_custom_id", "custom_id")
        if tree.get("method") != "POST":
            raise BadLine(said(*_NO_POST, found=_short(tree.get("method"))), "invalid_method", "method")
        if tree.get("url") != endpoint:
            raise BadLine(said(*_OTHER_URL, endpoint=endpoint, found=_short(tree.get("url"))), "mismatched_url", "url")
        if not isinstance(tree.get("body"), dict):
            raise BadLine(_NO_BODY, "invalid_body", "body")
        return Line(name, bytes(parsed.fields["body"]))

    def body(self, order: Order, line: Line, job_id: str) -> bytes:
        ask = request_of(order.ask)
        request_id = f"req_{job_id.partition('_')[2]}"
        return encode(replace(ask, path=order.endpoint, body=whole(line.body), request_id=request_id))

    def result(self, order: Order, name: str, job_id: str, fate: Fate) -> Result:
        """A reply with a status of 400 or more is an error."""
        reply = reply_of(fate.reply) if fate.kind == "replied" else None
        entry = {
            "id": f"batch_req_{job_id.partition('_')[2]}",
            "custom_id": name,
            "response": None if reply is None else _response(reply, job_id),
            "error": None if reply is not None else _error(order, fate),
        }
        return Result(reply is not None and reply.status < 400, msgspec.json.encode(entry) + b"\n")


def _response(reply: KeptReply, job_id: str) -> dict[str, Any]:
    request_id = reply.header(_REQUEST_ID)
    return {
        "status_code": reply.status,
        "request_id": f"req_{job_id.partition('_')[2]}" if request_id is None else request_id.decode("latin-1"),
        "body": _on_one_line(reply.body),
    }


def _on_one_line(body: bytes) -> Any:
    """JSON as it is, without line breaks; anything else as text."""
    try:
        body.decode()
        return msgspec.Raw(msgspec.json.format(body, indent=-1))
    except (UnicodeDecodeError, msgspec.DecodeError, RecursionError):
        return body.decode(errors="replace")


def _error(order: Order, fate: Fate) -> dict[str, str]:
    if fate.kind == "cancelled":
        return {"code": "batch_cancelled", "message": told(_CANCELLED, order.language)}
    if fate.kind == "expired":
        return {"code": "batch_expired", "message": told(_EXPIRED, order.language)}
    why = _FAILED if fate.why is None else Said(*fate.why)
    return {"code": fate.code, "message": told(why, order.language)}


def _short(value: Any) -> str:
    return str(value)[:100]


_NO_NAME = (
    "custom_id must be text of 1 to {most} characters, different in each line",
    "custom_id 必须是 1 到 {most} 个字符的文本，每行各不相同",
)
_NO_POST = ('method must be "POST", not {found}', "method 必须是 “POST”，不能是 {found}")
_OTHER_URL = (
    'url must be the batch\'s endpoint, "{endpoint}", not {found}',
    "url 必须与批处理的 endpoint 相同，即“{endpoint}”，不能是 {found}",
)
_NO_BODY = Said("body must be an object: the request itself", "body 必须是对象，即请求本身")
_CANCELLED = Said("the batch was cancelled before this request was done", "批处理在这个请求完成之前被取消")
_EXPIRED = Said(
    "this request could not be done before the completion window expired",
    "在 completion_window 结束之前没能完成这个请求",
)
_FAILED = Said("this request failed", "这个请求失败了")
