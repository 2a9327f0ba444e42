"""What an arbiter chooses from, what it heard in a query, and how far its figures can be trusted."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pointsman.domain.wording import Tongue

OPEN_ENDED = "open_ended"
"""The intent of what is none of the set: it goes on to a model. No intent may have this name."""
OUT_OF_SCOPE = "oos"
"""How labelled texts name it."""

Failure = Literal["timeout", "shed", "unavailable", "invalid"]
MOST_SCORES = 10


class Intent(msgspec.Struct, frozen=True):
    """One thing that people ask for. `about` says in each language (`zh`, `en`) what it is; `examples` are texts that mean
    it, `counter_examples` texts that look like it and do not."""

    name: str
    about: dict[str, str] = {}
    examples: tuple[str, ...] = ()
    counter_examples: tuple[str, ...] = ()


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """What an arbiter hears. `text` is the user's question, of any length; `tongue` its language, for what is filled in.
    `context` is what the rules' level knows besides (document A's enhanced request): only a language model reads it."""

    text: str
    tongue: Tongue = "en"
    context: dict[str, Any] = {}


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """What an arbiter heard in one query. `arbiter` is its name, `model` says which model and heads, by a hash of all that
    made them. `scores` are raw probabilities, rounded to six decimals, in falling order, at most `MOST_SCORES`. `outside`
    is how little the query resembles any intent: 0 to 1, raw, comparable for one `model` only. `intent` and `confidence`
    are what these figures mean by the calibration that the arbiter has: the intent, and the probability that it is right;
    all that is decided follows from them. `failure`: why there are no scores. `cut`: only the beginning and the end of the
    query were heard. `took_ms` milliseconds."""

    arbiter: str
    model: str
    scores: tuple[tuple[str, float], ...] = ()
    outside: float = 0.0
    intent: str = OPEN_ENDED
    confidence: float = 0.0
    failure: Failure | None = None
    cut: bool = False
    took_ms: float = 0.0
    input_tokens: int | None = None
    output_tokens: int | None = None


class Filled(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of an action that a language model read in a query. Each holds to its schema, or is not there."""

    model: str
    parameters: dict[str, Any] = {}
    failure: Failure | None = None
    took_ms: float = 0.0
    input_tokens: int | None = None
    output_tokens: int | None = None


class Hearing(msgspec.Struct, frozen=True, kw_only=True):
    """All that arbiters said of one request: with it the decision can be computed again. `second` is what another one
    heard, where that was wanted; `window` the mean confidence of those before, where there were enough of them."""

    first: Heard
    second: Heard | None = None
    filled: Filled | None = None
    window: float | None = None


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """How raw figures become a probability that the first intent is right (a text that is none of the intents counts as
    wrong). `model` is that of the `Heard` that it was fitted on; for others it says nothing.

    Raw is x = 2·(log p1 − log p2), of which document A's confidence is the logistic function. `temperature`: x / slope.
    `platt`: slope·x + outside_slope·logit(outside) + shift. `isotonic`: the same sum, then a straight line between
    `points` (log odds, probability). `product`: that it is one of the intents, outside_slope·logit(outside) +
    outside_shift, times that it is the first one then, slope·x + shift. None of them above `ceiling`. `threshold`: what has
    an `outside` above it is open-ended. `texts` it was fitted on; `ece_before`, `ece_after`: expected calibration error over
    15 equal bins, out of sample."""

    model: str = ""
    kind: Literal["none", "temperature", "platt", "isotonic", "product"] = "none"
    slope: float = 1.0
    outside_slope: float = 0.0
    shift: float = 0.0
    outside_shift: float = 0.0
    points: tuple[tuple[float, float], ...] = ()
    ceiling: float = 1.0
    threshold: float = 1.0
    texts: int = 0
    ece_before: float | None = None
    ece_after: float | None = None
