"""`POST /v1/decide`: what would be decided on a text or a conversation, and why. Nothing is carried out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from pointsman.apart import apart
from pointsman.domain.decision import Decision
from pointsman.domain.errors import PointsmanError, did_you_mean
from pointsman.domain.request import Request
from pointsman.domain.said import Said, said
from pointsman.http.exchange import Client
from pointsman.http.openai.read import check_task, read_chat
from pointsman.http.strict_json import APART, parse_body
from pointsman.pipeline.deciding import RULES_BUDGET
from pointsman.pipeline.explained import considered
from pointsman.pipeline.pipeline import Pipeline
from pointsman.pipeline.sessions import goes_on, session_of

FIELDS = ("text", "messages", "model", "task", "user", "metadata", "tools", "response_format")
"""What has a meaning here; beside `messages` stands all that a chat may have."""


class DecideDoor:
    """`default_model` is the entry of those who name none; `count` takes `decide` and the outcome."""

    def __init__(self, pipeline: Pipeline, default_model: str, count: Callable[[str, str], None]) -> None:
        self._pipeline = pipeline
        self._default_model = default_model
        self._count = count

    async def post(self, client: Client, data: bytes) -> None:
        tree = (await apart(parse_body, data) if len(data) > APART else parse_body(data)).tree
        decision = await self.decide(client, tree)
        self._count("decide", "ok")
        client.json(200, decision)

    async def decide(self, client: Client, tree: dict[str, Any]) -> Decision:
        """An arbiter may be asked. Raises PointsmanError that names the field."""
        pipeline = self._pipeline
        request = read_question(tree, client, self._default_model)
        end = pipeline.clock.monotonic() + RULES_BUDGET

        def spent(looked: int) -> bool:
            return pipeline.clock.monotonic() > end

        policy = pipeline.policy
        loads, last = None, None
        if policy.is_scored(request):
            loads = pipeline.gate.loads(policy.targets)
            last = pipeline.sessions.last(session_of(request)) if goes_on(request) else None
        snapshot, hearings, meanings = pipeline.snapshot(), pipeline.hearings, pipeline.meanings
        decision = await considered(request, policy, snapshot, hearings, meanings, spent, loads, last)
        if decision.features is not None:
            client.question_language = decision.features.language
        return decision


def read_question(tree: dict[str, Any], client: Client, default_model: str) -> Request:
    """`null` is as good as leaving a field out. Raises PointsmanError (400) that names the field."""
    tree = {name: value for name, value in tree.items() if value is not None}
    text = tree.pop("text", None)
    if text is not None and "messages" in tree:
        raise _wrong("text", Said("give text or messages, not both", "text 和 messages 只能给一个"))
    if "messages" not in tree:
        for name in tree:
            if name not in FIELDS:
                raise _unknown(name)
        if text is None:
            raise _wrong("text", _NEITHER)
        if not isinstance(text, str):
            raise _wrong("text", Said("text must be text", "text 必须是文本"))
        tree["messages"] = [{"role": "user", "content": text}]
    task = tree.pop("task", None)
    if task is not None:
        if not isinstance(task, str):
            raise _wrong("task", Said("task must be text", "task 必须是文本"))
        check_task(task, "task")
    request = read_chat(tree, client, default_model)
    return request if task is None else msgspec.structs.replace(request, task=task)


_NEITHER = Said(
    'text (a string) or messages (a list, as a chat has them) is missing; for example {"text": "hello"}',
    '缺少 text（字符串）或 messages（列表，与对话接口相同）；例如 {"text": "你好"}',
)


def _wrong(param: str, message: Said) -> PointsmanError:
    return PointsmanError(message, param=param)


def _unknown(name: str) -> PointsmanError:
    return PointsmanError(
        said(
            'there is no field "{name}" here{hint}; valid: {valid}',
            "这里没有字段“{name}”{hint}（可用的有：{valid}）",
            name=name[:100],
            hint=did_you_mean(name[:100], list(FIELDS)),
            valid=", ".join(FIELDS),
        ),
        code="unknown_field",
        param=name[:100],
    )
