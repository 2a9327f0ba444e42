"""The machine's sensors: here, with a GPU of made-up answers, and with its cores made busy."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import time
from types import SimpleNamespace
from typing import Any

import pytest

from pointsman.admission.pressure import Thresholds
from pointsman.app.pressure import Machine, engines_busy, parking_rules
from pointsman.config.admission_schema import Admission
from pointsman.config.pressure_schema import Pressure
from pointsman.config.schema import Config
from pointsman.domain.job import Submission
from pointsman.domain.said import said
from pointsman.fleet.sensors import MachineSensors
from pointsman.pipeline.parking import Parking, ParkingRules
from pointsman.pipeline.passage import Passage
from pointsman.ports.backend import BackendFailure, EngineLoad
from pointsman.ports.clock import SystemClock
from pointsman.ports.sensors import Reading
from pointsman.store.jobs.memory import MemoryJobStore


class NVMLError(Exception):
    pass


class Nvml:
    """Two cards in NVML's form; `fails` from some moment on."""

    NVMLError = NVMLError
    fails = False

    def __getattr__(self, name: str) -> Any:
        def call(*given: Any) -> Any:
            if self.fails and name != "nvmlShutdown":
                raise NVMLError("GPU is lost")
            card = given[0] if given else 0
            return {
                "nvmlDeviceGetCount": 2,
                "nvmlDeviceGetHandleByIndex": card,
                "nvmlDeviceGetUUID": f"GPU-{card}",
                "nvmlDeviceGetMemoryInfo": SimpleNamespace(total=1000, used=(250, 900)[card or 0]),
                "nvmlDeviceGetUtilizationRates": SimpleNamespace(gpu=(12, 3)[card or 0], memory=50),
            }.get(name)

        return call


def test_this_machine() -> None:
    sensors = MachineSensors()
    reading = sensors.read()
    assert 0 <= reading.cpu <= 1 and 0 < reading.memory < 1
    assert (reading.gpu is None) == (reading.gpu_memory is None) == (not sensors.gpu)
    sensors.close()


def test_the_busiest_and_the_fullest_of_several_gpus_count() -> None:
    nvml = Nvml()
    sensors = MachineSensors(nvml)
    assert sensors.gpu and (sensors.read().gpu, sensors.read().gpu_memory) == (0.12, 0.9)
    nvml.fails = True
    assert (sensors.read().gpu, sensors.read().gpu_memory) == (None, None)
    sensors.close()
    sensors.close()


async def half() -> float:
    return 0.5


async def nothing() -> float:
    return 0.0


class Fixed:
    """Sensors that always say the same."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.closed = reading, False

    @property
    def gpu(self) -> bool:
        return self.reading.gpu is not None

    def read(self) -> Reading:
        return self.reading

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize(
    ("watch", "gpu", "wanted"),
    [
        ("never", 0.1, None),
        ("gpu", None, None),
        ("gpu", 0.1, (0.9, 0.1, False)),
        ("always", 0.1, (0.9, 0.1, False)),
        ("always", None, (0.9, 0.5, True)),
    ],
)
async def test_without_a_gpu_the_engines_count_where_that_is_wanted(
    watch: Any, gpu: float | None, wanted: tuple[float, float, bool] | None
) -> None:
    sensors = Fixed(Reading(0.9, 0.3, gpu, gpu))
    machine = Machine(half, lambda: sensors)
    config = Config(admission=Admission(pressure=Pressure(watch=watch, gpu=0.3, longest=7.0, jobs=3)))
    machine.install(config)
    load = await machine.sample()
    assert (None if load is None else (load.cpu, load.accelerator, load.engines)) == wanted
    machine.close()
    assert sensors.closed == (watch != "never")
    assert parking_rules(config) == ParkingRules(Thresholds(accelerator=0.3, longest=7.0), 3)


class Told:
    """A backend whose engine says how much it works on."""

    def __init__(self, load: EngineLoad | BackendFailure | None) -> None:
        self._load = load

    async def load(self) -> EngineLoad | None:
        if isinstance(self._load, BackendFailure):
            raise self._load
        return self._load


@pytest.mark.parametrize(
    ("load", "inside", "slots", "wanted"),
    [
        (EngineLoad(running=3), 1, 4, 0.75),
        (EngineLoad(running=1), 2, 4, 0.5),
        (EngineLoad(), 1, 4, 0.25),
        (None, 1, None, 1.0),
        (BackendFailure("connect", said("gone", "没了")), 1, 2, 0.5),
        (EngineLoad(running=9), 0, 4, 1.0),
    ],
)
async def test_engines_are_as_busy_as_they_say_or_as_the_gate_knows(
    load: Any, inside: int, slots: int | None, wanted: float
) -> None:
    backends: Any = {"idle": Told(EngineLoad(running=0)), "one": Told(load)}
    known = {"idle": 0, "one": inside}
    assert await engines_busy(backends, known.__getitem__, {"one": slots}.get) == wanted
    assert await engines_busy({}, known.__getitem__, {}.get) is None


def _burn() -> None:
    while True:
        pass


@pytest.mark.slow
async def test_busy_cores_beside_an_idle_engine_park_a_job_and_not_for_ever() -> None:
    machine = Machine(nothing)
    machine.install(Config(admission=Admission(pressure=Pressure(watch="always"))))
    store = MemoryJobStore()
    parking = Parking(store, SystemClock(), "w", machine.sample)
    parking.rules = ParkingRules(Thresholds(dwell=2.0, calm=1.0, longest=8.0), every=0.5)
    burners = [
        multiprocessing.get_context("spawn").Process(target=_burn, daemon=True) for _ in range(os.cpu_count() or 1)
    ]
    for burner in burners:
        burner.start()
    looking = asyncio.create_task(parking.run())
    try:
        async with asyncio.timeout(60):
            while not parking.pressure.holds:
                await asyncio.sleep(0.1)
        assert parking.pressure.cause == "mismatch"
        await store.submit(
            [Submission(id="job_1", queue="batch", kind="request", caller="a", created=time.time(), body=b"")]
        )
        [job] = await store.claim(("batch",), "w", 1, 60.0)
        assert parking.wants(job)
        await store.advance(job.held, parking.park(Passage(job, store, SystemClock(), "w")))
        assert (await store.counts()) == {"batch.parked": 1}
    finally:
        for burner in burners:
            burner.terminate()
            burner.join()
    async with asyncio.timeout(60):
        while await store.counts() != {"batch.waiting": 1}:
            await asyncio.sleep(0.1)
    looking.cancel()
    machine.close()
    steps = await store.trace("job_1")
    assert [step.event for step in steps] == ["submitted", "parked", "unparked"]
    assert steps[1].why is not None and "and the engines at 0%" in steps[1].why[0]
    print(steps[1].why, steps[2].why)
