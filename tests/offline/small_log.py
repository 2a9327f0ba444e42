"""A log made by hand: who asked what when, decided by a real policy, with the times that the test says."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pipeline.policies import backend, policy_of, tiers
from pointsman.domain.attempt import Attempt
from pointsman.domain.feedback import Feedback
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import BackendState, ModelFacts, Snapshot
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store.log_writer import LogWriter

FLEET = Snapshot.of(
    [BackendState(f"{name}@{name}", "up", ModelFacts(context_length=8192)) for name in ("small", "middle")]
)
NOW = 1.9e9

RULES = """
- id: vpn_broken
  when: {all: [{any: [vpn], as: what}, {any: [broken, 坏了], as: how}]}
  negation: ignore
  priority: 60
  answer: Restart the vpn.
  examples: [the vpn is broken, vpn 坏了]
  counter_examples: [how do I use a vpn]
  boundary: [{text: broken tv, takes: false}]
- id: anything_broken
  when: {any: [broken, 坏了]}
  negation: ignore
  answer: Tell the desk.
  examples: [it is broken]
  counter_examples: [it is fine]
  boundary: [{text: brokenness, takes: false}]
- id: holiday
  when: {any: [holiday, 年假]}
  negation: ignore
  answer: Ten days.
  examples: [holiday, 年假]
  counter_examples: [work]
  boundary: [{text: holidays, takes: false}]
- id: never
  when: {any: [xylophone]}
  answer: No.
  examples: [xylophone]
  counter_examples: [piano]
  boundary: [{text: xylophones, takes: false}]
- id: no_salary
  when: {any: [salary, 工资]}
  negation: ignore
  refuse: {why: Secret., instead: Ask HR.}
  examples: [whose salary, 谁的工资]
  counter_examples: [what do I earn]
  boundary: [{text: salaries, takes: false}]
- id: think
  when: {any: [prove, 证明]}
  route: {tier: light}
  examples: [prove it]
  counter_examples: [show it]
  boundary: [{text: improve it, takes: false}]
- id: quiet
  when: {any: [printer, 打印机]}
  mode: shadow
  negation: ignore
  answer: Third floor.
  examples: [printer]
  counter_examples: [plotter]
  boundary: [{text: printers, takes: false}]
- id: seen
  when: {any: [password]}
  negation: ignore
  mark: {label: secretive, risk: low}
  examples: [password]
  counter_examples: [word]
  boundary: [{text: passwords, takes: false}]
- id: canteen
  when: {any: [lunch, 午饭]}
  share: 50
  negation: ignore
  answer: Noodles.
  examples: [lunch]
  counter_examples: [dinner]
  boundary: [{text: lunches, takes: false}]
"""
CONFIG: dict[str, Any] = {
    "models": tiers(light=[backend("small")], medium=[backend("middle")]),
    "rules": {"files": ["rules.yaml"]},
    "entries": {"auto": {"packs": ["rules"]}},
    "fallback": {"target": "medium"},
}


def policy(folder: Path, rules: str = RULES) -> Policy:
    folder.mkdir(parents=True, exist_ok=True)
    return policy_of(folder, CONFIG, {"rules.yaml": rules})


class Log:
    """Requests one after the other. Each call is a request; times are seconds after NOW."""

    def __init__(self, current: Policy) -> None:
        self.policy = current
        self.records: list[tuple[Record, Policy]] = []
        self.feedback: list[tuple[Feedback, float]] = []

    def ask(
        self, name: str, at: float, text: str, *, seconds: float = 1.0, waited: float = 0.0, written: int | None = 10,
        earlier: Iterable[str] = (), decided: float = 0.1, outcome: Any = "ok", cache: Any = None, **who: Any,
    ) -> Record:  # fmt: skip
        """`waited` is what a try at another target took first; `earlier` are messages of the same conversation."""
        turns = [turn for message in earlier for turn in (Turn("user", message), Turn("assistant", "…"))]
        request = Request(name, "chat", "auto", (*turns, Turn("user", text)), now=NOW + at, **who)
        decision = decide(request, self.policy, FLEET)
        if decision.stage == "l0":
            record = Record(request, NOW + at, outcome, decision, timings=Timings(decided, None, decided))
        else:
            target = decision.targets[0].target
            tries = (Attempt("other@other", 0.0, waited * 1000, 503), Attempt(target, waited * 1000, 5.0, 200))
            record = Record(
                request, NOW + at, outcome, decision, target=target, attempts=tries if waited else tries[1:],
                timings=Timings(decided, None, (waited + seconds) * 1000), output_tokens=written, cache=cache,
            )  # fmt: skip
        self.records.append((record, self.policy))
        return record

    def said(self, name: str, **what: Any) -> None:
        record = next(record for record, _ in self.records if record.request.id == name)
        feedback = Feedback(request_id=name, received=record.received + 5, caller=record.request.caller, **what)
        self.feedback.append((feedback, record.received))

    def write(self, folder: Path, prompts: Any = "sealed") -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        writer = LogWriter(folder, prompts, 1e10)
        for record, current in self.records:
            writer.put(record, current.document, FLEET)
        for feedback, asked in self.feedback:
            writer.put_feedback(feedback, asked)
        writer.close()
        assert writer.dropped == 0
        return folder
