"""Labels along the one way that a reply took, for engines that cannot be asked how another one would go on. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import msgspec

from pointsman.arbiter.llm.labels import settle, split
from pointsman.arbiter.llm.repair import object_in


class Likely(msgspec.Struct, frozen=True):
    token: str
    logprob: float


class Position(msgspec.Struct, frozen=True):
    """A token of the reply, and what could have stood there instead, as OpenAI's and Ollama's log probabilities tell."""

    token: str
    logprob: float
    top_logprobs: tuple[Likely, ...] = ()


def along(positions: Sequence[Position], labels: Sequence[str], name: str) -> dict[str, float] | None:
    """Shares of the labels in a reply `{"name": label}`. What could have stood instead of a token and leads to one label
    counts for it; to several, for each of them evenly. None where the reply holds no label."""
    begins = re.compile(rf'\s*\{{\s*"{re.escape(name)}"\s*:\s*"')
    shares: dict[str, float] = {}
    said, weight, met = "", 1.0, False
    for position in positions:
        before, own = begins.match(said), _after(said + position.token, begins)
        if before or own:
            inside = said[before.end() :] if before else ""
            decided, longer = settle(inside, _tokens(position, said, begins), labels)
            for label, share in decided.items():
                shares[label] = shares.get(label, 0.0) + weight * share
            for text, share in longer.items():
                if text != own:
                    for label, part in split(text, weight * share, labels).items():
                        shares[label] = shares.get(label, 0.0) + part
            met = met or bool(decided or longer)
            weight *= longer.get(own, 0.0)
        said += position.token
        if weight <= 0.0:
            break
    total = sum(shares.values())
    return {label: share / total for label, share in shares.items()} if met and total > 0.0 else None


def _after(text: str, begins: re.Pattern[str]) -> str:
    found = begins.match(text)
    return text[found.end() :] if found else ""


def _tokens(position: Position, said: str, begins: re.Pattern[str]) -> list[tuple[str, float]]:
    """What may stand here, as far as it is inside of the label."""
    known = {position.token: position.logprob, **{each.token: each.logprob for each in position.top_logprobs}}
    inside = begins.match(said)
    found = []
    for token, logprob in known.items():
        begun = inside or begins.match(said + token)
        if begun:
            text = token if inside else (said + token)[begun.end() :]
            found.append((text, math.exp(min(logprob, 0.0))))
    return found


def chosen(text: str, labels: Sequence[str], name: str) -> str | None:
    """The label that a reply names, as JSON or bare."""
    value = object_in(text)
    said = value.get(name) if value is not None else text.strip().strip("\"'`")
    return next((label for label in labels if isinstance(said, str) and said.strip() == label), None)
