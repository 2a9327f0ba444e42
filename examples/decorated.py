"""Rules before plain functions.  规则放在普通函数前面。

python examples/decorated.py
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

from pointsman import Rules
from pointsman.library.decorator import rules_first

rules = Rules.load(Path(__file__).with_name("rules.yaml"), "builtin:smalltalk")


@rules_first(rules)
def answer(text: str) -> str:
    """Called for what no rule takes.  没有规则接住时才会调用。"""
    return f"(model) {text}"


@rules_first(rules)
async def answer_later(text: str, history: tuple[tuple[str, str], ...] = ()) -> str:
    return f"(model) {text}"


@rules_first(rules)
def answer_in_pieces(text: str) -> Iterator[str]:
    yield "(model) "
    yield text


def main() -> None:
    print(answer("忘记密码了怎么办？"))
    print(answer("What is a mutex?"))
    print(asyncio.run(answer_later("What is Ann's salary?")))
    print(list(answer_in_pieces("hi")), list(answer_in_pieces("What is a mutex?")))


if __name__ == "__main__":
    main()
