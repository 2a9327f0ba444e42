"""Chunks are read by rules, then by a model if there is one; what no chunk says is left out."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from pointsman.actions.extract import by_rules
from pointsman.actions.extract.ask import Answered, messages_for, read_reply, schema_for, shown_to_model
from pointsman.actions.extract.field import Field
from pointsman.actions.extract.found import Found, Passage, passages_of
from pointsman.actions.extract.spec import fields_of
from pointsman.actions.extract.stand import clean
from pointsman.actions.extract.told import answer, lacking
from pointsman.actions.tools import Tools
from pointsman.apart import apart
from pointsman.config.action_schema import ActionConfig
from pointsman.config.action_schema.extract import Extract
from pointsman.domain.action import CHUNKS, QUESTION, ActionSpec
from pointsman.domain.said import Said, Tongue
from pointsman.framing import Chunk
from pointsman.framing.chunks import LONGEST_ID, MOST, MOST_CHUNKS, chunks_of
from pointsman.ports.action import Action, ActionFailed, Effect, Occasion

log = logging.getLogger("pointsman")
_SHORT = 2_000
"""Characters of chunks that are read in the event loop."""
_BY_RULES = Said(
    "extract %s: the model is not to be had, so rules alone fill: %s", "摘录 %s：模型暂不可用，只按规则填写：%s"
)


def made(spec: ActionSpec, config: ActionConfig, tools: Tools) -> Action:
    assert config.extract is not None
    return ExtractAction(spec, config.extract, tools)


class ExtractAction:
    """`values`: `intent` (the action's name), `fields`, `chunks` (the ids that say each of them), `by` (rules or model),
    `missing` (what is required and nothing says), `dropped` (how many of the model's values no chunk says)."""

    def __init__(self, spec: ActionSpec, given: Extract, tools: Tools) -> None:
        self._spec = spec
        self._given = given
        self._tools = tools
        self._fields, _ = fields_of(given, "")
        self._template = _by_tongue(given.template)

    @property
    def spec(self) -> ActionSpec:
        return self._spec

    def check(self, parameters: dict[str, Any]) -> None:
        """The schema says it all."""

    async def run(self, parameters: dict[str, Any], occasion: Occasion) -> Effect:
        question = str(parameters.get(QUESTION, ""))
        given, instead = parameters.get(CHUNKS, []), None
        if self._given.source != CHUNKS:
            effect = await self._faq(question, occasion)
            if effect.outcome == "failed":
                return effect
            given, instead = (_entry(effect), None) if effect.outcome == "ok" else ([], effect.text)
        long = sum(map(_length, given)) > _SHORT
        passages = await apart(_passages, given) if long else _passages(given)
        found, dropped, unread = await self._found(passages, question, occasion)
        missing = [field for field in self._fields if field.required and field.name not in found]
        if not found and not missing:
            missing = self._fields
        values = {
            "intent": self._spec.name,
            "fields": {name: _value(field, found[name]) for name, field in self._named(found)},
            CHUNKS: {name: found[name].chunks(passages) for name, _ in self._named(found)},
            "by": {name: found[name].by for name, _ in self._named(found)},
            "missing": [field.name for field in missing],
            "dropped": dropped,
        }
        if not missing:
            text = answer(self._template, self._fields, found, passages, occasion.tongue)
            return Effect(text, values=values)
        cut = unread or any(passage.chunk.cut for passage in passages)
        text = lacking(missing, passages, cut, occasion.tongue)
        code = "no_support" if passages else "no_chunks"
        return Effect(text if instead is None else f"{instead}\n{text}", "refused", code, values=values)

    async def _found(
        self, passages: Sequence[Passage], question: str, occasion: Occasion
    ) -> tuple[dict[str, Found], int, bool]:
        """By field; how many of the model's values were dropped; whether the model could not be shown all passages."""
        if not passages:
            return {}, 0, False
        long = sum(len(passage.chunk.text) for passage in passages) > _SHORT
        read = by_rules.read
        ruled = await apart(read, self._fields, passages) if long else read(self._fields, passages)
        if self._given.model is None or _settled(self._fields, ruled, passages):
            return ruled, 0, False
        shown = shown_to_model(passages, self._given.characters)
        unread = shown < len(passages) or len(passages[0].chunk.text) > self._given.characters
        try:
            answered = await self._asked(passages[:shown], question, occasion)
        except ActionFailed as failure:
            if not ruled or any(field.required and field.name not in ruled for field in self._fields):
                raise
            log.warning(_BY_RULES, self._spec.name, failure.code)
            return ruled, 0, False
        if answered is None:
            return ruled, 0, unread
        instead = {name: one for name, one in ruled.items() if one.sure and name in answered.without}
        return {**instead, **answered.found}, answered.dropped, unread

    async def _asked(self, passages: Sequence[Passage], question: str, occasion: Occasion) -> Answered | None:
        """One call. Raises ActionFailed where there is no reply at all."""
        given = self._given
        messages = messages_for(self._fields, passages, question, given.characters, occasion.tongue)
        reply = await self._tools.ask_model(
            given.model or "",
            messages,
            occasion,
            max_tokens=given.max_tokens,
            schema=schema_for(self._fields, len(passages)),
            seconds=self._spec.seconds,
            temperature=0.0,
        )
        return await apart(read_reply, reply, self._fields, passages)

    async def _faq(self, question: str, occasion: Occasion) -> Effect:
        faq = self._tools.find(self._given.source)
        return await faq.run({QUESTION: question}, msgspec.structs.replace(occasion, effect=None))

    def _named(self, found: Mapping[str, Found]) -> list[tuple[str, Field]]:
        return [(field.name, field) for field in self._fields if field.name in found]


def _entry(effect: Effect) -> list[Any]:
    """An FAQ's answer as a chunk."""
    values = effect.values
    return [{"id": values.get("id") or "1", "text": f"{values.get('question') or ''}\n{effect.text}".strip()}]


def _length(given: Any) -> int:
    return len(given) if isinstance(given, str) else len(str(given["text"]))


def _passages(given: list[Any] | str) -> list[Passage]:
    return passages_of(given_chunks(given))


def given_chunks(given: list[Any] | str) -> list[Chunk]:
    """As they came with the request, or as a client or a step wrote them: those without an id are numbered."""
    if isinstance(given, str):
        return list(chunks_of([given]))
    chunks: list[Chunk] = []
    used: set[str] = set()
    left = MOST
    for number, one in enumerate(given[:MOST_CHUNKS], 1):
        text = one if isinstance(one, str) else str(one["text"])
        name = str(number) if isinstance(one, str) else clean(str(one.get("id", "")))[:LONGEST_ID] or str(number)
        while name in used:
            name += "'"
        used.add(name)
        more = len(text) > left or (number < len(given) and (len(text) == left or number == MOST_CHUNKS))
        cut = more or (isinstance(one, dict) and one.get("cut") is True)
        if text[:left].strip():
            chunks.append(Chunk(name, text[:left], cut))
        left -= len(text)
        if left <= 0:
            break
    return chunks


def _settled(fields: Sequence[Field], ruled: Mapping[str, Found], passages: Sequence[Passage]) -> bool:
    """Whether no model is needed: rules are sure of all that is required, or of all fields where none is, and one chunk
    says it."""
    wanted = [field.name for field in fields if field.required] or [field.name for field in fields]
    if not all(name in ruled and ruled[name].sure for name in wanted):
        return False
    return len({chunk for name in wanted for chunk in ruled[name].chunks(passages)}) == 1


def _value(field: Field, found: Found) -> Any:
    values = [item.value for item in found.items]
    return values if field.many else values[0]


def _by_tongue(template: str | dict[str, str] | None) -> dict[Tongue, str] | None:
    if template is None:
        return None
    if isinstance(template, str):
        return {"en": template, "zh": template}
    tongues: tuple[Tongue, ...] = ("en", "zh")
    return {tongue: template[tongue] for tongue in tongues if tongue in template}
