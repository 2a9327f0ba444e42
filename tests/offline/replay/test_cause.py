"""Which part did it, held against deciding by documents with that part alone exchanged, for random changes."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest

from offline.replay.scored_log import FLEET, RULES, policy, replayed, write
from pointsman.domain.policy import PolicyDocument, RouteRule
from pointsman.domain.quality import Quality
from pointsman.domain.record import Record
from pointsman.offline.replay.moved import MOVES, aspect_of
from pointsman.offline.replay.parts import exchanged, parts_that_differ, with_rule
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.scored import loads_of

MORE = """
- {id: hello, when: {any: [say hi]}, negation: ignore, answer: Hi., priority: 20,
   examples: [say hi], counter_examples: [bye], boundary: [{text: say hit, takes: false}]}
- {id: steered, when: {any: [prove, 写一首]}, negation: ignore, route: {target: light},
   examples: [prove it, 写一首诗], counter_examples: [bye], boundary: [{text: improve, takes: false}]}
- {id: france, when: {any: [France]}, negation: ignore, answer: Paris.,
   examples: [France], counter_examples: [bye], boundary: [{text: Frances, takes: false}]}
"""


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> PolicyDocument:
    return policy(tmp_path_factory.mktemp("full"), rules=RULES + MORE).document


def changed(full: PolicyDocument, dice: random.Random) -> PolicyDocument:
    """Some rules, maybe a route, other weights, a table."""
    rules = [rule for rule in full.rules if dice.random() < 0.6]
    rules = [msgspec.structs.replace(rule, priority=dice.choice((10, 50, 90))) for rule in rules]
    document = msgspec.structs.replace(full, rules=tuple(rules))
    if dice.random() < 0.5:
        route = RouteRule("short", dice.choice(("light", "heavy")), 1, max_tokens=dice.choice((8, 15)))
        document = msgspec.structs.replace(document, routes=(route,))
    if dice.random() < 0.5:
        weights = msgspec.structs.replace(document.weights["good"], latency=dice.choice((0.0, 0.2, 0.9)))
        document = msgspec.structs.replace(document, weights={"good": weights})
    if dice.random() < 0.3:
        document = msgspec.structs.replace(document, quality=(Quality("qwen2.5:3b", None, dice.random(), 50),))
    return document


def leads(document: PolicyDocument, record: Record, against: Policy) -> bool:
    """Whether it sends that request where the new policy does."""
    return _same(_decided(Policy(document), record), _decided(against, record))


def _decided(current: Policy, record: Record) -> object:
    old = record.decision
    assert old is not None
    return decide(record.request, current, FLEET, loads=loads_of(old), last=old.last)


def _same(first: object, second: object) -> bool:
    return aspect_of(first, second) not in MOVES  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(6))
def test_what_is_said_to_do_it_alone_does_it_alone(tmp_path: Path, full: PolicyDocument, seed: int) -> None:
    dice = random.Random(seed)
    old, new = (Policy(changed(full, dice)) for _ in range(2))
    records = {record.request.id: record for record in write(tmp_path / "log", old, 70, seed=seed)}
    found = replayed(tmp_path / "log", new)
    assert found.compared == 70
    groups = {part.group for part in parts_that_differ(old.document, new.document)}
    for move in found.moves:
        causes = {part.group for part in move.cause.parts}
        assert causes <= groups
        for sample in move.samples:
            record = records[sample.id]
            if not move.cause.alone:
                assert not any(leads(exchanged(old.document, new.document, group), record, new) for group in groups)
                continue
            for part in move.cause.parts:
                document = exchanged(old.document, new.document, part.group)
                if part.kind == "rule" and len(move.cause.parts) > 1:
                    document = with_rule(old.document, new.document, part.name)
                assert leads(document, record, new), (move.before, move.after, part)
