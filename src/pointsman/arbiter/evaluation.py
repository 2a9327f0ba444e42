"""How an arbiter did on labelled texts, kept for people to look at."""

from __future__ import annotations

import msgspec

from pointsman.arbiter.reliability import Bin


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """Of the arbiter with these `heads`, on `texts`, at `at` (seconds since the epoch): reliability and expected calibration
    error by the calibration that there was and by the new one. `confusion` by the new one: what was meant, what it heard
    (`open_ended`: none of the intents), and how many texts. `confused` and `binned` name some of the texts behind each of
    `confusion` and of `after`, in their order: requests of the log by their ids where `labels` is None, else texts of that
    file by their ids or places in it (from 1)."""

    heads: str
    at: float
    texts: int
    before: tuple[Bin, ...]
    after: tuple[Bin, ...]
    ece_before: float
    ece_after: float
    accuracy: float
    confusion: tuple[tuple[str, str, int], ...]
    labels: str | None = None
    confused: tuple[tuple[str, ...], ...] = ()
    binned: tuple[tuple[str, ...], ...] = ()
