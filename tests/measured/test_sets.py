"""What sets say that people wrote who had not seen the code: shares that must not fall. The first, blind figures are in the
docs; what was mended after them was mended by kind of mistake, so a set is blind only once."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from pointsman import packs
from pointsman.app.build import build
from pointsman.config.load import load
from pointsman.domain.decision import Decision
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import Snapshot
from pointsman.extractors import extract
from pointsman.extractors.sql import destructive, dialect
from pointsman.framing import compile_frames, with_shipped
from pointsman.offline.mining.mine import mine
from pointsman.offline.question import Question, Questions
from pointsman.periods import find_periods
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.rules import compile_rules, parse_rules
from pointsman.rules.cases import plain_features
from pointsman.rules.fold import fold

SETS = Path(__file__).parents[1] / "sets"
PII = ("phone", "id_card", "bank_card", "email", "secret")
BY_OVERLAP = ("sql", "maths")


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SETS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


EXTRACTS = rows("extractors")
LEAST = {"sql": 0.92} | dict.fromkeys(
    ("number", "amount", "percentage", "file", "code", "maths", "url", "email", "phone", "id_card"), 0.97
)


@pytest.mark.parametrize("kind", LEAST)
def test_extracts(kind: str) -> None:
    """Rows of which everything is found where it is, with its value, and nothing else."""
    right = [_same(kind, row) for row in EXTRACTS if row["kind"] == kind]
    assert len(right) >= 30 and sum(right) / len(right) >= LEAST[kind]


def _same(kind: str, row: dict[str, Any]) -> bool:
    got = [(find.start, find.end, find.value) for find in extract(kind, row["text"])]
    want = [(*find["span"], find.get("value")) for find in row["found"]]
    if len(got) != len(want):
        return False
    for (start, end, value), (begin, stop, wanted) in zip(got, want, strict=True):
        here = start < stop and begin < end if kind in BY_OVERLAP else (start, end) == (begin, stop)
        if not here or (kind != "maths" and value != (pytest.approx(wanted) if isinstance(wanted, float) else wanted)):
            return False
    return True


def test_personal_data_and_secrets() -> None:
    counts: Counter[str] = Counter()
    for row in rows("pii"):
        got = {(kind, find.start, find.end) for kind in PII for find in extract(kind, row["text"])}
        want = {(find["kind"], *find["span"]) for find in row["found"]}
        counts.update(right=len(got & want), false=len(got - want), missed=len(want - got))
    assert counts["right"] / (counts["right"] + counts["false"]) >= 0.99
    assert counts["right"] / (counts["right"] + counts["missed"]) >= 0.98


def test_sql_its_risk_and_its_dialect() -> None:
    found = rows("sql_risk")
    right: Counter[str] = Counter()
    for row in found:
        statements = [row["text"][find.start : find.end] for find in extract("sql", row["text"])]
        right["sql"] += bool(statements) == row["sql"]
        right["risk"] += any(map(destructive, statements)) == (row["risk"] == "high")
        right["dialect"] += {each for each in map(dialect, statements) if each} == ({row["dialect"]} - {None})
    assert {name: count / len(found) >= 0.93 for name, count in right.items()} == dict.fromkeys(right, True), right


def test_the_question_in_a_wrapped_message() -> None:
    frames = compile_frames(with_shipped(()))
    found = rows("wrapped_questions")
    right = 0
    for row in found:
        message = [message for message in row["messages"] if message["role"] == "user"][-1]["content"]
        span = frames.question_span(message)
        asked = message[span.start : span.end] if span else message
        right += asked.strip() == row["question"].strip()
    assert right / len(found) >= 0.95


def test_one_spelling() -> None:
    found = rows("obfuscation")
    same = [fold(row["text"]).text == fold(row["plain"]).text for row in found]
    wrongly = [row["text"] for row, equal in zip(found, same, strict=True) if equal and not row["same"]]
    assert wrongly == []
    assert sum(equal == row["same"] for row, equal in zip(found, same, strict=True)) / len(found) >= 0.96


def test_periods() -> None:
    right: Counter[tuple[str, bool]] = Counter()
    total: Counter[tuple[str, bool]] = Counter()
    for row in rows("periods_wide"):
        today = datetime.datetime.fromisoformat(row["now"]).date()
        got = [
            (str(period.start), str(period.end), period.grain)
            for period in find_periods(row["text"], today, prefer=row.get("prefer", "past"))
        ]
        want = [(period["start"], period["end"], period["grain"]) for period in row["periods"]]
        kind = row["note"][:2], bool(want)
        total[kind] += 1
        right[kind] += got == want
    share = {kind: right[kind] / total[kind] for kind in total}
    assert total["zh", True] + total["zh", False] >= 400 and total["en", True] + total["en", False] >= 300
    assert share["zh", True] >= 0.98 and share["en", True] >= 0.98
    assert share["zh", False] >= 0.9 and share["en", False] >= 0.8


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    """All packs that ship, and the demo's reports."""
    folder = tmp_path_factory.mktemp("measured")
    names = sorted(path.parent.name for path in Path(packs.__path__[0]).glob("*/pack.yaml"))
    config = folder / "pointsman.yaml"
    config.write_text(
        f"rules: {{packs: [{', '.join(f'builtin:{name}' for name in names)}]}}\n"
        "models: {medium: {backends: [{engine: vllm, base_url: 'http://127.0.0.1:1/v1', model: m}]}}\n"
        f"sources: {{demo: {{demo: true}}}}\nserver: {{data_dir: '{folder}/data'}}\n",
        encoding="utf-8",
    )
    return build(load(config, {}, {})).policy


def decided(policy: Policy, text: str) -> Decision:
    return decide(Request("r", "chat", "auto", (Turn("user", text),), now=1.795e9), policy, Snapshot.of(()))


TAKING = {"smalltalk": "smalltalk", "ops-faq": "ops_faq", "report-export": "report", "client-probes": "probe"}


def test_packs_on_chinese_requests(policy: Policy) -> None:
    """No request is taken that its writer did not mean for that pack."""
    pack_of = {rule.id: rule.pack for rule in policy.document.rules}
    hits: Counter[str] = Counter()
    wrong, marked = [], Counter[tuple[str, bool]]()
    requests = [*rows("chinese_requests_a"), *rows("chinese_requests_b")]
    assert len(requests) == 1000
    for row in requests:
        decision = decided(policy, row["text"])
        pack = pack_of.get(decision.rule or "")
        if pack is not None and pack != "code-review":
            hits[pack] += 1
            if TAKING.get(pack) not in row["want"]:
                wrong.append((decision.rule, row["text"]))
        for label, want in (("sql.destructive", "sql_risk"), ("pii", "pii"), ("injection", "injection")):
            if any(mark.label.startswith(label) for mark in decision.marks):
                marked[want, want in row["want"]] += 1
    assert wrong == []
    assert hits["smalltalk"] >= 7 and hits["ops-faq"] >= 19 and hits["client-probes"] >= 16
    assert marked["sql_risk", True] >= 24 and marked["sql_risk", False] == 0
    assert marked["pii", True] >= 41 and marked["pii", False] <= 2
    assert marked["injection", True] >= 18 and marked["injection", False] <= 1


def test_marks_of_injections(policy: Policy) -> None:
    marked: Counter[bool] = Counter()
    found = rows("injection")
    for row in found:
        marked[row["injection"]] += any(
            mark.label.startswith("injection") for mark in decided(policy, row["text"]).marks
        )
    assert marked[False] <= 1 and marked[True] / sum(row["injection"] for row in found) >= 0.58


def test_mining_the_export_rule_out_of_two_thousand_requests() -> None:
    """73 % were taken on the first run, when the miner had not seen them."""
    found = rows("mining")
    pytest.importorskip("rjieba")
    result = mine(Questions(tuple(Question(row["text"]) for row in found)))
    written = next(proposal.yaml for proposal in result.proposals if "export" in proposal.id)
    ruleset = compile_rules(parse_rules(yaml.safe_load(written), pack="mined"))
    taken = [row["report"] for row in found if ruleset.match(row["text"], plain_features(row["text"]), entry="auto")]
    assert sum(taken) / len(taken) >= 0.99 and sum(taken) / 127 >= 0.85
