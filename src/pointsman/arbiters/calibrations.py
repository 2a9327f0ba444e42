"""Calibrations that `pointsman calibrate` made, one file for each set of heads; and how it did then, for people."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec

from pointsman.arbiter.evaluation import Evaluation
from pointsman.domain.intent import Calibration

_EVALUATION = "evaluation-"


def calibration_file(folder: Path, heads: str) -> Path:
    """`heads` as `Fitted.heads` has it."""
    return folder / f"calibration-{heads.rpartition('/')[2]}.json"


def kept_calibration(folder: Path, heads: str) -> Calibration | None:
    """None where there is none, or none for just these heads."""
    try:
        found = msgspec.json.decode(calibration_file(folder, heads).read_bytes(), type=Calibration)
    except (OSError, msgspec.MsgspecError):
        return None
    return found if found.model == heads else None


def keep_calibration(folder: Path, calibration: Calibration) -> Path:
    """Whole, or not at all. Raises OSError."""
    return _written(calibration_file(folder, calibration.model), calibration)


def keep_evaluation(folder: Path, evaluation: Evaluation) -> Path:
    """Whole, or not at all. Raises OSError."""
    return _written(folder / f"{_EVALUATION}{evaluation.heads.rpartition('/')[2]}.json", evaluation)


def kept_evaluations(folder: Path) -> list[Evaluation]:
    """The newest first; those of heads that are not used any more among them."""
    found = []
    for file in folder.glob(f"{_EVALUATION}*.json"):
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            found.append(msgspec.json.decode(file.read_bytes(), type=Evaluation))
    return sorted(found, key=lambda each: -each.at)


def _written(file: Path, content: msgspec.Struct) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_suffix(f".{os.getpid()}.new")
    beside.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")
    beside.replace(file)
    return file
