"""The stream of requests: batches, what is left out, several who look, and nothing where nobody does."""

from __future__ import annotations

import asyncio
import json

from pointsman.console.live import MOST, Live, Subject, event, seen_of
from pointsman.domain.decision import Decision
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Request
from pointsman.domain.target import Snapshot

POLICY, SNAPSHOT = PolicyDocument("1", (), {}, (), (), (), (), None, 0), Snapshot()


def record(number: int = 1, stage: str = "l0") -> Record:
    request = Request(id=f"req_{number}", endpoint="chat", model="auto", turns=())
    decision = Decision(stage=stage, reason="so", rule="r1" if stage == "l0" else None)  # type: ignore[arg-type]
    return Record(request, received=12.5, outcome="ok", decision=decision, timings=Timings(total=3.0), target=None)


class Window:
    """A browser that reads; `slow` ones say that they cannot."""

    def __init__(self, *, slow: bool = False) -> None:
        self.events: list[tuple[str, str]] = []
        self.leaving = False
        self._slow = slow
        self.asked_for_room = 0

    def write(self, data: bytes) -> bool:
        for block in data.decode().split("\n\n"):
            lines = block.split("\n")
            if lines[0].startswith("event: "):
                self.events.append((lines[0][7:], "\n".join(line.removeprefix("data: ") for line in lines[1:])))
        return not self._slow

    async def room(self) -> None:
        self.asked_for_room += 1
        await asyncio.sleep(0)

    def requests(self) -> list[str]:
        return [seen[0] for kind, data in self.events if kind == "seen" for seen in json.loads(data)[0]]

    async def has(self, what: object) -> None:
        while not what():  # type: ignore[operator]
            await asyncio.sleep(0.01)


async def figures(subject: Subject) -> bytes:
    return f"<p>{subject[0]} {subject[1]}</p>\n<p>2</p>".encode()


async def test_nothing_is_kept_while_nobody_looks() -> None:
    live = Live()
    live.put(record(), POLICY, SNAPSHOT)
    window = Window()
    task = asyncio.create_task(live.stream(window, ("en", ""), figures))
    await asyncio.sleep(0.05)
    live.put(record(2), POLICY, SNAPSHOT)
    await window.has(window.requests)
    assert window.requests() == ["req_2"]
    assert live.ended("req_1") is None and live.ended("req_2") is not None
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert live.watching == 0
    live.put(record(3), POLICY, SNAPSHOT)


async def test_all_who_look_see_the_same_each_in_their_language() -> None:
    live = Live()
    windows = [Window(), Window(slow=True)]
    subjects: list[Subject] = [("en", "1h"), ("zh", "15m")]
    tasks = [
        asyncio.create_task(live.stream(window, subject, figures))
        for window, subject in zip(windows, subjects, strict=True)
    ]
    await asyncio.sleep(0.05)
    live.put(record(), POLICY, SNAPSHOT)
    for window, (tongue, span) in zip(windows, subjects, strict=True):
        await window.has(window.requests)
        assert ("figures", f"<p>{tongue} {span}</p>\n<p>2</p>") in window.events
        window.leaving = True
    await asyncio.gather(*tasks)  # they end when the gateway leaves
    assert windows[1].asked_for_room > 0 == windows[0].asked_for_room and live.watching == 0


async def test_of_more_than_a_list_can_show_the_newest_are_shown_and_the_rest_is_counted() -> None:
    live, window = Live(), Window()
    task = asyncio.create_task(live.stream(window, ("en", ""), figures))
    await asyncio.sleep(0.05)
    for number in range(100):
        live.put(record(number), POLICY, SNAPSHOT)
    await window.has(window.requests)
    kind, data = next(each for each in window.events if each[0] == "seen")
    seen, more = json.loads(data)
    assert kind == "seen" and len(seen) == MOST and more == 100 - MOST and seen[0][0] == "req_99"
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_with_other_processes_the_log_says_what_ended() -> None:
    ended = [seen_of(record(7))]

    async def others(since: float) -> list[object]:
        return list(ended)

    live, window = Live(others), Window()  # type: ignore[arg-type]
    task = asyncio.create_task(live.stream(window, ("en", ""), figures))
    await window.has(lambda: live._told == {"req_7"})  # what ended before one looked is no news
    ended.insert(0, seen_of(record(8)))
    await window.has(window.requests)
    ended.insert(0, seen_of(record(9)))
    await window.has(lambda: len(window.requests()) > 1)
    assert window.requests() == ["req_8", "req_9"]
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_figures_that_fail_once_come_the_next_time() -> None:
    tries = 0

    async def failing(subject: Subject) -> bytes:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise RuntimeError("no log")
        return b"<p>now</p>"

    live, window = Live(), Window()
    task = asyncio.create_task(live.stream(window, ("en", "1h"), failing))
    await window.has(lambda: ("figures", "<p>now</p>") in window.events)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def test_a_request_is_shown_with_what_decided_it() -> None:
    seen = seen_of(record(stage="l0"))
    assert (seen.kind, seen.by, seen.why, seen.took, seen.at) == ("l0", "r1", "so", 3.0, 12500)


def test_where_prompts_are_not_kept_none_is_quoted() -> None:
    seen = seen_of(record(), quotes=False)
    assert (seen.by, seen.why, seen.model) == ("r1", "", "")


def test_an_event_is_whole_whatever_is_in_it() -> None:
    assert event(b"a", b"x\ny\n\nz") == b"event: a\ndata: x\ndata: y\ndata: \ndata: z\n\n"
