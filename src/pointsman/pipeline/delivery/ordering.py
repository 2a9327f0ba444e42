"""Having something delivered: acknowledged once it is durable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from pointsman.domain.said import said, told
from pointsman.domain.wording import Tongue
from pointsman.pipeline.delivery.parcel import Parcel, submissions
from pointsman.ports.action import Effect, Occasion
from pointsman.ports.clock import Clock
from pointsman.ports.job_store import JobStore, StoreError


class Deliver(Protocol):
    async def __call__(self, parcel: Parcel, channels: Sequence[str], effect: str) -> tuple[str, ...]:
        """The ids of the jobs that do it, one for each channel; under the same `effect` again, the same ones. Raises
        StoreError."""


class Deliveries:
    """`Deliver` over a job store."""

    def __init__(self, store: Callable[[], JobStore], clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def __call__(self, parcel: Parcel, channels: Sequence[str], effect: str) -> tuple[str, ...]:
        wanted = submissions(parcel, channels, effect, self._clock.wall())
        return tuple(done.id for done in await self._store().submit(wanted))


async def handed_on(deliver: Deliver, effect: Effect, occasion: Occasion, channels: Sequence[str]) -> Effect:
    """Has the effect delivered, and tells so. Where it cannot be now, a job fails with the store's error, for it is tried
    again; anybody else is told."""
    parcel = Parcel(
        channel="",
        text=effect.text,
        tongue=occasion.tongue,
        request_id=occasion.request_id,
        base_url=occasion.base_url,
        asked=occasion.now,
        files=effect.files,
        caller=occasion.caller,
    )
    try:
        ids = await deliver(parcel, channels, occasion.effect or occasion.request_id)
        text = told_of(effect.text, channels, ids, occasion.tongue)
    except StoreError as error:
        if occasion.effect is not None:
            raise
        text = told_of_none(effect.text, channels, told(error.args[0], occasion.tongue), occasion.tongue)
    return msgspec.structs.replace(effect, text=text)


def told_of(text: str, channels: Sequence[str], ids: Sequence[str], tongue: Tongue) -> str:
    """The text that a person reads, with where it goes."""
    lines = [told(said(*_GOES, channel=channel, id=job), tongue) for channel, job in zip(channels, ids, strict=True)]
    return "\n".join((text, *lines))


def told_of_none(text: str, channels: Sequence[str], why: str, tongue: Tongue) -> str:
    """The same where it could not be handed over."""
    names = ("、" if tongue == "zh" else ", ").join(channels)
    return f"{text}\n{told(said(*_GOES_NOT, channels=names, why=why), tongue)}"


_GOES = "Being sent to “{channel}” ({id})", "正在发送到“{channel}”（{id}）"
_GOES_NOT = "It could not be handed over for delivery to {channels}: {why}", "未能交付发送到{channels}：{why}"
