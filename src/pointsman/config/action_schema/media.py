"""`media:` sound and film by ffmpeg."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from pointsman.config.section import Section


class Media(Section, frozen=True):
    """One thing that is done to a file, by what its streams are and not by its name."""

    do: Annotated[Literal["convert", "trim", "audio", "thumbnail"], Meta(description="what becomes of the file")]
    format: Annotated[str, Meta(description="of the result; default: mp4, mp3, png or the file's own")] | None = None
