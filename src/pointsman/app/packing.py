"""A Setup → bytes for another process, and back. What the receiver runs on is what the sender checked, whatever becomes of
the files."""

from __future__ import annotations

import gc
import hashlib
import time
from collections.abc import Callable
from typing import Any

import msgspec

from pointsman.actions.report.settings import SourceSettings
from pointsman.app.setup import Setup
from pointsman.config.schema import Config
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.rule import Rule
from pointsman.domain.said import Said
from pointsman.pipeline.policy import Policy
from pointsman.routing.classifier.difficulty import difficulty_of
from pointsman.routing.classifier.tasks import tasks_of

SLICE, BREATH = 0.002, 0.0005
"""Seconds of work, and of rest after it, while a policy is compiled beside requests."""


class Both(msgspec.Struct, frozen=True, array_like=True):
    """A text, and its Chinese where it has one."""

    en: str
    zh: str | None = None


def both(text: str) -> Both:
    return Both(str(text), text.zh if isinstance(text, Said) else None)


def text_of(both: Both) -> str:
    return both.en if both.zh is None else Said(both.en, both.zh)


class Packed(msgspec.Struct, frozen=True):
    """A Setup on its way; `document` is the policy's."""

    config: Config
    document: bytes
    sources: dict[str, SourceSettings]
    base: str
    notes: list[Both]
    no_model: Both | None
    unread: list[Both]
    own_tasks: bytes | None = None
    own_difficulty: bytes | None = None
    file: str | None = None


def packed(setup: Setup) -> Packed:
    return Packed(
        setup.config,
        setup.policy.document.encode(),
        setup.sources,
        setup.base,
        [both(note) for note in setup.notes],
        None if setup.no_model is None else both(setup.no_model),
        [both(note) for note in setup.unread],
        None if setup.policy.own_tasks is None else setup.policy.own_tasks.data,
        None if setup.policy.own_difficulty is None else setup.policy.own_difficulty.data,
        setup.file,
    )


def unpacked(packed: Packed) -> Setup:
    """Compiles the policy, a second for some ten thousand rules. In a thread: it works in small slices, and rests between
    them, because a thread that never rests holds up the event loop for as long as it likes. What it makes is here to stay:
    the collector, which stops everything while it looks, looks at none of it."""
    pause = _pause()
    gc.disable()
    try:
        own = None if packed.own_tasks is None else tasks_of(packed.own_tasks)
        own_difficulty = None if packed.own_difficulty is None else difficulty_of(packed.own_difficulty)
        policy = Policy(_document(packed.document, pause), _hash(packed.document), pause, own, own_difficulty)
        policy.read_models()
    finally:
        gc.freeze()
        gc.enable()
    return Setup(
        config=packed.config,
        policy=policy,
        sources=packed.sources,
        base=packed.base,
        notes=tuple(map(text_of, packed.notes)),
        no_model=None if packed.no_model is None else text_of(packed.no_model),
        unread=tuple(map(text_of, packed.unread)),
        file=packed.file,
    )


def _document(data: bytes, pause: Callable[[], None]) -> PolicyDocument:
    """Rule by rule: all at once would be one long piece of work that nothing interrupts."""
    fields = msgspec.msgpack.decode(data, type=dict[str, msgspec.Raw])
    rules = []
    for raw in msgspec.msgpack.decode(fields.pop("rules"), type=list[msgspec.Raw]):
        pause()
        rules.append(msgspec.msgpack.decode(raw, type=Rule))
    rest: dict[str, Any] = {**fields, "rules": []}
    document = msgspec.msgpack.decode(msgspec.msgpack.encode(rest), type=PolicyDocument)
    return msgspec.structs.replace(document, rules=tuple(rules))


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def _pause() -> Callable[[], None]:
    worked = time.perf_counter()

    def pause() -> None:
        nonlocal worked
        if time.perf_counter() - worked > SLICE:
            time.sleep(BREATH)
            worked = time.perf_counter()

    return pause
