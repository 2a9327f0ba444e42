"""`media:` sound and film by ffmpeg."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from pointsman.config.section import Section, Size, Span


class Media(Section, frozen=True):
    """One thing that is done to a file, by what its streams are and not by its name. ffmpeg and ffprobe have to be
    installed."""

    do: Annotated[Literal["convert", "trim", "audio", "thumbnail"], Meta(description="what becomes of the file")]
    format: Annotated[str, Meta(description="of the result; default: mp4, mp3, png or the file's own")] | None = None
    programs: (
        Annotated[str, Meta(min_length=1, description="folder with ffmpeg and ffprobe; default: those on PATH")] | None
    ) = None
    max_file: Annotated[Size, Meta(description="largest file that is taken")] = "500MB"
    max_duration: Annotated[Span, Meta(description="longest file that is taken")] = "2h"
    max_pixels: Annotated[int, Meta(ge=1, description="width × height of pictures that are taken")] = 33_177_600
    max_streams: Annotated[int, Meta(ge=1, le=1000, description="of a file")] = 32
    max_output: Annotated[Size, Meta(description="largest result")] = "1GB"
    threads: Annotated[int, Meta(ge=1, le=64, description="default: as many cores as actions may have")] | None = None
