"""TensorRT-LLM's own server (`trtllm-serve`)."""

from __future__ import annotations

from typing import ClassVar

from pointsman.backends.openai_compat import Link, OpenAICompat, Unfit
from pointsman.domain.said import said
from pointsman.domain.target import ModelFacts


class TrtLlm(OpenAICompat):
    """Read in the source of the 1.2 and 1.3 series (`tensorrt_llm/serve/openai_server.py`, `openai_protocol.py`).

    `/health` is 503 when the engine is gone; `/v1/models` names one model and says nothing of its context, so
    `settings.context` is the only source of it. The server answers whatever model a request names. What its clients
    must know: unknown fields of a request are a 400 (`extra="forbid"`), and so are `max_tokens` and
    `max_completion_tokens` together; an error is flat (`{"object": "error", "message", …}`, or `{"error": "text"}` for
    a bad field); reasoning comes as `reasoning_content`; a client's hang-up is noticed by polling once a second.
    Nothing counts the tokens of a chat."""

    engine: ClassVar[str] = "trtllm"
    label: ClassVar[str] = "TensorRT-LLM"
    always_v1: ClassVar[bool] = True

    async def _look(self, link: Link) -> tuple[ModelFacts, str | None]:
        health = await self._exchange(link.probe, "/health", None, self.settings.probe_timeout)
        if health.status == 503:
            raise Unfit(
                "down",
                said(
                    "{where} says that its model is unavailable: its log says why",
                    "{where}报告模型不可用：原因见它的日志",
                    where=self._where(),
                ),
            )
        names = [model.id for model in self._listed(await self._ask(link, f"{link.api}/models"))]
        facts = ModelFacts(engine_version=await self._version(link))
        return facts, None if self.settings.model in names else self._not_listed(names)
