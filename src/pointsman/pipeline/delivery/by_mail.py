"""Delivery by e-mail: a letter goes out once, and where nobody knows whether it did, that is said and it is not repeated."""

from __future__ import annotations

import datetime
import logging
from collections.abc import Callable
from email.utils import parseaddr
from typing import Any

import msgspec
from msgspec.structs import replace

from pointsman.domain.said import Said, said
from pointsman.pipeline.delivery.handler import UNCERTAIN, later, never
from pointsman.pipeline.delivery.parcel import Parcel
from pointsman.pipeline.delivery.wording import filled, slots, with_links
from pointsman.pipeline.passage import Finished, Passage
from pointsman.ports.action import MadeFile
from pointsman.ports.clock import Clock
from pointsman.ports.file_store import FileStore, FileStoreError
from pointsman.ports.mail import Enclosure, Letter, Mailer, NotSent

log = logging.getLogger("pointsman")

Link = Callable[[MadeFile, str], str]
"""The URL of a file, for whoever has it; the second argument is where the gateway is reached."""


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """How letters of a channel are written. `plain` are the addresses of `to` and `cc` alone, as servers take them; `attach`
    is in bytes, 0: files are never attached."""

    sender: str
    to: tuple[str, ...]
    cc: tuple[str, ...]
    plain: tuple[str, ...]
    subject: Any
    text: Any
    attach: int
    zone: datetime.tzinfo


class _Way(msgspec.Struct, frozen=True, array_like=True):
    """What a letter's job remembers: whose servers took it, who is refused for good, and whether the letter was on its way
    when this was written. It is an array on disk: a new field goes to the end and has a default."""

    generation: int
    taken: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    going: bool = False


_encode = msgspec.msgpack.Encoder().encode
_way = msgspec.msgpack.Decoder(_Way).decode


class MailChannel:
    """`Channel` by e-mail. `link` gives what stands in a letter whose files are too large for it."""

    def __init__(self, name: str, mailer: Mailer, written: Written, files: FileStore, link: Link, clock: Clock) -> None:
        self._name = name
        self._mailer = mailer
        self._written = written
        self._files = files
        self._link = link
        self._clock = clock

    async def deliver(self, parcel: Parcel, passage: Passage) -> Finished:
        way = _way_now(passage)
        if way.going:
            raise never(_INTERRUPTED, UNCERTAIN)
        try:
            letter = await self._letter(parcel, passage)
        except FileStoreError as error:
            raise later(passage, error.args[0], "file_store") from None
        marked = False

        async def before() -> None:
            nonlocal marked
            await passage.go("stepped", why=_GOING, data=_encode(replace(way, going=True)))
            marked = True

        left = [address for address in self._written.plain if address not in (*way.taken, *way.refused)]
        try:
            sent = await self._mailer.send(letter, left, before)
        except NotSent as failure:
            log.warning(_FAILED, passage.job.id, self._name, failure.message, failure.detail)
            if failure.uncertain:
                raise never(said(*_UNCERTAIN, why=failure.message), UNCERTAIN) from None
            if marked:
                await passage.go("stepped", why=_NOT_GONE, data=_encode(way))
            code = f"mail_{failure.kind}"
            raise (later(passage, failure.message, code) if failure.again else never(failure.message, code)) from None
        for address, status in (*sent.later, *sent.never):
            log.warning(_NOT_TAKEN, passage.job.id, self._name, address, status)
        refused = tuple(address for address, _ in sent.never)
        way = replace(way, taken=(*way.taken, *sent.taken), refused=(*way.refused, *refused))
        if sent.later:
            await passage.go("stepped", data=_encode(way))
            statuses = _statuses([status for _, status in sent.later])
            count = len(sent.later)
            raise later(
                passage, said(*_SOME_LATER, count=count, of=len(self._written.plain), codes=statuses), "mail_busy"
            )
        if not way.refused:
            return Finished()
        codes = _statuses([status for _, status in sent.never]) if sent.never else "5xx"
        why = said(*_SOME_NEVER, count=len(way.refused), of=len(self._written.plain), codes=codes)
        if not way.taken:
            raise never(why, "mail_refused")
        return Finished(error="mail_refused", why=why)

    async def _letter(self, parcel: Parcel, passage: Passage) -> Letter:
        """Raises FileStoreError."""
        written = self._written
        small = 0 < sum(file.size for file in parcel.files) <= written.attach
        enclosed = []
        for file in parcel.files if small else ():
            content = await self._files.read(file.key)
            if content is not None:  # else it is kept no longer
                enclosed.append(Enclosure(file.name, file.media_type, content))
        values = slots(parcel, [(file, self._link(file, parcel.base_url)) for file in parcel.files], written.zone)
        text = filled(written.text, values, parcel)
        domain = parseaddr(written.sender)[1].rpartition("@")[2]
        return Letter(
            message_id=f"{passage.effect}@{domain.encode('idna').decode('ascii')}",
            date=self._clock.wall(),
            sender=written.sender,
            to=written.to,
            cc=written.cc,
            subject=filled(written.subject, values, parcel),
            text=text if enclosed else with_links(text, values),
            files=tuple(enclosed),
        )


def _way_now(passage: Passage) -> _Way:
    """What is known of its way. Begun anew by hand, it goes again to all who are not known to have it."""
    generation = passage.job.generation
    way = _way(passage.job.data) if passage.job.data else _Way(generation)
    return way if way.generation == generation else _Way(generation, taken=way.taken)


def _statuses(codes: list[int]) -> str:
    return ", ".join(map(str, dict.fromkeys(codes)))


_GOING = Said("the mail server agreed; the letter goes out", "邮件服务器已同意接收，开始传送邮件")
_NOT_GONE = Said("the letter did not go out", "邮件没有发出")
_INTERRUPTED = Said(
    "it was interrupted while the letter was going out: it may have arrived. It is not sent again by itself",
    "传送邮件时被中断：对方可能已经收到。不会自动重发",
)
_UNCERTAIN = (
    "the letter may have arrived: {why}. It is not sent again by itself",
    "对方可能已经收到邮件：{why}。不会自动重发",
)
_SOME_LATER = (
    "the mail server wanted {count} of {of} recipients later ({codes})",
    "邮件服务器要求稍后再发给 {of} 个收件人中的 {count} 个（{codes}）",
)
_SOME_NEVER = (
    "the mail server refused {count} of {of} recipients ({codes})",
    "邮件服务器拒绝了 {of} 个收件人中的 {count} 个（{codes}）",
)
_FAILED = Said("delivery %s to %s: %s (%s)", "发送任务 %s（通道 %s）：%s（%s）")
_NOT_TAKEN = Said(
    "delivery %s to %s: the mail server does not take it for %s (%s)",
    "发送任务 %s（通道 %s）：邮件服务器没有为 %s 接收（%s）",
)
