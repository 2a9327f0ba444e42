"""Each of several workers on a port has its part of what targets hold."""

from __future__ import annotations

import msgspec

from pointsman.admission.ticket import Capacity
from pointsman.app.admission import gate_rules
from pointsman.app.targets import targets_of
from pointsman.config.schema import Config
from pointsman.domain.target import BackendState, ModelFacts, Snapshot


def parts(workers: int, facts: ModelFacts, **limits: int) -> list[Capacity | None]:
    backend = {"engine": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1", "limits": limits}
    config = msgspec.convert({"models": {"light": {"backends": [backend]}}}, Config)
    ((target, _),) = targets_of(config)["light"]
    snapshot = Snapshot.of([BackendState(target.name, facts=facts)])
    rules = [gate_rules(config, lambda name, slots: None, number, workers) for number in range(workers)]
    return [each.capacities(snapshot).get(target.name) for each in rules]


def test_alone_it_has_all() -> None:
    assert parts(1, ModelFacts(), sequences=7, cells=9000) == [Capacity(7, 9000)]
    assert parts(1, ModelFacts()) == [None]


def test_places_are_shared_out() -> None:
    assert parts(3, ModelFacts(), sequences=7) == [Capacity(3), Capacity(2), Capacity(2)]
    assert parts(2, ModelFacts(slots=4)) == [Capacity(2), Capacity(2)]


def test_each_has_one_at_least() -> None:
    assert parts(3, ModelFacts(), sequences=1) == [Capacity(1)] * 3


def test_what_fits_into_the_context_fits_into_a_part_of_the_cells() -> None:
    assert parts(2, ModelFacts(context_length=4096), cells=60_000) == [Capacity(None, 30_000)] * 2
    assert parts(4, ModelFacts(context_length=4096), cells=8192) == [Capacity(None, 4096)] * 4
    assert parts(2, ModelFacts(), cells=8192) == [Capacity(None, 8192)] * 2, "nobody knows the context"
