"""Going through the log once: everything comes, once, and a sketch says what the whole content says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from pipeline.policies import CONFIG, FILES, ask, fleet, policy_of
from pointsman.domain.record import Record
from pointsman.domain.request import Turn
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store import log_batch
from pointsman.store.log_reader import LogReader
from pointsman.store.log_scan import Logged
from pointsman.store.log_writer import LogWriter

FLEET = fleet(small=2048)
NOW = 1.8e9


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy_of(tmp_path_factory.mktemp("policy"), CONFIG, FILES)


def record(policy: Policy, name: str, at: float, text: str = "vpn broken", **changes: Any) -> Record:
    request = msgspec.structs.replace(ask(text), **{"id": name, "now": NOW + at, **changes})
    return Record(request, NOW + at, "ok", decide(request, policy, FLEET))


def write(folder: Path, policy: Policy, *batches: list[Record], prompts: Any = "sealed") -> None:
    for records in batches:
        writer = LogWriter(folder, prompts, 1e12, linger=60.0)
        for one in records:
            writer.put(one, policy.document, FLEET)
        writer.close()


def scan(folder: Path, since: float | None = None) -> list[Logged]:
    reader = LogReader(folder)
    try:
        return list(reader.scan(since))
    finally:
        reader.close()


def test_everything_once_batch_by_batch(tmp_path: Path, policy: Policy) -> None:
    batches = [[record(policy, f"r{n}.{m}", n * 100 + m) for m in range(3)] for n in range(4)]
    write(tmp_path, policy, *reversed(batches))
    found = scan(tmp_path)
    assert [logged.head.id for logged in found] == [one.request.id for batch in batches for one in batch]
    later = scan(tmp_path, NOW + 101)
    assert [logged.head.id for logged in later] == [f"r{n}.{m}" for n in (1, 2, 3) for m in range(3)][1:]
    for logged, one in zip(found, [one for batch in batches for one in batch], strict=True):
        content = logged.content()
        assert content is not None and (content.request, content.decision) == (one.request, one.decision)
        assert logged.request() == one.request
        assert one.decision is not None and one.decision.features is not None
        assert logged.feature("input_tokens") == one.decision.features.input_tokens
        assert logged.feature("nonsense") is None


@pytest.mark.parametrize("prompts", ["sealed", "full"])
def test_a_sketch_says_what_the_content_says(tmp_path: Path, policy: Policy, prompts: str) -> None:
    first = (Turn("system", "be brief"), Turn("user", "one"), Turn("assistant", "1"))
    turns = (*first, Turn("user", "two"), Turn("system", "now"))
    several = [
        record(policy, "a", 0, user="ann", session="s1"),
        record(policy, "b", 1, turns=turns, session="s2"),
        record(policy, "c", 2, turns=(*turns, Turn("assistant", "2"))),
    ]
    write(tmp_path, policy, several, prompts=prompts)
    sketches = [logged.sketch() for logged in scan(tmp_path)]
    for sketch, one in zip(sketches, several, strict=True):
        request = one.request
        assert sketch is not None
        assert (sketch.question, sketch.user, sketch.session) == (request.question, request.user, request.session)
        assert tuple(sketch.turns) == request.turns
    assert [sketch.earlier for sketch in sketches if sketch] == [[], ["one"], ["one"]]
    assert [sketch.person for sketch in sketches if sketch] == ["ann", "s2", None]


def test_one_essence_for_what_is_decided_alike(tmp_path: Path, policy: Policy) -> None:
    alike = [
        {"id": "a"}, {"id": "b", "session": "s", "user": "u", "caller": "key"}, {"id": "c", "stream": True, "now": 1.0},
    ]  # fmt: skip
    pictured = (Turn("user", "vpn broken", 1),)
    others = [{"model": "bare"}, {"tools": True}, {"task": "faq"}, {"turns": pictured}, {"structured": True}]
    records = [record(policy, "x", 0, **changes) for changes in (*alike, *others)]
    write(tmp_path, policy, records)
    essences = [sketch.essence for logged in scan(tmp_path) if (sketch := logged.sketch())]
    assert len(essences) == len(records)
    assert len(set(essences[: len(alike)])) == 1
    assert len(set(essences)) == 1 + len(others)


@pytest.mark.parametrize("how", ["off", "no key"])
def test_what_was_not_kept_has_no_sketch(tmp_path: Path, policy: Policy, how: str) -> None:
    write(tmp_path, policy, [record(policy, "a", 0)], prompts="off" if how == "off" else "sealed")
    if how == "no key":
        (tmp_path / "log.key").unlink()
    [logged] = scan(tmp_path)
    assert (logged.sketch(), logged.request(), logged.content(), logged.head.id) == (None, None, None, "a")


def test_another_versions_requests_have_none(tmp_path: Path, policy: Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    of_request, of_decision = log_batch.CONTENT
    renamed = tuple("rounds" if name == "turns" else name for name in of_request)
    monkeypatch.setattr(log_batch, "CONTENT", (renamed, of_decision))
    write(tmp_path, policy, [record(policy, "a", 0)])
    [logged] = scan(tmp_path)
    assert logged.sketch() is None and logged.content() is None and logged.request() is None
