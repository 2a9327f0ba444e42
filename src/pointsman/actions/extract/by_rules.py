"""Fields that can be read without a model: what follows their label ("SLA：2 小时"), the list below it, or the only thing of
their kind that all passages name. Where passages say two different things, nothing is found. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pointsman.actions.extract.durations import durations
from pointsman.actions.extract.field import DURATION, Field
from pointsman.actions.extract.found import Found, Item, Passage, put_in_order
from pointsman.actions.extract.stand import LONGEST, Text
from pointsman.actions.extract.words import folded, words_of
from pointsman.extractors import extract

RULES = "rules"
_MOST_LABELS = 50
"""Places of a field's labels that are looked at; where there are more, nothing can be told."""
_OTHER = re.compile(r"\s{0,9}[^\n:：|]{1,24}[:：]")
_LINE = re.compile(r"[^\n]*")
_ITEM = re.compile(
    r"[ \t]{0,16}(?:[-*•·‣◦]|\(?\d{1,3}[.、)）:]|[①-⑳]|第[一二三四五六七八九十\d]{1,3}步[:、]?"
    r"|[一二三四五六七八九十]{1,3}、)[ \t]*(?=\S)"
)
_PARTS = (
    re.compile(r"[;；]|\s?(?:→|->|=>)\s?|(?:^|\s|(?<=[,，、.。]))(?:\(?\d{1,2}[.)）、]|[①-⑳])\s?"),
    re.compile(r"[,，、]\s?(?:(?:and|then|最后|然后|再)\s?)?"),
)
"""What parts a list on one line: the first of these that there is."""
_STOP = re.compile(r"[。；;!！?？\n]|\.(?=\s|$)")
_LIST_STOP = re.compile(r"[。!！?？\n]|(?<!\d)\.(?=\s|$)")


def read(fields: Sequence[Field], passages: Sequence[Passage]) -> dict[str, Found]:
    """By field, those that are found."""
    found: dict[str, Found] = {}
    for field in fields:
        labelled = _labelled(field, passages)
        items = _only(field, passages) if labelled is None else labelled
        if items:
            found[field.name] = Found(items, RULES, sure=labelled is not None)
    return found


def _labelled(field: Field, passages: Sequence[Passage]) -> tuple[Item, ...] | None:
    """What stands with one of its labels; None where there is no label, () where two places differ."""
    readings: list[tuple[Item, ...]] = []
    looked = 0
    for number, passage in enumerate(passages):
        for start, line_end in _labels(field, passage.text):
            looked += 1
            if looked > _MOST_LABELS:
                return ()
            items = _many(field, number, passage.text, start, line_end) if field.many else ()
            if not field.many and (item := _one(field, number, passage.text, start, line_end)) is not None:
                items = (item,)
            if items:
                readings.append(items)
    if not readings:
        return None
    first = readings[0]
    return first if all(_same(first, other) for other in readings) else ()


def _same(these: Sequence[Item], those: Sequence[Item]) -> bool:
    return len(these) == len(those) and all(
        (one.key is not None and one.key == other.key) or words_of(one.shown).tokens == words_of(other.shown).tokens
        for one, other in zip(these, those, strict=True)
    )


def _labels(field: Field, text: Text) -> Iterator[tuple[int, int]]:
    """Where what belongs to a label begins, and where its line ends."""
    for label in sorted(field.labels, key=len, reverse=True):
        pattern = _pattern(label)
        any_here = False
        for match in pattern.finditer(text.folded):
            any_here = True
            line = _LINE.match(text.text, match.end())
            yield match.end(), line.end() if line else len(text.text)
        if any_here:
            return


def _pattern(label: str) -> re.Pattern[str]:
    """It with a colon or a verb behind it, or alone on its line."""
    said = re.escape(folded(label.strip()))
    edge = r"(?<![^\W_])" if label[:1].isascii() else ""
    aside = r"[ \t*]{0,4}(?:\([^()\n]{0,40}\))?[ \t*]{0,4}"
    ends = r"(?:[:=|][ \t*]{0,4}|(?:是|为|\s(?:is|are)\b)\s?(?!什么|多少|谁|哪|not\b|no\b))"
    alone = rf"^[ \t]{{0,8}}(?:#{{1,6}} |\*\*|\d{{1,2}}[.、]\s?)?{said}[ \t*]{{0,4}}$"
    return re.compile(rf"(?m){edge}{said}{aside}{ends}|{alone}")


def _one(field: Field, number: int, text: Text, start: int, line_end: int) -> Item | None:
    """What follows on the line, or else the line below."""
    if not text.text[start:line_end].strip(" \t*|"):
        below = next(_lines(text.text, line_end), None)
        if below is None or _OTHER.match(text.text, *below):
            return None
        start, line_end = below
    stop = _STOP.search(text.text, start, line_end)
    end = stop.start() if stop else line_end
    cell = text.text.find("|", start, end)
    end = cell if cell >= 0 else end
    if end - start > LONGEST:
        return None
    if field.kind is not None or field.type != "string":
        found = list(_of_kind(field, number, text, start, end))
        return found[0] if len(found) == 1 else None
    return _words(field, number, text, start, end)


def _words(field: Field, number: int, text: Text, start: int, end: int) -> Item | None:
    """Those words as they are, less blanks and marks around them."""
    within = words_of(text.text[start:end])
    if not within.tokens:
        return None
    place = text.place(start + within.starts[0], start + within.ends[-1])
    if place is None:
        return None
    options = field.schema.get("enum")
    shown = place.shown
    if options is not None:
        shown = next((each for each in options if isinstance(each, str) and each.lower() == shown.lower()), shown)
    return Item(shown, shown, number, place.start, place.end) if field.allows(shown) else None


def _many(field: Field, number: int, text: Text, start: int, line_end: int) -> tuple[Item, ...]:
    """The items on the label's line, or else those of the list below it."""
    bounds: list[tuple[int, int]] = []
    if text.text[start:line_end].strip(" \t*|"):
        stop = _LIST_STOP.search(text.text, start, line_end)
        end = stop.start() if stop else line_end
        parted = next((found for pattern in _PARTS if (found := list(pattern.finditer(text.text, start, end)))), [])
        at = start
        for part in parted:
            bounds.append((at, part.start()))
            at = part.end()
        bounds.append((at, end))
    else:
        bounds = list(_below(text.text, line_end))
    items: list[Item] = []
    for begin, end in bounds[: field.most]:
        mark = _ITEM.match(text.text, begin, end)
        since = mark.end() if mark else begin
        if end - since > LONGEST:
            continue
        if field.kind is not None or field.type != "string":
            items += _of_kind(field, number, text, since, end)
        elif (item := _words(field, number, text, since, end)) is not None:
            items.append(item)
    return put_in_order(items, field.most)


def _below(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Items of a list that begins right below, and goes on as long as lines are items."""
    for begin, end in _lines(text, at):
        mark = _ITEM.match(text, begin, end)
        if mark is None:
            return
        yield mark.end(), end


def _lines(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Lines with something on them, up to two empty ones."""
    empty = False
    while at < len(text):
        line = _LINE.match(text, at + 1)
        if line is None:
            return
        at = line.end()
        if text[line.start() : at].strip():
            yield line.span()
            empty = False
        elif empty:
            return
        else:
            empty = True


def _only(field: Field, passages: Sequence[Passage]) -> tuple[Item, ...]:
    """The one thing of its kind in all passages, or all of them for a list. Plain numbers are too many to tell."""
    if field.kind in (None, "number"):
        return ()
    items = [
        item
        for number, passage in enumerate(passages)
        for item in _of_kind(field, number, passage.text, 0, len(passage.text.text))
    ]
    if field.many:
        return put_in_order(items, field.most)
    first = items[:1]
    return tuple(first) if first and all(_same(first, [other]) for other in items) else ()


def _of_kind(field: Field, number: int, text: Text, start: int, end: int) -> Iterator[Item]:
    part = text.text[start:end]
    if field.kind == DURATION:
        places = [(start + one.start, start + one.end, (one.unit, one.value)) for one in durations(part)]
    else:
        places = [(start + one.start, start + one.end, one.value) for one in extract(field.kind or "number", part)]
    for begin, finish, value in places:
        place = text.place(begin, finish)
        if place is None:
            continue
        given = value if field.type != "string" and isinstance(value, int | float) else place.shown
        if field.type == "integer" and not isinstance(given, int):
            continue
        if field.allows(given):
            yield Item(given, place.shown, number, place.start, place.end, (field.kind, value))
