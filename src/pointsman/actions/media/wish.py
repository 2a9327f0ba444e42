"""What somebody wants of a file, read from parameters, with what can be wrong about it said in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pointsman.actions.media.asked import asked_of
from pointsman.actions.media.formats import QUALITIES, TAKEN, Do, Quality
from pointsman.actions.media.moments import seconds_of
from pointsman.domain.said import Said, said
from pointsman.ports.action import ActionFailed

MOMENT = Said("90, 1:23, 1:02:03.5, 1m30s", "90、1:23、1:02:03.5、1分30秒")


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """Times in seconds; `last` and `but_last` are lengths from the end, of what stays and of
    what goes; `bitrate` in bits a second; None: not said."""

    do: Do
    format: str | None = None
    start: float | None = None
    end: float | None = None
    length: float | None = None
    last: float | None = None
    but_last: float | None = None
    at: float | None = None
    width: int | None = None
    quality: Quality | None = None
    bitrate: int | None = None
    fast: bool = False


def wish_of(do: Do, parameters: Mapping[str, Any], default_format: str | None) -> Wish:
    """What parameters do not say is looked for in the user's own words, `question`. Raises ActionFailed."""
    given = {key: value for key, value in parameters.items() if value not in (None, "")}
    words = asked_of(do, str(given.get("question", "")))
    times = ("start", "end", "duration", "at")
    moments = {key: _moment(key, given[key]) for key in times if key in given}
    if not moments:
        moments = {key: words[key] for key in (*times, "last", "but_last") if key in words}
    format = given.get("format") or words.get("format") or default_format
    bitrate = given.get("bitrate")
    return Wish(
        do=do,
        format="jpg" if format == "jpeg" else format,
        start=moments.get("start"),
        end=moments.get("end"),
        length=moments.get("duration"),
        last=moments.get("last"),
        but_last=moments.get("but_last"),
        at=moments.get("at"),
        width=given.get("width"),
        quality=given.get("quality"),
        bitrate=None if bitrate is None else int(bitrate) * 1000,
        fast=bool(given.get("fast", False)),
    )


def properties_of(do: Do) -> dict[str, Any]:
    """JSON Schema of the parameters, for what is done."""
    moment: dict[str, Any] = {"type": ["string", "number"], "maxLength": 60, "minimum": 0}
    timed = do in ("convert", "trim", "audio")
    properties: dict[str, Any] = {
        "file": {
            "type": "string",
            "format": "file",
            "x-about": {"en": "the sound or film (an attached file)", "zh": "音视频文件（随消息附上）"},
        },
        "question": {
            "type": "string",
            "default": "",
            "description": "the user's words: format and times are found in them",
        },
        "format": {
            "enum": [*TAKEN[do], *(["jpeg"] if "jpg" in TAKEN[do] else [])],
            "description": "of the result",
            "x-about": {"en": "the format", "zh": "格式"},
        },
    }
    if timed:
        properties |= {
            "start": moment
            | {"description": "where it begins: 90, 1:23, 1m30s, 1分30秒", "x-about": _about("start", "起点")},
            "end": moment | {"description": "where it ends", "x-about": _about("end", "终点")},
            "duration": moment
            | {"description": "how long it is, in place of end", "x-about": _about("length", "时长")},
        }
    if do == "thumbnail":
        properties["at"] = moment | {
            "description": "which moment is seen; default: a tenth of the way",
            "x-about": _about("moment", "时间点"),
        }
    if do != "audio":
        properties["width"] = {
            "type": "integer",
            "minimum": 16,
            "maximum": 7680,
            "description": "in pixels, never more than there are; the height follows",
            "x-about": _about("width", "宽度"),
        }
    if timed:
        properties |= {
            "quality": {"enum": [*QUALITIES], "x-about": _about("quality", "质量")},
            "bitrate": {
                "type": "integer",
                "minimum": 16,
                "maximum": 512,
                "description": "of the sound, kilobits a second",
                "x-about": _about("bit rate", "比特率"),
            },
        }
    if do == "trim":
        properties["fast"] = {
            "type": "boolean",
            "default": False,
            "description": "cut at key frames, without encoding anything anew",
        }
    return properties


def _about(en: str, zh: str) -> dict[str, str]:
    return {"en": en, "zh": zh}


def _moment(key: str, given: Any) -> float:
    seconds = seconds_of(given)
    if seconds is None:
        en, zh = '{key}: "{given}" is no moment (valid: {valid})', "{key}：“{given}”不是时间（可用的写法：{valid}）"
        raise ActionFailed("bad_time", said(en, zh, key=key, given=str(given)[:40], valid=MOMENT), refused=True)
    return seconds
