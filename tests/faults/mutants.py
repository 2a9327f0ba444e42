"""Mistakes that the suite must notice, each one put into the real source where the environment's MUTANT names it."""

from __future__ import annotations

import hashlib
import inspect
import os
from collections.abc import Callable
from types import ModuleType

from pointsman.store.files import local
from pointsman.store.jobs import redis_shards, sqlite, sqlite_desk, sqlite_file, sqlite_group, sqlite_writes

_VERSION_AND_TOKEN = "held.version != before.version or held.token != before.token"
_OP_IN_LUA = "if h[4] == op then"
_PLACED = "    try:\n        os.link(temporary, target)\n        ours = True\n"
_COMMITTED = "            writes.flush()\n        self._unclean"


def _changed(module: ModuleType, name: str, old: str, new: str) -> None:
    """A function or class of it, with that in its source changed."""
    source = inspect.getsource(getattr(module, name))
    assert source.count(old) == 1, f"{name} of {module.__name__} reads otherwise now; write the mutant anew"
    exec(source.replace(old, new), vars(module))


def _lua(old: str, new: str) -> None:
    script = redis_shards._WRITE
    text = script.text.decode()
    assert text.count(old) == 1, "redis_write.lua reads otherwise now; write the mutant anew"
    script.text = text.replace(old, new).encode()
    script.sha = hashlib.sha1(script.text, usedforsecurity=False).hexdigest()


def _no_sync() -> None:
    settings = sqlite_file._SETTINGS
    assert "synchronous=full" in settings
    sqlite_file._SETTINGS = tuple(each.replace("=full", "=off") for each in settings)


def _early_answers() -> None:
    early = "            writes.flush()\n            batch[0].future.get_loop().call_soon_threadsafe(_told, batch)\n"
    sqlite_group._told = sqlite_desk._tell  # type: ignore[attr-defined]
    _changed(sqlite_group, "Group", _COMMITTED, early + "        self._unclean")
    sqlite.Group = sqlite_group.Group  # type: ignore[misc]


def _writes(new: str) -> None:
    _changed(sqlite_writes, "Writes", _VERSION_AND_TOKEN, new)
    sqlite_group.Writes = sqlite_writes.Writes  # type: ignore[misc]


MUTANTS: dict[str, Callable[[], None]] = {
    "sqlite_no_version": lambda: _writes("held.token != before.token"),
    "sqlite_no_token": lambda: _writes("held.version != before.version"),
    "sqlite_early_answers": _early_answers,
    "sqlite_no_sync": _no_sync,
    "files_overwritten": lambda: _changed(
        local, "_placed", _PLACED, "    try:\n        os.replace(temporary, target)\n        ours = True\n"
    ),
    "redis_no_version": lambda: _lua("tonumber(h[1]) ~= version or stored ~= token", "stored ~= token"),
    "redis_no_token": lambda: _lua("tonumber(h[1]) ~= version or stored ~= token", "tonumber(h[1]) ~= version"),
    "redis_no_op": lambda: _lua(_OP_IN_LUA, "if false then"),
}
_applied: set[str] = set()


def apply(name: str) -> None:
    """For good, in this process."""
    if name not in _applied:
        _applied.add(name)
        MUTANTS[name]()


def apply_wanted() -> None:
    if name := os.environ.get("MUTANT"):
        apply(name)
