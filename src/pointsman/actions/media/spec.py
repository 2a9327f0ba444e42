"""What the action takes."""

from __future__ import annotations

from pointsman.actions.media.ffmpeg import programs_in
from pointsman.actions.media.formats import TAKEN
from pointsman.actions.media.refusals import FFMPEG
from pointsman.actions.media.wish import properties_of
from pointsman.actions.specs import NotNow, Surroundings, limited, takes
from pointsman.config.action_schema import ActionConfig
from pointsman.domain.action import ActionSpec
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.said import said

SECONDS = 300.0
MEMORY = 2 << 30
"""Address space: the libraries alone take some 400 MB of it."""
CPU_SECONDS = {"convert": 10.0, "trim": 1.0, "audio": 1.0, "thumbnail": 0.5}
"""Of a film of a minute or two."""
_ABOUT = {
    "convert": {
        "en": "Converts sound, film and pictures into another format.",
        "zh": "转换音频、视频和图片的格式。",
    },
    "trim": {"en": "Cuts a piece out of sound or film.", "zh": "截取音频或视频的一段。"},
    "audio": {"en": "Takes the sound out of a film.", "zh": "从视频中提取音频。"},
    "thumbnail": {"en": "Makes a picture of a moment of a film.", "zh": "截取视频某一时刻的画面。"},
}


def spec_of(name: str, config: ActionConfig, surroundings: Surroundings) -> ActionSpec:
    """NotNow where ffmpeg is not installed: it may be, later."""
    media = config.media
    assert media is not None
    if media.format is not None and media.format not in TAKEN[media.do]:
        en, zh = "{do} makes no {format!r}", "{do} 不能生成 {format!r}"
        message = said(en, zh, do=media.do, format=media.format)
        raise Problems([Problem(f"actions.{name}.media.format", message, valid=", ".join(TAKEN[media.do]))])
    spec = ActionSpec(
        name=name,
        kind="media",
        about=_ABOUT[media.do],
        parameters=takes(properties_of(media.do), ["file"]),
        seconds=SECONDS,
        memory=MEMORY,
        cpu_seconds=CPU_SECONDS[media.do],
        cores=media.threads or 0,
    )
    spec = limited(spec, config)
    if programs_in(media.programs) is None:
        en, zh = "there is no ffmpeg and ffprobe: {how}", "没有找到 ffmpeg 和 ffprobe：{how}"
        raise NotNow(said(en, zh, how=FFMPEG), spec)
    return spec
