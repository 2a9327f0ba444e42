"""Delivery by webhook: a signed POST, tried again until the receiver takes it; its id tells it from one that came before."""

from __future__ import annotations

import base64
import datetime
import logging
from typing import Any

import msgspec

from pointsman.domain.said import Said, told
from pointsman.pipeline.delivery.by_mail import Link
from pointsman.pipeline.delivery.handler import later, never
from pointsman.pipeline.delivery.parcel import Parcel
from pointsman.pipeline.delivery.wording import title_of
from pointsman.pipeline.passage import Finished, Passage
from pointsman.ports.clock import Clock
from pointsman.ports.file_store import FileStore, FileStoreError
from pointsman.ports.webhook import NotDelivered, Webhooks

log = logging.getLogger("pointsman")


class HookChannel:
    """`Channel` by webhook. Files of together at most `content` bytes come in the message itself."""

    def __init__(self, webhooks: Webhooks, url: str, content: int, files: FileStore, link: Link, clock: Clock) -> None:
        self._webhooks = webhooks
        self._url = url
        self._content = content
        self._files = files
        self._link = link
        self._clock = clock

    async def deliver(self, parcel: Parcel, passage: Passage) -> Finished:
        message_id = passage.effect.replace(".", "-")
        try:
            body = await self._payload(parcel, passage)
        except FileStoreError as error:
            raise later(passage, error.args[0], "file_store") from None
        try:
            await self._webhooks.send(self._url, message_id, body, self._clock.wall())
        except NotDelivered as failure:
            log.warning(_FAILED, passage.job.id, parcel.channel, failure.message)
            code = f"webhook_{failure.kind}"
            if failure.again:
                raise later(passage, _NOT_TAKEN, code, failure.after) from None
            raise never(_NOT_TAKEN, code) from None
        return Finished()

    async def _payload(self, parcel: Parcel, passage: Passage) -> bytes:
        """JSON: {"type", "timestamp" of the question (RFC 3339, UTC), "data"}. Raises FileStoreError."""
        small = 0 < sum(file.size for file in parcel.files) <= self._content
        files = []
        for file in parcel.files:
            told_file: dict[str, Any] = {
                "name": file.name,
                "media_type": file.media_type,
                "size": file.size,
                "url": self._link(file, parcel.base_url),
            }
            if small and (content := await self._files.read(file.key)) is not None:
                told_file["content"] = base64.b64encode(content).decode()
            files.append(told_file)
        asked = datetime.datetime.fromtimestamp(parcel.asked, datetime.UTC)
        data = {
            "id": passage.job.id,
            "request_id": parcel.request_id,
            "channel": parcel.channel,
            "schedule": parcel.schedule,
            "title": title_of(parcel),
            "text": told(parcel.text, parcel.tongue),
            "language": parcel.tongue,
            "files": files,
        }
        kind = "delivery.failed" if parcel.failed else "delivery"
        timestamp = asked.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return msgspec.json.encode({"type": kind, "timestamp": timestamp, "data": data})


_NOT_TAKEN = Said("the receiver did not take it; the log says why", "接收方没有收下；原因见日志")
_FAILED = Said("delivery %s to %s: %s", "发送任务 %s（通道 %s）：%s")
