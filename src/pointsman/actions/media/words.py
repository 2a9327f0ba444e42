"""What was there and what was made, told to a person."""

from __future__ import annotations

from pointsman.actions.media.facts import Facts, Stream
from pointsman.actions.media.formats import FORMATS
from pointsman.actions.media.moments import clock
from pointsman.domain.said import Said, said

_SIZES = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"))
_CHANNELS = {1: Said("mono", "单声道"), 2: Said("stereo", "立体声")}


def shown_size(size: int) -> str:
    unit, name = next(((unit, name) for unit, name in _SIZES if size >= unit), (1, "B"))
    return f"{size / unit:.3g} {name}" if size < 1000 * unit else f"{size / unit:,.0f} {name}"


def described(facts: Facts) -> Said:
    """video h264 1920 × 1080, 25 fps; audio aac, stereo; length 3:25; 12.3 MB"""
    parts = [_stream(stream, facts.still) for stream in facts.streams]
    if facts.others:
        parts.append(said("{n} other streams", "另有 {n} 个流", n=facts.others))
    if facts.seconds is not None:
        parts.append(said("length {length}", "时长 {length}", length=clock(facts.seconds)))
    parts.append(Said(*[shown_size(facts.size)] * 2))
    return Said("; ".join(parts), "；".join(part.zh for part in parts))


def found(name: str, facts: Facts) -> Said:
    return said("“{name}”: {facts}.", "“{name}”：{facts}。", name=name, facts=described(facts))


def made(facts: Facts, format: str, *, copied: bool) -> Said:
    kind = FORMATS[format].name.upper()
    how = said(" (copied as it was, nothing encoded anew)", "（原样封装，未重新编码）") if copied else said("", "")
    en, zh = "Made as {kind}{how}: {facts}.", "已生成 {kind}{how}：{facts}。"
    return said(en, zh, kind=kind, how=how, facts=described(facts))


SHORT = Said("The piece was to be longer than the file; it goes to the end.", "要求的片段超出了文件末尾，已截到结尾。")
EARLY = Said(
    "The file breaks off early: only {there} of {wanted} could be read.",
    "文件不完整：应有 {wanted}，只能读出 {there}。",
)


def early(there: float, wanted: float) -> Said:
    return said(str(EARLY), EARLY.zh, there=clock(there), wanted=clock(wanted))


def _stream(stream: Stream, still: bool) -> Said:
    size = f"{stream.width} × {stream.height}"
    if stream.kind == "audio":
        channels = _CHANNELS.get(stream.channels, said("{n} channels", "{n} 声道", n=stream.channels))
        return said("audio {codec}, {channels}", "音频 {codec}，{channels}", codec=stream.codec, channels=channels)
    if still or stream.kind == "cover":
        kind = said("picture", "图片") if still else said("cover", "封面")
        return said("{kind} {codec} {size}", "{kind} {codec} {size}", kind=kind, codec=stream.codec, size=size)
    rate = said(", {fps:.4g} fps", "，{fps:.4g} 帧/秒", fps=stream.fps) if stream.fps else said("", "")
    return said("video {codec} {size}{rate}", "视频 {codec} {size}{rate}", codec=stream.codec, size=size, rate=rate)
