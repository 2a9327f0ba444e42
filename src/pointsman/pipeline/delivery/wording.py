"""What a delivery says: subjects and texts with their slots. Pure."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from pointsman.domain.said import said, told
from pointsman.domain.wording import in_tongue
from pointsman.pipeline.delivery.parcel import Parcel
from pointsman.ports.action import MadeFile
from pointsman.rules.slots import fill, slots_of

SLOTS = ("title", "text", "links", "files", "date", "time", "schedule", "channel")
_TITLE = 80  # characters


def slots(parcel: Parcel, links: Sequence[tuple[MadeFile, str]], zone: datetime.tzinfo) -> dict[str, str]:
    """The values of all slots. A value is never looked at for slots itself."""
    asked = datetime.datetime.fromtimestamp(parcel.asked, zone)
    return {
        "title": title_of(parcel),
        "text": parcel.text,
        "links": "\n".join(told(said(*_LINK, name=file.name, url=url), parcel.tongue) for file, url in links),
        "files": ("、" if parcel.tongue == "zh" else ", ").join(file.name for file in parcel.files),
        "date": f"{asked:%Y-%m-%d}",
        "time": f"{asked:%H:%M}",
        "schedule": parcel.schedule or "",
        "channel": parcel.channel,
    }


def title_of(parcel: Parcel) -> str:
    """What it is about, in a line: the first file's name, else the schedule's, else how the text begins."""
    if parcel.failed:
        return told(said(*_FAILED, name=parcel.schedule or parcel.request_id), parcel.tongue)
    if parcel.files:
        name = parcel.files[0].name
        return name.rpartition(".")[0] or name
    first = next((line.strip() for line in parcel.text.splitlines() if line.strip()), "")
    return parcel.schedule or (first if len(first) <= _TITLE else first[: _TITLE - 1] + "…") or parcel.request_id


def filled(template: Any, values: Mapping[str, str], parcel: Parcel) -> str:
    """`template` is a text, or one a language."""
    return fill(in_tongue(template, parcel.tongue), values)


def with_links(text: str, values: Mapping[str, str]) -> str:
    """The text with the links at its end, where none of the files' stands in it."""
    if not values["links"] or "/files/" in text:
        return text
    return f"{text.rstrip()}\n\n{values['links']}"


def unknown_slots(template: Any) -> list[str]:
    """Slots that have no value."""
    texts = template.values() if isinstance(template, dict) else [template]
    return [slot for text in texts for slot in slots_of(str(text)) if slot not in SLOTS]


_LINK = "{name}: {url}", "{name}：{url}"
_FAILED = "Not done: {name}", "未完成：{name}"
