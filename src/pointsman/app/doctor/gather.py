"""All facts, gathered at once: each look has a thread and seconds of its own, so one that hangs is told of and stops no
other."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from pointsman.app.doctor.facts import NotKnown
from pointsman.config.others_words import message_of
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.said import Said, said

Look = tuple[Callable[[], Any], float]
"""What is called, and the seconds that it may take."""


def gather(looks: Mapping[str, Look]) -> dict[str, Any]:
    """Name → what each gave, or NotKnown. Takes as long as the longest may. Threads that hang are left behind: they are
    daemons, and end with the process."""
    done: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()

    def run(name: str, look: Callable[[], Any]) -> None:
        try:
            found = look()
        except Exception as error:  # whatever a look runs into is a finding
            found = NotKnown(_failed(error))
        done.put((name, found))

    began = time.monotonic()
    for name, (look, _) in looks.items():
        threading.Thread(target=run, args=(name, look), name=f"doctor-{name}", daemon=True).start()
    found: dict[str, Any] = {}
    waiting = {name: began + seconds for name, (_, seconds) in looks.items()}
    while waiting:
        try:
            name, value = done.get(timeout=max(0.0, min(waiting.values()) - time.monotonic()))
            if waiting.pop(name, None) is not None:
                found[name] = value
        except queue.Empty:
            for late in [name for name, end in waiting.items() if end <= time.monotonic()]:
                del waiting[late]
                found[late] = NotKnown(_late(looks[late][1]))
    return found


def _late(seconds: float) -> Said:
    return said("it hangs: no answer within {n:g} s", "卡住了：{n:g} 秒内没有结果", n=seconds)


def _failed(error: Exception) -> Said:
    if isinstance(error, Problem | Problems):
        return error.said
    told = message_of(error)
    words = told if isinstance(told, Said) else Said(told, told)
    return said("{kind}: {words}", "{kind}：{words}", kind=type(error).__name__, words=words)
