"""The cases that a rule in the clear form must have, in short, for rules that a test needs for something else."""

from __future__ import annotations

import json


def case_lines(takes: str, misses: str = "nothing of it", edge: str | None = None) -> str:
    """The last lines of a rule in block style: a text that it must take, one that it must not, and one just outside
    (default: what it takes, with a letter before it, which makes another word of it)."""
    return "".join(f"  {line}\n" for line in _cases(takes, misses, edge))


def cases(takes: str, misses: str = "nothing of it", edge: str | None = None) -> str:
    """The same for the inside of a rule in flow style."""
    return ", ".join(_cases(takes, misses, edge))


def _cases(takes: str, misses: str, edge: str | None) -> list[str]:
    one, other, beside = (json.dumps(text, ensure_ascii=False) for text in (takes, misses, edge or f"x{takes}"))
    return [f"examples: [{one}]", f"counter_examples: [{other}]", f"boundary: [{{text: {beside}, takes: false}}]"]
