"""What an engine that a command starts is started with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from pointsman.domain.errors import did_you_mean
from pointsman.domain.said import Said, said

SLOTS = ("port", "host", "model", "name", "context", "total_context", "slots", "gpu_layers")
"""What a command and the values of its variables may have filled in, in braces."""
_SLOT = re.compile(r"\{\{([a-z_]+)\}\}|\{([a-z_]+)\}")


class CommandSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`model` is the model's name there, and what `{model}` stands for: the file itself where it is one. Where its server
    listens: `address` (a base URL), else `host` and `port` (0: a free one at each start, told by `{port}`). `env` is added
    to the gateway's own, `directory` is where the command runs. `grace`: seconds between SIGTERM and SIGKILL. `sha256`
    (`sha256:…`) is what the file has to be that `{model}` names, and `hashes` where such are remembered. Raises ValueError
    for what cannot be."""

    model: str
    name: str
    engine: str
    command: tuple[str, ...]
    address: str | None = None
    host: str = "127.0.0.1"
    port: int = 0
    env: dict[str, str] = {}
    directory: str | None = None
    context: int | None = None
    slots: int | None = None
    gpu_layers: int | None = None
    api_key: str | None = None
    grace: float = 10.0
    sha256: str | None = None
    hashes: Path | None = None

    def __post_init__(self) -> None:
        if not self.command or not self.command[0]:
            raise ValueError(Said("the command is empty", "命令是空的"))
        if any("\0" in word for word in (*self.command, *self.env, *self.env.values(), self.directory or "")):
            raise ValueError(Said("a command cannot hold a zero byte", "命令里不能有零字节"))
        for name in self.env:
            if not name or "=" in name:
                raise ValueError(said('"{name}" is no name of a variable', "“{name}”不是变量名", name=name))
        used = {slot for word in (*self.command, *self.env.values()) for slot in slots_of(word)}
        for slot in sorted(used - set(SLOTS)):
            raise ValueError(
                said(
                    "{{{slot}}} stands for nothing{hint} (valid: {valid}; two braces stand for one)",
                    "{{{slot}}} 没有意义{hint}（合法取值：{valid}；两个花括号表示一个花括号）",
                    slot=slot,
                    hint=did_you_mean(slot, list(SLOTS)),
                    valid=", ".join(SLOTS),
                )
            )
        needs = {"context": self.context, "slots": self.slots, "gpu_layers": self.gpu_layers}
        needs["total_context"] = self.context if self.slots else None
        for slot in sorted(used & set(needs)):
            if needs[slot] is None:
                wanted = "context, slots" if slot == "total_context" else slot
                raise ValueError(
                    said(
                        "the command names {{{slot}}}, and {wanted} is not set",
                        "命令里有 {{{slot}}}，但没有设置 {wanted}",
                        slot=slot,
                        wanted=wanted,
                    )
                )
        if self.address is None and not self.port and "port" not in used:
            raise ValueError(
                Said(
                    "nobody knows where the command will listen: put {port} into it, or set port or base_url",
                    "不知道这个命令会在哪里监听：请在命令里写上 {port}，或者设置 port 或 base_url",
                )
            )
        if self.address is not None and not _is_http(self.address):
            raise ValueError(
                Said(
                    "what a command starts is asked at http://host:port",
                    "由命令启动的引擎，只能通过 http://主机:端口 访问",
                )
            )


def _is_http(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme == "http" and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is none
        return False


def place_of(settings: CommandSettings) -> tuple[str, int]:
    """Where it is to listen: host and port, 0 for a free one."""
    if settings.address is None:
        return settings.host, settings.port
    parts = urlsplit(settings.address)
    return parts.hostname or settings.host, parts.port or 80


def slots_of(word: str) -> Iterator[str]:
    return (found[2] for found in _SLOT.finditer(word) if found[2])


def filled(word: str, values: Mapping[str, object]) -> str:
    return _SLOT.sub(lambda found: f"{{{found[1]}}}" if found[1] else str(values[found[2]]), word)
