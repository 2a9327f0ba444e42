"""Questions from a file: CSV, JSON lines, or one a line."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pointsman.domain.said import said
from pointsman.offline.question import Question, Questions, Unreadable

_TEXTS = ("text", "question", "query", "prompt", "content", "message", "问题", "提问", "内容", "文本", "用户问题")
_LABELS = ("label", "rule", "intent", "标签", "意图", "规则")
_TIMES = ("time", "at", "received", "timestamp", "date", "created_at", "时间", "日期")
_IDS = ("id", "request_id", "编号")
_KNOWN = frozenset((*_TEXTS, *_LABELS, *_TIMES, *_IDS))
_LONGEST_FIELD = 1 << 20


def questions_of_file(path: Path, column: str | None = None) -> Questions:
    """By its ending: .csv and .tsv, .jsonl, .ndjson and .json; any other by its first character. Of a CSV the column
    `column`, else one that is called text or question, else the first that holds more than numbers. Columns called label
    or rule, time and id count too. Raises Unreadable, and OSError."""
    text = _decoded(path.read_bytes(), path)
    ending = path.suffix.lower()
    if ending in (".csv", ".tsv"):
        rows: Iterable[Question | None] = _of_csv(text, column, path)
    elif ending in (".jsonl", ".ndjson", ".json") or text.lstrip()[:1] == "{":
        rows = _of_json_lines(text, column, path)
    else:
        rows = (Question(line.strip()) for line in text.splitlines() if line.strip())
    found, unread = [], 0
    for row in rows:
        if row is None:
            unread += 1
        else:
            found.append(row)
    return Questions(tuple(found), unread, str(path))


def _decoded(data: bytes, path: Path) -> str:
    for encoding in ("utf-8-sig", "gb18030"):  # what Excel writes in China
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise Unreadable(
        said("{path} is no text in UTF-8 or GB 18030", "{path} 不是 UTF-8 或 GB 18030 编码的文本", path=path)
    )


def _of_csv(text: str, column: str | None, path: Path) -> Iterator[Question | None]:
    csv.field_size_limit(_LONGEST_FIELD)
    first = text.partition("\n")[0]
    delimiter = max(",\t;", key=first.count)
    rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    try:
        table = [row for row in rows if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise Unreadable(said("{path} is no CSV: {why}", "{path} 不是 CSV：{why}", path=path, why=error)) from None
    if not table:
        return
    header = [cell.strip().lower() for cell in table[0]]
    if column is None and _KNOWN.isdisjoint(header):
        header, body = [""] * max(map(len, table)), table
    else:
        body = table[1:]
    place = _column(header, body, column, path)
    label, time, name = (_first(header, names) for names in (_LABELS, _TIMES, _IDS))
    label = None if label == place else label
    for row in body:
        asked = row[place].strip() if place < len(row) else ""
        yield _question(asked, _cell(row, name), _cell(row, time), _cell(row, label))


def _column(header: Sequence[str], body: Sequence[Sequence[str]], column: str | None, path: Path) -> int:
    if column is not None:
        wanted = column.strip().lower()
        if wanted in header:
            return header.index(wanted)
        message = said(
            "{path} has no column {column!r} (it has: {header})",
            "{path} 没有 {column!r} 这一列（有：{header}）",
            path=path,
            column=column,
            header=", ".join(header),
        )
        raise Unreadable(message)
    named = _first(header, _TEXTS)
    if named is not None:
        return named
    for place in range(len(header)):
        if header[place] in _KNOWN:
            continue
        cells = [row[place] for row in body[:200] if place < len(row)]
        if sum(any(letter.isalpha() for letter in cell) for cell in cells) > len(cells) / 2:
            return place
    raise Unreadable(said("{path} has no column of texts", "{path} 里没有文本列", path=path))


def _of_json_lines(text: str, column: str | None, path: Path) -> Iterator[Question | None]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            data = msgspec.json.decode(line)
        except msgspec.DecodeError as error:
            message = said(
                "{path}, line {number}: no JSON ({why})",
                "{path} 第 {number} 行不是 JSON（{why}）",
                path=path,
                number=number,
                why=error,
            )
            raise Unreadable(message) from None
        if isinstance(data, str):
            data = {"text": data}
        if not isinstance(data, dict):
            yield None
            continue
        asked = _asked(data, (column,) if column else _TEXTS)
        yield _question(asked, *(_value(data, names) for names in (_IDS, _TIMES, _LABELS)))


def _asked(data: dict[str, Any], names: Sequence[str]) -> str:
    for name in names:
        if isinstance(data.get(name), str):
            return str(data[name]).strip()
    messages = data.get("messages")
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, dict) and message.get("role") == "user":
            content = message.get("content")
            parts = content if isinstance(content, list) else [{"text": content}]
            texts = [part.get("text") for part in parts if isinstance(part, dict)]
            return "\n".join(part for part in texts if isinstance(part, str)).strip()
    return ""


def _question(asked: str, name: str | None, time: str | None, label: str | None) -> Question | None:
    return Question(asked, name or "", _time(time), label=label or None) if asked else None


def _time(value: str | None) -> float | None:
    if not value:
        return None
    try:
        return float(value)
    except ValueError:
        pass
    try:
        return datetime.datetime.fromisoformat(value).timestamp()
    except ValueError:
        return None


def _first(header: Sequence[str], names: Sequence[str]) -> int | None:
    return next((header.index(name) for name in names if name in header), None)


def _cell(row: Sequence[str], place: int | None) -> str | None:
    return row[place].strip() if place is not None and place < len(row) else None


def _value(data: dict[str, Any], names: Sequence[str]) -> str | None:
    value = next((data[name] for name in names if name in data), None)
    return str(value) if isinstance(value, (str, int, float)) else None
