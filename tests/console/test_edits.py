"""Files that the console changes: only the lines that are meant, refused where they changed, all of it kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.console.edits.drafts import Draft, Drafts
from pointsman.console.edits.history import History
from pointsman.console.edits.splice import added, ids_of, items_of, replaced
from pointsman.console.edits.writing import mark_of, may_write, read_text, write_text
from pointsman.domain.errors import PointsmanError
from thorough import tries

FILE = """# Rules of the front desk.
rules:
  # the guests ask this
  - id: wifi   # not the staff's
    when: {any: [wifi]}
    answer: |
      On the card.
      # this is part of the answer

  # and this the cooks
  -
    id: lunch
    when: {any: [lunch]}   # noon
    answer: At noon.

  # to be written: dinner
"""


def test_an_item_is_its_own_lines() -> None:
    wifi, lunch = items_of(FILE, "rules")
    assert wifi.text.startswith("- id: wifi   # not the staff's\n") and wifi.text.endswith(
        "# this is part of the answer\n"
    )
    assert lunch.text == "-\n  id: lunch\n  when: {any: [lunch]}   # noon\n  answer: At noon.\n"
    assert ids_of(FILE, "rules") == ["wifi", "lunch"]


def test_replacing_keeps_every_other_byte() -> None:
    wifi, lunch = items_of(FILE, "rules")
    assert replaced(FILE, wifi, wifi.text) == replaced(FILE, lunch, lunch.text) == FILE
    new = replaced(FILE, lunch, "- id: lunch\n  answer: At one.\n")
    assert new == FILE.replace(
        "  -\n    id: lunch\n    when: {any: [lunch]}   # noon\n    answer: At noon.\n",
        "  - id: lunch\n    answer: At one.\n",
    )
    assert replaced(FILE, wifi, "").startswith("# Rules of the front desk.\nrules:\n  # the guests ask this\n\n")


def test_one_more_comes_at_the_end() -> None:
    new = added(FILE, "- id: tea\n  answer: At four.\n", "rules")
    assert [each["id"] for each in yaml.safe_load(new)["rules"]] == ["wifi", "lunch", "tea"]
    assert new.startswith(FILE[: FILE.index("\n  # to be written")]) and new.endswith("\n  # to be written: dinner\n")
    assert added("", "- id: tea\n", "rules") == "- id: tea\n"
    assert added("# none yet", "- id: tea\n", "rules") == "# none yet\n- id: tea\n"
    assert added("- id: a", "- id: b\n", "rules") == "- id: a\n- id: b\n"


def test_line_ends_and_marks_stay() -> None:
    text = "\ufeff- id: a\r\n  n: 1\r\n- id: b\r\n  n: 2\r\n"
    first, second = items_of(text, "rules")
    assert (first.text, second.text) == ("- id: a\n  n: 1\n", "- id: b\n  n: 2\n")
    assert replaced(text, second, "- id: b\n  n: 3\n") == text.replace("n: 2", "n: 3")


@pytest.mark.parametrize("text", ["rules: [{id: a}]", "rules: []", "[{id: a}]"])
def test_what_stands_in_brackets_is_left_to_its_author(text: str) -> None:
    with pytest.raises(PointsmanError, match="by hand"):
        added(text, "- id: b\n", "rules")


ITEMS = st.lists(
    st.fixed_dictionaries({"id": st.text("abc 中文:#-'\"", min_size=1), "n": st.integers(0, 9)}), min_size=1, max_size=5
)


@settings(max_examples=tries(18, 60))
@given(
    ITEMS,
    st.integers(0, 4),
    st.integers(0, 4),
    st.lists(st.sampled_from(["# note\n", "\n", "  # deeper\n"]), max_size=3),
)
def test_of_any_list_only_that_item_changes(
    items: list[dict[str, object]], place: int, indent: int, between: list[str]
) -> None:
    parts = [yaml.safe_dump([item], allow_unicode=True, default_flow_style=False) for item in items]
    text = "".join(between).join(parts)
    if indent:
        text = "rules:\n" + "".join(" " * indent * bool(line.strip()) + line for line in text.splitlines(keepends=True))
    place %= len(items)
    found = items_of(text, "rules")
    assert [yaml.safe_load(item.text)[0] for item in found] == items
    new = replaced(text, found[place], yaml.safe_dump([{"id": "new", "n": 10}]))
    data = yaml.safe_load(new)
    assert (data["rules"] if indent else data) == [*items[:place], {"id": "new", "n": 10}, *items[place + 1 :]]
    assert replaced(text, found[place], found[place].text) == text


def test_a_file_is_replaced_as_a_whole_if_nobody_else_did(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text("a", encoding="utf-8")
    path.chmod(0o640)
    link = tmp_path / "link.yaml"
    link.symlink_to(path)
    read = read_text(link)
    write_text(link, "b 中\n", read.mark)
    assert path.read_text(encoding="utf-8") == "b 中\n" and link.is_symlink() and path.stat().st_mode & 0o777 == 0o640
    with pytest.raises(PointsmanError) as raised:
        write_text(link, "c", read.mark)
    assert raised.value.status == 409 and path.read_text(encoding="utf-8") == "b 中\n"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.yaml", "rules.yaml"]
    path.chmod(0o444)
    assert not may_write(path) and not read_text(path).writable


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(PointsmanError, match=r"rules\.yaml"):
        read_text(tmp_path / "rules.yaml")
    (tmp_path / "rules.yaml").write_bytes(b"\xff")
    with pytest.raises(PointsmanError):
        read_text(tmp_path / "rules.yaml")


def test_history_has_who_did_what_and_all_that_was_there(tmp_path: Path) -> None:
    history, path = History(tmp_path / "history"), tmp_path / "rules.yaml"
    first = history.keep(path, "a\n", "b\n", author="ops", about="wifi")
    second = history.keep(path, "b\n", "c\n", author="desk", about="lunch", undoes=first.id)
    assert sorted(change.id for change in history.changes(path)) == sorted([first.id, second.id])
    assert history.changes(path, "wifi") == [first] and first.author == "ops"
    assert history.texts(path, second.id) == ("b\n", "c\n")
    assert history.texts(path, "../../x") is None and history.texts(tmp_path / "other.yaml", first.id) is None
    [diff] = (tmp_path / "history").glob(f"*/{first.id}.diff")
    assert "-a\n+b\n" in diff.read_text(encoding="utf-8") and diff.stat().st_mode & 0o077 == 0
    assert diff.parent.stat().st_mode & 0o077 == 0


def test_each_draft_is_kept_apart(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path)
    one, two = (Draft(drafts.name(), "wifi", text, "base", "rules.yaml", 0.0) for text in ("one", "two"))
    drafts.keep("ops", one)
    drafts.keep("ops", two)
    found = drafts.find("ops", one.id)
    assert found is not None and found.text == "one" and {each.text for each in drafts.all("ops")} == {"one", "two"}
    assert drafts.all("desk") == [] and drafts.find("desk", one.id) is None and drafts.find("ops", "../x") is None
    drafts.drop("ops", one.id)
    assert [each.text for each in drafts.all("ops")] == ["two"]
    assert mark_of("a") != mark_of("b")


def test_a_draft_that_two_requests_keep_at_once_is_whole(tmp_path: Path) -> None:
    """The page asks for the check and for the effect with the same text, or almost."""
    drafts, name = Drafts(tmp_path), Drafts.name()
    texts = [f"{number} " * (100 + 2000 * (number % 2)) for number in range(200)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda text: drafts.keep("ops", Draft(name, "wifi", text, "", "rules.yaml", 0.0)), texts))
    found = drafts.find("ops", name)
    assert found is not None and found.text in texts
    assert [file.name for file in tmp_path.glob("*/*")] == [f"{name}.json"]


def test_what_is_no_draft_is_in_nobodys_way(tmp_path: Path) -> None:
    drafts, name = Drafts(tmp_path), Drafts.name()
    drafts.keep("ops", Draft(name, "wifi", "one", "", "rules.yaml", 0.0))
    file = next(tmp_path.glob("*/*.json"))
    file.write_bytes(file.read_bytes() + b"}")
    assert drafts.find("ops", name) is None and drafts.all("ops") == []
