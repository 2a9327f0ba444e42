"""The text that a product wraps around its user's question."""

from __future__ import annotations

import msgspec


class Frame(msgspec.Struct, frozen=True):
    """How to find the question in one product's messages: a `template` of the whole message, with {question}, {context},
    {history} and {any} in it, or else a `regex` (RE2) with a group named `question`, and maybe one named `context`. One of
    the two is given."""

    name: str
    template: str | None = None
    regex: str | None = None
