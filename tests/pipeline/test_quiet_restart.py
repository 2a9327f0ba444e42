"""Models that begin anew at a quiet hour: when, and when not."""

from __future__ import annotations

import datetime
from zoneinfo import ZoneInfo

import pytest
from test_residence import House

from pointsman.domain.residence import Demand, Residence
from pointsman.domain.said import Said
from pointsman.pipeline import quiet_restart
from pointsman.pipeline.quiet_restart import QUIET, WITHIN, QuietRestarts
from pointsman.pipeline.schedules.times import Timing
from pointsman.ports.model_driver import LoadFailure
from pointsman.residency.unit import Unit

ZONE = "Asia/Shanghai"
FOUR = Timing("0 4 * * *", ZONE)


class Night:
    """A clock that stands still, and a model that is as the test says."""

    def __init__(self) -> None:
        self.now = datetime.datetime(2026, 11, 30, 3, 59, 0, tzinfo=ZoneInfo(ZONE)).timestamp()
        self.demand = Demand()
        self.stage = "ready"
        self.failure: Exception | None = None
        self.restarted: list[str] = []
        self.told: dict[str, Said | None] = {}
        self.restarts = QuietRestarts(self, self._demand, self._state, self._restart, self.told.__setitem__)

    def wall(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now

    def _demand(self, name: str) -> Demand:
        return self.demand

    def _state(self, name: str) -> Residence | None:
        return Residence(name, self.stage)  # type: ignore[arg-type]

    async def _restart(self, name: str) -> None:
        if self.failure is not None:
            raise self.failure
        self.restarted.append(name)

    async def later(self, seconds: float) -> None:
        self.now += seconds
        await self.restarts.look()


@pytest.fixture
async def night() -> Night:
    night = Night()
    night.restarts.install({"m": FOUR})
    await night.restarts.close()  # the test looks by itself
    return night


async def test_at_its_time_and_once(night: Night) -> None:
    assert str(night.told["m"]) == "begins anew at 2026-11-30 04:00 Asia/Shanghai"
    await night.later(59)
    assert night.restarted == []
    await night.later(2)
    assert night.restarted == ["m"]
    await night.later(3600)
    assert night.restarted == ["m"]
    assert str(night.told["m"]) == "begins anew at 2026-12-01 04:00 Asia/Shanghai"
    await night.later(86_400)
    assert night.restarted == ["m", "m"]


@pytest.mark.parametrize("busy", [{"inside": 1}, {"waiting": 1}, {"used": 3.0e9}])
async def test_it_waits_to_be_idle(night: Night, busy: dict[str, float]) -> None:
    night.demand = Demand(**busy)  # type: ignore[arg-type]
    await night.later(60)
    await night.later(WITHIN / 2)
    assert night.restarted == []
    assert "begins anew once it is idle (since 2026-11-30 04:00" in str(night.told["m"])
    night.demand = Demand(used=night.now - QUIET + 1)
    await night.later(0)
    assert night.restarted == []
    await night.later(1)
    assert night.restarted == ["m"]


async def test_it_gives_up_until_the_next_day(night: Night, caplog: pytest.LogCaptureFixture) -> None:
    night.demand = Demand(inside=1)
    await night.later(60)
    await night.later(WITHIN)
    night.demand = Demand()
    await night.later(1)
    assert night.restarted == []
    assert "does not begin anew today: it was never idle within 60 minutes" in caplog.text
    said = night.told["m"]
    assert said is not None
    assert "did not begin anew: it was never idle" in said
    assert "tried again at 2026-12-01 04:00" in said
    assert "2026-12-01 04:00" in said.zh
    await night.later(86_400)
    assert night.restarted == ["m"]


async def test_a_model_that_is_out_needs_none_and_one_that_fails_says_so(night: Night) -> None:
    night.stage = "unloaded"
    await night.later(61)
    night.stage = "ready"
    await night.later(5)
    assert night.restarted == []
    night.failure = LoadFailure("unconfirmed", Said("its memory did not come back", "内存没有释放"))
    await night.later(86_400)
    assert "did not begin anew: its memory did not come back" in str(night.told["m"])
    night.failure = KeyError("m")
    await night.later(86_400)
    assert str(night.told["m"]).startswith("begins anew at")


async def test_reloads(night: Night) -> None:
    night.demand = Demand(inside=1)
    await night.later(61)
    night.restarts.install({"m": FOUR, "n": Timing("0 5 * * *", ZONE)})
    await night.restarts.close()
    night.demand = Demand()
    await night.later(1)
    assert night.restarted == ["m"]  # it still waited
    night.restarts.install({"n": Timing("0 6 * * *", ZONE)})
    await night.restarts.close()
    assert night.told["m"] is None
    assert "06:00" in str(night.told["n"])
    await night.later(3 * 3600)
    assert night.restarted == ["m", "n"]
    night.restarts.install({})
    await night.later(86_400)
    assert night.restarted == ["m", "n"]


async def test_before_a_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the keeper: it drains, goes and comes again; its residence says what is planned."""
    monkeypatch.setattr(quiet_restart, "QUIET", 0.0)
    house, night = House(), Night()
    house.install(Unit("m", ("m",), start=True))
    await house.keeper.load("m")
    restarts = QuietRestarts(
        night,
        lambda name: Demand(),
        house.keeper.residences.get,
        house.keeper.restart,
        house.keeper.restarts,
    )
    restarts.install({"m": FOUR})
    await restarts.close()
    assert "begins anew at" in str(house.keeper.residences["m"].restart)
    night.now += 61
    await restarts.look()
    residence = house.keeper.residences["m"]
    assert (residence.stage, residence.loads) == ("ready", 2)
    assert [line for line in house.counted if "gone" in line] == ["m gone restart"]
    assert "2026-12-01 04:00" in str(residence.restart)
    await house.keeper.close()
