"""What earlier versions wrote is read by this one: their traces are legal, their stores open, their decisions recompute."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pipeline.policies import ask, policy_of, up
from pointsman.domain.decision import Decision
from pointsman.domain.job import Job, Step
from pointsman.domain.lifecycle import Place
from pointsman.domain.target import Snapshot
from pointsman.http.jobs.kept import reply_of, request_of
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.request_passage import decision_of
from pointsman.ports.job_store import Wanted
from pointsman.store.jobs.sqlite import SqliteJobStore
from store.jobs.makes import QUEUES, folded, sound, submission, submitted, there

VERSIONS = sorted(path for path in Path(__file__).with_name("golden").iterdir() if path.is_dir())
SHOWN = {
    "resumed": ["submitted", "admitted", "matched", "dispatched", "resumed", "ended"],
    "l0": ["submitted", "admitted", "matched", "dispatched", "ended"],
    "model": ["submitted", "admitted", "missed", "dispatched", "ended"],
    "sent_again": ["submitted", "admitted", "missed", "dispatched", "sent_again", "dispatched", "ended"],
    "cancelled": ["submitted", "admitted", "missed", "dispatched", "ended"],
}
"""The whole path of some, in every version; others end so:"""
ENDS = {"dead": "died", "batch": "ended", "revived": "ended", "failed": "ended", "batch_child": "ended"}


class Golden(msgspec.Struct, frozen=True, kw_only=True):
    """A line of traces.jsonl."""

    path: str
    id: str
    kind: str
    place: Place
    generation: int
    failures: int
    lost: int
    error: str | None
    steps: list[Step]
    decision: Decision | None = None

    @property
    def events(self) -> list[str]:
        return [step.event for step in self.steps]


@pytest.fixture(params=VERSIONS, ids=lambda path: path.name)
def version(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


@pytest.fixture
def golden(version: Path) -> list[Golden]:
    lines = (version / "traces.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Golden) for line in lines]


@pytest.fixture
def policy(version: Path, tmp_path: Path) -> Policy:
    config: dict[str, Any] = json.loads((version / "config.json").read_text(encoding="utf-8"))
    return policy_of(tmp_path, config, {"rules.yaml": (version / "rules.yaml").read_text(encoding="utf-8")})


def test_every_trace_is_legal_and_shows_its_path(golden: list[Golden]) -> None:
    assert {each.path for each in golden} >= SHOWN.keys() | ENDS.keys()
    for each in golden:
        place = folded(each.steps)
        assert (place.state, place.disposition) == (each.place.state, each.place.disposition), each.path
        assert each.events == SHOWN.get(each.path, each.events)
        assert each.events[-1] == ENDS.get(each.path, each.events[-1])
        assert {"revived": "revived", "batch": "unparked"}.get(each.path, "submitted") in each.events


async def test_the_store_is_read_and_goes_on(version: Path, golden: list[Golden], tmp_path: Path) -> None:
    shutil.copy(version / "jobs.sqlite", tmp_path)
    store = SqliteJobStore(tmp_path / "jobs.sqlite")
    for each in golden:
        job = await there(store, each.id)
        assert await store.trace(each.id) == each.steps
        assert await sound(store, each.id) == each.events
        assert (job.place, job.generation, job.failures, job.lost, job.error) == (
            (each.place, each.generation, each.failures, each.lost, each.error)
        )
        if each.kind == "request":
            assert decision_of(job) == each.decision
            assert request_of(job.body).path == "/v1/chat/completions"
        if each.kind in ("request", "action") and job.result:
            assert reply_of(job.result).status in (200, 400)
    assert len(await store.ls(Wanted(), 100)) >= len(golden)
    await submitted(store, submission())
    assert [job.id for job in await store.claim(QUEUES, "w", 10, 60.0)] == [submission().id]
    await store.close()


async def test_the_decisions_recompute(version: Path, golden: list[Golden], policy: Policy, tmp_path: Path) -> None:
    """Word for word, but for what a later version adds to them."""
    shutil.copy(version / "jobs.sqlite", tmp_path)
    store = SqliteJobStore(tmp_path / "jobs.sqlite")
    snapshot = Snapshot.of([up("a@b1"), up("b@b2")])
    recomputed = 0
    for each in golden:
        if each.decision is None or each.path == "sent_again":  # that one was decided with a target less
            continue
        decision = decide(ask(_text(await there(store, each.id))), policy, snapshot)
        assert _told(decision) == _told(each.decision), each.path
        recomputed += 1
    assert recomputed >= 7
    await store.close()


def _text(job: Job) -> str:
    text: str = json.loads(request_of(job.body).body)["messages"][0]["content"]
    return text


def _told(decision: Decision) -> tuple[Any, ...]:
    targets = tuple(choice.target for choice in decision.targets)
    taken = decision.rule, decision.action, decision.parameters, decision.matched
    return decision.stage, decision.reason, *taken, decision.risk, decision.error, targets
