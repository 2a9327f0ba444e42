"""Signatures against those of Standard Webhooks, and against HMAC by hand."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.outbound import BadSignature, sign, verify
from pointsman.outbound.signing import key_of

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
KEY = key_of(SECRET)
BODY = b'{"type":"job.completed"}'
NOW = 1614265330.9


def by_hand(key: bytes, content: bytes) -> str:
    """HMAC-SHA256 from its definition (RFC 2104), without the module."""
    key = (hashlib.sha256(key).digest() if len(key) > 64 else key).ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key) + content).digest()
    return base64.b64encode(hashlib.sha256(bytes(byte ^ 0x5C for byte in key) + inner).digest()).decode()


@pytest.mark.parametrize(
    ("secret", "message_id", "timestamp", "body", "signature"),
    [  # from the reference libraries' tests, and the documentation of the sender's side
        (
            SECRET,
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1614265330,
            b'{"test": 2432232314}',
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        ),
        (
            "whsec_plJ3nmyCDGBKInavdOK15jsl",
            "msg_loFOjxBNrRLzqYUf",
            1731705121,
            b'{"event_type":"ping","data":{"success":true}}',
            "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
        ),
    ],
)
def test_vectors(secret: str, message_id: str, timestamp: int, body: bytes, signature: str):
    assert sign([key_of(secret)], message_id, timestamp, body) == (
        ("webhook-id", message_id),
        ("webhook-timestamp", str(timestamp)),
        ("webhook-signature", signature),
    )


@given(st.binary(min_size=1, max_size=200), st.from_regex(r"[A-Za-z0-9_-]{1,40}", fullmatch=True), st.binary())
def test_as_by_hand_and_verified(key: bytes, message_id: str, body: bytes):
    headers = dict(sign([key], message_id, NOW, body))
    assert headers["webhook-signature"] == "v1," + by_hand(key, f"{message_id}.1614265330.".encode() + body)
    verify([key], headers, body, NOW)
    with pytest.raises(BadSignature):
        verify([key], headers, body + b" ", NOW)
    with pytest.raises(BadSignature):
        verify([key + b"x"], headers, body, NOW)


def test_by_hand_is_right():
    assert by_hand(KEY, b"x" * 100) == base64.b64encode(hmac.new(KEY, b"x" * 100, "sha256").digest()).decode()


def test_secrets():
    assert key_of("whsec_AAECAw==") == b"\0\1\2\3"
    assert key_of("any text 密钥") == "any text 密钥".encode()
    for bad in ("", "whsec_", "whsec_*", "whsec_AAE"):
        with pytest.raises(ValueError, match=r"secret|base64"):
            key_of(bad)


@pytest.mark.parametrize("message_id", ["", "a.b", "a b", "a\r\nx: y", "中", "a" * 201])
def test_ids_that_are_none(message_id: str):
    with pytest.raises(ValueError, match="message id"):
        sign([KEY], message_id, NOW, BODY)


def test_while_a_secret_is_replaced_either_fits():
    headers = dict(sign([KEY, b"earlier"], "msg_1", NOW, BODY))
    assert len(headers["webhook-signature"].split(" ")) == 2
    verify([KEY], headers, BODY, NOW)
    verify([b"earlier"], headers, BODY, NOW)
    verify([b"unknown", b"earlier"], headers, BODY, NOW)
    with pytest.raises(BadSignature):
        verify([b"unknown"], headers, BODY, NOW)


def test_signatures_of_other_kinds_are_passed_over():
    headers = dict(sign([KEY], "msg_1", NOW, BODY))
    signature = headers["webhook-signature"]
    others = "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg=="
    verify([KEY], {**headers, "webhook-signature": f"v2,x {others} v1,AAAA {signature}"}, BODY, NOW)
    for wrong in ("", "v1,", "v1", others, signature[:20], signature.replace("v1", "v2"), signature.replace(",", " ")):
        with pytest.raises(BadSignature):
            verify([KEY], {**headers, "webhook-signature": wrong}, BODY, NOW)


@pytest.mark.parametrize(("late", "fits"), [(0, True), (299, True), (-299, True), (302, False), (-302, False)])
def test_old_messages_are_not_believed(late: float, fits: bool):
    headers = dict(sign([KEY], "msg_1", NOW, BODY))
    if fits:
        verify([KEY], headers, BODY, NOW + late)
    else:
        with pytest.raises(BadSignature, match="timestamp"):
            verify([KEY], headers, BODY, NOW + late)
    verify([KEY], headers, BODY, NOW + late, tolerance=1000)


@pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_each_header_is_needed_and_signed(name: str):
    headers = dict(sign([KEY], "msg_1", NOW, BODY))
    changed = {"webhook-id": "msg_2", "webhook-timestamp": "1614265331", "webhook-signature": "v1,AAAA"}
    for value in ("", "hello", changed[name], headers[name] + "x"):
        with pytest.raises(BadSignature):
            verify([KEY], {**headers, name: value}, BODY, NOW)
    del headers[name]
    with pytest.raises(BadSignature):
        verify([KEY], headers, BODY, NOW)
