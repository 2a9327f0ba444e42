"""The request log as the console's list has it: what has not ended among what has."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pointsman.app.console_log import ConsoleLog
from pointsman.console.rows import UNDER_WAY, Wanted
from pointsman.domain.decision import Decision
from pointsman.domain.record import Record
from pointsman.domain.request import Request, Turn


def run(name: str, received: float, model: str) -> Any:
    request = Request(id=name, endpoint="chat", model=model, turns=(Turn("user", "hello"),))
    record = Record(request, received, "ok", Decision(stage="model", reason="no rule took it"))
    return SimpleNamespace(record=lambda: record)


def log(folder: Path, *, quotes: bool = True) -> ConsoleLog:
    going = {"req_1": run("req_1", 10.0, "auto"), "req_2": run("req_2", 20.0, "light")}
    return ConsoleLog(folder, going, lambda name: None, lambda feedback, asker: None, quotes=quotes)


def test_what_has_not_ended_is_a_list_of_its_own(tmp_path: Path) -> None:
    def found(**filters: str) -> list[str]:
        return [row.id for row in log(tmp_path).page(Wanted({"outcome": UNDER_WAY, **filters})).rows]

    assert found() == ["req_2", "req_1"] and found(model="auto") == ["req_1"] and found(target="a@b") == []
    assert log(tmp_path).page(Wanted()).rows == []  # the log has none of them yet


def test_nothing_is_quoted_of_it_where_prompts_are_not_kept(tmp_path: Path) -> None:
    rows = log(tmp_path, quotes=False).page(Wanted({"outcome": UNDER_WAY})).rows
    assert [(row.model, row.under_way) for row in rows] == [("", True), ("", True)]
