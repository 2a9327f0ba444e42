"""What is wrong with the command of a backend, by the config alone; what stands in its words is the fleet's to judge."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from pointsman.config.schema import Backend
from pointsman.domain.errors import Problem
from pointsman.domain.said import Said, said


def words_of(backend: Backend) -> tuple[str, ...]:
    """The command, word by word: no shell reads it. Raises ValueError for a quotation that does not end."""
    command = backend.command
    if not isinstance(command, str):
        return tuple(command or ())
    try:
        return tuple(shlex.split(command))
    except ValueError as error:
        open_quote = said("it cannot be split into words: {why}", "无法拆成单词：“{why}”", why=error)
        raise ValueError(open_quote) from None


def wrong_command(backend: Backend, path: str) -> Iterator[Problem]:
    """`path` is where the backend stands."""
    if backend.command is None:
        for name in ("env", "directory"):
            if getattr(backend, name):
                alone = Said("is for a command, and there is none", "是给 command 用的，而这里没有 command")
                yield Problem(f"{path}.{name}", alone)
        if backend.sha256 is not None and backend.engine != "embedded":
            unseen = Said(
                "is of a file that the gateway has loaded, and this engine loads its own",
                "是网关让加载的文件的，而这个引擎自己加载文件",
            )
            yield Problem(f"{path}.sha256", unseen, valid="embedded, command")
        return
    if backend.engine == "embedded":
        own = Said(
            "the embedded engine needs none: name the engine that the command starts",
            "内置引擎（embedded）不需要命令：请写这个命令启动的引擎",
        )
        yield Problem(f"{path}.command", own, valid="llamacpp, vllm, ollama, trtllm, openai")
