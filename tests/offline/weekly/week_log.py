"""A log of two weeks with everything in it that the report looks for: a model that is bad at code, one that is crowded, one
that nobody asks, rules that are dead, doubted or in shadow, and questions that nobody settles."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from pipeline.policies import backend, policy_of, tiers
from pointsman.domain.attempt import Attempt
from pointsman.domain.feedback import Feedback, Signs
from pointsman.domain.quality import QualityShift
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import BackendState, Load, ModelFacts, Snapshot
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store.log_writer import LogWriter

NOW = 1.9e9
DAY = 86_400.0
SMALL, LARGE, IDLE = "qwen2.5:3b@small", "qwen2.5:32b@large", "qwen2.5:14b@spare"
SECRET = "zebra"
"""Stands in every question, and must not be in a report without --text."""
RULES = f"""
- id: holiday
  when: {{any: [holiday, 年假]}}
  negation: ignore
  answer: Ten days.
  examples: [holiday, 年假]
  counter_examples: [work]
  boundary: [{{text: holidays, takes: false}}]
- id: printer
  when: {{any: [printer, 打印机]}}
  negation: ignore
  answer: Third floor.
  examples: [printer]
  counter_examples: [plotter]
  boundary: [{{text: printers, takes: false}}]
- id: xylophone
  when: {{any: [xylophone]}}
  answer: No {SECRET}.
  examples: [xylophone]
  counter_examples: [piano]
  boundary: [{{text: xylophones, takes: false}}]
- id: canteen
  when: {{any: [canteen, 食堂]}}
  mode: shadow
  negation: ignore
  answer: At noon.
  examples: [canteen]
  counter_examples: [kitchen]
  boundary: [{{text: canteens, takes: false}}]
"""
CONFIG: dict[str, Any] = {
    "server": {"timezone": "Asia/Shanghai"},
    "models": tiers(
        light=[backend("qwen2.5:3b", name="small")],
        medium=[backend("qwen2.5:14b", name="spare")],
        heavy=[backend("qwen2.5:32b", name="large")],
    ),
    "rules": {"packs": [], "files": ["rules.yaml"]},
    "routes": [
        {"name": "long", "target": "heavy", "match": {"min_tokens": 60}},
        {"name": "words", "target": "light", "match": {"task_type": "translation"}},
    ],
    "entries": {"auto": {}},
    "fallback": {"target": "light"},
}
ASKS = (
    ("how many days of holiday do I have", 12), ("where is the printer", 10), ("when does the canteen open", 9),
    ("how do I book a meeting room on floor", 16), ("reset my badge for the garage", 10),
    ("write a python function that sorts a list of dictionaries by a key", 20),
    ("fix this bug in my code: def f(x): return x +", 14), ("把下面这段话翻译成英文：今天天气很好", 12),
    ("summarise the following text in one line: " + "the meeting was about the budget of next year and " * 12, 8),
    ("为什么天空是蓝色的", 8),
)  # fmt: skip


def policy(folder: Path, rules: str = RULES) -> Policy:
    folder.mkdir(parents=True, exist_ok=True)
    return policy_of(folder, CONFIG, {"rules.yaml": rules})


def fleet(large_in_memory: bool) -> Snapshot:
    states = [
        BackendState(SMALL, "up", ModelFacts(context_length=8192), prefill_rate=2000.0, decode_rate=90.0, resident=True),
        BackendState(IDLE, "up", ModelFacts(context_length=8192), prefill_rate=1200.0, decode_rate=40.0, resident=False),
        BackendState(
            LARGE, "up", ModelFacts(context_length=8192), prefill_rate=900.0, decode_rate=25.0, load_seconds=20.0,
            resident=large_in_memory,
        ),
    ]  # fmt: skip
    return Snapshot.of(states, (QualityShift("qwen2.5:3b", "code_completion", -0.12),))


class Writing:
    """Requests, one after the other, by a policy."""

    def __init__(self, folder: Path, current: Policy, prompts: Any = "sealed") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.policy = current
        self._writer = LogWriter(folder, prompts, 1e10)
        self._count = 0

    def ask(
        self, text: str, at: float, *, in_memory: bool = True, queued: float = 0.0, seed: int = 0, **who: Any
    ) -> Record:
        """`at` is seconds since the epoch, `queued` milliseconds."""
        self._count += 1
        request = Request(f"req_{self._count:06}", "chat", "auto", (Turn("user", text),), now=at, **who)
        loads = {name: Load() for name in self.policy.targets}
        snapshot = fleet(in_memory)
        decision = decide(request, self.policy, snapshot, loads=loads)
        if decision.stage == "l0":
            record = Record(request, at, "ok", decision, timings=Timings(0.1, None, 0.2))
        else:
            written = 20 + random.Random(seed).randrange(200)
            target = decision.targets[0].target
            tokens = decision.features.input_tokens if decision.features else 10
            took = 0.02 + tokens * 0.001 + written * (0.01 if target == SMALL else 0.04)
            record = Record(
                request, at, "ok", decision, attempts=(Attempt(target, queued, 30.0, 200),), target=target,
                timings=Timings(0.2, queued + 60.0, queued + took * 1000, queued=queued or None),
                input_tokens=tokens, output_tokens=written,
            )  # fmt: skip
        self._writer.put(record, self.policy.document, snapshot)
        return record

    def complain(self, record: Record) -> None:
        said = Feedback(
            request_id=record.request.id, received=record.received + 5, caller=record.request.caller, adopted=False
        )
        self._writer.put_feedback(said, record.received)

    def content(self, record: Record) -> None:
        said = Feedback(
            request_id=record.request.id, received=record.received + 5, caller=record.request.caller, adopted=True
        )
        self._writer.put_feedback(said, record.received)

    def did(self, signs: Signs) -> None:
        self._writer.put_signs([signs])

    def close(self) -> None:
        self._writer.close()
        assert self._writer.dropped == 0


def write(
    folder: Path, current: Policy, count: int = 1200, prompts: Any = "sealed", now: float = NOW, days: int = 14
) -> None:
    """`count` requests over the last `days`, the more the later; the small model's code is complained of."""
    dice = random.Random(7)
    writing = Writing(folder, current, prompts)
    texts, weights = [text for text, _ in ASKS], [weight for _, weight in ASKS]
    moments = sorted(now - days * DAY * (1 - dice.random() ** 0.8) for _ in range(count))
    for number, at in enumerate(moments):
        text = f"{dice.choices(texts, weights)[0]} {SECRET} {dice.randrange(40)}"
        record = writing.ask(
            text, at, in_memory=(number // 9) % 2 == 0, queued=dice.choice((0.0, 40.0, 1500.0)), seed=number,
            user=f"u{dice.randrange(60)}",
        )  # fmt: skip
        code = "code" in text or "python" in text
        bad = 0.35 if "printer" in text else 0.3 if code else 0.02
        if record.target != LARGE and dice.random() < bad:
            writing.complain(record)
        elif dice.random() < 0.1:
            writing.content(record)
    today = int(now // DAY)
    for day in range(today - min(days, 7) + 1, today + 1) if count > 100 else ():
        for task, again in (("code_completion", 6), ("translation", 0), ("faq", 1)):
            writing.did(Signs(day, "anonymous", "qwen2.5:3b", task, 30, again, 1))
    writing.close()
