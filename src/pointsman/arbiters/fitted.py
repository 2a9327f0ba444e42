"""Heads with the calibration that holds for them: all that turns a text and its vector into figures."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy

from pointsman.arbiter.fitting import ranked, rounded
from pointsman.arbiter.stored import calibration_hash
from pointsman.arbiter.training import Trained, heard
from pointsman.arbiters.calibrations import kept_calibration
from pointsman.arbiters.learning import learnt
from pointsman.domain.intent import Calibration, Intent
from pointsman.ports.embed import Embed, Vector

_LARGE = 2_000_000
"""Numbers of a bank whose product takes long enough to be computed beside the loop."""


class Fitted(msgspec.Struct, frozen=True):
    """`heads` is the name of the heads, which a calibration is for; `model` names the calibration, too."""

    heads: str
    model: str
    calibration: Calibration
    trained: Trained

    @property
    def embeds(self) -> bool:
        """Whether it wants a vector."""
        return self.trained.heads.embedding is not None

    @property
    def is_large(self) -> bool:
        meaning = self.trained.heads.meaning
        return meaning is not None and meaning.bank.vectors.size > _LARGE

    def figures(self, text: str, vector: Vector | None) -> tuple[tuple[tuple[str, float], ...], float]:
        """Scores and how far outside, as they are logged."""
        line = None if vector is None else numpy.frombuffer(vector, numpy.float32)
        found, odds = heard(self.trained.heads, text, line)
        return ranked(self.trained.heads.names, found), rounded(odds)


async def fitted(intents: Sequence[Intent], embed: Embed, folder: Path, outside: Sequence[str] = ()) -> Fitted:
    """Trained, or read where that was done before. Raises NotTrained, ActionFailed (no embedding now), OSError."""
    name, trained = await learnt(intents, outside, embed, folder)
    calibration = await asyncio.to_thread(kept_calibration, folder, name)
    if calibration is None:
        calibration = msgspec.structs.replace(trained.calibration, model=name)
    return Fitted(name, f"{name}/{calibration_hash(calibration)}", calibration, trained)
