"""The chain at work."""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.actions.slots import filled
from pointsman.actions.tools import Tools
from pointsman.config.action_schema import ActionConfig
from pointsman.config.action_schema.steps import Step
from pointsman.domain.action import ActionSpec
from pointsman.ports.action import Action, Attached, Effect, MadeFile, Occasion


def made(spec: ActionSpec, config: ActionConfig, tools: Tools) -> Action:
    return StepsAction(spec, config.steps or [], tools)


class StepsAction:
    """Each step's effect has a name of its own, so a job that is done again does not repeat those that were done."""

    def __init__(self, spec: ActionSpec, steps: list[Step], tools: Tools) -> None:
        self._spec = spec
        self._steps = steps
        self._tools = tools

    @property
    def spec(self) -> ActionSpec:
        return self._spec

    def check(self, parameters: dict[str, Any]) -> None:
        """All that can be told before the steps have run is in the schema."""

    async def run(self, parameters: dict[str, Any], occasion: Occasion) -> Effect:
        """What the last step gave, or the first that was not done; with the files of all."""
        values: dict[str, Any] = dict(parameters)
        files: dict[str, Attached] = dict(occasion.files)
        made: list[MadeFile] = []
        effect = Effect("")
        for number, step in enumerate(self._steps):
            await occasion.tell(number, len(self._steps))
            label = step.name or step.action
            here = msgspec.structs.replace(
                occasion,
                files=files,
                effect=None if occasion.effect is None else f"{occasion.effect}.{number}",
            )
            action = self._tools.find(step.action)
            effect = await action.run(filled(step.parameters, values), here)
            made += effect.files
            if effect.outcome != "ok":
                break
            refs = []
            for place, file in enumerate(effect.files):
                ref = f"{label}:{place}"
                files[ref] = Attached(file.name, file.media_type, key=file.key)
                refs.append(ref)
            values[label] = {**effect.values, "text": effect.text, "files": refs}
        else:
            await occasion.tell(len(self._steps), len(self._steps))
        return msgspec.structs.replace(effect, files=tuple(made))
