"""The model call."""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.actions.slots import filled
from pointsman.actions.tools import Tools
from pointsman.config.action_schema import ActionConfig
from pointsman.config.action_schema.generate import Generate
from pointsman.domain.action import ActionSpec
from pointsman.domain.json_schema import validator_of
from pointsman.domain.said import Said, said
from pointsman.ports.action import Action, ActionFailed, Effect, Occasion


def made(spec: ActionSpec, config: ActionConfig, tools: Tools) -> Action:
    assert config.generate is not None
    return GenerateAction(spec, config.generate, tools)


class GenerateAction:
    """Asks as a client would: the rules, routes and limits of the model's name apply. With a `schema`, the reply's fields
    are its values, and a reply of another form has failed."""

    def __init__(self, spec: ActionSpec, given: Generate, tools: Tools) -> None:
        self._spec = spec
        self._given = given
        self._tools = tools
        self._validator = None if given.schema is None else validator_of(given.schema)

    @property
    def spec(self) -> ActionSpec:
        return self._spec

    def check(self, parameters: dict[str, Any]) -> None:
        """The schema says it all."""

    async def run(self, parameters: dict[str, Any], occasion: Occasion) -> Effect:
        given = self._given
        messages = [{"role": "user", "content": _text(given.prompt, parameters)}]
        if given.system is not None:
            messages.insert(0, {"role": "system", "content": _text(given.system, parameters)})
        text = await self._tools.ask_model(
            given.model,
            messages,
            occasion,
            max_tokens=given.max_tokens,
            schema=given.schema,
            seconds=self._spec.seconds,
        )
        return Effect(text, values=self._values(text))

    def _values(self, text: str) -> dict[str, Any]:
        if self._validator is None:
            return {}
        try:
            value = msgspec.json.decode(text)
        except msgspec.DecodeError:
            raise ActionFailed("bad_reply", _NO_JSON, again=True) from None
        if (error := next(iter(self._validator.iter_errors(value)), None)) is not None:
            en, zh = (
                "The model's reply is not of the form that was asked for: {why}.",
                "模型的回复不符合要求的格式：{why}。",
            )
            raise ActionFailed("bad_reply", said(en, zh, why=str(error.message)[:200]), again=True)
        return value if isinstance(value, dict) else {"value": value}


def _text(template: str, parameters: dict[str, Any]) -> str:
    value = filled(template, parameters)
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


_NO_JSON = Said("The model's reply is no JSON.", "模型的回复不是 JSON。")
