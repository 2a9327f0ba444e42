"""Log lines in the language of whoever runs the gateway."""

from __future__ import annotations

import copy
import logging

from pointsman.domain.said import Tongue, in_zh


class SpokenLog(logging.Formatter):
    """What is `Said` in a message and its arguments comes out in that language."""

    def __init__(self, tongue: Tongue) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(message)s")
        self._tongue = tongue

    def format(self, record: logging.LogRecord) -> str:
        if self._tongue == "zh":
            record = copy.copy(record)
            record.msg = in_zh(record.msg)
            if isinstance(record.args, tuple):
                record.args = tuple(map(in_zh, record.args))
        return super().format(record)
