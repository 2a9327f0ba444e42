"""`python -m pointsman.actions.report.child`: makes one report in a process of its own.

Reads one line of JSON (Job) from stdin, prints one line of JSON (Outcome) on stdout and ends: status 0 with a file or
values, 1 with an error. It ends at once when its parent is gone or closes stdin."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import NoReturn

import msgspec

from pointsman.actions.report.failure import OUT_OF_MEMORY, Reason, ReportFailure, failure, out_of_memory
from pointsman.actions.report.job import Job, Outcome
from pointsman.parent_death import die_with_parent

MAX_JOB = 16 << 20  # bytes
NICE = 5  # answers of the gateway go first


def main() -> NoReturn:
    report_to = os.dup(1)
    os.dup2(2, 1)  # whatever a library prints stays off the report
    line = _first_line()
    if not line:
        sys.exit(0)
    job = msgspec.json.decode(line, type=Job)
    die_with_parent(job.parent, death_signal=job.death_signal)
    warnings.simplefilter("ignore")  # for example a type that SQLAlchemy does not know
    _limit(job.memory)
    outcome = work(job)
    with os.fdopen(report_to, "wb") as report:
        report.write(msgspec.json.encode(outcome) + b"\n")
    sys.stderr.flush()
    os._exit(0 if outcome.error is None else 1)  # no waiting for threads of libraries


def work(job: Job) -> Outcome:
    """Never raises: every failure becomes a reason."""
    try:
        from pointsman.actions.report.make import carry_out

        return carry_out(job)
    except ReportFailure as error:
        return Outcome(error=error.reason)
    except MemoryError:
        return Outcome(error=out_of_memory().reason)
    except ModuleNotFoundError as error:
        return Outcome(error=_not_installed(error))
    except Exception as error:  # the edge of the process
        if any(words in str(error).lower() for words in OUT_OF_MEMORY):
            return Outcome(error=out_of_memory().reason)
        return Outcome(error=_unexpected(error))


def _first_line() -> bytes:
    line = bytearray()
    while not line.endswith(b"\n") and len(line) <= MAX_JOB:
        part = os.read(0, 1 << 16)
        if not part:
            return b""
        line += part
    return bytes(line)


def _limit(memory: int | None) -> None:
    """The address space, where the system can limit it, and no core dumps: they would hold the source's password."""
    if os.name != "posix":
        return
    import resource

    os.nice(NICE)
    os.umask(0o077)
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory is not None and sys.platform == "linux":
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    except (OSError, ValueError):
        pass


def _not_installed(error: ModuleNotFoundError) -> Reason:
    return failure(
        "setup",
        "没有安装报表所需的组件。请安装：pip install 'pointsman[report]'。",
        "What reports need is not installed. Install it: pip install 'pointsman[report]'.",
        str(error),
    ).reason


def _unexpected(error: Exception) -> Reason:
    frames = traceback.extract_tb(error.__traceback__)  # places, not values: the log is no place for data
    place = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames[:-6:-1])
    return failure(
        "crashed",
        "生成报表时出现意外错误，没有生成文件。详细原因已写入日志。",
        "An unexpected error stopped the report, so no file was made. The details are in the log.",
        f"{type(error).__name__} at {place}",
    ).reason


if __name__ == "__main__":
    main()
