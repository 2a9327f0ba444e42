"""`python -m pointsman.actions.child.entry FUNCTION EXTRA PARENT [forks]`: does a piece of work in a process of its own.

Imports the function's module, reads one line of JSON (Order) from stdin, prints one line of JSON (Answer) on stdout and
ends; with `forks` it has that done by a copy of itself, and waits for the next order. It ends at once when its parent is
gone or closes stdin."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import traceback
import typing
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from pointsman.actions.child.failures import OUT_OF_MEMORY, not_installed, out_of_memory, unexpected
from pointsman.actions.child.work import FORKS, STAYS, Answer, Failure, Order, Room
from pointsman.domain.said import Said
from pointsman.parent_death import die_with_parent
from pointsman.ports.action import ActionFailed

MAX_ORDER = 64 << 20  # bytes
NICE = 5  # answers of the gateway go first


def main() -> NoReturn:
    name, extra, parent = sys.argv[1:4]
    forks = sys.argv[4:] == [FORKS]
    report_to = os.dup(1)
    os.dup2(2, 1)  # whatever a library prints stays off the report
    warnings.simplefilter("ignore")
    function: Callable[..., Any] | ActionFailed
    try:
        function = _found(name)
    except ModuleNotFoundError as error:
        function = not_installed(extra, str(error))
    if forks:
        from pointsman.actions.child.forks import alone, serve_copies

        if alone():
            serve_copies(lambda: _answered(function, extra), report_to, int(parent))
        os.write(report_to, STAYS)  # ready, for one task alone
    line = _first_line()
    if not line:
        os._exit(0)
    die_with_parent(int(parent))
    answer = _done(function, line, extra)
    with os.fdopen(report_to, "wb") as report:
        report.write(answer + b"\n")
    sys.stderr.flush()
    os._exit(0)  # no waiting for threads of libraries


def _answered(function: Callable[..., Any] | ActionFailed, extra: str) -> bytes:
    """To the order that comes; empty where none does."""
    line = _first_line()
    answer = _done(function, line, extra) if line else b""
    sys.stderr.flush()
    return answer


def _found(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return found


def _done(function: Callable[..., Any] | ActionFailed, line: bytes, extra: str) -> bytes:
    """Never raises: every failure becomes a reason."""
    try:
        if isinstance(function, ActionFailed):
            raise function
        order = msgspec.json.decode(line, type=Order)
        _limit(order)
        room = Room(Path(order.folder), order.seconds)
        task = msgspec.json.decode(order.task, type=typing.get_type_hints(function)["task"])
        return msgspec.json.encode(Answer(result=function(task, room)), enc_hook=str)
    except ActionFailed as error:
        return _failure(error)
    except MemoryError:
        return _failure(out_of_memory())
    except ModuleNotFoundError as error:  # what only some tasks need
        return _failure(not_installed(extra, str(error)))
    except RecursionError:
        return _failure(unexpected("RecursionError"))
    except Exception as error:  # the edge of the process
        if any(words in str(error).lower() for words in OUT_OF_MEMORY):
            return _failure(out_of_memory())
        frames = traceback.extract_tb(error.__traceback__)  # places, not values: the log is no place for data
        place = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames[:-6:-1])
        return _failure(unexpected(f"{type(error).__name__} at {place}"))


def _failure(error: ActionFailed) -> bytes:
    message = error.message
    zh = message.zh if isinstance(message, Said) else message
    told = Failure(
        code=error.code, en=str(message), zh=zh, detail=error.detail, again=error.again, refused=error.refused
    )
    return msgspec.json.encode(Answer(failure=told))


def _first_line() -> bytes:
    line = bytearray()
    while not line.endswith(b"\n") and len(line) <= MAX_ORDER:
        part = os.read(0, 1 << 16)
        if not part:
            return b""
        line += part
    return bytes(line)


def _limit(order: Order) -> None:
    """Address space and size of files, where the system can limit them, and no core dumps: they would hold secrets."""
    os.environ["TMPDIR"] = order.folder
    os.chdir(order.folder)
    if os.name != "posix":
        return
    import resource

    os.nice(NICE)
    os.umask(0o077)
    limits = [(resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, order.file_size)]
    if sys.platform == "linux":
        limits.append((resource.RLIMIT_AS, order.memory))
    for limit, value in limits:
        if value is not None:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(limit, (value, value))


if __name__ == "__main__":
    main()
