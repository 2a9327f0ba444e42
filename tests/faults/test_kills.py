"""A process is killed before and after every transition, and at submit, claim, renew, effect, publish and sync; a fresh one
does all that was acknowledged, once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence

import pytest

from faults.ground import Ground
from faults.plans import Plan, planned
from faults.strikes import Strike

_ALONGSIDE = 6
"""Cases under way at a time; most of each is waiting for a lease to run out."""
_DONE = Plan(steps=2)
_PLANS: dict[str, Plan] = {
    **dict.fromkeys(("admitted", "matched", "dispatched", "stepped", "ended"), _DONE),
    "missed": Plan(way="missed"),
    "arbitrated": Plan(way="arbitrated"),
    "clarified": Plan(way="asked"),
    "sent_again": Plan(again=True),
    "failed": Plan(fails=1),
    "died": Plan(fails=9),
    "parked": Plan(children=2),
}
_OTHERS = ("claim", "renew", "effect", "link")
_CASES: list[tuple[Plan, list[Strike]]] = [
    *((plan, [Strike(when, event)]) for event, plan in _PLANS.items() for when in ("before", "after")),
    *((Plan(steps=2, pause=0.3), [Strike(when, call)]) for call in _OTHERS for when in ("before", "after")),
    # a child's end, which unparks its parent
    *((Plan(children=2), [Strike(when, "ended", number)]) for number in (1, 2, 3) for when in ("before", "after")),
    # killed, and again on what is done about it
    *((_DONE, [Strike("after", "stepped"), Strike(when, "resumed")]) for when in ("before", "after")),
    *((_DONE, [Strike("after", "matched"), Strike(when, "restarted")]) for when in ("before", "after")),
]


async def _struck(ground: Ground, plan: Plan, strikes: Sequence[Strike]) -> None:
    assert await ground.submit(plan) == 0
    for strike in strikes:
        assert await ground.run(strikes=(strike,)) == -signal.SIGKILL, strike
    assert await ground.run("last") == 0
    ends = await ground.check()
    assert ends == {plan.end: 1, **({"ok": 1 + plan.children} if plan.children else {})}


async def _all(cases: Sequence[tuple[str, Callable[[], Ground], Plan, Sequence[Strike]]]) -> None:
    turn, failed = asyncio.Semaphore(_ALONGSIDE), []

    async def one(name: str, make: Callable[[], Ground], plan: Plan, strikes: Sequence[Strike]) -> None:
        async with turn:
            try:
                await _struck(make(), plan, strikes)
            except Exception as error:
                failed.append(f"{name}: {type(error).__name__} {error}")

    await asyncio.gather(*(one(*case) for case in cases))
    assert not failed, "\n".join(failed)


async def test_a_worker_is_killed_at_every_transition_and_call(grounds: Callable[[], Ground]) -> None:
    await _all([(", ".join(map(str, strikes)), grounds, plan, strikes) for plan, strikes in _CASES])


async def test_many_in_one_process_are_killed_at_once(ground: Ground) -> None:
    assert await ground.submit(*[Plan(steps=3, pause=0.02)] * 12) == 0
    for number, call in enumerate(("stepped", "effect", "ended"), 5):
        assert await ground.run(strikes=(Strike("after", call, number),)) == -signal.SIGKILL
    assert await ground.run("last") == 0
    assert await ground.check() == {"ok": 12}


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_client_is_killed_as_it_submits(ground: Ground, when: str) -> None:
    plans = [Plan()] * 5
    assert await ground.submit(*plans, strikes=(Strike(when, "submit", 3),)) == -signal.SIGKILL
    assert len(ground.noted("acked")) == 2
    assert await ground.submit(*plans) == 0
    assert await ground.run() == 0
    assert await ground.check() == {"ok": 5}


@pytest.mark.parametrize("when", ["before", "after"])
async def test_who_revives_is_killed(ground: Ground, when: str) -> None:
    assert await ground.submit(Plan(fails=3)) == 0
    assert await ground.run() == 0
    job = planned(0, Plan()).id
    assert await ground.run(verb="revive", job=job, strikes=(Strike(when, "revived"),)) == -signal.SIGKILL
    store = ground.opened()
    found = await store.get(job)
    await store.close()
    assert found is not None
    assert found.place.disposition == ("dead" if when == "before" else "active")
