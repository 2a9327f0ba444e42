"""A log as long as one likes: decisions of the gateway's own pipeline, written by its own writer, with made up times."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path

from pointsman.domain.attempt import Attempt
from pointsman.domain.decision import Decision
from pointsman.domain.errors import PointsmanError
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Request, Turn
from pointsman.domain.said import said
from pointsman.domain.target import BackendState, Load, ModelFacts, Snapshot
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store.log_writer import LogWriter

_KEEP = 30 * 86_400.0
_SPAN = 6 * 86_400.0  # seconds until now that the requests are spread over
_RATES = {"light": (2000.0, 90.0), "heavy": (900.0, 25.0)}
_AGAIN = 0.25  # of the requests go on with a conversation
_SYSTEM = "You are a careful assistant of a small company; answer in the language of the question, and be brief."


def make_log(folder: Path, policy: Policy, texts: Sequence[str], count: int, seed: int) -> None:
    """Raises PointsmanError where the disk does not keep up."""
    dice = random.Random(seed)  # noqa: S311
    folder.mkdir(parents=True, exist_ok=True)
    states = [
        BackendState(
            target.name, "up", ModelFacts(context_length=32_768, slots=4), None, "closed", None, *_RATES[target.tier]
        )
        for target in policy.targets.values()
    ]
    snapshot = Snapshot.of(states)
    writer = LogWriter(folder, "sealed", _KEEP, backlog=1 << 40)
    start = time.time() - _SPAN
    for number in range(count):
        writer.put(
            _record(number, start + _SPAN * number / count, texts, policy, snapshot, dice), policy.document, snapshot
        )
    writer.close()
    if writer.dropped:
        raise PointsmanError(said("the log could not be written", "日志无法写入"))


def _record(
    number: int, now: float, texts: Sequence[str], policy: Policy, snapshot: Snapshot, dice: random.Random
) -> Record:
    turns: tuple[Turn, ...] = (Turn("system", _SYSTEM), Turn("user", f"{texts[number % len(texts)]} {number}"))
    last = None
    if dice.random() < _AGAIN:
        before = dice.choice(texts)
        turns = (turns[0], Turn("user", before), Turn("assistant", "Certainly. " * 20), turns[1])
        last = dice.choice(list(policy.targets))
    request = Request(f"req_{number:08}", "chat", "auto", turns, now=now, caller=f"key{number % 5}")
    loads = {name: Load(dice.randrange(4), dice.randrange(20) / 10) for name in policy.targets}
    decision = decide(request, policy, snapshot, seed=policy.seed_of(request), loads=loads, last=last)
    if decision.stage == "l0":
        return Record(request, now, "ok", decision, timings=Timings(0.2, None, 0.3))
    return _answered(request, now, decision, policy, dice)


def _answered(request: Request, now: float, decision: Decision, policy: Policy, dice: random.Random) -> Record:
    target = policy.targets[decision.targets[0].target]
    read, written = _RATES[target.tier]
    tokens = decision.features.input_tokens if decision.features else 0
    reply = dice.randrange(20, 400)
    first = 20.0 + 1000 * tokens / read
    whole = first + 1000 * reply / written * dice.uniform(0.9, 1.3)
    return Record(
        request,
        now,
        "ok",
        decision,
        attempts=(Attempt(target.name, 1.0, first, 200),),
        target=target.name,
        timings=Timings(0.3, first, whole),
        input_tokens=tokens,
        output_tokens=reply,
    )
