"""What the process that tries rules out says of a rule: its cases, what it would take of the log, what came near."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from pipeline.policies import ask
from pointsman.config.load import load
from pointsman.console.rules.told import (
    Asked,
    Candidate,
    Check,
    Checked,
    Effect,
    Effects,
    Failed,
    NearRules,
    Nears,
    Review,
    Reviewed,
    Sketch,
    Sketched,
    Told,
)
from pointsman.domain.record import Record, Timings
from pointsman.domain.target import Snapshot
from pointsman.offline.drafting.child import Bench
from pointsman.offline.drafting.placed import NOT_WRITTEN
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store.log_writer import LogWriter

RULES = """- id: hours
  when: {any: [opening hours, 营业时间]}
  answer: From 9 to 6.
  examples: [opening hours]
  counter_examples: [closing time]
  boundary: [{text: opening hour, takes: false}]
"""
WIFI = """- id: wifi
  when: {all: [{any: [wifi]}, {any: [password, 密码]}]}
  answer: On the card.
  examples: [wifi password]
  counter_examples: [wifi]
  boundary: [{text: the wifipassword, takes: false, why: one word}]
"""
TEXTS = (
    "opening hours?",
    "wifi password?",
    "客人的wifi密码",
    "what is gravity",
    "the wifi is slow",
    "wifi password opening hours",
    "有健身房吗",
    "自行车停在哪里",
)
NOW = 1_796_000_000.0


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    from pointsman.app.build import build

    folder = tmp_path_factory.mktemp("config")
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    config = folder / "pointsman.yaml"
    config.write_text("rules: {packs: [], files: [./rules.yaml]}\n", encoding="utf-8")
    return build(load(config, None, {})).policy


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory, policy: Policy) -> Path:
    folder = tmp_path_factory.mktemp("log")
    writer = LogWriter(folder, "sealed", 86_400_000.0)
    snapshot = Snapshot.of(())
    for number, text in enumerate(TEXTS):
        request = msgspec.structs.replace(ask(text), id=f"req_{number}", now=NOW + number)
        decision = decide(request, policy, snapshot)
        record = Record(
            received=NOW + number,
            request=request,
            decision=decision,
            outcome="ok",
            status=200,
            timings=Timings(decided=0.1, total=1.0),
        )
        writer.put(record, policy.document, snapshot)
    writer.close()
    return folder


class Asking:
    def __init__(self, policy: Policy, log: Path) -> None:
        self.bench, self.policy, self.log = Bench(), policy, log
        self.document: bytes | None = policy.document.encode()

    def __call__(self, job: object, stop: bool = False) -> object:
        asked = Asked(1, self.policy.hash, str(self.log), job, self.document)  # type: ignore[arg-type]
        self.document = None
        return self.bench.answer(asked, lambda: stop)


@pytest.fixture
def asking(policy: Policy, log: Path) -> Asking:
    return Asking(policy, log)


def candidate(text: str, place: int = 1) -> Candidate:
    """`text` as the second rule of the file."""
    return Candidate(RULES + text, place, RULES.count("\n"), "rules", "rules/rules.yaml", ("hours",))


def test_a_sound_rule_passes_with_all_its_cases(asking: Asking) -> None:
    checked = asking(Check(candidate(WIFI)))
    assert isinstance(checked, Checked) and checked.passes and checked.rule == "wifi"
    assert [(case.kind, case.holds) for case in checked.cases] == [
        ("example", True), ("counter_example", True), ("boundary", True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "line", "says"),
    [
        ("when:", "wen:", 2, "wen"),
        ("examples: [wifi password]", "examples: [password]", 4, "taken by no rule"),
        ("  counter_examples: [wifi]\n", "", 1, "counter_examples"),
        ("answer: On the card.", "route: {tier: hevy}", 3, "hevy"),
        ("id: wifi", "id: hours", 1, "hours"),
        ("On the card.", NOT_WRITTEN, 3, "write what"),
        ("{any: [wifi]}", "{any: [wifi}", 2, "cannot be read"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(asking: Asking, before: str, after: str, line: int, says: str) -> None:
    assert before in WIFI
    checked = asking(Check(candidate(WIFI.replace(before, after, 1))))
    assert isinstance(checked, Checked) and not checked.passes
    assert any(says in each.message.en and each.line in (line, None) for each in checked.wrong), checked.wrong


def test_a_rule_that_takes_what_another_must_is_not_published(asking: Asking) -> None:
    greedy = WIFI.replace("- id: wifi", "- id: wifi\n  priority: 90").replace(
        "{all: [{any: [wifi]}, {any: [password, 密码]}]}", "{any: [wifi password, opening hours]}"
    )
    checked = asking(Check(candidate(greedy)))
    assert isinstance(checked, Checked) and any("rule hours" in each.message.en for each in checked.wrong)


def test_what_it_would_take_and_from_whom(asking: Asking) -> None:
    effects = asking(Effect(candidate(WIFI)))
    assert isinstance(effects, Effects) and effects.of == len(TEXTS) and effects.unread == 0
    assert (effects.hits, effects.from_rules, effects.kept, effects.lost) == (2, 0, 0, 0)
    assert {sample.text for sample in effects.samples} == {"wifi password?", "客人的wifi密码"}
    first = asking(Effect(candidate(WIFI.replace("- id: wifi", "- id: wifi\n  priority: 90\n  mode: shadow"))))
    assert isinstance(first, Effects) and first.rules == {"hours": 1} and first.hits == 3
    assert [(sample.id, sample.text) for sample in first.stolen] == [("req_5", "wifi password opening hours")]


def test_what_it_would_lose(asking: Asking) -> None:
    narrower = RULES.replace("opening hours, 营业时间", "our opening hours").replace(
        "examples: [opening hours]", "examples: [our opening hours]", 1
    )
    effects = asking(Effect(Candidate(narrower, 0, 0, "rules", "rules/rules.yaml", ("hours",))))
    assert isinstance(effects, Effects) and (effects.hits, effects.lost) == (0, 2)
    assert {sample.id for sample in effects.gone} == {"req_0", "req_5"}


def test_what_is_proved_of_it_is_told(asking: Asking) -> None:
    twin = RULES.replace("id: hours", "id: twin").replace("examples: [opening hours]", "examples: []", 1)
    effects = asking(Effect(candidate(twin.replace("examples: []", "examples: [opening hours]", 1))))
    assert isinstance(effects, Effects) and [each.kind for each in effects.findings if each.warning] == ["duplicate"]


def test_what_nobody_waits_for_is_given_up(asking: Asking) -> None:
    assert asking(Effect(candidate(WIFI)), stop=True) is None
    assert isinstance(asking(Effect(candidate(WIFI))), Effects)


def test_which_rules_came_near(asking: Asking) -> None:
    nears = asking(NearRules(ask("when are the opening hours, don't say opening hours"), None))
    assert isinstance(nears, Nears) and nears.rules == 1 and [each.rule for each in nears.near] == ["hours"]
    assert nears.near[0].why[0].zh != nears.near[0].why[0].en


@pytest.mark.parametrize("name", ["req_1", "req_2", "req_3", "req_6", "req_7"])
def test_a_sketch_is_sound_but_for_what_a_person_has_to_say(asking: Asking, name: str) -> None:
    sketched = asking(Sketch(name, "desk", "2026-11-30", chinese=True))
    assert isinstance(sketched, Sketched) and NOT_WRITTEN in sketched.text and "mode: shadow" in sketched.text
    checked = asking(Check(candidate(sketched.text.replace(NOT_WRITTEN, "At the desk."))))
    assert isinstance(checked, Checked) and checked.passes, checked.wrong
    assert TEXTS[int(name[-1])] in sketched.text
    unsaid = asking(Check(candidate(sketched.text)))
    assert isinstance(unsaid, Checked) and not unsaid.passes


def test_of_a_request_that_nobody_kept_there_is_no_sketch(asking: Asking) -> None:
    failed = asking(Sketch("req_x", "desk", "2026-11-30", chinese=False))
    assert isinstance(failed, Failed) and failed.status == 404


def test_the_review_has_each_rule(asking: Asking) -> None:
    reviewed = asking(Review(NOW - 1))
    assert isinstance(reviewed, Reviewed) and reviewed.rules["hours"].hits == 2


def test_without_a_log_a_rule_is_tried_on_nothing(policy: Policy, tmp_path: Path) -> None:
    effects = Asking(policy, tmp_path)(Effect(candidate(WIFI)))
    assert isinstance(effects, Effects) and (effects.of, effects.hits, effects.since) == (0, 0, None)


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "pointsman.offline.drafting.child"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    yield process
    assert process.stdin and process.stdout
    process.stdin.close()
    assert process.wait(20) == 0
    process.stdout.close()


def test_the_process_answers_on_its_pipe_and_ends_with_it(
    child: subprocess.Popen[bytes], policy: Policy, log: Path
) -> None:
    assert child.stdin and child.stdout
    for number, document in ((1, policy.document.encode()), (2, None)):
        data = msgspec.msgpack.encode(Asked(number, policy.hash, str(log), Check(candidate(WIFI)), document))
        child.stdin.write(len(data).to_bytes(4, "big") + data)
        child.stdin.flush()
        size = int.from_bytes(child.stdout.read(4), "big")
        told = msgspec.msgpack.decode(child.stdout.read(size), type=Told)
        assert told.number == number and isinstance(told.answer, Checked) and told.answer.passes
