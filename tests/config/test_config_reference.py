"""docs/config.md says what the schema says, and the schema says something of every key."""

from __future__ import annotations

from pathlib import Path

from pointsman.config.reference import Entry, entries, render
from pointsman.config.schema import Config, Section

PAGE = Path(__file__).parents[2] / "docs" / "config.md"


def every_entry(section: type[Section] = Config, prefix: str = "") -> list[Entry]:
    found = []
    for entry in entries(section, prefix):
        found.append(entry)
        if entry.section is not None:
            found += every_entry(entry.section, f"{entry.path}.")
        for path, form in entry.forms:
            found += every_entry(form, f"{path}.")
    return found


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), (
        "the schema has changed; run: python -m pointsman.config.reference > docs/config.md"
    )


def test_every_key_has_a_description() -> None:
    assert [entry.path for entry in every_entry() if not entry.description] == []


def test_no_description_is_only_that_of_its_type() -> None:
    """`keep: a span of time` would say nothing that the column of values does not say."""
    assert [entry.path for entry in every_entry() if entry.description in entry.kind] == []


def test_paths_defaults_and_bounds_are_shown_as_a_person_writes_them() -> None:
    rows = {entry.path: entry for entry in every_entry()}
    assert rows["server.port"].kind == "whole number, 0 to 65,535"
    assert rows["server.port"].default == "`8900`"
    assert rows["models.<name>.backends[].engine"].default == "**required**"
    assert "`ollama`" in rows["models.<name>.backends[].engine"].kind
    assert rows["log.prompts"].default == "`sealed`"
    assert rows["routes[].match.task_type"].kind == "text or list of text"
    values = "reports.<name>.dimensions.<name>.values"
    assert rows[values].kind == "list or mapping or `from_source`"
    assert rows[f"{values}[].value"].default == "**required**" and rows[f"{values}.words"].default == "empty"


def test_no_cell_breaks_its_table() -> None:
    for entry in every_entry():
        assert not {"|", "\n"} & set(entry.kind + entry.default + entry.description), entry.path
