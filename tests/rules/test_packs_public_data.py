"""All packs that ship over every text of the public data, as the pipeline decides on them, reports included. Every hit has
been read and judged; docs/packs.md holds the table. The texts were written for other purposes, long before these rules."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from packs import FOLDERS, pack

from pointsman.app.build import build
from pointsman.config.load import load
from pointsman.config.rule_files import builtin_packs
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import Snapshot
from pointsman.pipeline.decide import decide

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
FIELDS = {  # file: field of the text, field of its label
    "arena_hard_v01": ("prompt", "cluster"),
    "banking77_train": ("text", "intent"),
    "clinc150_train": ("text", "intent"),
    "router_scores_9models_train": ("question", "task_name"),
    "self_instruct_seed_tasks": ("instruction", "name"),
    "snips_train": ("text", "intent"),
}
TEXTS = 48_270
NOW = 1_795_900_000.0

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_dir(), reason="the public data lie beside the checkout"),
]


class Hit(NamedTuple):
    rule: str
    action: str
    file: str
    label: str
    text: str

    @property
    def key(self) -> tuple[str, str, str]:
        return self.rule, self.file, " ".join(self.text.split())[:40].rstrip()


RIGHT = {  # (rule, file, how the text begins)
    ("code_review_code", "arena_hard_v01", "Find a fix for this bug : ```This model"),
    ("code_review_code", "arena_hard_v01", "how can i fix this warning:Non-atomic op"),
    ("code_review_code", "arena_hard_v01", "import torch import gradio as gr from tr"),
    ("code_review_sql", "arena_hard_v01", "Here is my python sqlite3 code: # Fetch"),
    ("code_review_sql", "arena_hard_v01", "youll be acting as a senior analyst who"),
    ("ops_forgot_password", "banking77_train", "Help! I forgot my password."),
    ("ops_forgot_password", "banking77_train", "How can I change my password?"),
    ("ops_forgot_password", "banking77_train", "How do I reset my password?"),
    ("ops_forgot_password", "banking77_train", "I can't log into my account because I lo"),
    ("ops_forgot_password", "banking77_train", "I can't remember my password."),
    ("ops_forgot_password", "banking77_train", "I don't remember my password"),
    ("ops_forgot_password", "banking77_train", "Is there a way to recover my password?"),
    ("ops_leave", "clinc150_train", "how do i request vacation time"),
    ("pii_email", "router_scores_9models_train", "Buckingham Palace is the Queen's house i"),
    ("pii_email", "self_instruct_seed_tasks", "Tell me if the following email is a prom"),
    ("pii_email", "self_instruct_seed_tasks", "Write a cover letter based on the given"),
    ("pii_phone", "router_scores_9models_train", "Buckingham Palace is the Queen's house i"),
    ("pii_phone", "router_scores_9models_train", "Whatsonstage.com is the UK's biggest and"),
    ("sql_statement", "arena_hard_v01", "Here is my python sqlite3 code: # Fetch"),
    ("sql_statement", "arena_hard_v01", 'can you translate SQL "SELECT * FROM SUB'),
    ("sql_statement", "arena_hard_v01", "youll be acting as a senior analyst who"),
}
WRONG = {  # none of them answers or refuses; they may well vanish
    ("code_review_code", "router_scores_9models_train", 'FIX = """ Add more test cases. """ def v'),  # code to write
    ("pii_secret", "arena_hard_v01", "// SPDX-License-Identifier: MIT pragma s"),  # a variable
    ("sql_statement", "arena_hard_v01", "User Create a function in C# to merge wo"),  # words: merge … into
}
SMALL_TALK = {"greeting", "goodbye", "thank_you", "yes", "no", "cancel"}
"""What the data say that those texts are which smalltalk answers; each of them stands alone, as a first message."""


def texts() -> Iterator[tuple[str, str, str]]:
    """(file, text, label)"""
    for name, (field, label) in FIELDS.items():
        with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                more = f"\n\n{row['input']}" if row.get("input") else ""
                yield name, row[field] + more, str(row[label])


@pytest.fixture(scope="module")
def hits(tmp_path_factory: pytest.TempPathFactory) -> list[Hit]:
    path = tmp_path_factory.mktemp("packs") / "pointsman.yaml"
    config: dict[str, Any] = {
        "rules": {"packs": [f"builtin:{name}" for name in builtin_packs()]},
        "sources": {"demo": {"demo": True}},
    }
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    policy = build(load(path, None, {})).policy
    found = []
    count = 0
    for file, text, label in texts():
        count += 1
        decision = decide(Request("r", "chat", "auto", (Turn("user", text),), now=NOW), policy, Snapshot.of(()))
        if decision.rule:
            found.append(Hit(decision.rule, str(decision.action), file, label, text))
        found += [Hit(mark.rule, "mark", file, label, text) for mark in decision.marks]
    assert count == TEXTS
    return found


def test_every_hit_is_one_that_was_read(hits: list[Hit]) -> None:
    found = {hit.key for hit in hits if not hit.rule.startswith("smalltalk_")}
    assert found - RIGHT - WRONG == set()
    assert RIGHT - found == set()


def test_small_talk_is_what_the_data_call_so(hits: list[Hit]) -> None:
    talk = [hit for hit in hits if hit.rule.startswith("smalltalk_")]
    assert {hit.file for hit in talk} == {"clinc150_train"}
    assert {hit.label for hit in talk} <= SMALL_TALK
    assert len(talk) == 83


def test_false_answers_are_rare(hits: list[Hit]) -> None:
    """At most one text in a thousand may be answered, refused or reported on that should not be."""
    taking = [hit for hit in hits if hit.action not in ("route", "mark")]
    false = [hit for hit in taking if hit.key in WRONG]
    assert false == []
    assert len(taking) == 91
    assert len(false) <= TEXTS / 1000


def test_the_table_in_the_docs(hits: list[Hit]) -> None:
    """docs/packs.md and its translation give, for each pack, how many of these texts it takes or marks."""
    packs = {rule.id: folder.name for folder in FOLDERS for rule in pack(folder.name)}
    texts_of = {(packs.get(hit.rule, "guard"), hit.file, hit.text) for hit in hits}
    counts = Counter(name for name, _, _ in texts_of)
    docs = Path(__file__).resolve().parents[2] / "docs"
    for page in ("packs.md", "packs.zh-CN.md"):
        lines = (docs / page).read_text(encoding="utf-8").splitlines()
        for folder in FOLDERS:
            assert any(line.startswith(f"| `{folder.name}` | {counts[folder.name]} |") for line in lines), (
                page,
                folder.name,
            )
