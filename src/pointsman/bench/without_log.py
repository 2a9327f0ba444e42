"""`python -m pointsman.bench.without_log …` is the command `pointsman`, but that it records and notes nothing: what the log
costs is the difference. No setting does that."""

from __future__ import annotations

import runpy
from typing import Any

from pointsman.pipeline.journalling import Watch
from pointsman.store.log_writer import LogWriter


def _nothing(*_: Any) -> None:
    pass


async def _nothing_either(*_: Any) -> None:
    pass


if __name__ == "__main__":
    for name in ("put", "note"):
        setattr(LogWriter, name, _nothing)
    for name in ("look", "look_again"):
        setattr(Watch, name, _nothing_either)
    runpy.run_module("pointsman", run_name="__main__", alter_sys=True)
