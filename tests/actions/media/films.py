"""Films and sounds that ffmpeg makes for tests, and what it says of those that come back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actions.workshop import CHINESE, OCCASION, workshop
from pointsman.ports.action import Action, Attached, Effect, Occasion

FFMPEG, FFPROBE = shutil.which("ffmpeg"), shutil.which("ffprobe")
needs_ffmpeg = pytest.mark.skipif(
    not (FFMPEG and FFPROBE) and not os.environ.get("CI"), reason="ffmpeg is not installed: apt-get install ffmpeg"
)
"""Where CI runs, it has to be there."""


def make(path: Path, *arguments: str) -> Path:
    assert FFMPEG
    command = [FFMPEG, "-v", "error", "-nostdin", "-y", *arguments, str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return path


def film(path: Path, seconds: float = 4, size: str = "320x240", *more: str) -> Path:
    """A test picture whose seconds are counted in it, with a tone; H.264 and AAC unless `more` says otherwise."""
    return make(
        path,
        *("-f", "lavfi", "-i", f"testsrc=d={seconds}:s={size}:r=10", "-f", "lavfi", "-i", f"sine=d={seconds}"),
        *(more or ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "20", "-c:a", "aac")),
    )


def sound(path: Path, seconds: float = 4, *more: str) -> Path:
    return make(path, "-f", "lavfi", "-i", f"sine=d={seconds}:r=44100", *more)


def looked_at(path: Path) -> dict[str, Any]:
    """Codecs by kind, size of the picture, length in seconds; read by ffprobe alone."""
    assert FFPROBE
    command = [FFPROBE, "-v", "error", "-show_streams", "-show_format", "-of", "json", str(path)]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    streams = found["streams"]
    seen = next((stream for stream in streams if stream["codec_type"] == "video"), {})
    return {
        "video": [stream["codec_name"] for stream in streams if stream["codec_type"] == "video"],
        "audio": [stream["codec_name"] for stream in streams if stream["codec_type"] == "audio"],
        "size": (seen.get("width"), seen.get("height")),
        "seconds": float(found["format"].get("duration", 0)),
        "format": found["format"]["format_name"],
    }


def with_file(path: Path, name: str | None = None, occasion: Occasion = OCCASION) -> Occasion:
    """The occasion with that file, which the parameters call `it`."""
    attached = Attached(name or path.name, content=path.read_bytes())
    return msgspec.structs.replace(occasion, files={"it": attached})


@asynccontextmanager
async def desk(folder: Path, **kinds: dict[str, Any]) -> AsyncIterator[dict[str, Action]]:
    """All four things that are done, or those that are given, as actions of these names."""
    config = kinds or {do: {"media": {"do": do}} for do in ("convert", "trim", "audio", "thumbnail")}
    async with workshop(folder, config) as actions:
        yield actions


def made_file(effect: Effect, folder: Path, to: Path) -> Path:
    """The file that an effect gave, under its own name."""
    assert effect.outcome == "ok", effect.text
    [file] = effect.files
    stored = folder / "files" / file.key
    assert stored.stat().st_size == file.size
    shutil.copy(stored, to / file.name)
    return to / file.name


__all__ = [
    "CHINESE",
    "OCCASION",
    "desk",
    "film",
    "looked_at",
    "made_file",
    "make",
    "needs_ffmpeg",
    "sound",
    "with_file",
]
