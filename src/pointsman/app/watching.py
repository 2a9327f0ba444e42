"""Files of the config, looked at every second: whoever saves one gets a reload. Looking is a handful of `stat` calls; it
sees changes on network drives and in containers' mounts, of which the system does not tell."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

from pointsman.config.load import Loaded
from pointsman.config.rule_files import BUILTIN, folders_of
from pointsman.domain.errors import Problems

EVERY = 1.0  # seconds
State = tuple[int, int, int] | None
Seen = dict[str, State]
"""Files and folders as they were: time of the last change, size, and number; None where there is nothing."""


def seen_of(config: Path | None, loaded: Loaded | None) -> Seen:
    """The config file, the rule files, packs, FAQs, intents and qualities that it names, and the folders in which more of
    them may appear, as they are now."""
    paths = [config] if config is not None else []
    if loaded is not None:
        base = config.resolve().parent if config is not None else Path.cwd()
        paths += [path for path in (Path(file.source.name) for file in loaded.rules) if BUILTIN not in path.parents]
        paths += [base / name for name in loaded.draft.rules.files]
        paths += folders_of(loaded.draft.rules, base)
        paths += [base / name for name in loaded.draft.arbiter.files]
        if loaded.draft.quality.file is not None:
            paths.append(base / loaded.draft.quality.file)
        paths += [base / action.faq.file for action in loaded.draft.actions.values() if action.faq is not None]
    return _look(str(path.resolve()) for path in paths)


async def watch(read: Callable[[], Seen], changed: Callable[[], Awaitable[Any]]) -> None:
    """Calls `changed` when something changed and then stayed as it is for one look. `read` are the files as they were when
    they were read, and says what is to be looked at. Runs until it is cancelled."""
    seen: Seen = {}
    waiting = False
    while True:
        await asyncio.sleep(EVERY)
        before = {**read(), **seen}
        now = _look(read())
        changing = any(before[path] != state for path, state in now.items())
        seen = now
        if waiting and not changing:
            with contextlib.suppress(Problems):  # said in the log, in /ready and in the metrics
                await changed()
        waiting = changing


def unchanged(seen: Seen) -> bool:
    """Whether all of it is still so."""
    return _look(seen) == seen


def _look(paths: Iterable[str]) -> Seen:
    return {path: _state(path) for path in paths}


def _state(path: str) -> State:
    try:
        state = Path(path).stat()
    except (OSError, ValueError):
        return None
    return state.st_mtime_ns, state.st_size, state.st_ino
