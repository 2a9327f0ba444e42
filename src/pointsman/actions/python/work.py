"""The call itself, in the child."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path
from typing import Any

import msgspec

from pointsman.actions.child.work import Room
from pointsman.actions.python.signature import entry_named, signature_of
from pointsman.domain.said import Tongue, said
from pointsman.ports.action import ActionFailed
from pointsman.ports.plugin import Context, Result


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """`parameters` have passed the schema; paths stand for parameters that take a file."""

    use: str
    parameters: dict[str, Any]
    settings: dict[str, Any]
    request_id: str
    language: Tongue
    caller: str
    user: str | None


def call(task: Task, room: Room) -> Result:
    """Raises ActionFailed: with the words of the function's own exception, where it raised one with words."""
    entry = entry_named(task.use)
    if entry is None:
        en, zh = "The package of {use} is not installed any more.", "{use} 所在的软件包已被卸载。"
        raise ActionFailed("setup", said(en, zh, use=task.use))
    signature = signature_of(entry.load(), task.settings)
    given = msgspec.convert(task.parameters, signature.parameters)
    arguments = {name: getattr(given, name) for name in given.__struct_fields__} | signature.settings
    if signature.context is not None:
        arguments[signature.context] = Context(
            request_id=task.request_id,
            language=task.language,
            caller=task.caller,
            user=task.user,
            folder=room.folder,
            seconds=room.left,
        )
    try:
        value = signature.function(**arguments)
        if inspect.isawaitable(value):
            value = asyncio.run(_awaited(value))
    except (ActionFailed, MemoryError):
        raise
    except Exception as error:
        en, zh = "{use} failed: {why}", "{use} 出错：{why}"
        why = f"{type(error).__name__}: {error}"[:300]
        raise ActionFailed("python", said(en, zh, use=task.use, why=why), again=True) from None
    return _result(value, room.folder)


async def _awaited(value: Any) -> Any:
    return await value


def _result(value: Any, folder: Path) -> Result:
    """A text is told as it is; anything else is JSON, for people and for the steps after it."""
    if isinstance(value, Result):
        for name in value.files:
            path = (folder / name).resolve()
            if not path.is_relative_to(folder.resolve()) or not path.is_file():
                en, zh = (
                    'It gave the file "{name}", which is not in its folder.',
                    "它给出的文件“{name}”不在它的目录里。",
                )
                raise ActionFailed("bad_file", said(en, zh, name=name))
        return value
    if value is None:
        return Result()
    if isinstance(value, str):
        return Result(text=value)
    plain = msgspec.to_builtins(value)
    text = msgspec.json.format(msgspec.json.encode(plain)).decode()
    return Result(text=text, values=plain if isinstance(plain, dict) else {"value": plain})
