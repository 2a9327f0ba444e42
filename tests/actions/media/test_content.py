"""What a file is, by its bytes; its name is not even given."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.actions.media.content import DEMUXERS, NotMedia, content_of, content_of_head


@pytest.mark.parametrize(
    ("head", "code"),
    [
        (b"", "empty"),
        (b"#EXTM3U\n#EXT-X-VERSION:3\nfile:///etc/passwd", "playlist"),
        (b"\xef\xbb\xbf\r\n#extm3u\nhttp://10.0.0.1/", "playlist"),
        (b"ffconcat version 1.0\nfile '/etc/passwd'", "playlist"),
        (b"file '/etc/passwd'\n", "playlist"),
        (b"<?xml version='1.0'?><MPD xmlns='urn:mpeg:dash:schema:mpd:2011'>", "playlist"),
        (b"v=0\r\no=- 0 0 IN IP4 10.0.0.1", "playlist"),
        (b"[playlist]\nFile1=http://10.0.0.1/", "playlist"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "drawing"),
        (b"<?xml version='1.0'?><svg/>", "drawing"),
        (b"WEBVTT\n\n00:00.000 --> 00:01.000\nhi", "subtitles"),
        (b"1\n00:00:00,000 --> 00:00:01,000\nhi", "subtitles"),
        (b"[Script Info]\nTitle: x", "subtitles"),
        (b"\x00\x00\x00\x1cftypheic\x00\x00\x00\x00", "heif"),
        (b"\x00\x00\x00\x1cftypavif\x00\x00\x00\x00", "heif"),
        (b"%PDF-1.7", "unknown"),
        (b"PK\x03\x04", "unknown"),
        (b"\x7fELF", "unknown"),
        (b"XXXX\x00\x00\x00\x00WAVE", "unknown"),
        (b"hello", "unknown"),
    ],
)
def test_what_is_refused(head: bytes, code: str) -> None:
    found = content_of_head(head)
    assert isinstance(found, NotMedia) and found.code == code
    assert found.what and found.what.zh != str(found.what)


@pytest.mark.parametrize(
    ("head", "demuxer"),
    [
        (b"\x00\x00\x00\x20ftypisom", "mov"),
        (b"\x00\x00\x10\x00moov", "mov"),
        (b"\x1aE\xdf\xa3\x01", "matroska"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "wav"),
        (b"RF64\xff\xff\xff\xffWAVE", "wav"),
        (b"RIFF\x00\x00\x00\x00AVI LIST", "avi"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "webp_pipe"),
        (b"FORM\x00\x00\x00\x00AIFFCOMM", "aiff"),
        (b"\xff\xd8\xff\xe0", "jpeg_pipe"),
        (b"\xff\xfb\x90\x64", "mp3"),
        (b"\xff\xf1\x50\x80", "aac"),
        ((b"G" + bytes(187)) * 3, "mpegts"),
        (bytes(4) + (b"G" + bytes(191)) * 3, "mpegts"),
    ],
)
def test_what_is_known(head: bytes, demuxer: str) -> None:
    assert content_of_head(head) == demuxer


def test_behind_a_tag(tmp_path: Path) -> None:
    path = tmp_path / "x"
    tag = b"ID3\x04\x00\x00" + bytes([0, 0, 50, 0]) + bytes(6400)
    for sound, demuxer in ((b"\xff\xfb\x90\x64", "mp3"), (b"fLaC", "flac"), (b"\xff\xf1\x50\x80", "aac")):
        path.write_bytes(tag + sound)
        assert content_of(path) == demuxer
    path.write_bytes(tag)
    assert isinstance(content_of(path), NotMedia)


@given(st.binary(max_size=600))
def test_any_bytes_are_one_of_these_or_refused(head: bytes) -> None:
    found = content_of_head(head)
    assert isinstance(found, NotMedia) or found in DEMUXERS
    assert not set(DEMUXERS) & {
        "hls",
        "dash",
        "concat",
        "lavfi",
        "image2",
        "sdp",
        "rtsp",
        "imf",
        "svg_pipe",
        "srt",
        "ass",
    }
