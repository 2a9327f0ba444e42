"""Models that come and go before a gate: who waits for which, what is done, and what is told."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable

import pytest
from scripted_driver import ScriptedDriver

from pointsman.admission.ticket import Capacity, Ticket
from pointsman.domain.residence import Residence
from pointsman.domain.said import Said
from pointsman.domain.target import Snapshot
from pointsman.pipeline.gate import Gate, GateRules
from pointsman.pipeline.residence import hands, held, looks
from pointsman.pipeline.residence.board import Board
from pointsman.pipeline.residence.floor import GateFloor
from pointsman.pipeline.residence.keeper import Keeper
from pointsman.pipeline.residence.plan import Plan
from pointsman.ports.clock import SystemClock
from pointsman.ports.model_driver import LoadFailure, NoRoom
from pointsman.residency.unit import Rules, Unit

FULL = LoadFailure("memory", Said("no room", "放不下"))


class Asked:
    """A request at the gate."""

    def __init__(self, gate: Gate, ticket: Ticket) -> None:
        self.gate, self.ticket = gate, ticket
        self.task = asyncio.create_task(gate.enter(ticket))

    async def inside(self) -> str:
        async with asyncio.timeout(10):
            return await self.task

    def leave(self) -> None:
        self.gate.leave(self.ticket.id)

    async def served(self) -> str:
        target = await self.inside()
        self.leave()
        return target


class House:
    """A gate with a keeper behind it. `counted` is what was counted."""

    def __init__(self) -> None:
        self.clock = SystemClock()
        self.gate = Gate(self.clock, lambda: Snapshot.of(()))
        self.changes: list[str] = []
        self.board = Board(self.gate, self.clock, self.changes.append)
        self.floor = GateFloor(self.board)
        self.counted: list[str] = []
        self.keeper = Keeper(self.clock, self.floor, self)
        self.gate.stirred = self._stirred
        self.log: list[str] = []
        self.drivers: dict[str, ScriptedDriver] = {}
        self._number = 0

    def _stirred(self) -> None:
        self.floor.stirred()
        self.keeper.stirred()

    def model_loaded(self, target: str, cause: held.Cause, seconds: float) -> None:
        self.counted.append(f"{target} loaded {cause}")

    def model_failed(self, target: str, cause: held.Cause) -> None:
        self.counted.append(f"{target} failed {cause}")

    def model_gone(self, target: str, reason: held.Reason) -> None:
        self.counted.append(f"{target} gone {reason}")

    def install(self, *units: Unit, rules: Rules | None = None, by_hand: bool = False) -> None:
        names = [name for unit in units for name in unit.models]
        for name in names:
            self.drivers.setdefault(name, ScriptedDriver(name, self.log, by_hand=by_hand))
        self.gate.install(GateRules(lambda snapshot: dict.fromkeys(names, Capacity(2))))
        drivers = {name: self.drivers[name] for name in names}
        self.keeper.install(Plan(units, rules or Rules(), drivers, drains=dict.fromkeys(names, 0.05)))

    def ask(self, *targets: str) -> Asked:
        self._number += 1
        ticket = Ticket(f"t{self._number}", "me", targets, 1, arrived=self.clock.monotonic())
        return Asked(self.gate, ticket)

    def of(self, name: str) -> Residence:
        return self.keeper.residences[name]


@pytest.fixture
async def house(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    monkeypatch.setattr(held, "BACKOFF", (0.05,))
    monkeypatch.setattr(hands, "UNCONFIRMED", 0.01)
    monkeypatch.setattr(looks, "LOOK", 0.01)
    built = House()
    yield built
    for driver in built.drivers.values():
        driver.by_hand = False
        driver.done()
    await built.keeper.close()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.sleep(0.002)


def one(name: str, **given: object) -> Unit:
    return Unit(name, (name,), **{"memory": 1, **given})  # type: ignore[arg-type]


async def test_who_waits_for_a_model_goes_in_once_it_is_loaded(house: House) -> None:
    house.install(one("A"), by_hand=True)
    asked = [house.ask("A") for _ in range(3)]
    await until(lambda: house.log == ["load A"])
    place = house.gate.place(asked[0].ticket)
    assert place is not None and place.loading is not None
    assert place.loading.target == "A" and place.loading.usual is None
    assert house.of("A").stage == "loading" and house.of("A").progress == "half"
    house.drivers["A"].done()
    assert [await each.inside() for each in asked[:2]] == ["A", "A"]  # it takes two at a time
    assert house.of("A").stage == "ready" and house.of("A").loads == 1
    asked[0].leave()
    assert await asked[2].inside() == "A"
    assert house.counted == ["A loaded request"]


async def test_memory_is_free_before_the_next_one_is_loaded(house: House) -> None:
    house.install(one("A"), one("B"), rules=Rules(1))
    assert await house.ask("A").served() == "A"
    house.drivers["A"].by_hand = True
    second = house.ask("B")
    await until(lambda: house.log == ["load A", "unload A"])
    await asyncio.sleep(0.01)
    assert house.of("A").stage == "draining" and house.of("B").stage == "absent"
    house.drivers["A"].done()
    assert await second.served() == "B"
    assert house.log == ["load A", "unload A", "load B"]
    assert house.of("A").stage == "unloaded" and house.of("A").evictions == 1
    assert house.counted == ["A loaded request", "A gone room", "B loaded request"]


async def test_memory_that_nobody_confirms_is_not_given_away(house: House) -> None:
    house.install(one("A"), one("B"), rules=Rules(1))
    await house.ask("A").served()
    house.drivers["A"].stuck = [LoadFailure("unconfirmed", Said("still there", "还在"))] * 2
    assert await house.ask("B").served() == "B"
    assert house.log == ["load A", "unload A", "unload A", "unload A", "load B"]


async def test_a_model_that_serves_is_waited_for_and_nobody_new_goes_in(house: House) -> None:
    house.install(one("A"), one("B"), rules=Rules(1, patience=0.02))
    first = house.ask("A")
    await first.inside()
    second = house.ask("B")
    await until(lambda: house.of("A").stage == "draining")
    third = house.ask("A")
    await asyncio.sleep(0.02)
    assert house.log == ["load A"] and not third.task.done()
    first.leave()
    assert await second.inside() == "B"
    second.leave()
    assert await third.served() == "A"
    assert house.log == ["load A", "unload A", "load B", "unload B", "load A"]


async def test_a_drain_is_called_off_where_nobody_wants_the_memory_any_more(house: House) -> None:
    house.install(one("A"), one("B"), rules=Rules(1, patience=0.01))
    first = house.ask("A")
    await first.inside()
    second = house.ask("B")
    await until(lambda: house.of("A").stage == "draining")
    second.task.cancel()
    await until(lambda: house.of("A").stage == "ready")
    assert await house.ask("A").served() == "A"
    assert house.log == ["load A"]
    first.leave()


async def test_a_load_that_fails_is_told_at_once_and_tried_again_later(house: House) -> None:
    house.install(one("A"))
    house.drivers["A"].faults = [FULL]
    assert await house.ask("A").served() == "A"  # its backend says what is wrong
    assert house.of("A").stage == "failed" and house.of("A").problem == "no room"
    await asyncio.sleep(0.06)
    assert await house.ask("A").served() == "A"
    assert house.of("A").stage == "ready" and house.of("A").problem is None
    assert house.counted == ["A failed request", "A loaded request"]


async def test_a_driver_that_breaks_breaks_its_own_model_only(house: House) -> None:
    house.install(one("A"), one("B"))
    house.drivers["A"].faults = [ZeroDivisionError("oh")]
    assert await house.ask("A").served() == "A"
    assert await house.ask("B").served() == "B"
    assert "oh" in str(house.of("A").problem)


async def test_what_never_fits_is_refused_with_the_numbers(house: House) -> None:
    large = Unit("L", ("L",), 5 << 20)
    house.install(large, one("A", pinned=True), rules=Rules(4 << 20))
    assert await house.ask("L").served() == "L"
    residence = house.of("L")
    assert residence.stage == "failed" and residence.again is None
    assert residence.problem is not None
    assert "5.0 MiB" in residence.problem and "4.0 MiB" in residence.problem
    assert "5.0 MiB" in residence.problem.zh and "load L" not in house.log


async def test_others_go_where_memory_is_fuller_than_the_budget_says(house: House) -> None:
    """Other programs have some of it: 10 of 24 are free beside a, which takes 10."""
    house.install(one("a", memory=10), one("b", memory=12), rules=Rules(24, 5.0))
    assert await house.ask("a").served() == "a"
    house.drivers["b"].faults.append(NoRoom(Said("no room", "放不下"), 10))
    assert await house.ask("b").served() == "b"
    assert house.log == ["load a", "load b", "unload a", "load b"]
    assert house.of("b").problem is None


async def test_where_none_can_go_who_waits_hears_why(house: House) -> None:
    house.install(one("a", memory=10, pinned=True, start=True), one("b", memory=12), rules=Rules(24, 5.0))
    await until(lambda: house.log == ["load a"])
    house.drivers["b"].faults.append(NoRoom(Said("no room", "放不下"), 10))
    assert await house.ask("b").served() == "b"  # its backend says what is wrong
    assert house.of("b").stage == "failed" and house.of("b").problem == "no room"
    await asyncio.sleep(0.06)
    assert await house.ask("b").served() == "b"
    assert house.of("b").stage == "ready" and house.log == ["load a", "load b", "load b"]


async def test_models_of_a_group_come_and_go_together(house: House) -> None:
    house.install(Unit("g", ("A", "B"), 2), one("C"), rules=Rules(2))
    assert await house.ask("B").served() == "B"
    assert await house.ask("C").served() == "C"
    assert house.log == ["load A", "load B", "unload B", "unload A", "load C"]


async def test_none_of_a_group_is_there_where_one_failed(house: House) -> None:
    house.install(Unit("g", ("A", "B"), 2))
    house.drivers["B"].faults = [FULL]
    assert await house.ask("A").served() == "A"
    assert house.log == ["load A", "load B", "unload A"]
    assert house.of("A").stage == house.of("B").stage == "failed"


async def test_one_that_nobody_uses_goes(house: House) -> None:
    house.install(one("A", idle=0.03))
    await house.ask("A").served()
    await until(lambda: house.of("A").stage == "unloaded")
    assert house.counted[-1] == "A gone unused" and house.of("A").evictions == 0


async def test_what_is_to_be_there_from_the_start_is_loaded_the_pinned_first(house: House) -> None:
    house.install(one("A", start=True), one("B", pinned=True), one("C", start=True), rules=Rules(2))
    await until(lambda: house.of("A").stage == house.of("B").stage == "ready")
    assert house.log == ["load B", "load A"] and house.counted == ["B loaded start", "A loaded start"]
    assert await house.ask("C").served() == "C"
    assert house.log[2:] == ["unload A", "load C"]


async def test_one_that_is_pinned_gets_its_memory_back_from_others(house: House) -> None:
    house.install(one("A"), one("B"), rules=Rules(1, patience=0.02))
    busy = house.ask("B")
    await busy.inside()
    house.install(one("A", pinned=True), one("B"), rules=Rules(1, patience=0.02))
    await until(lambda: house.of("B").stage == "draining")
    busy.leave()
    await until(lambda: house.of("A").stage == "ready")
    assert house.counted == ["B loaded request", "B gone room", "A loaded start"]


async def test_one_that_ended_by_itself_comes_back(house: House) -> None:
    house.install(one("A", start=True), one("B"))
    await house.ask("B").served()
    await until(lambda: house.of("A").stage == "ready")
    house.drivers["A"].there = house.drivers["B"].there = False
    await until(lambda: house.of("A").loads == 2)
    await until(lambda: house.of("B").stage == "failed")
    assert "A gone lost" in house.counted and house.log.count("load B") == 1


async def test_one_that_may_be_gone_is_looked_at_at_once(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks, "LOOK", 3600.0)
    house.install(one("A"))
    await asyncio.sleep(0.03)  # the watch has gone to sleep
    await house.ask("A").served()
    house.keeper.check("A")
    await asyncio.sleep(0.01)
    assert house.of("A").stage == "ready"
    house.drivers["A"].there = False
    house.drivers["A"].ended = Said("killed", "被杀")
    house.keeper.check("A")
    await until(lambda: house.of("A").stage == "failed")
    assert house.of("A").problem == "killed"


async def test_what_somebody_else_has_loaded_is_used(house: House) -> None:
    house.drivers["A"] = ScriptedDriver("A", house.log)
    house.drivers["A"].there = True
    house.install(one("A"))
    await until(lambda: house.of("A").stage == "ready")
    assert await house.ask("A").served() == "A" and house.log == []


async def test_operators_load_unload_and_pin(house: House) -> None:
    house.install(one("A"), one("B"), rules=Rules(1))
    assert (await house.keeper.load("A")).stage == "ready"
    assert (await house.keeper.unload("A")).stage == "unloaded"
    assert house.counted == ["A loaded asked", "A gone asked"]
    assert house.keeper.pin("A", True).pinned
    await until(lambda: house.of("A").stage == "ready")
    with pytest.raises(LoadFailure):
        await house.keeper.unload("A")
    with pytest.raises(LoadFailure):
        await house.keeper.load("B")
    assert await house.ask("B").served() == "B"  # at once, and its backend says why
    assert not house.keeper.pin("A", False).pinned
    assert await house.ask("B").served() == "B"
    with pytest.raises(KeyError):
        await house.keeper.load("Z")


async def test_an_operator_s_unload_waits_so_long_for_replies_under_way(house: House) -> None:
    house.install(one("A"))
    asked = house.ask("A")
    await asked.inside()
    assert (await house.keeper.unload("A")).stage == "unloaded"  # 0.05 s later
    asked.leave()


async def test_an_unload_ends_a_load_under_way(house: House) -> None:
    house.install(one("A"), by_hand=True)
    asking = asyncio.create_task(house.keeper.load("A"))
    await until(lambda: house.log == ["load A"])
    assert (await house.keeper.unload("A")).stage == "unloaded"
    assert house.log == ["load A", "cancelled A"]
    with pytest.raises(LoadFailure):
        await asking


async def test_a_restart_is_an_unload_and_a_load(house: House) -> None:
    house.install(one("A", pinned=True))
    await until(lambda: house.of("A").stage == "ready")
    assert (await house.keeper.restart("A")).stage == "ready"
    assert house.log == ["load A", "unload A", "load A"]
    assert house.counted == ["A loaded start", "A gone restart", "A loaded restart"]


async def test_a_reload_keeps_what_is_as_before_and_sends_the_rest_away(house: House) -> None:
    house.install(one("A"), one("B"))
    await house.ask("A").served()
    await house.ask("B").served()
    house.install(one("A", idle=600.0))
    await until(lambda: "unload B" in house.log)
    assert await house.ask("A").served() == "A"
    assert house.log == ["load A", "load B", "unload B"]
    assert list(house.keeper.residences) == ["A"]


async def test_a_request_for_several_goes_to_the_one_that_is_there(house: House) -> None:
    house.install(one("A"), one("B"))
    await house.ask("B").served()
    assert await house.ask("A", "B").served() == "B"
    assert house.log == ["load B"]


async def test_a_load_that_nobody_waits_for_any_more_goes_on(house: House) -> None:
    house.install(one("A"), by_hand=True)
    asked = house.ask("A")
    await until(lambda: house.log == ["load A"])
    asked.task.cancel()
    await asyncio.sleep(0.01)
    house.drivers["A"].done()
    await until(lambda: house.of("A").stage == "ready")


@pytest.mark.parametrize("seed", range(4))
async def test_whatever_happens_memory_is_enough_and_everybody_is_let_in(house: House, seed: int) -> None:
    """Requests, failures, clients that leave, operators and reloads, at random."""
    rng = random.Random(seed)
    units = [Unit(name, (name,), size) for name, size in zip("ABC", (1, 1, 2), strict=True)]
    units.append(Unit("g", ("D", "E"), 2))
    sizes = {"A": 1, "B": 1, "C": 2, "D": 1, "E": 1}
    rules = Rules(3, patience=0.02, gather=rng.choice([0.0, 0.01]))
    house.install(*units, rules=rules)
    asked: list[Asked] = []
    serving: set[asyncio.Task[None]] = set()

    async def serve(each: Asked, seconds: float) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await each.task
            await asyncio.sleep(seconds)
            each.leave()

    for _ in range(150):
        match rng.randrange(12):
            case 0:
                house.drivers[rng.choice("ABCDE")].faults = [FULL]
            case 1:
                house.drivers[rng.choice("ABCDE")].stuck = [LoadFailure("unconfirmed", Said("still there", "还在"))]
            case 2 if asked:
                rng.choice(asked).task.cancel()
            case 3:
                house.drivers[rng.choice("ABCDE")].there = False
            case 4:
                house.install(*(units if rng.random() < 0.5 else rng.sample(units, 3)), rules=rules)
            case _:
                each = house.ask(*rng.sample("ABCDE", rng.choice([1, 1, 2])))
                asked.append(each)
                serving.add(asyncio.create_task(serve(each, rng.choice([0.0, 0.002, 0.02]))))
        await asyncio.sleep(rng.choice([0.0, 0.001, 0.005]))
        there = [name for name, driver in house.drivers.items() if driver.there or driver.at_work]
        assert sum(sizes[name] for name in there) <= 3
    async with asyncio.timeout(20):
        await asyncio.gather(*serving)
    assert all(each.task.cancelled() or each.task.result() in each.ticket.targets for each in asked)
