"""`POST /v1/jobs` bodies, and the headers that make any request a job."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from pointsman.domain.channel import ChannelRule
from pointsman.domain.errors import PointsmanError, did_you_mean
from pointsman.domain.job import SCHEDULED, Queue
from pointsman.domain.said import Said, said
from pointsman.http.exchange import Client
from pointsman.http.strict_json import parse_body
from pointsman.ports.action import Action

_FIELDS = ("endpoint", "body", "action", "parameters", "webhook", "priority", "expires_after", "deliver")
_SPAN = re.compile(r"([1-9][0-9]{0,6})([smhd])")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_LONGEST = 30 * 86_400.0  # seconds that a job may wait for its turn
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_PRIORITIES: tuple[Queue, ...] = ("interactive", "batch")

Check = Callable[[Client, bytes], None]
"""Whether an endpoint takes that body from that client. Raises PointsmanError."""


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done: `body` for `endpoint`, or `action` with `parameters`, JSON both. `expires_after` in seconds.
    `deliver` are channels that get what comes of it."""

    endpoint: str | None = None
    body: bytes = b""
    action: str | None = None
    parameters: bytes = b"{}"
    webhook: str | None = None
    queue: Queue = "interactive"
    expires_after: float | None = None
    deliver: tuple[str, ...] = ()

    @property
    def digest(self) -> bytes:
        """Of all that makes it this wish and no other; how its JSON is laid out does not."""
        said = [msgspec.json.decode(text) if text else None for text in (self.body, self.parameters)]
        parts = (self.endpoint, self.action, self.webhook, self.queue, self.expires_after, said, self.deliver)
        return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).digest()


def read_wish(
    data: bytes,
    client: Client,
    checks: Mapping[str, Check],
    actions: Mapping[str, Action],
    channels: Mapping[str, ChannelRule],
) -> Wish:
    """Raises PointsmanError: 400 that names the field and lists what is valid, and whatever the endpoint says of the
    body."""
    body = parse_body(data)
    tree = body.tree
    for name in tree:
        if name not in _FIELDS:
            raise _wrong(
                name,
                said(
                    'a job has no field "{name}"{hint}; valid: {valid}',
                    "任务没有字段“{name}”{hint}（可用的有：{valid}）",
                    name=name[:100],
                    hint=did_you_mean(name[:100], list(_FIELDS)),
                    valid=", ".join(_FIELDS),
                ),
                "unknown_field",
            )
    endpoint, action = tree.get("endpoint"), tree.get("action")
    if (endpoint is None) == (action is None):
        raise _wrong("endpoint", _ONE_OF)
    common = {
        "webhook": webhook_of(tree.get("webhook")),
        "queue": _one_of("priority", tree.get("priority") or queue_of(client), _PRIORITIES),
        "expires_after": _span(tree.get("expires_after")),
        "deliver": _channels(tree.get("deliver"), client, channels),
    }
    if action is not None:
        action = _one_of("action", action, sorted(actions), "unknown_action")
        parameters = tree.get("parameters", {})
        if not isinstance(parameters, dict):
            raise _wrong("parameters", Said("parameters must be an object", "parameters 必须是对象"))
        actions[action].check(parameters)
        return Wish(action=action, parameters=msgspec.json.encode(parameters), **common)
    endpoint = _one_of("endpoint", endpoint, list(checks), "unknown_endpoint")
    if common["deliver"] and endpoint not in _SPOKEN:
        raise _wrong("deliver", said(*_NOT_SPOKEN, endpoint=endpoint, valid=", ".join(_SPOKEN)))
    if not isinstance(tree.get("body"), dict):
        must = said(
            "body must be an object: what {endpoint} takes",
            "body 必须是对象，即 {endpoint} 的请求体",
            endpoint=endpoint,
        )
        raise _wrong("body", must)
    inner = whole(bytes(body.fields["body"]))
    checks[endpoint](client, inner)
    return Wish(endpoint=endpoint, body=inner, **common)


def queue_of(client: Client) -> Queue:
    """As the header x-pointsman-priority says. Raises PointsmanError (400) where it says neither."""
    queue: Queue = _one_of("x-pointsman-priority", client.header(b"x-pointsman-priority") or "interactive", _PRIORITIES)
    return queue


def whole(body: bytes) -> bytes:
    """The same request without a stream: nobody listens to the reply of a job. Raises PointsmanError."""
    tree = parse_body(body).tree
    if "stream" not in tree and "stream_options" not in tree:
        return body
    fields = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    return msgspec.json.encode({name: raw for name, raw in fields.items() if name not in ("stream", "stream_options")})


def key_of(client: Client) -> str | None:
    """The Idempotency-Key. Raises PointsmanError (400) for one that is none."""
    key = client.header(b"idempotency-key")
    if key is not None and not _KEY.fullmatch(key):
        raise _wrong("Idempotency-Key", _A_KEY)
    if key is not None and key.startswith(SCHEDULED):
        raise _wrong("Idempotency-Key", _SCHEDULES)
    return key


def wait_of(prefer: bytes | None) -> float | None:
    """Of `Prefer: respond-async, wait=N`: seconds that the client waits for a reply at once, 0 where it says none; None
    where it did not ask to be answered later (RFC 7240)."""
    wishes = [wish.strip().lower() for wish in (prefer or b"").split(b",")]
    if b"respond-async" not in wishes:
        return None
    for wish in wishes:
        name, _, value = wish.partition(b"=")
        if name.strip() == b"wait" and (seconds := value.strip().strip(b'"')).isdigit():
            return min(float(seconds), 600.0)
    return 0.0


def webhook_of(value: Any) -> str | None:
    """A URL, as far as it can be told without a look at its host. Raises PointsmanError (400)."""
    if value is not None and (not isinstance(value, str) or not value):
        raise _wrong("webhook", Said("webhook must be a URL, as text", "webhook 必须是文本形式的 URL"))
    return value


def _channels(value: Any, client: Client, channels: Mapping[str, ChannelRule]) -> tuple[str, ...]:
    """One name, or a list of them, of channels that this caller may name."""
    if value is None:
        return ()
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _wrong("deliver", _A_CHANNEL)
    valid = [name for name, channel in channels.items() if channel.open_to(client.caller.role)]
    return tuple(dict.fromkeys(_one_of("deliver", name, valid, "unknown_channel") for name in names))


def _span(value: Any) -> float | None:
    if value is None:
        return None
    found = _SPAN.fullmatch(value) if isinstance(value, str) else None
    seconds = int(found[1]) * _UNITS[found[2]] if found else 0.0
    if not 0 < seconds <= _LONGEST:
        raise _wrong("expires_after", _A_SPAN)
    return seconds


def _one_of(
    name: str,
    value: Any,
    valid: list[str] | tuple[Queue, ...],
    code: Literal["bad_request", "unknown_action", "unknown_endpoint", "unknown_channel"] = "bad_request",
) -> Any:
    if value in valid:
        return value
    shown = str(value)[:100]
    raise _wrong(
        name,
        said(
            'there is no {name} "{value}"{hint}; valid: {valid}',
            "没有 {name}“{value}”{hint}（可用的有：{valid}）",
            name=name,
            value=shown,
            hint=did_you_mean(shown, list(valid)),
            valid=", ".join(valid) or Said("none", "无"),
        ),
        code,
    )


def _wrong(param: str, message: str, code: str = "bad_request") -> PointsmanError:
    return PointsmanError(message, param=param[:100], code=code)


_ONE_OF = Said(
    "a job needs either an endpoint with its body, or an action with its parameters",
    "任务需要二者之一：endpoint 及其 body，或 action 及其 parameters",
)
_SPOKEN = ("/v1/chat/completions", "/v1/completions")
_NOT_SPOKEN = (
    "what {endpoint} gives cannot be delivered; valid: {valid}, or an action",
    "{endpoint} 的结果不能发送（可用的有：{valid}，或动作）",
)
_A_CHANNEL = Said(
    "deliver must be the name of a channel, or a list of them", "deliver 必须是一个通道的名称，或名称的列表"
)
_SCHEDULES = Said(
    'an Idempotency-Key does not begin with "schedule:": those are of the gateway\'s own schedules',
    "Idempotency-Key 不能以“schedule:”开头：那是网关计划任务的键",
)
_A_KEY = Said(
    "Idempotency-Key must have 1 to 255 printable ASCII characters without spaces",
    "Idempotency-Key 必须是 1 到 255 个可见的 ASCII 字符，不含空格",
)
_A_SPAN = Said(
    "expires_after must be a span of time of at most 30 days, such as 90s, 15m, 2h, 1d",
    "expires_after 必须是不超过 30 天的时长，如 90s、15m、2h、1d",
)
