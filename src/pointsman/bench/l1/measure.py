"""One model after another: stability, schemas, parallel queries, instructions, tokens."""

from __future__ import annotations

import asyncio
import datetime
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from pointsman.arbiter.enhanced import context_of
from pointsman.arbiter.llm.repair import object_in
from pointsman.arbiters.llm.arbiter import LlmArbiter
from pointsman.arbiters.llm.chat import Chat
from pointsman.arbiters.llm.engine import Engine, Written
from pointsman.arbiters.llm.engines import engine_of
from pointsman.arbiters.llm.exchange import Unheard, post, read
from pointsman.bench.l1.instructions import INSTRUCTIONS
from pointsman.bench.l1.requests import ENHANCED, INTENTS, QUERIES
from pointsman.bench.l1.schemas import FORMS, LEVELS, Form
from pointsman.bench.load import quantile
from pointsman.bench.results import Failure, Results, Sample, new_results
from pointsman.domain.intent import Heard, Query
from pointsman.domain.json_schema import validator_of
from pointsman.domain.said import Said, said
from pointsman.features.extract import extract
from pointsman.ports.backend import Backend

Progress = Callable[[str], None]
CONTRACT, ARBITER = "contract", "arbiter"
AT_ONCE = (1, 2, 4, 8, 12, 16, 24, 32)
LANGUAGES = ("zh", "en")
PLAIN = "plain query"
FIELDS = ("sql_snippet", "db_type", "risk_level", "code_language", "files", "time_range", "user_role", "conversation")
_DAY = datetime.date(2025, 6, 18)
MOST_TOKENS = 200
"""Of an object; what is longer is cut off, and invalid."""
EACH_STEP = 3
"""Queries of each client of a step."""


class Plan(msgspec.Struct, frozen=True):
    """`calls` of the contract and of the arbiter; `seconds` that one call may take; `most` queries at a time; `late`: a
    query that takes so many seconds comes too late."""

    calls: int = 100
    seconds: float = 120.0
    most: int = 32
    late: float = 2.0


async def run_l1(models: Sequence[tuple[str, Backend]], plan: Plan, progress: Progress) -> Results:
    """Subjects are models, with the engine's version. Rows: `contract` (`calls`, `valid`, `repaired` as shares, `p50_ms`,
    `p95_ms`, `tokens` written), `arbiter` (the same, `tokens` read), `schemas N` for each level (`forms`, `accepted`,
    `valid`), `parallel N` (`per_s`, `p95_ms`, `failed`), `instructions zh` and `en` (`asked`, `followed`), `plain query`
    and `field NAME` (`tokens`: what it adds to a query)."""
    rows = [CONTRACT, ARBITER, *(f"schemas {level}" for level in LEVELS)]
    rows += [f"parallel {step}" for step in AT_ONCE if step <= plan.most]
    rows += [f"instructions {language}" for language in LANGUAGES]
    rows += [PLAIN, *(f"field {name}" for name in FIELDS)]
    results = new_results("l1", {**msgspec.structs.asdict(plan), "forms": len(FORMS)}, rows)
    for name, backend in models:
        state = await backend.probe()
        results.versions[name] = f"{backend.target.engine} {state.facts.engine_version or ''}".strip()
        if state.health != "up":
            why = state.problem or said("it does not answer", "没有应答")
            results.failures.append(Failure(name, "*", 1, why))
            continue
        await _Model(name, backend, plan, results, progress).measure()
    return results


class _Model:
    def __init__(self, name: str, backend: Backend, plan: Plan, results: Results, progress: Progress) -> None:
        self.name = name
        self.backend = backend
        self.engine: Engine = engine_of(backend)
        self.arbiter = LlmArbiter(name, backend, INTENTS, timeout=plan.seconds)
        self.plan = plan
        self.results = results
        self.progress = progress

    async def measure(self) -> None:
        await self._contract()
        await self._arbiter()
        await self._schemas()
        await self._parallel()
        await self._instructions()
        await self._tokens()

    def _told(self, row: str, values: dict[str, float]) -> None:
        self.results.samples.append(Sample(self.name, row, 1, values))

    def _now(self, what: Said) -> None:
        self.progress(said("{model}: {what}", "{model}：{what}", model=self.name, what=what))

    async def _write(self, text: str, form: Form) -> Written:
        """Raises Unheard, TimeoutError."""
        words = f"Reply with one JSON object by this schema: {msgspec.json.encode(form.schema).decode()}"
        messages = [{"role": "system", "content": words}, {"role": "user", "content": text}]
        async with asyncio.timeout(self.plan.seconds):
            return await self.engine.write(messages, form.schema, MOST_TOKENS)

    async def _contract(self) -> None:
        """Document A's three parts, again and again, on queries that differ."""
        form = next(form for form in FORMS if form.name == "contract")
        valid = validator_of(form.schema).is_valid
        sound = mended = written = 0
        took = []
        for number in range(self.plan.calls):
            if number % 10 == 0:
                text = said("contract, {done} of {all}", "契约，{done}/{all}", done=number, all=self.plan.calls)
                self._now(text)
            began = time.perf_counter()
            query = f"{QUERIES[number % len(QUERIES)][0]} ({number})"
            try:
                reply = await self._write(query, form)
            except (Unheard, TimeoutError):
                continue
            took.append((time.perf_counter() - began) * 1000)
            written += reply.output_tokens
            sound += valid(_plain(reply.text))
            mended += (repaired := object_in(reply.text)) is not None and valid(repaired)
        calls = self.plan.calls
        values = {"calls": float(calls), "valid": sound / calls, "repaired": mended / calls}
        values |= {"p50_ms": quantile(took, 0.5), "p95_ms": quantile(took, 0.95), "tokens": written / max(1, len(took))}
        self._told(CONTRACT, values)

    async def _arbiter(self) -> None:
        heard = []
        for number in range(self.plan.calls):
            if number % 10 == 0:
                text = said("arbiter, {done} of {all}", "仲裁，{done}/{all}", done=number, all=self.plan.calls)
                self._now(text)
            heard.append(await self._hear(number))
        good = [each for each in heard if _holds(each)]
        took = [each.took_ms for each in good]
        values = {"calls": float(len(heard)), "valid": len(good) / len(heard), "repaired": len(good) / len(heard)}
        values |= {"p50_ms": quantile(took, 0.5), "p95_ms": quantile(took, 0.95)}
        values["tokens"] = sum(each.input_tokens or 0 for each in good) / max(1, len(good))
        self._told(ARBITER, values)

    async def _hear(self, number: int) -> Heard:
        text, tongue = QUERIES[number % len(QUERIES)]
        return await self.arbiter.hear(Query(text=f"{text} ({number})", tongue=tongue))

    async def _schemas(self) -> None:
        for level in LEVELS:
            forms = [form for form in FORMS if form.level == level]
            accepted = sound = 0
            for form in forms:
                self._now(said("schema {name}", "模式 {name}", name=form.name))
                try:
                    reply = await self._write(f"Write an example: {form.about}", form)
                except (Unheard, TimeoutError):
                    continue
                accepted += 1
                value = object_in(reply.text)
                sound += value is not None and validator_of(form.schema).is_valid(value)
            count = len(forms)
            values = {"forms": float(count), "accepted": accepted / count, "valid": sound / count}
            self._told(f"schemas {level}", values)

    async def _parallel(self) -> None:
        """So many clients, each with its queries one after another; a step with failures is the last."""
        for step in AT_ONCE:
            if step > self.plan.most:
                return
            self._now(said("{step} queries at a time", "{step} 个并发", step=step))
            began = time.perf_counter()

            async def client(number: int) -> list[Heard]:
                return [await self._hear(number * EACH_STEP + each) for each in range(EACH_STEP)]

            heard = [each for part in await asyncio.gather(*map(client, range(step))) for each in part]
            seconds = time.perf_counter() - began
            took = [each.took_ms for each in heard]
            failed = sum(not _holds(each) for each in heard)
            values = {"per_s": len(heard) / seconds, "p95_ms": quantile(took, 0.95), "failed": float(failed)}
            self._told(f"parallel {step}", values)
            if failed:
                return

    async def _instructions(self) -> None:
        for language in LANGUAGES:
            asked = [each for each in INSTRUCTIONS if each.language == language]
            self._now(said("instructions, {language}", "指令，{language}", language=language))
            followed = 0
            for each in asked:
                fields = {
                    "model": self.backend.target.model,
                    "messages": [{"role": "user", "content": each.text}],
                    "max_tokens": 60,
                    "temperature": 0.0,
                    "seed": 1,
                }
                try:
                    async with asyncio.timeout(self.plan.seconds):
                        reply = read(await post(self.backend, "/chat/completions", fields), Chat)
                except (Unheard, TimeoutError):
                    continue
                followed += each.check(reply.text)
            count = len(asked)
            self._told(f"instructions {language}", {"asked": float(count), "followed": followed / count})

    async def _tokens(self) -> None:
        """By the engine's own tokenizer, where it counts; else nothing is told."""
        self._now(said("tokens of the enhanced request", "增强请求的 token 数"))
        plain: list[int] = []
        added: dict[str, list[int]] = {}
        for request in ENHANCED:
            question = request.question or ""
            context = context_of(request, extract(request, None, question), question, _DAY)
            alone = await self._count(question)
            if alone is None:
                return
            plain.append(alone)
            for name, value in context.items():
                more = await self._count(question + "\n" + msgspec.json.encode({name: value}).decode())
                if more is not None:
                    added.setdefault(name, []).append(more - alone)
        self._told(PLAIN, {"tokens": sum(plain) / len(plain)})
        for name in FIELDS:
            if name in added:
                self._told(f"field {name}", {"tokens": sum(added[name]) / len(added[name])})

    async def _count(self, text: str) -> int | None:
        return await self.backend.count_tokens(text)


def _plain(text: str) -> Any:
    """None for what is no JSON."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def _holds(heard: Heard) -> bool:
    """Whether it is what the contract promises."""
    names = {intent.name for intent in INTENTS} | {"open_ended"}
    return heard.failure is None and heard.intent in names and 0.0 <= heard.confidence <= 1.0
