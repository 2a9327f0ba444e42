"""How long a target's reply takes until it is whole, and how much work that is. Seconds."""

from __future__ import annotations

import msgspec

from pointsman.domain.decision import RateSource
from pointsman.domain.features import Features
from pointsman.domain.target import BackendState, Load, Target
from pointsman.routing.sizes import size_of

_OUTPUT = {
    "greeting": 30,
    "faq": 120,
    "open_qa": 200,
    "classification": 10,
    "extraction": 80,
    "summarization": 200,
    "creative": 500,
    "code_completion": 300,
    "code_review": 400,
    "math": 300,
    "analysis": 500,
    "multi_step": 600,
    "long_context": 300,
    "vision": 150,
}
"""Tokens of a usual reply by kind of task, our own estimate. The others: 250, near the median of a public chat service's
replies; translations and rewritings are as long as what they are made of."""
_USUAL_OUTPUT = 250
_AS_LONG = ("translation", "rewriting")
_BRIEF = 60
_DECODE, _PREFILL = 600.0, 12_000.0
"""Tokens a second of a model of one billion parameters, four bits each, on a card that reads 400 GB a second; a larger one
is slower in proportion. What is assumed until a target was measured."""
_LOAD = 0.6
"""Seconds to load a billion parameters, four bits each, from a disk that reads about 1 GB a second."""


class Duration(msgspec.Struct, frozen=True, gc=False):
    """`whole` from now until the reply is whole, `work` the part of it in which the target works on this very request."""

    whole: float
    work: float
    rate_from: RateSource


def expected_output(features: Features, max_output: int | None) -> int:
    """Tokens of the reply; what the client lets it have bounds them."""
    if features.task_type in _AS_LONG:
        tokens = max(features.question_tokens, 20)
    else:
        tokens = _OUTPUT.get(features.task_type or "", _USUAL_OUTPUT)
    if features.brief:
        tokens = min(tokens, _BRIEF)
    return tokens if max_output is None else max(min(tokens, max_output), 0)


def duration(target: Target, state: BackendState, load: Load, fresh_tokens: int, output_tokens: int) -> Duration:
    """`fresh_tokens` are those of the prompt that the target has not in its cache."""
    size, source = size_of(target, state)
    rate_from: RateSource = source
    prefill, decode = state.prefill_rate, state.decode_rate
    if prefill is not None and decode is not None:
        rate_from = "measured"
    prefill = prefill or min(max(_PREFILL / size, 20.0), 20_000.0)
    decode = decode or min(max(_DECODE / size, 1.0), 400.0)
    work = fresh_tokens / prefill + output_tokens / decode
    loading = 0.0
    if state.resident is False or state.health == "loading":
        loading = 1.0 + _LOAD * size if state.load_seconds is None else state.load_seconds
    return Duration(load.wait + loading + work, work, rate_from)
