"""Signatures of webhooks as Standard Webhooks has them (https://www.standardwebhooks.com), version 1: HMAC-SHA256."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence

from pointsman.domain.said import Said

ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
TOLERANCE = 300.0
"""Seconds by which the clocks of sender and receiver may differ, the way included."""
_PREFIX = "whsec_"
_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")
_TIMESTAMP = re.compile(r"[0-9]{1,15}")


class BadSignature(Exception):
    """The message is not the sender's, or not of now: it is to be dropped."""


def key_of(secret: str) -> bytes:
    """The key that a secret stands for: what follows `whsec_`, in base64, else the text itself in UTF-8. ValueError: it is
    empty, or no base64."""
    if secret.startswith(_PREFIX):
        try:
            key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
        except (binascii.Error, ValueError):
            raise ValueError(Said("what follows whsec_ is no base64", "whsec_ 之后的内容不是 base64")) from None
    else:
        key = secret.encode()
    if not key:
        raise ValueError(Said("the secret is empty", "密钥为空"))
    return key


def sign(keys: Sequence[bytes], message_id: str, now: float, body: bytes) -> tuple[tuple[str, str], ...]:
    """The headers that go with `body`: one signature for each key, so that a secret can be replaced while receivers still
    know the old one. `now` is the moment of this try, seconds since the epoch. ValueError: an id that is not of letters,
    digits, `_` and `-`; a dot in it would let a signature fit another message."""
    if not _ID.fullmatch(message_id):
        raise ValueError(f"message id {message_id!r} is not valid (letters, digits, _ and -, at most 200)")
    timestamp = str(int(now))
    signatures = [f"v1,{_signature(key, message_id, timestamp, body)}" for key in keys]
    return (ID, message_id), (TIMESTAMP, timestamp), (SIGNATURE, " ".join(signatures))


def verify(
    keys: Sequence[bytes], headers: Mapping[str, str], body: bytes, now: float, tolerance: float = TOLERANCE
) -> None:
    """What a receiver does before it believes a message: `headers` by their names in lower case, `body` byte for byte.
    Raises BadSignature."""
    message_id, timestamp = headers.get(ID, ""), headers.get(TIMESTAMP, "")
    if not _ID.fullmatch(message_id) or not _TIMESTAMP.fullmatch(timestamp):
        raise BadSignature("id or timestamp is missing or malformed")
    if abs(now - int(timestamp)) > tolerance:
        raise BadSignature("the timestamp is too far from now")
    told = [value.encode() for value in headers.get(SIGNATURE, "").split(" ") if value.startswith("v1,")]
    expected = [f"v1,{_signature(key, message_id, timestamp, body)}".encode() for key in keys]
    if not any(hmac.compare_digest(one, other) for one in told for other in expected):
        raise BadSignature("no signature fits")


def _signature(key: bytes, message_id: str, timestamp: str, body: bytes) -> str:
    content = f"{message_id}.{timestamp}.".encode() + body
    return base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()
