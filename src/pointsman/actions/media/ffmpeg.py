"""ffmpeg and ffprobe, told what they would guess: one file, its demuxer, known decoders, no other protocol."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

from pointsman.actions.child import Children, Finished, Limits
from pointsman.actions.child.failures import OUT_OF_MEMORY, out_of_memory, timed_out, unexpected
from pointsman.actions.child.program import NOT_STARTED
from pointsman.actions.media import refusals
from pointsman.actions.media.facts import ENTRIES, Facts, read_facts
from pointsman.actions.media.formats import DECODED, DECODERS
from pointsman.actions.media.plan import Plan
from pointsman.ports.action import ActionFailed

Progress = Callable[[float], Awaitable[None]]
"""Takes how many seconds of the result are made."""
PROBING = 30.0  # seconds
_ENCODER = re.compile(r"^ [VA][A-Z.]{5} (\S+)", re.MULTILINE)
_PICTURE_SIZE = re.compile(rb"[Pp]icture size (\d{1,9})x(\d{1,9}) is invalid|size (\d{1,9})x(\d{1,9}).{0,40}max")
_NOT_DECODED = re.compile(rb"Codec \(([^)]{1,40})\) not on whitelist")
_ESTIMATED = b"Estimating duration from bitrate"
_NO_MEMORY = (
    *(words.encode() for words in OUT_OF_MEMORY),
    *(b"malloc of size", b"failed to allocate", b"out of memory"),
)
_DAMAGED = (
    b"invalid data found", b"moov atom not found", b"end of file", b"could not find codec parameters", b"partial file",
    b"error while decoding", b"no decodable", b"not contain any stream", b"matches no streams",
    b"ebml header parsing failed", b"error splitting the input", b"conversion failed", b"nothing was written",
    b"could not seek", b"error opening input", b"error marking filters", b"error while filtering", b"error writing trailer",
)  # fmt: skip


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """What is taken, and what may be made: bytes, seconds, pixels of a picture, streams. `memory` of a program in bytes,
    `threads` of one that makes something, and the CPU time that it is expected to take, in seconds."""

    file: int
    seconds: float
    pixels: int
    streams: int
    output: int
    memory: int
    threads: int
    cpu_seconds: float


class Source(msgspec.Struct, frozen=True):
    """A file in the task's folder: what reads it, and what people call it."""

    path: Path
    container: str
    name: str


def programs_in(folder: str | None) -> tuple[str, str] | None:
    """Paths of ffmpeg and ffprobe, from that folder or from PATH; None where one of them is missing."""
    found = [shutil.which(name, path=folder) for name in ("ffmpeg", "ffprobe")]
    return (os.path.abspath(found[0]), os.path.abspath(found[1])) if found[0] and found[1] else None  # noqa: PTH100


class Ffmpeg:
    """Both programs, run as children. `folder` in each call is the task's own; `seconds` is how long it may take."""

    def __init__(self, children: Children, programs: str | None, bounds: Bounds) -> None:
        self._children = children
        self._programs = programs
        self._bounds = bounds
        self._encoders: dict[str, frozenset[str]] = {}

    async def probe(self, source: Source, folder: Path, seconds: float) -> Facts:
        """What the file holds, within bounds. Raises ActionFailed."""
        _, ffprobe = self._found()
        command = [ffprobe, "-v", "warning", *self._input(source.container), "-show_entries", ENTRIES, "-of", "json"]
        limits = Limits(
            seconds=max(min(seconds, PROBING), 0.1), memory=self._bounds.memory, file_size=0, answer=1 << 20
        )
        done = await self._children.program([*command, f"file:{source.path}"], folder, limits)
        size = source.path.stat().st_size
        found = _PICTURE_SIZE.search(done.errors)
        if found:
            width, height = (int(number) for number in found.groups() if number is not None)
            raise refusals.too_many_pixels(source.name, width, height, self._bounds.pixels)
        if b"max_streams" in done.errors:
            raise refusals.too_many_streams(source.name, self._bounds.streams)
        if done.status != 0:
            raise self._failure(done, source, limits)
        try:
            facts = read_facts(done.out, source.container, size, estimated=_ESTIMATED in done.errors)
        except ValueError as error:
            raise refusals.damaged(source.name, f"ffprobe: {error}") from None
        self._check(facts, source, done)
        return facts

    async def encoders(self, folder: Path, seconds: float) -> frozenset[str]:
        """Names of those that this ffmpeg was built with; asked once."""
        ffmpeg, _ = self._found()
        if ffmpeg not in self._encoders:
            limits = Limits(seconds=max(min(seconds, PROBING), 0.1), memory=self._bounds.memory, answer=1 << 20)
            done = await self._children.program([ffmpeg, "-hide_banner", "-v", "error", "-encoders"], folder, limits)
            if done.status != 0:
                raise self._failure(done, None, limits)
            self._encoders[ffmpeg] = frozenset(_ENCODER.findall(done.out.decode("utf-8", "replace")))
        return self._encoders[ffmpeg]

    async def make(self, source: Source, plan: Plan, folder: Path, seconds: float, progress: Progress) -> Path | None:
        """Carries the plan out: the path of the result; None where nothing came of it. Raises ActionFailed."""
        ffmpeg, _ = self._found()
        target = folder / "made"
        target.unlink(missing_ok=True)
        command = [
            *(ffmpeg, "-hide_banner", "-nostdin", "-y", "-v", "error", "-nostats", "-progress", "pipe:1"),
            *("-stats_period", "0.5", "-filter_threads", str(self._bounds.threads)),
            *("-threads", str(self._bounds.threads), *self._input(source.container), *plan.before),
            *("-i", f"file:{source.path}", *plan.after, f"file:{target}"),
        ]

        async def on_line(line: bytes) -> None:
            key, _, value = line.partition(b"=")
            if key == b"out_time_us" and value.strip().isdigit():
                await progress(int(value) / 1e6)

        limits = Limits(
            seconds=max(seconds, 0.1),
            memory=self._bounds.memory,
            file_size=self._bounds.output,
            answer=1 << 20,
            cores=self._bounds.threads,
            cpu_seconds=self._bounds.cpu_seconds,
        )
        done = await self._children.program(command, folder, limits, on_line)
        if done.status != 0:
            raise self._failure(done, source, limits)
        made = target.exists() and target.stat().st_size > 0
        return target if made else None

    def _found(self) -> tuple[str, str]:
        found = programs_in(self._programs)
        if found is None:
            raise refusals.no_ffmpeg()
        return found

    def _input(self, container: str) -> list[str]:
        """What holds for every file that is read."""
        own = ["-enable_drefs", "0", "-use_absolute_path", "0"] if container == "mov" else []
        return [
            *("-protocol_whitelist", "file", "-format_whitelist", container, "-codec_whitelist", ",".join(DECODERS)),
            *(
                "-max_pixels",
                str(self._bounds.pixels),
                "-max_streams",
                str(self._bounds.streams),
                *own,
                "-f",
                container,
            ),
        ]

    def _check(self, facts: Facts, source: Source, done: Finished) -> None:
        bounds, name = self._bounds, source.name
        if not facts.streams:
            raise refusals.damaged(name, f"no streams: {_last_line(done.errors)}")
        if len(facts.streams) + facts.others > bounds.streams:
            raise refusals.too_many_streams(name, bounds.streams)
        if facts.seconds is not None and facts.seconds > bounds.seconds:
            raise refusals.too_long(name, facts.seconds, bounds.seconds)
        for stream in facts.streams:
            if stream.codec not in DECODED:
                raise refusals.codec(name, stream.codec)
            if stream.width * stream.height > bounds.pixels:
                raise refusals.too_many_pixels(name, stream.width, stream.height, bounds.pixels)
            seen = stream.kind != "audio"
            if (seen and not (stream.width and stream.height)) or (not seen and not (stream.channels and stream.rate)):
                raise refusals.damaged(name, f"{stream.codec}: {_last_line(done.errors)}")

    def _failure(self, done: Finished, source: Source | None, limits: Limits) -> ActionFailed:
        """Why a program did not end well, in words."""
        last, errors = _last_line(done.errors), done.errors.lower()
        if any(words in errors for words in _NO_MEMORY):
            return out_of_memory()
        if done.status == NOT_STARTED and b"shared librar" not in errors:
            return refusals.no_ffmpeg()
        if done.status == -25 or b"file too large" in errors:  # SIGXFSZ
            return refusals.large_result(self._bounds.output)
        if done.status == -24:  # SIGXCPU
            return timed_out(limits.seconds)
        if b"no space left" in errors:
            return refusals.no_room()
        unknown = _NOT_DECODED.search(done.errors)
        if source is not None and unknown:
            return refusals.codec(source.name, unknown[1].decode("ascii", "replace"))
        if b"incorrect parameters such as bit_rate" in errors:
            return refusals.unfit(last)
        of_input = source is not None and f"file:{source.path}:" in last
        if source is not None and (of_input or any(words in errors for words in _DAMAGED)):
            return refusals.damaged(source.name, last)
        return unexpected(f"ffmpeg, status {done.status}: {last}")


def _last_line(errors: bytes) -> str:
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:300] if lines else "no last words"
