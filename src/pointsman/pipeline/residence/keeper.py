"""Carries out which models are in memory: begins what residency/decide.py says, and what operators ask for."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from pointsman.domain.residence import Demand, Residence
from pointsman.domain.said import Said, said
from pointsman.pipeline.residence.book import Book
from pointsman.pipeline.residence.floor import Floor
from pointsman.pipeline.residence.hands import Counted, Hands
from pointsman.pipeline.residence.held import Cause, Held, Reason
from pointsman.pipeline.residence.looks import Looks
from pointsman.pipeline.residence.plan import Plan, never_fits
from pointsman.ports.clock import Clock
from pointsman.ports.model_driver import LoadFailure, NoRoom
from pointsman.residency.decide import decide
from pointsman.residency.unit import Rules, Seat, Unit, memory_of, shortage

log = logging.getLogger("pointsman")

LONG_DRAIN = 30.0
"""Seconds that replies may go on where nobody says how long."""
FULLER = 60.0
"""Seconds for which memory is taken to hold no more than it did as a load found less free than the budget says."""


class Keeper:
    """For one event loop. `stirred` is to be called when anything changes on the floor."""

    def __init__(self, clock: Clock, floor: Floor, counted: Counted) -> None:
        self._clock = clock
        self._floor = floor
        self._counted = counted
        self._book = Book(clock, floor.tell)
        self._hands = Hands(clock, floor, self._book, counted)
        self._plan = Plan()
        self._held: dict[str, Held] = {}
        self._leaving: list[Held] = []
        self._room: tuple[int, float] | None = None
        """Bytes that all units have together, less than the budget since others have some, and until when that holds."""
        self._pending: asyncio.Handle | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._looks = Looks(lambda: self._held.values(), self._lost, self._came)
        self._change = asyncio.Event()
        self._closed = False

    @property
    def residences(self) -> Mapping[str, Residence]:
        """By target."""
        return self._book.all

    def install(self, plan: Plan) -> None:
        """From here on these are kept. What is in memory stays there, where its driver is the same; the rest goes."""
        old, self._held, self._plan = self._held, {}, plan
        for unit in plan.units:
            drivers = {name: plan.drivers[name] for name in unit.models}
            held = old.get(unit.name)
            if held is not None and held.same_models(unit, drivers):
                old.pop(unit.name).unit = unit
                held.eager = held.eager or (unit.pinned and held.where == "out")
                self._held[unit.name] = held
            else:
                self._held[unit.name] = Held(unit, drivers)
        fresh = {name for name, held in self._held.items() if held.fresh}
        self._book.install(plan, [each for unit in plan.units if unit.name not in fresh for each in unit.models])
        for held in old.values():
            self._retire(held)
        self._refuse()
        if plan.units:
            self._looks.start()
        self._changed()

    def stirred(self) -> None:
        """Look again, soon."""
        if self._pending is None and self._held and not self._closed:
            self._pending = asyncio.get_running_loop().call_soon(self._decide)

    def check(self, target: str) -> None:
        """Its engine may be gone."""
        if not self._closed:
            self._looks.check(target)

    async def load(self, target: str) -> Residence:
        """As if somebody waited for it; returns when it is there. Raises KeyError, LoadFailure."""
        held = self._named(target)
        failures = held.failures
        if not held.is_in and not self._book.is_refused(target):
            held.retry, held.asked = None, self._clock.monotonic()
            self.stirred()
            while not held.is_in and held.failures == failures and held.asked is not None:
                await self._change.wait()
        residence = self._book.all[target]
        if not held.is_in:
            raise LoadFailure(
                "refused", residence.problem or said("{name} was not loaded", "{name} 没有加载", name=target)
            )
        return residence

    async def unload(self, target: str, reason: Reason = "asked") -> Residence:
        """Returns when its memory is free; replies under way have as long to end as the plan says. Raises KeyError,
        LoadFailure for one that is pinned."""
        held = self._named(target)
        if held.unit.pinned and reason == "asked":
            raise LoadFailure("refused", said("{name} is pinned", "{name} 已固定", name=target))
        held.eager, held.asked = False, None
        if held.where == "coming" and held.work is not None:
            held.work.cancel()
        elif held.is_in or held.letting_go:
            self._send_away(held, reason)
        while held.where in ("coming", "going"):
            await self._change.wait()
        return self._book.all[target]

    async def restart(self, target: str) -> Residence:
        """Unloads it and loads it again, where it is in memory. Raises as both."""
        held = self._named(target)
        if not held.is_in:
            return self._book.all[target]
        await self.unload(target, "restart")
        held.anew = True
        return await self.load(target)

    def restarts(self, target: str, planned: Said | None) -> None:
        """When it begins anew by itself, as it is told."""
        self._book.restarts(target, planned)

    def pin(self, target: str, pinned: bool) -> Residence:
        """Until the next reload. Raises KeyError, LoadFailure where it could then never be in memory."""
        held = self._named(target)
        unit = replace(held.unit, pinned=pinned)
        if pinned and (lacks := shortage(unit, [other.unit for other in self._held.values()], self._plan.rules)):
            raise LoadFailure("refused", never_fits(unit, lacks))
        held.unit, held.eager = unit, pinned and not held.is_in
        self._book.pinned(unit.models, pinned)
        self._refuse()
        self._changed()
        return self._book.all[target]

    async def settled(self, timeout: float) -> None:
        """Waits until nothing is being loaded, at most `timeout` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                while self._pending is not None or any(held.where == "coming" for held in self._held.values()):
                    await self._change.wait()

    async def close(self) -> None:
        """Unloads all that is there."""
        self._closed = True
        self._looks.close()
        for handle in (self._pending, self._timer):
            if handle is not None:
                handle.cancel()
        everybody = [*self._held.values(), *self._leaving]
        works = [held.work for held in everybody if held.work is not None]
        for work in works:
            work.cancel()
        await asyncio.gather(*works, return_exceptions=True)
        there = [held for held in everybody if held.where != "out"]
        await asyncio.gather(*(self._hands.unload(held) for held in there), return_exceptions=True)

    # Deciding

    def _decide(self) -> None:
        self._pending = None
        if self._closed:
            return
        now = self._clock.monotonic()
        demands = self._floor.demands([name for held in self._held.values() for name in held.unit.models])
        self._forgive(now)
        self._call_off(demands, now)
        able = [held for held in self._held.values() if not self._book.is_refused(held.unit.models[0])]
        units = [held.unit for held in able]
        seats = {held.unit.name: held.seat(demands, now) for held in able}
        for number, held in enumerate(self._leaving):
            gone = replace(held.unit, name=f"{held.unit.name} {number}")
            units.append(gone)
            seats[gone.name] = held.seat({}, now)
        step = decide(units, seats, self._rules(units, seats, now), now)
        for name in step.load:
            self._fetch(self._held[name], self._held[name].cause(demands))
        for name in step.unload:
            self._send_away(self._held[name], "unused" if name in step.unused else "room")
        times = [held.retry for held in self._held.values() if held.retry is not None]
        self._wake_at(min([*times, *([] if step.at is None else [step.at])], default=None), now)
        self._woken()

    def _rules(self, units: Sequence[Unit], seats: Mapping[str, Seat], now: float) -> Rules:
        """With no more budget than memory has room, unless somebody waits for one that would not fit into that: its load
        will say so."""
        rules = self._plan.rules
        if self._room is None or rules.budget is None:
            return rules
        room, until = self._room
        pinned = sum(memory_of(unit, rules) for unit in units if unit.pinned and seats[unit.name].where != "out")
        wanted = [unit for unit in units if seats[unit.name].where == "out" and seats[unit.name].waiting]
        if now >= until or any(memory_of(unit, rules) > room - pinned for unit in wanted):
            return rules
        return replace(rules, budget=min(room, rules.budget))

    def _makes_room(self, held: Held, free: int) -> bool:
        """Whether others can go for it, where so much is free: then they will."""
        rules = self._plan.rules
        there = [
            other for other in (*self._held.values(), *self._leaving) if other is not held and other.where != "out"
        ]
        may_go = sum(memory_of(other.unit, rules) for other in there if not other.unit.pinned)
        if not may_go or memory_of(held.unit, rules) > free + may_go:
            return False
        self._room = free + sum(memory_of(other.unit, rules) for other in there), self._clock.monotonic() + FULLER
        return True

    def _forgive(self, now: float) -> None:
        """Those that failed may be tried again, once their time has come."""
        due = [held for held in self._held.values() if held.retry is not None and held.retry <= now]
        for held in due:
            held.retry = None
            self._book.forgiven(held.unit.models)
        if due:
            self._book.tell()

    def _call_off(self, demands: Mapping[str, Demand], now: float) -> None:
        """One that drains for others stays where nobody wants its memory any more."""
        draining = [held for held in self._held.values() if held.letting_go]
        if not draining or any(held.seat(demands, now).waiting for held in self._held.values() if held.where == "out"):
            return
        for held in draining:
            if held.work is not None:
                held.work.cancel()
            held.where, held.work, held.letting_go = "in", None, False
            self._book.note(held.unit.models, "stay")

    def _wake_at(self, at: float | None, now: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if at is not None:
            self._timer = asyncio.get_running_loop().call_later(max(at - now, 0.001), self.stirred)

    def _refuse(self) -> None:
        """Those that can never be loaded."""
        units = [held.unit for held in self._held.values()]
        for held in self._held.values():
            if held.where == "out":
                lacks = shortage(held.unit, units, self._plan.rules)
                self._book.refused(held.unit.models, None if lacks is None else never_fits(held.unit, lacks))

    # Carrying out

    def _fetch(self, held: Held, cause: Cause) -> None:
        held.where, held.fresh, held.anew = "coming", False, False
        self._book.note(held.unit.models, "load")
        held.work = asyncio.create_task(self._load(held, cause), name=f"load {held.unit.name}")

    async def _load(self, held: Held, cause: Cause) -> None:
        began = self._clock.monotonic()
        try:
            await self._hands.load(held, cause)
        except LoadFailure as failure:
            if isinstance(failure, NoRoom) and self._makes_room(held, failure.free):
                log.info(_FULLER, failure.said)
                self._out(held)
            else:
                self._failed(held, failure.said)
        except asyncio.CancelledError:
            self._out(held)
            raise
        except Exception as error:  # a driver that is broken breaks its own model only
            log.exception("loading %s", held.unit.name)
            self._failed(held, said("{name}: {why}", "{name}：“{why}”", name=held.unit.name, why=error))
        else:
            held.came(self._clock.monotonic())
            self._book.note(held.unit.models, "loaded")
            log.info(_LOADED, held.unit.name, held.since - began)
        finally:
            self._changed()

    def _send_away(self, held: Held, reason: Reason) -> None:
        if held.work is not None:  # it drained for another
            held.work.cancel()
        if held.is_in:
            self._book.note(held.unit.models, "drain")
        held.where, held.letting_go = "going", reason == "room"
        held.eager = held.eager and reason not in ("room", "asked")
        held.work = asyncio.create_task(self._unload(held, reason), name=f"unload {held.unit.name}")

    async def _unload(self, held: Held, reason: Reason) -> None:
        models = held.unit.models
        longest = max((self._plan.drains.get(name, LONG_DRAIN) for name in models), default=LONG_DRAIN)
        try:
            await self._hands.empty(held, reason, longest)
            held.letting_go = False
            await self._hands.unload(held)
            if reason == "room":
                self._book.evicted(models)
            for name in models:
                self._counted.model_gone(name, reason)
            log.info(_GONE, held.unit.name, _REASONS[reason])
            self._out(held)
        finally:
            self._changed()

    def _retire(self, held: Held) -> None:
        """The config has it no more."""
        if held.work is not None:
            held.work.cancel()
        if held.where != "out":
            held.where, held.letting_go = "going", False
            self._leaving.append(held)
            held.work = asyncio.create_task(self._leave(held), name=f"retire {held.unit.name}")

    async def _leave(self, held: Held) -> None:
        await self._hands.unload(held)
        held.where = "out"
        self._leaving.remove(held)
        for name in held.unit.models:
            self._counted.model_gone(name, "reload")
        self._changed()

    # What happened without us

    def _came(self, held: Held) -> None:
        """Somebody else has loaded it."""
        if not self._book.is_refused(held.unit.models[0]):
            held.came(self._clock.monotonic())
            self._book.note(held.unit.models, "load")
            self._book.note(held.unit.models, "loaded")
            self._changed()

    def _lost(self, held: Held) -> None:
        """It is there no more, or a part of it, though nobody sent it away."""
        why = next((driver.ended for driver in held.drivers.values() if driver.ended is not None), None)
        held.eager = held.unit.start or held.unit.pinned
        held.where = "going"
        self._book.note(held.unit.models, "drain")
        for name in held.unit.models:
            self._counted.model_gone(name, "lost")
        ended = why or said("{name} ended by itself", "{name} 自行退出了", name=held.unit.name)
        held.work = asyncio.create_task(self._clear(held, ended), name=f"clear {held.unit.name}")
        self._changed()

    async def _clear(self, held: Held, why: Said) -> None:
        """Nothing of it is left, and that is known."""
        try:
            await self._hands.unload(held)
            self._failed(held, why)
        finally:
            self._changed()

    # Small

    def _out(self, held: Held) -> None:
        held.where, held.work, held.letting_go = "out", None, False
        if self._held.get(held.unit.name) is held:
            self._book.note(held.unit.models, "gone")

    def _failed(self, held: Held, problem: Said) -> None:
        delay = held.failed(self._clock.monotonic())
        if self._held.get(held.unit.name) is held:
            self._book.failed(held.unit.models, problem, delay)
        log.warning(_FAILED, held.unit.name, delay, problem)

    def _changed(self) -> None:
        if not self._closed:
            self._book.tell()
            self._woken()
            self.stirred()

    def _woken(self) -> None:
        self._change.set()
        self._change = asyncio.Event()

    def _named(self, target: str) -> Held:
        for held in self._held.values():
            if target in held.unit.models:
                return held
        raise KeyError(target)


_LOADED = Said("%s is in memory, after %.1f s", "%s 已加载到内存，用时 %.1f 秒")
_FULLER = Said("%s; another model goes for it", "%s；先卸载别的模型")
_GONE = Said("%s was unloaded: %s", "%s 已从内存卸载：%s")
_FAILED = Said("%s is not in memory, and not tried again for %.0f s: %s", "%s 没有加载成功，%.0f 秒内不再尝试：%s")
_REASONS: dict[Reason, Said] = {
    "room": Said("another one needs the memory", "其他模型需要这些内存"),
    "unused": Said("nobody used it", "没有人使用"),
    "asked": Said("an operator asked for it", "应操作者的要求"),
    "restart": Said("it begins anew", "重新启动"),
    "reload": Said("the config has it no more", "配置里已没有它"),
    "lost": Said("it ended by itself", "自行退出"),
}
