"""Heads for a set of intents: from the folder, where they were trained before, else trained in a process of their own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from pointsman.arbiter.cut import MOST_TOKENS
from pointsman.arbiter.lesson import Lesson, lesson_of, unlike
from pointsman.arbiter.stored import FORM, decoded, lesson_hash
from pointsman.arbiter.training import Trained
from pointsman.arbiters.background import MODEL, background
from pointsman.arbiters.trainer import Order
from pointsman.arbiters.vectors import Vectors
from pointsman.child_process import killed, spawned
from pointsman.domain.intent import Intent
from pointsman.ports.embed import Embed

COMMAND = (sys.executable, "-m", "pointsman.arbiters.trainer")
LONGEST = 900.0
"""Seconds of training, embedding apart: the largest set that is learnt from takes a third of it on one slow core."""
_KEPT = 8
"""Sets of heads in the folder; the oldest go."""


class NotTrained(Exception):
    """The process ended without heads, or took too long."""


async def learnt(
    intents: Sequence[Intent], outside: Sequence[str], embed: Embed, folder: Path, *, general: bool = True
) -> tuple[str, Trained]:
    """The model's name, and heads with their first calibration. `general`: general talk counts as outside, as far as it is
    unlike the examples. Raises NotTrained, ActionFailed, OSError."""
    lesson = (await asyncio.to_thread(lesson_of, intents, outside))._replace(embedding=embed.model)
    more = background() if general and _fits(embed.model) else None
    key = await asyncio.to_thread(lesson_hash, lesson, more.hash if more else None)
    name = f"{embed.model or 'spelling'}/{key}"
    file = folder / f"heads-{FORM}-{key}.bin"
    kept = await asyncio.to_thread(_read, file)
    if kept is None:
        if embed.model is not None:
            lesson = lesson._replace(vectors=await Vectors(folder, embed, MOST_TOKENS).of(lesson.texts))
        places: tuple[int, ...] = ()
        if more is not None:
            places = tuple(range(len(more.counts)))
            if lesson.vectors is not None:
                places = tuple((await asyncio.to_thread(unlike, lesson, more.vectors)).tolist())
        data = await _trained(lesson, places)
        kept = decoded(data)
        await asyncio.to_thread(_write, file, data)
    return name, kept


async def _trained(lesson: Lesson, background: tuple[int, ...]) -> bytes:
    order = Order(
        lesson.names,
        lesson.texts,
        tuple(lesson.labels.tolist()),
        tuple(lesson.may_leave.tolist()),
        None if lesson.vectors is None else lesson.vectors.tobytes(),
        lesson.embedding,
        background,
    )
    pipe = asyncio.subprocess.PIPE
    process = await spawned(
        *COMMAND, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, start_new_session=True
    )
    try:
        async with asyncio.timeout(LONGEST):
            data, _ = await process.communicate(msgspec.msgpack.encode(order))
    except TimeoutError:
        raise NotTrained(f"no heads after {LONGEST:.0f} s") from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            await killed(process, session=process.returncode is None)
    if process.returncode or not data:
        raise NotTrained(f"the process ended with {process.returncode}")
    return data


def _fits(model: str | None) -> bool:
    """Whether the vectors of the background are those of that model; without one they do no harm."""
    return model is None or model.startswith(MODEL)


def _read(file: Path) -> Trained | None:
    try:
        return decoded(file.read_bytes())
    except (OSError, ValueError, msgspec.MsgspecError):
        return None


def _write(file: Path, data: bytes) -> None:
    """Whole, or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_suffix(f".{os.getpid()}.new")
    beside.write_bytes(data)
    beside.replace(file)
    others = sorted(file.parent.glob("heads-*.bin"), key=lambda each: each.stat().st_mtime, reverse=True)
    for each in others[_KEPT:]:
        with contextlib.suppress(OSError):
            each.unlink()
