"""How large pictures become, from what the owner set and what is asked for. Pure."""

from __future__ import annotations

from pointsman.actions.image.words import Shape
from pointsman.config.action_schema.image import Image
from pointsman.domain.said import said
from pointsman.ports.action import ActionFailed

STEP = 8
"""Servers draw in multiples of it."""
SMALLEST = 64
_GROWTH = 2.5
"""How many times the pixels of the owner's largest size a request may ask for."""


def size_of(image: Image, shape: Shape | None, size: tuple[int, int] | None) -> tuple[int, int]:
    """Width and height. Raises ActionFailed for a size out of bounds."""
    if size is not None:
        width, height = (round(side / STEP) * STEP for side in size)
        most = int(max(w * h for w, h in map(read_size, _own(image))) * _GROWTH)
        if min(width, height) < SMALLEST or width * height > most:
            en = "A picture of {size} is not drawn here (valid: sides from {least}, {most:,} pixels in all)."
            zh = "这里不画 {size} 的图片（边长不小于 {least}，总像素不超过 {most:,}）。"
            shown = f"{size[0]}x{size[1]}"
            raise ActionFailed("bad_size", said(en, zh, size=shown, least=SMALLEST, most=most), refused=True)
        return width, height
    width, height = read_size(image.size)
    match shape:
        case "portrait":
            return read_size(image.portrait) if image.portrait else _upright(width, height, image.engine)
        case "landscape":
            if image.landscape:
                return read_size(image.landscape)
            height, width = _upright(width, height, image.engine)
            return width, height
        case "square":
            side = min(width, height)
            return side, side
        case _:
            return width, height


def read_size(written: str) -> tuple[int, int]:
    """Of a text like 512x768."""
    width, _, height = written.partition("x")
    return int(width), int(height)


def _own(image: Image) -> list[str]:
    return [size for size in (image.size, image.portrait, image.landscape) if size]


def _upright(width: int, height: int, engine: str) -> tuple[int, int]:
    """Two to three. A square of 1024 becomes 1024x1536 where OpenAI's sizes hold, and keeps its number of pixels where
    Stable Diffusion draws: models of that size repeat themselves in larger ones."""
    if width != height:
        return min(width, height), max(width, height)
    if engine == "openai" or width <= 640:
        return width, round(width * 1.5 / STEP) * STEP
    return round(width / 1.5**0.5 / 64) * 64, round(width * 1.5**0.5 / 64) * 64
