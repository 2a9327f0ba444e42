"""Calibrations that `pointsman calibrate` made, one file for each set of heads."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from pointsman.domain.intent import Calibration


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
    file = calibration_file(folder, calibration.model)
    folder.mkdir(parents=True, exist_ok=True)
    beside = file.with_suffix(f".{os.getpid()}.new")
    beside.write_bytes(msgspec.json.format(msgspec.json.encode(calibration), indent=2) + b"\n")
    beside.replace(file)
    return file
