"""`pointsman report scale`: what it says of a log that a simulation wrote."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.conftest import shell as shell
from cli.invoke import Shell
from pipeline.policies import backend, policy_of, tiers
from pointsman.admission.ticket import Capacity
from pointsman.domain.attempt import Attempt
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import BackendState, ModelFacts, Snapshot
from pointsman.offline.audit.cost import Cost
from pointsman.offline.whatif.asked import Asked
from pointsman.offline.whatif.simulate import Fleet, Served, simulate
from pointsman.offline.whatif.slowdown import Slowdown
from pointsman.pipeline.decide import decide
from pointsman.store.log_writer import LogWriter

TARGET = "small@small"
SLOTS = 2
CONFIG: dict[str, Any] = {
    "models": tiers(light=[{**backend("small"), "limits": {"sequences": SLOTS}}]),
    "rules": {"packs": []},
    "fallback": {"target": "light"},
    "admission": {"wait": 60},
    "server": {"timezone": "UTC"},
}
FLEET = Snapshot.of([BackendState(TARGET, "up", ModelFacts(context_length=8192))])


def write(folder: Path, count: int, load: float) -> None:
    """A log of the last hours, with so much work for one node that takes twice as long for two requests at a time."""
    current = policy_of(folder, CONFIG, {})
    rng, at, asked, lengths = random.Random(2), 0.0, [], []
    for _ in range(count):
        at += rng.expovariate(load)
        written = rng.randrange(10, 100)
        lengths.append(written)
        asked.append(Asked(at, "me", TARGET, 100, 0.01 * written))
    served = Served(Capacity(SLOTS), Slowdown(1.0, True, 1.0, 0, Cost(0, 0, 0, 0, 0)))
    run = simulate(asked, Fleet(1, {TARGET: served}, wait=60))
    begin = time.time() - at - 300
    writer = LogWriter(folder / "data", "off", 1e10)
    for place, wait, took in sorted(zip(run.served, run.waits, run.took, strict=True)):
        when = begin + asked[place].at
        request = Request(f"req_{place:06}", "chat", "auto", (Turn("user", "hi"),), now=when)
        decision = decide(request, current, FLEET)
        attempt = Attempt(TARGET, wait * 1000, (took - wait) * 1000, 200)
        timings = Timings(0.1, took * 900, took * 1000, wait * 1000)
        record = Record(
            request, when, "ok", decision, attempts=(attempt,), target=TARGET, timings=timings,
            input_tokens=20, output_tokens=lengths[place],
        )  # fmt: skip
        writer.put(record, current.document, FLEET)
    writer.close()
    assert writer.dropped == 0


@pytest.fixture
def busy(shell: Shell) -> Shell:
    shell.write("pointsman.yaml", yaml.safe_dump(CONFIG, sort_keys=False))
    (shell.folder / "data").mkdir()
    write(shell.folder, 3000, 1.7)
    return shell


def test_one_node_is_forecast_as_it_was_and_two_suffice(busy: Shell) -> None:
    done = busy.run("report", "scale", "--data-dir", "data", "--nodes", "1..3", "--draws", "2", "--json")
    assert done.code == 0, done.err
    found = done.json
    assert found["requests"] == 3000
    one, two, three = found["nodes"]
    assert one["p99"]["value"] == pytest.approx(found["waited_p99"], rel=0.05)
    assert found["waited_p99"] > 2.0
    assert two["p99"]["value"] < 1.0 and three["p99"]["value"] <= two["p99"]["value"]
    assert found["engines"][TARGET]["beside"] == pytest.approx(1.0, abs=0.11)
    assert found["verdict"]["en"].startswith("You need 2 nodes because with 1 the slowest 1 of 100 wait ")
    assert found["verdict"]["zh"].startswith("需要 2 个节点：1 个时，最慢的 1% 要等 ")
    assert "queue_wait" in {sign["cause"] for sign in (*found["holding"], *found["over"])}


def test_people_read_it_in_their_language(busy: Shell) -> None:
    for tongue, words in (("en", "turned away"), ("zh", "被拒")):
        done = busy.run(
            "report", "scale", "--data-dir", "data", "--nodes", "2", "--draws", "2", "--language", tongue,
            "--models", "light",
        )  # fmt: skip
        assert done.code == 0, done.err
        assert words in done.out
        assert "3,000" in done.out
        assert TARGET in done.out


def test_what_is_wrong_is_said(busy: Shell) -> None:
    for given, said in (
        (("--nodes", "0"), "valid: 2, 1..4; 64 at most"),
        (("--nodes", "3..2"), "valid: 2, 1..4"),
        (("--since", "week"), "valid: 24h, 7d, 30d"),
        (("--models", "huge"), "there is no 'huge'"),
        (("--draws", "1"), "--draws 2 to 1000"),
    ):
        done = busy.run("report", "scale", "--data-dir", "data", *given)
        assert (done.code, said in done.err) == (2, True), done.err
    (busy.folder / "empty").mkdir()
    done = busy.run("report", "scale", "--data-dir", "empty")
    assert done.code == 1 and "there is no log" in done.err
