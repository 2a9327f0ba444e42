"""An FAQ file → its entries, and all that is wrong with them, each with its line."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from pointsman.actions.faq.entry import Entry
from pointsman.actions.faq.entry_of import KEYS, entry_of
from pointsman.config.yaml_source import YamlSource, parse_yaml, read_yaml
from pointsman.domain.errors import Problem, Problems, did_you_mean
from pointsman.domain.said import Said, said

MOST = 20_000
"""Entries of one file."""
_MOST_BYTES = 32 << 20
_ZIP = b"PK\x03\x04"


class Raw(msgspec.Struct):
    """An entry as it is written. `where` says at which line a key of it stands, and the entry itself for ``""``."""

    path: str
    data: dict[str, Any]
    where: Callable[[str], str]


def read_entries(path: Path) -> tuple[list[Entry], list[Problem]]:
    """Whatever can be read of it. The problems name the file's lines."""
    problems: list[Problem] = []
    entries: list[Entry] = []
    places: dict[str, str] = {}
    asked: dict[str, tuple[str, str]] = {}
    try:
        for number, raw in enumerate(_raws(path, problems), 1):
            if number > MOST:
                en, zh = "more than {most:,} entries", "条目超过 {most:,} 条"
                problems.append(Problem(raw.path, said(en, zh, most=MOST), where=raw.where("")))
                break
            entry = entry_of(raw.data, number, raw.path, raw.where, problems)
            if entry is None:
                continue
            if entry.id in places:
                en, zh = "the id {id!r} is taken, by {where}", "id {id!r} 已被占用：{where}"
                why = said(en, zh, id=entry.id, where=places[entry.id])
                problems.append(Problem(f"{raw.path}.id", why, where=raw.where("id")))
                continue
            places[entry.id] = raw.where("")
            _asked_twice(entry, raw, asked, problems)
            entries.append(entry)
    except Problems as error:
        problems += error.problems
    if not entries and not problems:
        problems.append(Problem("entries", Said("the file holds no entries", "文件里没有条目"), where=str(path)))
    return entries, problems


def _asked_twice(entry: Entry, raw: Raw, asked: dict[str, tuple[str, str]], problems: list[Problem]) -> None:
    for question in entry.questions:
        same = " ".join(question.casefold().split())
        other, where = asked.setdefault(same, (entry.id, raw.where("")))
        if other != entry.id:
            en, zh = (
                "{question!r} is a question of {other!r}, too ({where})",
                "{question!r} 也是 {other!r} 的问题（{where}）",
            )
            why = said(en, zh, question=question[:100], other=other, where=where)
            problems.append(Problem(f"{raw.path}.questions", why, where=raw.where("questions")))


def _raws(path: Path, problems: list[Problem]) -> Iterator[Raw]:
    """By content for a workbook, by the end of its name for CSV, else YAML, of which JSON is a part. Raises Problems."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(4)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        why = Said("there is no such file", "没有这个文件") if missing else Said("cannot be read", "无法读取")
        raise Problems([Problem(str(path), why)]) from None
    if size > _MOST_BYTES:
        en, zh = "is larger than {most:,} bytes", "超过 {most:,} 字节"
        raise Problems([Problem(str(path), said(en, zh, most=_MOST_BYTES))])
    if head == _ZIP:
        yield from _of_rows(_sheet(path), str(path))
    elif path.suffix.lower() in (".csv", ".tsv"):
        yield from _of_rows(_lines(path), str(path))
    else:
        yield from _of_yaml(_source(path, problems))


def _source(path: Path, problems: list[Problem]) -> YamlSource:
    if path.suffix.lower() != ".json":
        source = read_yaml(path)
        problems += source.mistakes
        return source
    try:
        text = path.read_text(encoding="utf-8-sig")
        data = json.loads(text)
    except json.JSONDecodeError as error:
        en, zh = "cannot be read: {why}", "无法读取：{why}"
        raise Problems([Problem("JSON", said(en, zh, why=error.msg), where=f"{path}:{error.lineno}")]) from None
    except (ValueError, RecursionError):
        raise Problems([Problem(str(path), Said("is no JSON in UTF-8", "不是 UTF-8 编码的 JSON"))]) from None
    try:
        return parse_yaml(text, str(path))  # which knows the lines
    except Problems:
        return YamlSource(str(path), data, {}, [])


def _of_yaml(source: YamlSource) -> Iterator[Raw]:
    data, prefix = source.data, ""
    if isinstance(data, dict):
        unknown = [key for key in data if key != "entries"]
        if unknown:
            en, zh = "unknown key {key!r}{hint}", "未知的键 {key!r}{hint}"
            why = said(en, zh, key=str(unknown[0]), hint=did_you_mean(str(unknown[0]), ["entries"]))
            raise Problems([Problem(str(unknown[0]), why, valid="entries", where=source.where(str(unknown[0])))])
        data, prefix = data.get("entries"), "entries"
    if not isinstance(data, list):
        why = Said(
            "must be a list of entries, or a mapping with the key entries", "必须是条目列表，或含有 entries 键的映射"
        )
        raise Problems([Problem(prefix or "top level", why, where=source.where(prefix))])
    for number, entry in enumerate(data):
        place = f"{prefix}[{number}]"
        if not isinstance(entry, dict):
            raise Problems([Problem(place, Said("must be a mapping", "必须是映射"), where=source.where(place))])

        def where(key: str, place: str = place) -> str:
            return source.where(f"{place}.{key}" if key else place)

        yield Raw(place, {str(key): value for key, value in entry.items()}, where)


def _of_rows(rows: Iterator[tuple[int, list[str]]], name: str) -> Iterator[Raw]:
    """The first row names the keys."""
    try:
        line, head = next(rows)
    except StopIteration:
        return
    keys = [str(key).strip().casefold() for key in head]
    for key in keys:
        if key and key not in KEYS:
            en, zh = "unknown column {key!r}{hint}", "未知的列 {key!r}{hint}"
            why = said(en, zh, key=key, hint=did_you_mean(key, list(KEYS)))
            raise Problems([Problem(key, why, valid=", ".join(KEYS), where=f"{name}:{line}")])
    for line, row in rows:
        data = {key: value for key, value in zip(keys, row, strict=False) if key and value}
        if data:
            yield Raw(f"row {line}", data, lambda key, line=line: f"{name}:{line}")  # type: ignore[misc]


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    content = path.read_bytes()
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            text = content.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    else:
        raise Problems([Problem(str(path), Said("is neither UTF-8 nor GB18030", "既不是 UTF-8 也不是 GB18030 编码"))])
    first = text.partition("\n")[0]
    delimiter = max("\t,;", key=first.count)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    begun = 1
    try:
        for row in reader:
            yield begun, row
            begun = reader.line_num + 1
    except csv.Error as error:
        en, zh = "cannot be read: {why}", "无法读取：{why}"
        raise Problems([Problem("CSV", said(en, zh, why=error), where=f"{path}:{reader.line_num}")]) from None


def _sheet(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The first sheet of a workbook."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ModuleNotFoundError:
        why = Said(
            "a workbook needs pip install 'pointsman[document]'", "读取工作簿需要 pip install 'pointsman[document]'"
        )
        raise Problems([Problem(str(path), why)]) from None
    try:
        sheet = CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0)
        start = sheet.start[0] if sheet.start is not None else 0
        rows = [[str(value).strip() for value in row] for row in sheet.to_python(nrows=MOST + 2)]
    except CalamineError:
        raise Problems([Problem(str(path), Said("is no workbook that can be read", "不是可以读取的工作簿"))]) from None
    yield from enumerate(rows, start + 1)
