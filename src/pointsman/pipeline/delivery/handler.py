"""Does the jobs that deliver."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Protocol

from pointsman.domain.said import Said, said
from pointsman.domain.webhook import PAUSES, pause_after
from pointsman.pipeline.delivery.parcel import Parcel, parcel_of
from pointsman.pipeline.passage import Finished, Passage, TryAgain

log = logging.getLogger("pointsman")

UNCERTAIN = "uncertain"
"""The error of a delivery that may have happened: it is given up, and begun anew by hand alone."""


class Channel(Protocol):
    """A way to somebody."""

    async def deliver(self, parcel: Parcel, passage: Passage) -> Finished:
        """One try. Raises TryAgain and what passages do."""


class DeliveryHandler:
    """`channels` gives those that there are, by name."""

    def __init__(self, channels: Callable[[], Mapping[str, Channel]]) -> None:
        self._channels = channels

    async def handle(self, passage: Passage) -> Finished:
        parcel = parcel_of(passage.job.body)
        await passage.begin(said(*_SENDS, channel=parcel.channel), {"channel": parcel.channel})
        channel = self._channels().get(parcel.channel)
        if channel is None:
            raise TryAgain(said(*_NO_CHANNEL, channel=parcel.channel), "unknown_channel")
        try:
            return await channel.deliver(parcel, passage)
        except TryAgain as error:
            if error.tries is not None and passage.job.failures + 1 >= error.tries:
                log.error(_GIVEN_UP, passage.job.id, parcel.channel, error.why, passage.job.id)
            raise


def later(passage: Passage, why: str, code: str, after: float | None = None) -> TryAgain:
    """Tried again as webhooks are: ten times within three days."""
    pause = pause_after(passage.job.failures + 1, passage.effect, after)
    return TryAgain(why, code, pause, len(PAUSES) + 1)


def never(why: str, code: str) -> TryAgain:
    """Given up at once: `pointsman jobs retry` begins it anew, once the cause is gone."""
    return TryAgain(why, code, tries=1)


_GIVEN_UP = Said(
    "delivery %s to %s is given up: %s. Once the cause is gone: `pointsman jobs retry %s`",
    "发送任务 %s（通道 %s）已放弃：%s。原因消除后：`pointsman jobs retry %s`",
)
_SENDS = 'sends to "{channel}"', "发送到“{channel}”"
_NO_CHANNEL = 'there is no channel "{channel}" under delivery any more', "delivery 下已经没有通道“{channel}”"
