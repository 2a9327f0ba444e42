"""Who asks when, and how much: arrivals of a real chat service, slowed down to what a small machine can serve, and one
caller whose chains of calls come all at once.

`azure_conv.csv` are 1,500 requests in a row (from 20 minutes after its beginning) of the conversation trace of the Azure LLM
inference dataset 2023: seconds, tokens of the prompt, tokens of the reply. See NOTICE."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import msgspec

_TRACE = Path(__file__).with_name("azure_conv.csv")
CALLERS = 10
CHAIN = "chain"
CALLS = 40
"""Of one chain."""
_LONGEST = 100
"""Tokens of a reply."""
_WORDS = (
    "time", "way", "year", "work", "day", "place", "thing", "world", "life", "hand", "part", "child", "eye", "woman",
    "case", "point", "company", "group", "problem", "fact", "house", "night", "water", "room", "mother", "area",
    "money", "story", "month", "lot", "right", "study", "book", "word", "business", "issue", "side", "kind", "head",
    "far", "black",
)  # fmt: skip


class Arrival(msgspec.Struct, frozen=True):
    """One request: `at` seconds after the beginning, with so many words in its prompt after `context` words that all calls
    of its chain have in common, and a reply of so many tokens."""

    at: float
    caller: str
    words: int
    reply: int
    context: int = 0
    number: int = 0


class Shape(msgspec.Struct, frozen=True):
    """How the trace is made small: lengths are divided by `divide`, but are `longest` words at most. The calls of a chain
    have `context` words in common; chains begin at these shares of the time."""

    divide: float = 24.0
    longest: int = 1600
    context: int = 200
    chains: tuple[float, ...] = (0.15, 0.5)


def fitting(tokens_per_s: float, patience: float, chains: tuple[float, ...]) -> Shape:
    """For an engine that gets through so many tokens a second: a request of mean length takes it about a second, the
    longest one a quarter of the time for which clients wait, and so does what calls of a chain have in common."""
    divide = max(mean_tokens(Shape(1.0, 1 << 30)) / tokens_per_s, 2.0)
    quarter = round(tokens_per_s * patience / 4)
    return Shape(divide, max(min(quarter, 1600), 8), min(quarter, 900), chains)


def mean_tokens(shape: Shape) -> float:
    """Of a usual request, prompt and reply."""
    rows = _rows()
    tokens = (_scaled(prompt, shape, shape.longest) + _scaled(reply, shape, _LONGEST) for _, prompt, reply in rows)
    return sum(tokens) / len(rows)


def arrivals(rate: float, seconds: float, seed: int, shape: Shape) -> list[Arrival]:
    """`rate` a second of the usual callers, on average over the whole trace: its own bursts stay. The same seed gives the
    same; in the order of their times."""
    rng = random.Random(seed)  # noqa: S311
    rows = _rows()
    stretch = len(rows) / (rows[-1][0] * rate)
    begin = rng.randrange(len(rows))
    found: list[Arrival] = []
    for place in range(len(rows)):
        (came, prompt, reply), before = rows[(begin + place) % len(rows)], rows[begin][0]
        at = (came - before if came >= before else came - before + rows[-1][0]) * stretch
        if at >= seconds:
            break
        caller = f"caller-{rng.randrange(CALLERS)}"
        found.append(Arrival(at, caller, _scaled(prompt, shape, shape.longest), _scaled(reply, shape, _LONGEST)))
    for share in shape.chains:
        found += [
            Arrival(share * seconds + 0.01 * call, CHAIN, rng.randrange(5, 15), rng.randrange(4, 10), shape.context)
            for call in range(CALLS)
        ]
    ordered = sorted(found, key=lambda each: each.at)
    return [msgspec.structs.replace(each, number=number) for number, each in enumerate(ordered)]


def prompt_of(arrival: Arrival, seed: int) -> str:
    """Words of one token each; no two prompts are the same, but for what calls of a chain have in common."""
    common = random.Random(seed)  # noqa: S311
    own = random.Random(f"{seed} {arrival.number}")  # noqa: S311
    words = [common.choice(_WORDS) for _ in range(arrival.context)]
    return " ".join([*words, *(own.choice(_WORDS) for _ in range(arrival.words))])


def _rows() -> list[tuple[float, int, int]]:
    with _TRACE.open(encoding="utf-8", newline="") as file:
        return [(float(row["t"]), int(row["in"]), int(row["out"])) for row in csv.DictReader(file)]


def _scaled(tokens: int, shape: Shape, most: int) -> int:
    return min(max(round(tokens / shape.divide), 4), most)
