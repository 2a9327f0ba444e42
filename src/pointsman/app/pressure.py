"""What the machine's sensors and the engines say, for who parks jobs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping

from pointsman.admission.pressure import Load, Thresholds
from pointsman.config.schema import Config
from pointsman.fleet.sensors import MachineSensors
from pointsman.pipeline.parking import ParkingRules
from pointsman.ports.backend import Backend, BackendFailure
from pointsman.ports.sensors import Sensors


class Machine:
    """`engines` says what share of their places is taken, None where there are none. Sensors are opened when they are first
    wanted."""

    def __init__(
        self, engines: Callable[[], Awaitable[float | None]], sensors: Callable[[], Sensors] = MachineSensors
    ) -> None:
        self._engines = engines
        self._make = sensors
        self._sensors: Sensors | None = None
        self._watch = "never"

    def install(self, config: Config) -> None:
        self._watch = config.admission.pressure.watch

    async def sample(self) -> Load | None:
        """How busy it is; None where the config wants nobody to look."""
        if self._watch == "never":
            return None
        if self._sensors is None:
            self._sensors = await asyncio.to_thread(self._make)
        if not self._sensors.gpu and self._watch == "gpu":
            return None
        reading = await asyncio.to_thread(self._sensors.read)
        if reading.gpu is None:
            return Load(reading.cpu, await self._engines(), reading.memory, engines=True)
        return Load(reading.cpu, reading.gpu, reading.memory, reading.gpu_memory)

    def close(self) -> None:
        if self._sensors is not None:
            self._sensors.close()


async def engines_busy(
    backends: Mapping[str, Backend], inside: Callable[[str], int], slots: Callable[[str], int | None]
) -> float | None:
    """What share of its places is taken at the busiest target: by requests that the gateway has there (`inside`), or by
    those that the engine says it works on, whoever sent them. One whose `slots` nobody knows is busy with the first
    request. None where there is no target."""

    async def share(name: str, backend: Backend) -> float:
        running = inside(name)
        with contextlib.suppress(BackendFailure):
            load = await backend.load()
            running = max(running, (load and load.running) or 0)
        return min(running / (slots(name) or 1), 1.0)

    taken = await asyncio.gather(*(share(name, backend) for name, backend in backends.items()))
    return max(taken, default=None)


def parking_rules(config: Config) -> ParkingRules:
    """When jobs are parked, and how many."""
    given = config.admission.pressure
    limits = Thresholds(
        cpu=given.cpu,
        accelerator=given.gpu,
        memory=given.memory,
        gpu_memory=given.gpu_memory,
        margin=given.margin,
        dwell=given.dwell,
        calm=given.calm,
        longest=given.longest,
    )
    return ParkingRules(limits, given.jobs, given.every)
