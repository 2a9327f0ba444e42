"""Which words of a client or an engine may stand outside the sealed part of a row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from pipeline.policies import CONFIG, FILES, ask, fleet, policy_of
from pointsman.domain.attempt import Attempt
from pointsman.domain.record import Record
from pointsman.pipeline.policy import Policy
from pointsman.store.log_reader import LogReader
from pointsman.store.log_row import UNKNOWN, Prompts
from pointsman.store.log_writer import LogWriter

FLEET = fleet(small=2048)


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy_of(tmp_path_factory.mktemp("policy"), CONFIG, FILES)


def kept(folder: Path, policy: Policy, prompts: Prompts, model: str, **fields: Any) -> tuple[dict[str, Any], LogReader]:
    writer = LogWriter(folder, prompts, 1e9, linger=0.0)
    writer.put(Record(ask("x", model), 1.8e9, "failed", **fields), policy.document, FLEET)
    writer.close()
    reader = LogReader(folder)
    [row] = reader.rows({}, None, 1)
    return row, reader


@pytest.mark.parametrize("prompts", ["sealed", "off"])
@pytest.mark.parametrize(
    ("model", "shown"),
    [("auto", "auto"), ("heavy", "heavy"), ("big", "big"), ("write to my boss that", UNKNOWN), ("x" * 5000, UNKNOWN)],
)
def test_a_model_that_there_is_not_is_no_column(
    tmp_path: Path, policy: Policy, prompts: Prompts, model: str, shown: str
) -> None:
    row, reader = kept(tmp_path, policy, prompts, model, status=404, error="model_not_found")
    assert (row["model"], row["error"]) == (shown, "model_not_found")
    content = reader.content("r1")
    assert (content[0].model if content else None) == (model if prompts == "sealed" else None)
    reader.close()


def test_a_code_that_is_a_sentence_is_none(tmp_path: Path, policy: Policy) -> None:
    row, reader = kept(tmp_path, policy, "sealed", "auto", error="cannot parse: my salary")
    assert row["error"] == "other"
    reader.close()


def test_what_an_engine_said_is_sealed_and_comes_back(tmp_path: Path, policy: Policy) -> None:
    attempt = Attempt("big@big", 0.5, 2.0, 400, None, "cannot parse: x")
    row, reader = kept(tmp_path, policy, "sealed", "auto", attempts=(attempt,))
    assert row["attempts"] == [msgspec.to_builtins(msgspec.structs.replace(attempt, message=None))]
    whole = reader.whole("r1")
    assert whole is not None
    assert whole.attempts == (attempt,)
    reader.close()


def test_in_full_it_is_all_there(tmp_path: Path, policy: Policy) -> None:
    attempt = Attempt("big@big", 0.5, 2.0, 400, None, "cannot parse: x")
    row, reader = kept(tmp_path, policy, "full", "nobody", attempts=(attempt,), error="a b")
    assert (row["model"], row["error"], row["attempts"][0]["message"]) == ("nobody", "a b", "cannot parse: x")
    reader.close()
