"""A log of requests to an entry whose targets are scored, and policies that differ from its own."""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from pipeline.policies import backend, policy_of, tiers
from pointsman.domain.attempt import Attempt
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import BackendState, Load, ModelFacts, Snapshot
from pointsman.offline.replay.outcome import Replay
from pointsman.offline.replay.run import Asked, replay
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store.log_reader import LogReader
from pointsman.store.log_writer import LogWriter

NOW = 1.9e9
RULES = """
- id: holiday
  when: {any: [holiday, 年假]}
  negation: ignore
  answer: Ten days.
  examples: [holiday, 年假]
  counter_examples: [work]
  boundary: [{text: holidays, takes: false}]
"""
CONFIG: dict[str, Any] = {
    "models": tiers(light=[backend("qwen2.5:3b")], heavy=[backend("qwen2.5:32b")]),
    "rules": {"packs": [], "files": ["rules.yaml"]},
    "policy": {"good": {"quality": 1.0, "latency": 0.3, "cost": 0.1}},
    "entries": {"auto": {"policy": "good"}},
    "fallback": {"target": "light"},
}
SMALL, LARGE = "qwen2.5:3b@qwen2.5:3b", "qwen2.5:32b@qwen2.5:32b"
FLEET = Snapshot.of(
    [
        BackendState(SMALL, "up", ModelFacts(context_length=8192), prefill_rate=2000.0, decode_rate=90.0),
        BackendState(LARGE, "up", ModelFacts(context_length=8192), prefill_rate=900.0, decode_rate=25.0),
    ]
)
ASKS = (
    "prove that the square root of two is irrational", "what is the capital of France", "translate hello into French",
    "为什么天空是蓝色的", "写一首关于秋天的诗", "refactor this function so that it is pure", "how many holidays are there",
    "my holiday", "年假有几天", "summarise the following text in one line", "计算 12 和 30 的最小公倍数", "say hi",
)  # fmt: skip


def policy(folder: Path, change: Callable[[dict[str, Any]], None] | None = None, rules: str = RULES) -> Policy:
    folder.mkdir(parents=True, exist_ok=True)
    config = deepcopy(CONFIG)
    if change is not None:
        change(config)
    return policy_of(folder, config, {"rules.yaml": rules})


def write(folder: Path, current: Policy, count: int = 60, prompts: Any = "sealed", seed: int = 1) -> list[Record]:
    """Requests by many people, some in sessions, with targets more or less busy; every reply's time follows from its target
    and lengths."""
    dice = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    writer, records = LogWriter(folder, prompts, 1e10), []
    for number in range(count):
        text = f"{dice.choice(ASKS)} {number}" if dice.random() < 0.8 else dice.choice(ASKS)
        turns = (Turn("user", text),)
        last = dice.choice([SMALL, LARGE]) if dice.random() < 0.3 else None
        if last is not None:
            turns = (Turn("user", "before " * dice.randrange(200)), Turn("assistant", "…"), *turns)
        request = Request(f"req_{number:06}", "chat", "auto", turns, now=NOW + number, session=f"s{number % 7}")
        loads = {name: Load(dice.randrange(3), dice.randrange(25) / 10) for name in current.targets}
        seed_of = current.seed_of(request)
        decision = decide(request, current, FLEET, loads=loads, last=last, seed=seed_of)
        records.append(recorded(request, decision, NOW + number, dice.randrange(20, 300)))
        writer.put(records[-1], current.document, FLEET)
    writer.close()
    assert writer.dropped == 0
    return records


def recorded(request: Request, decision: Any, at: float, written: int) -> Record:
    if decision.stage == "l0":
        return Record(request, at, "ok", decision, timings=Timings(0.1, None, 0.2))
    target = decision.targets[0].target
    tokens = decision.features.input_tokens
    seconds = 0.02 + tokens * 0.001 + written * (0.01 if target == SMALL else 0.04)
    return Record(
        request, at, "ok", decision, attempts=(Attempt(target, 1.0, 30.0, 200),), target=target,
        timings=Timings(0.2, 60.0, 1.0 + seconds * 1000), input_tokens=tokens, output_tokens=written,
    )  # fmt: skip


def replayed(folder: Path, against: Policy, **asked: Any) -> Replay:
    reader = LogReader(folder)
    try:
        return replay(reader, against, Asked(**{"now": NOW + 1e6, "shown": 10_000, **asked}))
    finally:
        reader.close()


def moved_ids(found: Replay) -> dict[str, tuple[str, str]]:
    """Each request that moves → (from, to)."""
    return {sample.id: (move.before.name, move.after.name) for move in found.moves for sample in move.samples}
