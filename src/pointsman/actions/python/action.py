"""An installed function, called in a process of its own."""

from __future__ import annotations

import mimetypes
from pathlib import Path
from typing import Any

from pointsman.actions.child import Work, limits_of
from pointsman.actions.files import fetched, published
from pointsman.actions.python.work import Task
from pointsman.actions.tools import Tools
from pointsman.config.action_schema import ActionConfig
from pointsman.config.action_schema.python import Python
from pointsman.domain.action import FILE, ActionSpec
from pointsman.domain.said import Said, told
from pointsman.ports.action import Action, Effect, Occasion
from pointsman.ports.plugin import Result

_CALL = Work("pointsman.actions.python.work:call", Task, Result)
_LARGEST = 200 << 20  # bytes of a file that it is given
_DONE = Said("Done.", "已完成。")


def made(spec: ActionSpec, config: ActionConfig, tools: Tools) -> Action:
    assert config.python is not None
    return PythonAction(spec, config.python, tools)


class PythonAction:
    """Files that it gives back are published, and linked in the text."""

    def __init__(self, spec: ActionSpec, given: Python, tools: Tools) -> None:
        self._spec = spec
        self._given = given
        self._tools = tools

    @property
    def spec(self) -> ActionSpec:
        return self._spec

    def check(self, parameters: dict[str, Any]) -> None:
        """The schema says it all."""

    async def run(self, parameters: dict[str, Any], occasion: Occasion) -> Effect:
        spec, tools = self._spec, self._tools
        async with tools.children.folder() as folder:
            filled = dict(parameters)
            for name, schema in spec.properties.items():
                if schema.get("format") == FILE and isinstance(filled.get(name), str):
                    filled[name] = str((await fetched(filled[name], occasion, tools, folder, _LARGEST)).path)
            task = Task(
                use=self._given.use,
                parameters=filled,
                settings=self._given.settings,
                request_id=occasion.request_id,
                language=occasion.tongue,
                caller=occasion.caller,
                user=occasion.user,
            )
            limits = limits_of(spec, answer=2 * spec.output + 4096)
            result = await tools.children.run(_CALL, task, folder, limits)
            files = [await published(folder / name, Path(name).name, _media_type(name), tools) for name in result.files]
        lines = [result.text] if result.text else []
        lines += [f"[{file.name}]({tools.link(file, occasion)})" for file in files]
        text = "\n".join(lines) or told(_DONE, occasion.tongue)
        return Effect(text, "refused" if result.refused else "ok", values=result.values, files=tuple(files))


def _media_type(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"
