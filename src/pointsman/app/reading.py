"""Reading a config and its rules in a process of its own, because that takes seconds of a core for thousands of rules:
`python -m pointsman.app.reading` reads one `Wanted` from its input and writes one `Read` or `Wrong`. What comes back has
been checked, cases and all; only the policy is left to compile."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from typing import Any

import msgspec

from pointsman.app.build import Before, build
from pointsman.app.packing import Both, Packed, both, packed, text_of, unpacked
from pointsman.app.proving import proven
from pointsman.app.setup import Setup
from pointsman.app.watching import Seen, seen_of
from pointsman.child_process import killed, spawned
from pointsman.config.load import Loaded, load
from pointsman.config.paths import find_config
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.said import said
from pointsman.parent_death import die_with_parent

COMMAND = (sys.executable, "-m", "pointsman.app.reading")
LONGEST = 300.0  # seconds for a config with all its rules and cases
ENDING = 5.0  # seconds for the child to end by itself


class Origin(msgspec.Struct, frozen=True):
    """Where a config comes from: the file, None where it is looked for anew each time, and flags over it."""

    config: str | None
    flags: dict[str, Any] = {}

    def load(self) -> Loaded:
        return load(find_config(self.config), self.flags)


class Wanted(msgspec.Struct, frozen=True):
    """`before` is what was known until now."""

    origin: Origin
    before: Before = Before()


class Read(msgspec.Struct, frozen=True, tag=True):
    """A sound config. `seen` are files and folders that it was read from, as they were."""

    setup: Packed
    seen: Seen


class Mistake(msgspec.Struct, frozen=True):
    """A Problem on its way."""

    path: Both
    message: Both
    valid: Both | None
    where: Both | None


class Wrong(msgspec.Struct, frozen=True, tag=True):
    """All that is wrong with it."""

    mistakes: list[Mistake]
    seen: Seen


class Reading(msgspec.Struct, frozen=True):
    """What came of it: a setup, or problems; and the files that it was read from, as they were."""

    setup: Setup | None
    problems: Problems | None
    seen: Seen


async def read_apart(origin: Origin, before: Before) -> Reading:
    """Reads and checks in a child, compiles in a thread. Raises nothing but a cancellation: what goes wrong is a problem
    of the config."""
    try:
        answer = await _ask(msgspec.json.encode(Wanted(origin, before)) + b"\n")
        read = msgspec.msgpack.decode(answer, type=Read | Wrong)
    except (OSError, TimeoutError, msgspec.MsgspecError) as error:
        broke_off = said(
            "the process that reads the config broke off: {why}", "读取配置的进程中途退出：{why}", why=repr(error)
        )
        return Reading(None, Problems([Problem("config", broke_off)]), {})
    if isinstance(read, Wrong):
        return Reading(None, Problems([_problem(mistake) for mistake in read.mistakes]), read.seen)
    return Reading(await asyncio.to_thread(unpacked, read.setup), None, read.seen)


async def _ask(line: bytes) -> bytes:
    pipe = asyncio.subprocess.PIPE
    process = await spawned(*COMMAND, stdin=pipe, stdout=pipe, start_new_session=True)
    assert process.stdin and process.stdout
    try:
        async with asyncio.timeout(LONGEST):
            process.stdin.write(line)
            with contextlib.suppress(OSError):  # it ended already: its answer is empty
                await process.stdin.drain()
            return await process.stdout.read()
    finally:
        await killed(process)


def _mistake(problem: Problem) -> Mistake:
    return Mistake(
        both(problem.path),
        both(problem.message),
        None if problem.valid is None else both(problem.valid),
        None if problem.where is None else both(problem.where),
    )


def _problem(mistake: Mistake) -> Problem:
    return Problem(
        text_of(mistake.path),
        text_of(mistake.message),
        valid=None if mistake.valid is None else text_of(mistake.valid),
        where=None if mistake.where is None else text_of(mistake.where),
    )


def answer_to(wanted: Wanted) -> Read | Wrong:
    """What the child says."""
    seen = seen_of(find_config(wanted.origin.config), None)
    try:
        loaded = wanted.origin.load()
        seen = seen_of(loaded.path, loaded)
        return Read(packed(proven(build(loaded, wanted.before))), seen)
    except Problems as error:
        return Wrong([_mistake(problem) for problem in error.problems], seen)


def main() -> None:
    wanted = msgspec.json.decode(sys.stdin.buffer.readline(), type=Wanted)
    die_with_parent(os.getppid())
    sys.stdout.buffer.write(msgspec.msgpack.encode(answer_to(wanted)))
    sys.stdout.buffer.flush()
    os._exit(0)  # the thread that watches the parent holds stdin


if __name__ == "__main__":
    main()
