"""Work for children, in tests."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any

import msgspec

from pointsman.actions.child import Room
from pointsman.domain.said import Said
from pointsman.ports.action import ActionFailed


class Task(msgspec.Struct, frozen=True):
    """`what` names one of the ways below."""

    what: str
    text: str = ""


class Done(msgspec.Struct, frozen=True):
    """What it gives."""

    text: str
    number: int = 0


def work(task: Task, room: Room) -> Done:
    """Does what it is told."""
    return Done(str(_WAYS[task.what](task, room)), os.getpid())


def _grow(task: Task, room: Room) -> Any:
    held = []
    while True:
        held.append(bytearray(1 << 24))


def _fill(task: Task, room: Room) -> Any:
    with (room.folder / "large").open("wb") as file:
        while True:
            file.write(bytes(1 << 20))


def _fork(task: Task, room: Room) -> Any:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"])
    (room.folder.parent / "grandchild").write_text(str(child.pid), encoding="utf-8")
    time.sleep(100)


def _leave(task: Task, room: Room) -> Any:
    """A process that nobody waits for, in a session of its own."""
    command = [sys.executable, "-c", "import time; time.sleep(100)"]
    return subprocess.Popen(command, start_new_session=True).pid


_REMEMBERED: list[str] = []


def _remember(task: Task, room: Room) -> Any:
    before = list(_REMEMBERED)
    _REMEMBERED.append(task.text)
    return before


def _fail(task: Task, room: Room) -> Any:
    raise ActionFailed("odd", Said("It is odd.", "很奇怪。"), detail="seven", again=True, refused=True)


def _broken(task: Task, room: Room) -> Any:
    return {}["secret " + task.text]


def _print(task: Task, room: Room) -> Any:
    print('{"result": {"text": "a lie"}}', flush=True)
    os.write(1, b'{"result": {"text": "another lie"}}\n')
    return "the truth"


def _recurse(task: Task, room: Room) -> Any:
    return _recurse(task, room)


_WAYS: dict[str, Any] = {
    "echo": lambda task, room: task.text,
    "where": lambda task, room: os.getcwd() + " " + os.environ.get("TMPDIR", ""),  # noqa: PTH109
    "sleep": lambda task, room: time.sleep(100),
    "spin": lambda task, room: any(iter(int, 1)),
    "grow": _grow,
    "fill": _fill,
    "fork": _fork,
    "leave": _leave,
    "remember": _remember,
    "parent": lambda task, room: os.getppid(),
    "fail": _fail,
    "broken": _broken,
    "print": _print,
    "exit": lambda task, room: os._exit(3),
    "long": lambda task, room: "x" * 5_000_000,
    "recurse": _recurse,
    "chinese": lambda task, room: task.text + "——“引号”\n\u2028\x00",
}
