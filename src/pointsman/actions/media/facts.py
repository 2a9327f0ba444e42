"""What a file holds, as ffprobe tells it: its streams, not its name."""

from __future__ import annotations

from typing import Any

import msgspec

ENTRIES = (
    "format=duration,bit_rate:stream=index,codec_type,codec_name,width,height,avg_frame_rate,channels,sample_rate,duration"
    ":stream_disposition=attached_pic:stream_side_data=rotation"
)
"""What ffprobe is asked for."""


class Stream(msgspec.Struct, frozen=True, kw_only=True):
    """`kind` is video, audio or cover (a picture that comes with sound); `width` and `height` as people see it, turned."""

    index: int
    kind: str
    codec: str
    width: int = 0
    height: int = 0
    fps: float | None = None
    channels: int = 0
    rate: int = 0


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """`container` is the demuxer's name; `seconds` is None where the file does not say, and for pictures;
    `estimated`: it was guessed from the bit rate; `others` counts streams that are neither seen nor heard."""

    container: str
    size: int
    streams: tuple[Stream, ...] = ()
    seconds: float | None = None
    estimated: bool = False
    others: int = 0

    @property
    def still(self) -> bool:
        return self.container.endswith("_pipe")

    @property
    def video(self) -> Stream | None:
        return next((stream for stream in self.streams if stream.kind == "video"), None)

    @property
    def cover(self) -> Stream | None:
        return next((stream for stream in self.streams if stream.kind == "cover"), None)

    @property
    def sounds(self) -> tuple[Stream, ...]:
        return tuple(stream for stream in self.streams if stream.kind == "audio")


class _Disposition(msgspec.Struct, frozen=True):
    attached_pic: int = 0


class _SideData(msgspec.Struct, frozen=True):
    rotation: float = 0


class _Stream(msgspec.Struct, frozen=True):
    index: int
    codec_type: str = ""
    codec_name: str = "unknown"
    width: int = 0
    height: int = 0
    avg_frame_rate: str = ""
    channels: int = 0
    sample_rate: str = "0"
    duration: str = ""
    disposition: _Disposition = _Disposition()
    side_data_list: tuple[_SideData, ...] = ()


class _Format(msgspec.Struct, frozen=True):
    duration: str = ""


class _Probed(msgspec.Struct, frozen=True):
    streams: tuple[_Stream, ...] = ()
    format: _Format = _Format()


def read_facts(printed: bytes, container: str, size: int, *, estimated: bool = False) -> Facts:
    """From what ffprobe printed. Raises ValueError."""
    try:
        probed = msgspec.json.decode(printed, type=_Probed)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from None
    known = [stream for stream in probed.streams if stream.codec_type in ("video", "audio")]
    lengths = [_number(probed.format.duration), *(_number(stream.duration) for stream in known)]
    seconds = next((length for length in lengths if length is not None and length > 0), None)
    facts = Facts(
        container=container,
        size=size,
        streams=tuple(map(_stream, known)),
        seconds=seconds,
        estimated=estimated and seconds is not None,
        others=len(probed.streams) - len(known),
    )
    return msgspec.structs.replace(facts, seconds=None) if facts.still else facts


def shown_facts(facts: Facts) -> dict[str, Any]:
    """For programs."""
    streams = [
        {key: value for key, value in msgspec.structs.asdict(stream).items() if value and key != "index"}
        for stream in facts.streams
    ]
    return {
        "container": facts.container.removesuffix("_pipe"),
        "seconds": facts.seconds,
        "size": facts.size,
        "streams": streams,
    }


def _stream(given: _Stream) -> Stream:
    kind = "cover" if given.codec_type == "video" and given.disposition.attached_pic else given.codec_type
    turned = any(round(side.rotation) % 180 == 90 for side in given.side_data_list)
    width, height = (given.height, given.width) if turned else (given.width, given.height)
    return Stream(
        index=given.index,
        kind=kind,
        codec=given.codec_name,
        width=width,
        height=height,
        fps=_ratio(given.avg_frame_rate) if kind == "video" else None,
        channels=given.channels,
        rate=int(_number(given.sample_rate) or 0),
    )


def _number(written: str) -> float | None:
    try:
        value = float(written)
    except ValueError:
        return None
    return value if 0 <= value < 10**9 else None


def _ratio(written: str) -> float | None:
    above, _, below = written.partition("/")
    over, under = _number(above), _number(below or "1")
    return round(over / under, 3) if over and under else None
