"""Webhooks: one signed try, and what its answer means (Standard Webhooks, "Delivery success and failure")."""

from __future__ import annotations

import email.utils
from typing import Literal

from pointsman.domain.said import Said, said
from pointsman.domain.webhook import LONGEST_PAUSE
from pointsman.outbound.destination import read_url
from pointsman.outbound.signing import key_of, sign
from pointsman.ports.outbound import Answer, NotAnswered, Outbound, Refused
from pointsman.ports.webhook import Delivered, NotDelivered

_MOST = 16 << 10
"""Bytes of an answer that are read. Nobody uses them, but who is cut off while answering may take it for a failure."""
_BUSY = (429, 502, 503, 504)


class WebhookSender:
    """`ports.Webhooks`. Messages carry a signature with `secret` (`whsec_…`, or any text), and one with `earlier`, the
    secret before it, for as long as that is given. A receiver has `seconds` for its answer. ValueError: a secret that is
    none, in both languages."""

    def __init__(self, outbound: Outbound, secret: str, earlier: str | None = None, *, seconds: float = 20.0) -> None:
        self._outbound = outbound
        self._keys = [key_of(one) for one in (secret, earlier) if one is not None]
        self._seconds = seconds

    async def check(self, url: str) -> None:
        await self._outbound.check(url)

    async def send(self, url: str, message_id: str, body: bytes, now: float) -> Delivered:
        headers = ("content-type", "application/json"), *sign(self._keys, message_id, now, body)
        try:
            answer = await self._outbound.ask("POST", url, headers, body, seconds=self._seconds, most=_MOST)
        except Refused as refusal:
            raise NotDelivered("refused", refusal.message, again=False) from None
        except NotAnswered as failure:
            raise NotDelivered(failure.kind, failure.message, again=True) from None
        if 200 <= answer.status < 300:
            return Delivered(answer.status)
        kind, words = _meaning(answer.status)
        en, zh = "{name} answered {status}: {words}", "{name} 应答 {status}：{words}"
        message = said(en, zh, name=read_url(url).name, status=answer.status, words=words)
        raise NotDelivered(kind, message, again=kind != "gone", after=_retry_after(answer, now))


def _meaning(status: int) -> tuple[Literal["gone", "redirect", "busy", "status"], Said]:
    if status == 410:
        return "gone", Said("it wants no more webhooks", "它不再接收 webhook")
    if status < 400:
        return "redirect", Said(
            "redirects are not followed; the URL itself must take it", "不跟随重定向；请直接填写最终的 URL"
        )
    if status in _BUSY:
        return "busy", Said("it cannot take it now", "它现在无法接收")
    return "status", Said("it did not take it", "它没有接收")


def _retry_after(answer: Answer, now: float) -> float | None:
    """Seconds, from the two forms of Retry-After; None where it says nothing that can be read."""
    text = answer.header("retry-after") or ""
    if text.isascii() and text.isdigit():
        seconds = float(text[:9])
    else:
        try:
            seconds = email.utils.parsedate_to_datetime(text).timestamp() - now
        except (ValueError, OverflowError):
            return None
    return min(max(seconds, 0.0), LONGEST_PAUSE)
