"""Something long that one process of a gateway does at a time: every one of them sees that it is under way and what came of
the last one, and may begin or stop it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said

if sys.platform != "win32":
    import fcntl

log = logging.getLogger("pointsman")

T = TypeVar("T")
_LOOK = 0.25  # seconds between looks for who wants it stopped
_STOPPING = 5.0  # seconds that who wants it stopped waits for that


class RunSeen(msgspec.Struct, Generic[T], frozen=True):
    """`since`: when the one that is under way began, in seconds since the epoch; None: none is. `share` of it is done, 0 to
    1; None where nobody told. `found` came of the last one that reached its end; `failed` says why the last one came to
    nothing, if it did."""

    since: float | None = None
    found: T | None = None
    failed: Said | None = None
    share: float | None = None


class SharedRun(Generic[T]):
    """Kept in `folder` as `NAME.json`, for its owner only; who runs it has a lock on `NAME.lock`, which ends with the
    process. `kind` is the type of what is found: msgspec reads and writes it."""

    def __init__(self, folder: Path, name: str, kind: type[T]) -> None:
        self._folder = folder
        self._name = name
        self._type: Any = _Kept[kind]  # type: ignore[valid-type]
        self._task: asyncio.Task[T] | None = None

    def seen(self) -> RunSeen[T]:
        """Reads the disk: a file of the size of what was found."""
        kept = self._kept()
        since = kept.since if kept.since is not None and self._is_under_way() else None
        failed = None if kept.failed is None else Said(*kept.failed)
        return RunSeen(since, kept.found, failed, None if since is None else self._share())

    def begin(self, work: Callable[[], Awaitable[T]]) -> bool:
        """Begins it in this process, unless it is under way in any: then False. `work` gives what it found, or raises
        PointsmanError. Raises PointsmanError where the folder cannot be written."""
        if self._task is not None:
            return False
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = self._locked()
            if lock is None:
                return False
            try:
                self._path("stop").unlink(missing_ok=True)
                self._path("share").unlink(missing_ok=True)
                self._keep(_Kept(time.time(), self._kept().found))
            except BaseException:
                os.close(lock)
                raise
        except OSError as error:
            raise PointsmanError(
                Said(
                    f"the data folder cannot be written: {type(error).__name__}",
                    f"无法写入数据目录：{type(error).__name__}",
                ),
                status=503,
                type="api_error",
                code="data_folder",
            ) from None
        self._task = asyncio.create_task(self._unless_stopped(work))
        self._task.add_done_callback(lambda task: self._ended(task, lock))
        return True

    def tell(self, share: float) -> None:
        """While it runs in this process: how much of it is done, 0 to 1."""
        with contextlib.suppress(OSError), open(self._path("share"), "w", encoding="ascii", opener=_for_owner) as file:
            file.write(f"{share:.4f}")

    async def stop(self) -> None:
        """Gives up the one that is under way, in whichever process that is; it is over when this returns, or a few seconds
        have passed."""
        if self._task is not None:
            await self.close()
            return
        if self._is_under_way():
            self._path("stop").touch(0o600)
            for _ in range(round(_STOPPING / _LOOK)):
                if not self._is_under_way():
                    break
                await asyncio.sleep(_LOOK)

    async def close(self) -> None:
        """Gives it up where it is this process that runs it."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _unless_stopped(self, work: Callable[[], Awaitable[T]]) -> T:
        """Raises CancelledError once somebody in another process wants it stopped."""
        working = asyncio.ensure_future(work())
        try:
            while not (await asyncio.wait({working}, timeout=_LOOK))[0]:
                if self._path("stop").exists():
                    raise asyncio.CancelledError
            return working.result()
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)

    def _ended(self, task: asyncio.Task[T], lock: int) -> None:
        self._task = None
        try:
            self._keep(self._outcome(task))
        except OSError as error:
            log.error("what the console found cannot be kept (%s): %s", self._name, type(error).__name__)
        finally:
            os.close(lock)

    def _outcome(self, task: asyncio.Task[T]) -> _Kept[T]:
        if task.cancelled():
            return _Kept(found=self._kept().found)
        error = task.exception()
        if error is None:
            return _Kept(found=task.result())
        if isinstance(error, PointsmanError):
            return _Kept(found=self._kept().found, failed=_both(error.message))
        log.error("what the console runs failed (%s): %s", self._name, type(error).__name__)
        failed = Said("it could not be done; the gateway's log has the details", "无法完成；详情见网关的日志")
        return _Kept(found=self._kept().found, failed=_both(failed))

    def _kept(self) -> _Kept[T]:
        """What lies there; nothing where another version wrote it."""
        try:
            found: _Kept[T] = msgspec.json.decode(self._path("json").read_bytes(), type=self._type)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return _Kept()
        return found

    def _keep(self, kept: _Kept[T]) -> None:
        new = self._path("new")
        with open(new, "wb", opener=_for_owner) as file:
            file.write(msgspec.json.encode(kept))
        new.replace(self._path("json"))

    def _share(self) -> float | None:
        try:
            return float(self._path("share").read_text(encoding="ascii"))
        except (OSError, ValueError):  # nothing told, or just being written
            return None

    def _locked(self) -> int | None:
        """The lock, which is ours until it is closed; None where another process has it."""
        handle = os.open(self._path("lock"), os.O_RDWR | os.O_CREAT, 0o600)
        if sys.platform != "win32":
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(handle)
                return None
        return handle

    def _is_under_way(self) -> bool:
        if self._task is not None or sys.platform == "win32":
            return self._task is not None
        with contextlib.suppress(FileNotFoundError):
            handle = os.open(self._path("lock"), os.O_RDONLY)
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)  # several may ask at once
            except OSError:
                return True
            finally:
                os.close(handle)
        return False

    def _path(self, ending: str) -> Path:
        return self._folder / f"{self._name}.{ending}"


class _Kept(msgspec.Struct, Generic[T], frozen=True):
    """The file."""

    since: float | None = None
    found: T | None = None
    failed: tuple[str, str] | None = None


def _for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _both(text: str) -> tuple[str, str]:
    """In English and in Chinese."""
    return str(text), text.zh if isinstance(text, Said) else str(text)
