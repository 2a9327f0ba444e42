"""The process that tries rules out: one job after the other, each given up when nobody waits for it any more."""

from __future__ import annotations

import contextlib
import os
import queue
import struct
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import msgspec

from pointsman.console.rules.told import (
    Answer,
    Asked,
    Check,
    Effect,
    Failed,
    Near,
    NearRules,
    Nears,
    Review,
    Sketch,
    Told,
    both,
)
from pointsman.domain.errors import PointsmanError
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.said import said
from pointsman.offline.drafting.checked import checked
from pointsman.offline.drafting.effect import effect
from pointsman.offline.drafting.newest import Newest, Stopped
from pointsman.offline.drafting.sketched import sketched
from pointsman.pipeline.near_rules import Probes, near_misses
from pointsman.pipeline.policy import Policy
from pointsman.store.log_reader import LogError
from pointsman.store.log_schema import explained

_SIZE = struct.Struct(">I")
_NEAR = 5


class Bench:
    """What is kept between jobs: the policy, the newest requests, the rules taken apart."""

    def __init__(self) -> None:
        self._policy: Policy | None = None
        self._probes: tuple[str, Probes] | None = None
        self._newest = Newest()

    def answer(self, asked: Asked, stop: Callable[[], bool]) -> Answer | None:
        """None where nobody waits for it any more. Never raises."""
        try:
            return self._answer(asked, stop)
        except Stopped:
            return None
        except PointsmanError as error:
            return Failed(both(error.message), error.status, error.code)
        except LogError as error:
            message = said("the log cannot be read: {why}", "日志无法读取：{why}", why=explained(error))
            return Failed(both(message), 503, "log_unavailable")
        except Exception as error:  # its text may quote a prompt
            why = type(error).__name__
            return Failed(both(said("trying the rule out failed: {why}", "试运行规则时出错：{why}", why=why)))

    def _answer(self, asked: Asked, stop: Callable[[], bool]) -> Answer:
        job, folder = asked.job, Path(asked.folder)
        if isinstance(job, Review):
            from pointsman.offline.drafting.health import reviewed

            return reviewed(folder, job.since)
        policy = self._policy_of(asked)
        if isinstance(job, Check):
            return checked(job.candidate, policy.document)
        if isinstance(job, Effect):
            return effect(job.candidate, policy, self._newest, folder, stop)
        if isinstance(job, Sketch):
            return sketched(job, policy, self._newest, folder, stop)
        assert isinstance(job, NearRules)
        return self._near(job, policy)

    def _policy_of(self, asked: Asked) -> Policy:
        if asked.document is not None:
            document = msgspec.msgpack.decode(asked.document, type=PolicyDocument)
            self._policy = Policy(document, asked.policy)
        assert self._policy is not None and self._policy.hash == asked.policy
        return self._policy

    def _near(self, job: NearRules, policy: Policy) -> Nears:
        if self._probes is None or self._probes[0] != policy.hash:
            self._probes = policy.hash, Probes(policy.document)
        found = near_misses(job.won, job.request, self._probes[1], _NEAR)
        near = tuple(Near(each.rule, each.held, tuple(map(both, each.why))) for each in found)
        return Nears(near, len(policy.rules_for(job.request.model).rules))


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Until the source ends."""
    jobs: queue.SimpleQueue[Asked | None] = queue.SimpleQueue()
    stopped: set[int] = set()

    def read() -> None:
        while True:
            head = source.read(_SIZE.size)
            if len(head) < _SIZE.size:
                break
            asked = msgspec.msgpack.decode(source.read(_SIZE.unpack(head)[0]), type=Asked)
            if asked.stop:
                stopped.add(asked.number)
            else:
                jobs.put(asked)
        os._exit(0)  # whoever asked is gone

    threading.Thread(target=read, name="asked", daemon=True).start()
    bench = Bench()
    while (asked := jobs.get()) is not None:
        number = asked.number
        answer = bench.answer(asked, lambda number=number: number in stopped)  # type: ignore[misc]
        if answer is None:
            answer = Failed(both(said("given up", "已取消")), 499, "given_up")
        stopped.discard(number)
        data = msgspec.msgpack.encode(Told(number, answer))
        with contextlib.suppress(BrokenPipeError):
            sink.write(_SIZE.pack(len(data)) + data)
            sink.flush()


if __name__ == "__main__":
    with contextlib.suppress(OSError, AttributeError):
        os.nice(5)
    serve(sys.stdin.buffer, sys.stdout.buffer)
