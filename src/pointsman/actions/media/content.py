"""What a file is, by its first bytes. Its name says nothing, and ffmpeg is not asked: it would follow lists."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pointsman.domain.said import Said

HEAD = 4096
"""Bytes that are looked at, from the start and behind an ID3 tag."""
_ASF = bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c")
_SIGNS = (
    (0, b"\x1aE\xdf\xa3", "matroska"),
    (0, b"fLaC", "flac"),
    (0, b"OggS", "ogg"),
    (0, b"FLV\x01", "flv"),
    (0, _ASF, "asf"),
    (0, b"GIF87a", "gif"),
    (0, b"GIF89a", "gif"),
    (0, b"\x89PNG\r\n\x1a\n", "png_pipe"),
    (0, b"\xff\xd8\xff", "jpeg_pipe"),
    (0, b"#!AMR", "amr"),
    (0, b"caff\x00\x01", "caf"),
    (0, b".snd", "au"),
    (0, b"\x00\x00\x01\xba", "mpeg"),
    (0, b"\x0bw", "ac3"),
    (8, b"AIFF", "aiff"),
    (8, b"AIFC", "aiff"),
    (8, b"AVI ", "avi"),
    (8, b"WEBP", "webp_pipe"),
    (8, b"WAVE", "wav"),
)
_CONTAINERS = {"aiff": (b"FORM",), "avi": (b"RIFF",), "webp_pipe": (b"RIFF",), "wav": (b"RIFF", b"RF64", b"BW64")}
_ATOMS = (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot")
_STILL_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"msf1", b"avif", b"avis")
DEMUXERS = ("mov", "mp3", "aac", "mpegts", *dict.fromkeys(name for _, _, name in _SIGNS))


class NotMedia(msgspec.Struct, frozen=True):
    """Why a file is not taken: a word for programs, and what it is, for people."""

    code: str
    what: Said


_EMPTY = NotMedia("empty", Said("it is empty", "它是空的"))
_PLAYLIST = NotMedia(
    "playlist",
    Said("it is a playlist that leads to other files or addresses", "它是一个播放列表，指向别的文件或地址"),
)
_DRAWING = NotMedia("drawing", Said("it is an SVG or XML document", "它是 SVG 或 XML 文档"))
_SUBTITLES = NotMedia("subtitles", Said("it is a file of subtitles", "它是字幕文件"))
_HEIF = NotMedia("heif", Said("it is a HEIF or AVIF picture", "它是 HEIF 或 AVIF 图片"))
_UNKNOWN = NotMedia("unknown", Said("its content is of no kind that is known here", "它的内容不属于这里认识的任何一种"))
_PLAYLISTS = (
    b"#extm3u",
    b"ffconcat",
    b"[playlist]",
    b"<mpd",
    b"<smil",
    b"<asx",
    b"[reference]",
    b"v=0",
    b"rtsptext",
    b"file '",
)


def content_of(path: Path) -> str | NotMedia:
    """The name of the demuxer that reads the file, or why none does. Raises OSError."""
    with path.open("rb") as file:
        head = file.read(HEAD)
        tag = _tag_length(head)
        if tag:
            file.seek(tag)
            return _behind_tag(file.read(HEAD))
    return content_of_head(head)


def content_of_head(head: bytes) -> str | NotMedia:
    """The same of a file's first bytes, where no ID3 tag stands before them."""
    if not head:
        return _EMPTY
    for place, sign, name in _SIGNS:
        if head[place : place + len(sign)] == sign and head[:4] in (_CONTAINERS.get(name) or (head[:4],)):
            return name
    if head[4:8] in _ATOMS:
        still = head[4:8] == b"ftyp" and head[8:12] in _STILL_BRANDS
        return _HEIF if still else "mov"
    sound = _frames_of_sound(head)
    if sound:
        return sound
    if any(head[start : start + 2 * step + 1 : step] == b"GGG" for start, step in ((0, 188), (4, 192))):
        return "mpegts"
    return _text(head)


def _tag_length(head: bytes) -> int:
    """Of an ID3v2 tag at the start, with its own head; 0 where there is none."""
    if head[:3] != b"ID3" or len(head) < 10 or any(byte & 0x80 for byte in head[6:10]):
        return 0
    length = head[6] << 21 | head[7] << 14 | head[8] << 7 | head[9]
    return length + (20 if head[5] & 0x10 else 10)


def _behind_tag(head: bytes) -> str | NotMedia:
    if head[:4] == b"fLaC":
        return "flac"
    return _frames_of_sound(head) or ("mp3" if head else _EMPTY)


def _frames_of_sound(head: bytes) -> str | None:
    """ADTS or MPEG audio: eleven or twelve bits set, and a head without forbidden values."""
    if len(head) < 4 or head[0] != 0xFF:
        return None
    if head[1] & 0xF6 == 0xF0 and head[2] >> 2 & 0xF < 13:
        return "aac"
    version, layer, rate, frequency = head[1] >> 3 & 3, head[1] >> 1 & 3, head[2] >> 4, head[2] >> 2 & 3
    if head[1] & 0xE0 == 0xE0 and version != 1 and layer and 0 < rate < 15 and frequency != 3:
        return "mp3"
    return None


def _text(head: bytes) -> NotMedia:
    """What kind of text that people might take for sound or film."""
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if begins.startswith(_PLAYLISTS) or b"<mpd" in begins or b"#ext-x-" in begins:
        return _PLAYLIST
    if begins.startswith((b"<?xml", b"<svg", b"<!doctype svg", b"<html", b"<!doctype html")):
        return _DRAWING
    if begins.startswith((b"webvtt", b"[script info]")) or b"-->" in begins:
        return _SUBTITLES
    return _UNKNOWN
