"""Rules in their files: found, and put there."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import yaml

from pointsman.console.edits.splice import Item, added, ids_of, items_of, replaced
from pointsman.console.edits.writing import FileText, read_text
from pointsman.console.rules.books import Books, RulePlace
from pointsman.console.rules.told import Candidate
from pointsman.domain.errors import PointsmanError
from pointsman.domain.rule import Mode
from pointsman.domain.said import Said, said

KEY = "rules"


class Shelved(msgspec.Struct, frozen=True):
    """Where a rule stands. `item` is None where it is to be a new one."""

    place: RulePlace
    file: FileText
    item: Item | None

    @property
    def writable(self) -> bool:
        return self.file.writable and not self.place.ships

    @property
    def text(self) -> str:
        return "" if self.item is None else self.item.text

    def file_with(self, text: str) -> str:
        """The file with that text in the rule's place. Raises PointsmanError."""
        if self.item is None:
            return added(self.file.text, text, KEY)
        return replaced(self.file.text, self.item, text)


class Shelf:
    """Its methods read the disk, and raise PointsmanError."""

    def __init__(self, books: Books) -> None:
        self._books = books

    def find(self, rule: str) -> Shelved | None:
        """None where no rule in force is called so."""
        document, _ = self._books.policy
        source = next((each.source for each in document.rules if each.id == rule), None)
        if source is None:
            return None
        for place in self._books.places():
            if place.label == source:
                shelved = shelved_in(place, rule)
                if shelved.item is not None:
                    return shelved
        return None

    def new_in(self, label: str) -> Shelved | None:
        """For a new rule in the file with that label; of the first that may be written, where it names none."""
        own = self.own()
        place = next((each for each in own if each.label == label), next(iter(own), None))
        return None if place is None else Shelved(place, read_text(place.path), None)

    def own(self) -> list[RulePlace]:
        """Files of rules that did not come with the gateway; those that may be written come first."""
        own = [each for each in self._books.places() if not each.ships]
        return sorted(own, key=lambda each: not _may_be_changed(each.path))

    def candidate(self, shelved: Shelved, text: str) -> Candidate:
        """Raises PointsmanError where the text is not one rule."""
        one_item(text)
        whole = shelved.file_with(text)
        if shelved.item is not None:
            number, line = shelved.item.place, shelved.item.first
        else:
            items = items_of(shelved.file.text, KEY)
            number, line = len(items), items[-1].last if items else len(shelved.file.text.splitlines())
        place = shelved.place
        ids = tuple(each for each in ids_of(shelved.file.text, KEY) if each is not None)
        return Candidate(whole, number, line, place.pack, place.label, ids, place.guard, self._books.known)


def shelved_in(place: RulePlace, rule: str) -> Shelved:
    """A rule of that file as it is on the disk now, `item` None where there is none. Raises PointsmanError."""
    file = read_text(place.path)
    ids = ids_of(file.text, KEY)
    number = ids.index(rule) if rule in ids else None
    return Shelved(place, file, None if number is None else items_of(file.text, KEY)[number])


def one_item(text: str) -> None:
    """Raises PointsmanError where it is not one item of a list, with its dash in the first column."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    dashes = [number for number, line in enumerate(lines) if re.match(r"-(\s|$)", line)]
    if dashes != [0]:
        raise PointsmanError(
            Said(
                "write exactly one rule, as an item of a list: it begins with `- id: …` at the very left",
                "请只写一条规则，写成列表中的一项：最左边以 `- id: …` 开头",
            ),
            code="not_one_rule",
        )


def with_mode(text: str, mode: Mode, share: int | None) -> str:
    """The rule's text with `mode` and `share` as they are to be; all else in it stays. Raises PointsmanError."""
    for key, value in (("mode", None if mode == "enforce" else mode), ("share", None if share is None else str(share))):
        text = _with_key(text, key, value)
    return text


def mode_of(text: str) -> tuple[Mode, int | None]:
    """As it is written there; ("enforce", None) where it cannot be read."""
    values = {key: value for key, value, _ in _keys(text)}
    mode, share = values.get("mode", "enforce"), values.get("share", "")
    found: Mode = "shadow" if mode == "shadow" else "off" if mode == "off" else "enforce"
    return found, int(share) if share.isdigit() else None


def _with_key(text: str, key: str, value: str | None) -> str:
    found = _keys(text)
    lines = text.splitlines(keepends=True)
    there = next((line for name, _, line in found if name == key), None)
    if there is not None:
        if value is None:
            if there == 0:
                raise _odd(key)
            return "".join([*lines[:there], *lines[there + 1 :]])
        lines[there] = re.sub(rf"({key}\s*:\s*)[^\s#]+", rf"\g<1>{value}", lines[there], count=1)
        return "".join(lines)
    if value is None:
        return text
    after = next((line for name, _, line in found if name == "id"), None)
    if after is None or not found:
        raise _odd(key)
    column = len(re.match(r"-?\s*", lines[after]).group())  # type: ignore[union-attr]
    return "".join([*lines[: after + 1], f"{' ' * column}{key}: {value}\n", *lines[after + 1 :]])


def _keys(text: str) -> list[tuple[str, str, int]]:
    """(key, scalar, line) of the rule's own keys, where it is written in lines."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return []
    rule = node.value[0] if isinstance(node, yaml.SequenceNode) and node.value else None
    if not isinstance(rule, yaml.MappingNode) or rule.flow_style:
        return []
    return [
        (str(key.value), value.value if isinstance(value, yaml.ScalarNode) else "", key.start_mark.line)
        for key, value in rule.value
    ]


def _odd(key: str) -> PointsmanError:
    return PointsmanError(
        said(
            "`{key}` cannot be set in this writing; write it into the text, on a line of its own",
            "这种写法无法设置 `{key}`；请自己在文本里单独写一行",
            key=key,
        ),
        code="not_in_lines",
    )


def _may_be_changed(path: Path) -> bool:
    try:
        return read_text(path).writable
    except PointsmanError:
        return False
