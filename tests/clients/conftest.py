"""A gateway as these clients meet it: one chat engine that a test scripts, one embedding model, the shipped packs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from execution.engine import Door, conversation, door, streamed


@pytest.fixture(scope="module")
def opened() -> Iterator[Door]:
    with door(rules={"packs": ["builtin:smalltalk", "builtin:ops-faq"]}) as gateway:
        yield gateway


@pytest.fixture
def gateway(opened: Door) -> Door:
    opened.engine.asked.clear()
    opened.engine.plays.clear()
    opened.engine.play = streamed(conversation("Trains ", "run ", "on rails: 你好 🚂"))
    return opened
