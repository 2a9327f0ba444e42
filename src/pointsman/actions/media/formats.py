"""What files are made, and with what: one line for each format, nothing else is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

Quality = Literal["small", "normal", "high"]
QUALITIES: tuple[Quality, ...] = ("small", "normal", "high")
Do = Literal["convert", "trim", "audio", "thumbnail"]


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """`muxer` writes it, `demuxer` reads it back. `video` and `audio` are the codecs that it holds as they are; `draws` and
    `sounds` are encoders, the first that this ffmpeg has is taken. `rates`: bits a second of sound, by quality."""

    name: str
    media_type: str
    muxer: str
    demuxer: str
    video: tuple[str, ...] = ()
    draws: tuple[str, ...] = ()
    audio: tuple[str, ...] = ()
    sounds: tuple[str, ...] = ()
    rates: tuple[int, int, int] | None = None
    still: bool = False
    more: tuple[str, ...] = ()


_H264 = ("libx264", "libopenh264", "mpeg4")
_VPX = ("libvpx-vp9", "libvpx")
_PCM = ("pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_u8", "pcm_mulaw", "pcm_alaw")
_AAC = (96_000, 160_000, 224_000)
_OPUS = (48_000, 96_000, 160_000)
_VORBIS = (80_000, 128_000, 224_000)
_FORMATS = (
    Format(
        name="mp4", media_type="video/mp4", muxer="mp4", demuxer="mov", video=("h264", "hevc", "av1", "mpeg4"), draws=_H264,
        audio=("aac", "mp3", "ac3", "eac3", "alac"), sounds=("aac",), rates=_AAC, more=("-movflags", "+faststart"),
    ),
    Format(
        name="mkv", media_type="video/x-matroska", muxer="matroska", demuxer="matroska",
        video=("h264", "hevc", "av1", "mpeg4", "vp8", "vp9", "mpeg2video", "mpeg1video", "theora", "mjpeg"), draws=_H264,
        audio=("aac", "mp3", "ac3", "eac3", "alac", "opus", "vorbis", "flac", "mp2", *_PCM[:4]), sounds=("aac",), rates=_AAC,
    ),
    Format(
        name="webm", media_type="video/webm", muxer="webm", demuxer="matroska", video=("vp8", "vp9", "av1"), draws=_VPX,
        audio=("opus", "vorbis"), sounds=("libopus", "libvorbis"), rates=_OPUS,
    ),
    Format(
        name="mp3", media_type="audio/mpeg", muxer="mp3", demuxer="mp3", audio=("mp3",), sounds=("libmp3lame", "libshine"),
        rates=(96_000, 192_000, 320_000),
    ),
    Format(
        name="m4a", media_type="audio/mp4", muxer="ipod", demuxer="mov", audio=("aac", "alac"), sounds=("aac",), rates=_AAC,
        more=("-movflags", "+faststart"),
    ),
    Format(
        name="ogg", media_type="audio/ogg", muxer="ogg", demuxer="ogg", audio=("vorbis", "opus"),
        sounds=("libvorbis", "libopus"), rates=_VORBIS,
    ),
    Format(name="wav", media_type="audio/wav", muxer="wav", demuxer="wav", audio=_PCM, sounds=("pcm_s16le",)),
    Format(name="flac", media_type="audio/flac", muxer="flac", demuxer="flac", audio=("flac",), sounds=("flac",)),
    Format(name="gif", media_type="image/gif", muxer="gif", demuxer="gif", draws=("gif",)),
    Format(
        name="png", media_type="image/png", muxer="image2", demuxer="png_pipe", draws=("png",), still=True,
        more=("-update", "1"),
    ),
    Format(
        name="jpg", media_type="image/jpeg", muxer="image2", demuxer="jpeg_pipe", draws=("mjpeg",), still=True,
        more=("-update", "1"),
    ),
    Format(name="webp", media_type="image/webp", muxer="webp", demuxer="webp_pipe", draws=("libwebp",), still=True),
)  # fmt: skip
FORMATS: Mapping[str, Format] = {made.name: made for made in _FORMATS}
STILLS = tuple(made.name for made in _FORMATS if made.still)
SOUNDS = tuple(made.name for made in _FORMATS if not made.draws)
TAKEN: Mapping[Do, tuple[str, ...]] = {
    "convert": tuple(FORMATS),
    "trim": tuple(name for name in FORMATS if name not in STILLS),
    "audio": SOUNDS,
    "thumbnail": STILLS,
}
"""What each thing that is done can make."""
DECODED = (
    "h264", "hevc", "vp8", "vp9", "av1", "mpeg4", "mpeg2video", "mpeg1video", "msmpeg4v2", "msmpeg4v3", "wmv1", "wmv2",
    "wmv3", "vc1", "flv1", "h263", "mjpeg", "png", "gif", "webp", "theora", "prores", "dnxhd", "aac", "mp3", "mp2", "opus",
    "vorbis", "flac", "alac", "ac3", "eac3", "amr_nb", "amr_wb", "wmav1", "wmav2", "pcm_u8", "pcm_s8", "pcm_s16le",
    "pcm_s16be", "pcm_s24le", "pcm_s24be", "pcm_s32le", "pcm_s32be", "pcm_f32le", "pcm_f32be", "pcm_f64le", "pcm_mulaw",
    "pcm_alaw", "adpcm_ms", "adpcm_ima_wav", "adpcm_ima_qt", "gsm_ms",
)  # fmt: skip
"""Codecs that are read at all."""
DECODERS = (
    *DECODED, "libdav1d", "libaom-av1", "libvpx", "libvpx-vp9", "mp3float", "mp2float", "libopus", "libvorbis", "flv",
    "amrnb", "amrwb", "libopencore_amrnb", "libopencore_amrwb", "aac_fixed", "ac3_fixed", "ass", "ssa", "subrip", "srt",
    "mov_text", "webvtt", "text", "dvdsub", "dvbsub", "pgssub", "cc_dec",
)  # fmt: skip
"""Names that ffmpeg's own decoders for them have; those of subtitles are there so that a film with some can be looked at."""
