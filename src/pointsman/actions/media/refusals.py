"""What cannot be done with a file, in words."""

from __future__ import annotations

from collections.abc import Sequence

from pointsman.actions.media.content import NotMedia
from pointsman.actions.media.moments import clock
from pointsman.domain.said import Said, said
from pointsman.ports.action import ActionFailed

FFMPEG = Said(
    "install the system's package ffmpeg (Debian, Ubuntu: apt-get install ffmpeg) or set media.programs to its folder",
    "请安装系统软件包 ffmpeg（Debian、Ubuntu：apt-get install ffmpeg），或把 media.programs 设为它所在的目录",
)


def _refused(code: str, en: str, zh: str, **slots: object) -> ActionFailed:
    return ActionFailed(code, said(en, zh, **slots), refused=True)


def not_media(name: str, why: NotMedia) -> ActionFailed:
    en = 'The file "{name}" is not taken: {what}. Sound, film and pictures are, by their content, not by their names.'
    zh = "文件“{name}”未被接受：{what}。这里只处理音频、视频和图片，看的是内容，与文件名无关。"
    return ActionFailed("bad_file", said(en, zh, name=name, what=why.what), detail=f"content: {why.code}", refused=True)


def damaged(name: str, detail: str) -> ActionFailed:
    en = 'The file "{name}" cannot be read: it is damaged or incomplete.'
    zh = "无法读取文件“{name}”：它已损坏或不完整。"
    return ActionFailed("bad_file", said(en, zh, name=name), detail=detail, refused=True)


def codec(name: str, codec_name: str) -> ActionFailed:
    en = 'The file "{name}" uses "{codec}", which is not read here.'
    zh = "文件“{name}”使用的编码“{codec}”不在支持之列。"
    return _refused("bad_file", en, zh, name=name, codec=codec_name)


def too_long(name: str, seconds: float, most: float) -> ActionFailed:
    en, zh = '"{name}" is {length} long; at most {most} is taken.', "“{name}”长 {length}，超过上限 {most}。"
    return _refused("too_large", en, zh, name=name, length=clock(seconds), most=clock(most))


def too_many_pixels(name: str, width: int, height: int, most: int) -> ActionFailed:
    en = '"{name}" has {width:,} × {height:,} pixels; at most {most:,} in all are taken.'
    zh = "“{name}”的画面为 {width:,}×{height:,} 像素，超过总数上限 {most:,}。"
    return _refused("too_large", en, zh, name=name, width=width, height=height, most=most)


def too_many_streams(name: str, most: int) -> ActionFailed:
    en, zh = '"{name}" has more than {most} streams.', "“{name}”包含的流超过 {most} 个。"
    return _refused("too_large", en, zh, name=name, most=most)


def large_result(most: int) -> ActionFailed:
    en = "The result would be larger than {most:,} bytes. Ask for a shorter piece, a smaller width or another format."
    zh = "结果会超过 {most:,} 字节。请缩短时长、减小宽度或换一种格式。"
    return _refused("too_large", en, zh, most=most)


def no_video() -> ActionFailed:
    return _refused("no_video", "This file has nothing to be seen in it.", "这个文件里没有画面。")


def no_sound() -> ActionFailed:
    return _refused("no_sound", "This file has no sound.", "这个文件里没有声音。")


def still(valid: Sequence[str]) -> ActionFailed:
    en, zh = "This file is a picture; it can become {valid}.", "这个文件是一张图片，可以转成 {valid}。"
    return _refused("still", en, zh, valid=", ".join(valid))


def no_length() -> ActionFailed:
    return _refused(
        "still", "This file is a picture; there is no piece of it to cut.", "这个文件是一张图片，没有时间片段可截。"
    )


def not_made(name: str, valid: Sequence[str]) -> ActionFailed:
    en, zh = "{name} is not made here (valid: {valid}).", "这里不能生成 {name}（可用的有：{valid}）。"
    return _refused("bad_format", en, zh, name=name, valid=", ".join(valid))


def no_span() -> ActionFailed:
    en = "Say which piece is to stay: from 1:20 to 2:05, the first 30 seconds."
    return _refused("no_span", en, "请说明要保留哪一段：从 1:20 到 2:05、前 30 秒。")


def empty_span(start: float, end: float) -> ActionFailed:
    en, zh = "A piece from {start} to {end} is empty.", "从 {start} 到 {end} 没有内容。"
    return _refused("bad_time", en, zh, start=clock(start), end=clock(max(end, 0)))


def beyond(at: float, whole: float) -> ActionFailed:
    en, zh = "{at} lies beyond the end: the file is {whole} long.", "{at} 超出了末尾：文件长 {whole}。"
    return _refused("bad_time", en, zh, at=clock(at), whole=clock(whole))


def unknown_length() -> ActionFailed:
    en = "This file does not say how long it is. Give the piece from its start."
    return _refused("bad_time", en, "这个文件没有写明时长。请从开头算起指定时间。")


def long_gif(most: float) -> ActionFailed:
    en = "A GIF of more than {most:g} s is not made. Name a piece: from 0:10 to 0:20."
    return _refused("too_large", en, "不生成超过 {most:g} 秒的 GIF。请指定一段：从 0:10 到 0:20。", most=most)


def no_bitrate(name: str) -> ActionFailed:
    return _refused("bad_format", "{name} is not compressed by a bit rate.", "{name} 不按比特率压缩。", name=name)


def unfit(detail: str) -> ActionFailed:
    en = "The format does not take this file with that bit rate or size. Leave them out, or name others."
    zh = "该格式不支持这个文件采用这样的比特率或尺寸。请不指定，或换一个值。"
    return ActionFailed("bad_format", Said(en, zh), detail=detail, refused=True)


def no_encoder(name: str, wanted: Sequence[str]) -> ActionFailed:
    en, zh = "The ffmpeg of this machine cannot write {name}.", "这台机器上的 ffmpeg 不能生成 {name}。"
    return ActionFailed("setup", said(en, zh, name=name), detail=f"no encoder of {', '.join(wanted)}")


def no_ffmpeg() -> ActionFailed:
    en, zh = (
        "ffmpeg is not installed here. An administrator can help: {how}.",
        "这里没有安装 ffmpeg。请管理员处理：{how}。",
    )
    return ActionFailed("setup", said(en, zh, how=FFMPEG), detail="no ffmpeg and ffprobe")


def no_room() -> ActionFailed:
    en = "There is no room left on the disk for the result."
    return ActionFailed("disk", Said(en, "磁盘空间不足，无法写入结果。"), again=True)
