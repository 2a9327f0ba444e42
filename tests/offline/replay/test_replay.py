"""Replays of small logs, beside deciding every request by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from offline.replay.scored_log import (
    FLEET,
    NOW,
    RULES,
    moved_ids,
    policy,
    recorded,
    replayed,
    write,
)  # fmt: skip
from pipeline.policies import ask, backend, tiers
from pointsman.domain.intent import Heard, Hearing
from pointsman.domain.record import Record, Timings
from pointsman.features.extract import extract
from pointsman.offline.replay.lately import Lately
from pointsman.offline.replay.moved import MOVES, aspect_of, place_of
from pointsman.pipeline import decide as decide_module
from pointsman.pipeline.asked import look
from pointsman.pipeline.classified import unclassified
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.scored import loads_of
from pointsman.store.log_reader import LogReader
from pointsman.store.log_row import CONTENT
from pointsman.store.log_writer import LogWriter

BROKEN = """
- id: hello
  when: {any: [say hi]}
  negation: ignore
  answer: Hi.
  examples: [say hi]
  counter_examples: [bye]
  boundary: [{text: say hit, takes: false}]
"""
NOTING = """
- id: capitals
  when: {any: [capital]}
  negation: ignore
  mark: {label: geography, risk: low}
  examples: [the capital of Peru]
  counter_examples: [Peru]
  boundary: [{text: capitals, takes: false}]
- id: hello_to_be
  when: {any: [say hi]}
  negation: ignore
  mode: shadow
  answer: Hi.
  examples: [say hi]
  counter_examples: [bye]
  boundary: [{text: say hit, takes: false}]
"""
GENERAL = """
- id: wide
  when: {any: [holiday, 年假, capital]}
  negation: ignore
  priority: 90
  answer: See the handbook.
  examples: [holiday, 年假]
  counter_examples: [work]
  boundary: [{text: capitals, takes: false}]
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy(tmp_path_factory.mktemp("own"))


def weighed(current: Policy, **given: float) -> Policy:
    """The same with other weights."""
    changed = msgspec.structs.replace(current.document.weights["good"], **given)
    return Policy(msgspec.structs.replace(current.document, weights={"good": changed}))


def by_hand(records: list[Record], against: Policy) -> dict[str, tuple[str, str]]:
    """The slow, obvious way."""
    moved = {}
    for record in records:
        old = record.decision
        assert old is not None
        new = decide(
            record.request, against, FLEET, loads=loads_of(old), last=old.last, seed=against.seed_of(record.request)
        )
        if aspect_of(old, new) in MOVES:
            moved[record.request.id] = (place_of(old).name, place_of(new).name)
    return moved


def test_under_its_own_policy_nothing_moves_and_all_is_bit_for_bit_the_same(tmp_path: Path, own: Policy) -> None:
    write(tmp_path / "log", own)
    found = replayed(tmp_path / "log", Policy(own.document), every=1)
    assert (found.compared, found.checked, found.moved, found.unread, found.parts) == (60, 60, 0, {}, ())
    assert found.moves == () and found.spared == found.rescored == 0
    quick = replayed(tmp_path / "log", own)
    assert (quick.compared, quick.spared, quick.moved) == (60, 60, 0)


@pytest.mark.parametrize("seed", range(3))
def test_other_weights_by_terms_whole_and_by_hand_come_to_the_same(tmp_path: Path, own: Policy, seed: int) -> None:
    current = weighed(own, latency=0.25 + seed / 20)
    records = write(tmp_path / "log", current, 120, seed=seed)
    for latency, stay in ((0.0, 0.1), (0.2, 0.0), (0.31, 0.1), (0.8, 0.3)):
        against = weighed(own, latency=latency, stay=stay)
        by_terms = replayed(tmp_path / "log", against)
        whole = replayed(tmp_path / "log", against, every=1)
        assert moved_ids(by_terms) == moved_ids(whole) == by_hand(records, against)
        assert by_terms.rescored > 50 and whole.rescored == 0
        assert not by_terms.unread and not whole.unread
        assert by_terms.reordered == whole.reordered


def test_exploring_is_decided_by_the_same_seeds(tmp_path: Path, own: Policy) -> None:
    def explores(config: dict[str, Any]) -> None:
        config["quality"] = {"explore": 0.3}

    records = write(tmp_path / "log", own, 80)
    against = policy(tmp_path / "new", explores)
    found = replayed(tmp_path / "log", against)
    assert moved_ids(found) == by_hand(records, against)
    assert found.moved > 5 and {move.cause.parts[0].kind for move in found.moves} == {"explore"}
    back = write(tmp_path / "log2", against, 80)
    home = replayed(tmp_path / "log2", own, every=1)
    assert moved_ids(home) == by_hand(back, own) and home.checked == home.compared


def test_where_rules_are_the_same_what_none_of_them_said_anything_of_is_not_looked_at_again(
    tmp_path: Path, own: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Marks and rules in shadow count as said; with a rule more, all are looked at."""

    def surer(config: dict[str, Any]) -> None:
        config["classifier"] = {"least": 0.7}
        config["routes"] = [{"name": "sums", "match": {"task_type": "math"}, "target": "light", "priority": 1}]

    records = write(tmp_path / "log", policy(tmp_path / "old", rules=RULES + NOTING), 120)
    decisions = [record.decision for record in records if record.decision is not None]
    noted = [decision for decision in decisions if decision.rule or decision.marks or decision.shadow]
    assert any(decision.marks for decision in noted) and any(decision.shadow for decision in noted)
    for record in records:
        assert record.decision is not None and record.decision.features is not None
        assert unclassified(record.decision.features) == extract(record.request)
    against = policy(tmp_path / "new", surer, RULES + NOTING)
    seen: list[str] = []
    monkeypatch.setattr(decide_module, "look", lambda asked, *more: seen.append(asked.message) or look(asked, *more))
    found = replayed(tmp_path / "log", against, every=1 << 20)
    assert 0 < len(seen) < len(noted) + 2 * found.moved  # those that move, by their own policy, and for their cause
    seen.clear()
    whole = replayed(tmp_path / "log", against, every=1)
    assert len(seen) >= 2 * whole.compared
    assert moved_ids(found) == moved_ids(whole) == by_hand(records, against) != {}
    assert (found.noted, found.reworded) == (whole.noted, whole.reworded)
    seen.clear()
    replayed(tmp_path / "log", policy(tmp_path / "more", surer, RULES + NOTING + BROKEN), every=1 << 20)
    assert len(seen) >= len(records)


def test_rules_that_come_and_go_are_named(tmp_path: Path, own: Policy) -> None:
    write(tmp_path / "log", own, 80)
    added = replayed(tmp_path / "log", policy(tmp_path / "a", rules=RULES + BROKEN))
    assert {(move.after.name, move.cause.parts[0].name) for move in added.moves} == {("hello", "hello")}
    assert all(move.cause.parts[0].how == "added" and move.aspect == "stage" for move in added.moves)
    removed = replayed(tmp_path / "log", policy(tmp_path / "b", rules=BROKEN))
    names = {(move.before.name, move.cause.parts[0].name) for move in removed.moves if move.before.kind == "rule"}
    assert names == {("holiday", "holiday")}
    [hello] = [each for each in removed.rules if each.rule == "hello"]
    [holiday] = [each for each in removed.rules if each.rule == "holiday"]
    assert (hello.before, holiday.after, holiday.lost) == (0, 0, holiday.before)
    assert holiday.before > 0 and hello.won == hello.after > 0


def test_a_rule_that_takes_from_another_did_it_alone(tmp_path: Path, own: Policy) -> None:
    """The other one is gone, too; but the new one would have won all the same."""
    write(tmp_path / "log", own, 80)
    found = replayed(tmp_path / "log", policy(tmp_path / "a", rules=GENERAL))
    stolen = [move for move in found.moves if move.before.name == "holiday"]
    assert [[part.name for part in move.cause.parts] for move in stolen] == [["wide"]]
    assert all(move.cause.alone for move in stolen)
    weak = replayed(tmp_path / "log", policy(tmp_path / "b", rules=GENERAL.replace("priority: 90", "priority: 1")))
    [move] = [move for move in weak.moves if move.before.name == "holiday"]
    assert {part.name for part in move.cause.parts} == {"holiday", "wide"} or move.cause.parts[0].name == "holiday"


def test_two_parts_that_only_together_move_a_request(tmp_path: Path, own: Policy) -> None:
    """A route alone sends nobody elsewhere, as its target is the same as before; nor does the name of that target."""

    def swapped(config: dict[str, Any]) -> None:
        config["entries"] = {"auto": {}}
        config["routes"] = [{"name": "all", "match": {"max_tokens": 100_000}, "target": "heavy", "priority": 1}]

    def plain(config: dict[str, Any]) -> None:
        config["entries"] = {"auto": {}}

    write(tmp_path / "log", policy(tmp_path, plain), 40)
    found = replayed(tmp_path / "log", policy(tmp_path / "a", swapped))
    assert {move.cause.parts[0].kind for move in found.moves} == {"route"}

    def both(config: dict[str, Any]) -> None:
        swapped(config)
        config["models"] = tiers(light=[backend("qwen2.5:3b")], heavy=[backend("other:7b")])
        config["rules"] = {"packs": [], "files": []}

    found = replayed(tmp_path / "log", policy(tmp_path / "b", both))
    for move in found.moves:
        kinds = {part.kind for part in move.cause.parts}
        if move.before.kind == "rule":
            assert kinds == {"rule"} or not move.cause.alone
        else:
            assert move.after.name == "other:7b@other:7b"
            assert kinds >= {"target"} and "route" in kinds and not move.cause.alone


def test_a_target_that_was_not_there_is_marked(tmp_path: Path, own: Policy) -> None:
    def other(config: dict[str, Any]) -> None:
        config["models"] = tiers(light=[backend("llama3.2:1b")])

    write(tmp_path / "log", own, 40)
    found = replayed(tmp_path / "log", policy(tmp_path / "a", other))
    models = sum(move.requests for move in found.moves if move.after.name == "llama3.2:1b@llama3.2:1b")
    assert models == found.moved > 0
    assert found.assumed["state"] == found.assumed["idle"] == models
    assert found.forecast.guessed_speed == models
    assert {each.target: each.speed for each in found.forecast.targets}["llama3.2:1b@llama3.2:1b"] == "size"


class TestWhatCannotBeDecidedAgain:
    def test_prompts_off_and_keys_that_are_not_here(self, tmp_path: Path, own: Policy) -> None:
        write(tmp_path / "off", own, 30, prompts="off")
        write(tmp_path / "sealed", own, 30)
        (tmp_path / "sealed" / "log.key").unlink()
        against = policy(tmp_path / "a", rules=RULES + BROKEN)
        assert replayed(tmp_path / "off", against).unread == {"off": 30}
        found = replayed(tmp_path / "sealed", against)
        assert found.unread == {"no_key": 30} and found.compared == 0 and found.unreadable_share == 1.0
        others = replayed(tmp_path / "off", weighed(own, latency=0.9))
        assert others.spared == others.compared > 0  # what a rule took stays with it for sure
        assert others.unread == {"off": 30 - others.compared}

    def test_decisions_of_another_version(self, tmp_path: Path, own: Policy) -> None:
        request = msgspec.structs.replace(ask("say hi"), id="r1", now=NOW)
        decision = msgspec.structs.replace(decide(request, own, FLEET), reason="another version said this")
        written(tmp_path / "log", own, [recorded(request, decision, NOW, 10)])
        against = policy(tmp_path / "a", rules=RULES + BROKEN)
        assert replayed(tmp_path / "log", against).unread == {"version": 1}

    def test_one_of_a_version_makes_all_of_its_policy_be_looked_at(self, tmp_path: Path, own: Policy) -> None:
        records = []
        for number in range(40):
            request = msgspec.structs.replace(ask(f"tell me {number}"), id=f"r{number:03}", now=NOW + number)
            decision = decide(request, own, FLEET)
            records.append(recorded(request, msgspec.structs.replace(decision, reason="other"), NOW + number, 10))
        written(tmp_path / "log", own, records)
        found = replayed(tmp_path / "log", policy(tmp_path / "a", rules=RULES + BROKEN))
        assert found.unread["version"] >= 40 - 16

    def test_an_arbiter_that_was_not_asked(self, tmp_path: Path, own: Policy) -> None:
        write(tmp_path / "log", own, 30)
        found = replayed(tmp_path / "log", policy(tmp_path / "a", arbitrated))
        assert found.unread["arbiter"] == 30 - found.compared > 0

    def test_an_empty_log(self, tmp_path: Path, own: Policy) -> None:
        write(tmp_path / "log", own, 5)
        found = replayed(tmp_path / "log", own, since=NOW + 1e5)
        assert (found.requests, found.compared, found.moves) == (0, 0, ())
        assert found.forecast.mean.before == 0.0

    def test_stamps_from_a_clock_that_ran_ahead(self, tmp_path: Path, own: Policy) -> None:
        write(tmp_path / "log", own, 10)
        found = replayed(tmp_path / "log", own, now=NOW - 1000.0)
        assert found.future == found.compared == 10


def written(folder: Path, current: Policy, records: list[Record]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    writer = LogWriter(folder, "sealed", 1e10)
    for record in records:
        writer.put(record, current.document, FLEET)
    writer.close()


def test_texts_only_where_they_are_asked_for(tmp_path: Path, own: Policy) -> None:
    write(tmp_path / "log", own, 40)
    against = policy(tmp_path / "a", rules=RULES + BROKEN)
    [move] = replayed(tmp_path / "log", against).moves
    assert all(sample.text is None and sample.language == "en" for sample in move.samples)
    [move] = replayed(tmp_path / "log", against, text=True, shown=3).moves
    assert len(move.samples) == min(3, move.requests)
    assert all(sample.text is not None and "say hi" in sample.text for sample in move.samples)


def test_the_forecast_of_a_move_to_a_measured_target(tmp_path: Path, own: Policy) -> None:
    """Times follow exactly from target and lengths here, so the forecast does, too."""
    records = write(tmp_path / "log", own, 200)
    against = weighed(own, latency=0.0, cost=0.0)
    found = replayed(tmp_path / "log", against)
    went = moved_ids(found)
    assert found.moved > 20
    gpu = whole = 0.0
    for record in records:
        assert record.decision is not None and record.timings.total is not None
        target = went.get(record.request.id, (None, record.target))[1]
        again = record
        if target != record.target:
            moved = msgspec.structs.replace(record.decision.targets[0], target=target)
            again = recorded(
                record.request,
                msgspec.structs.replace(record.decision, targets=(moved,)),
                0.0,
                record.output_tokens or 0,
            )
        assert again.timings.total is not None
        whole += again.timings.total / 1000
        if target is not None:
            gpu += (again.timings.total - 1.0) / 1000
    assert found.forecast.gpu.after == pytest.approx(gpu, rel=0.02)
    assert found.forecast.mean.after == pytest.approx(whole / 200, rel=0.02)
    assert found.forecast.gpu.low <= found.forecast.gpu.after <= found.forecast.gpu.high
    assert {each.speed for each in found.forecast.targets} == {"log"}


class TestHearings:
    def test_another_gate_is_applied_to_what_was_heard(self, tmp_path: Path) -> None:
        current = policy(tmp_path, arbitrated)
        heard_of(tmp_path / "log", current, 0.6)
        found = replayed(tmp_path / "log", policy(tmp_path / "a", lambda config: arbitrated(config, gate=0.5)), every=1)
        [move] = found.moves
        assert (move.before.kind, move.after.kind, move.requests) == ("question", "intent", 4)
        assert [(part.kind, part.name) for part in move.cause.parts] == [("intent", "leave")]
        assert found.assumed["hearing"] == found.compared == 4

    def test_of_other_intents_nothing_is_known(self, tmp_path: Path) -> None:
        def more(config: dict[str, Any]) -> None:
            arbitrated(config)
            config["arbiter"]["intents"]["sick"] = {"about": {"en": "Call in sick"}, "action": "days"}

        heard_of(tmp_path / "log", policy(tmp_path, arbitrated), 0.9)
        assert replayed(tmp_path / "log", policy(tmp_path / "a", more)).unread == {"arbiter": 4}


def arbitrated(config: dict[str, Any], gate: float = 0.7) -> None:
    config["entries"]["auto"]["arbiter"] = "embedded"
    config["actions"] = {"days": {"answer": "Ten."}}
    leave = {"about": {"en": "Ask for leave", "zh": "请假"}, "action": "days"}
    config["arbiter"] = {"intents": {"leave": leave}, "shipped": False, "gate": gate}


def heard_of(folder: Path, current: Policy, confidence: float) -> None:
    """Four requests of which an arbiter heard an intent, so sure of it."""
    records = []
    for number in range(4):
        request = msgspec.structs.replace(ask("I want to be away"), id=f"r{number}", now=NOW + number)
        first = Heard(
            arbiter="embedded",
            model="m",
            scores=(("leave", 0.8), ("open_ended", 0.1)),
            intent="leave",
            confidence=confidence,
        )
        decision = decide(request, current, FLEET, hearing=Hearing(first=first))
        records.append(Record(request, NOW + number, "ok", decision, timings=Timings(0.1, None, 0.2)))
    written(folder, current, records)


def test_a_decision_alone_is_that_of_the_content(tmp_path: Path, own: Policy) -> None:
    write(tmp_path / "log", own, 30)
    reader = LogReader(tmp_path / "log")
    for logged in reader.scan():
        content = logged.content()
        assert content is not None and logged.decision() == content.decision
    reader.close()
    write(tmp_path / "off", own, 3, prompts="off")
    reader = LogReader(tmp_path / "off")
    assert [logged.decision() for logged in reader.scan()] == [None] * 3
    reader.close()


def test_what_another_version_wrote_otherwise(tmp_path: Path, own: Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its requests lack what this one's must have."""
    fields = ((*CONTENT[0][:-1], "renamed"), tuple(name if name != "stage" else "level" for name in CONTENT[1]))
    monkeypatch.setattr("pointsman.store.log_batch.CONTENT", fields)
    write(tmp_path / "log", own, 5)
    against = policy(tmp_path / "a", rules=RULES + BROKEN)
    assert replayed(tmp_path / "log", against).unread == {"older": 5}


def test_policies_that_follow_each_other(tmp_path: Path, own: Policy) -> None:
    """Each is compared with the new one by itself."""
    changed = [weighed(own, latency=0.3 + number / 100) for number in range(12)]
    folder = tmp_path / "log"
    for number, current in enumerate(changed):
        request = msgspec.structs.replace(ask(f"prove {number}"), id=f"r{number:03}", now=NOW + number)
        written(folder, current, [recorded(request, decide(request, current, FLEET), NOW + number, 10)])
    found = replayed(folder, changed[0], every=1)
    assert len(found.policies) == 12 and found.compared == found.checked == 12 and not found.unread
    assert [part.kind for part in found.parts] == ["weights"]


def test_those_used_last_are_kept() -> None:
    made: list[str] = []
    gone: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name

    kept = Lately(2, make, gone.append)
    assert [kept.of(name) for name in "aabacab"] == list("aabacab")
    assert made == ["a", "b", "c", "b"] and gone == ["b", "c"]
    kept.clear()
    assert sorted(gone) == ["a", "b", "b", "c"]
