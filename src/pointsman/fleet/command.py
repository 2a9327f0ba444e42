"""An engine that the gateway starts by a command line of the user's: `llama-server -m {model} --port {port}`, `vllm serve
{model} --port {port}`, `docker run --rm …`."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from urllib.parse import urlsplit

import msgspec
import psutil

from pointsman.config.references import is_loopback
from pointsman.domain.errors import did_you_mean
from pointsman.domain.said import Said, said
from pointsman.domain.target import ModelFacts
from pointsman.fleet.builtin import PREFIX
from pointsman.fleet.child_kind import Launch
from pointsman.fleet.file_promise import check_hash
from pointsman.fleet.gguf import GgufError, read_gguf
from pointsman.fleet.health_probe import listed_models, wait_healthy
from pointsman.fleet.model_check import BadModel, check_model
from pointsman.fleet.port_owner import explain_port, is_free
from pointsman.fleet.same_file import holders, note_of
from pointsman.ports.model_driver import LoadFailure

# by its path and alone: what stays beside each engine takes 10 MB
KEEPER = (sys.executable, "-I", "-S", str(Path(__file__).with_name("keeper.py")))
SLOTS = ("port", "host", "model", "name", "context", "total_context", "slots", "gpu_layers")
"""What a command and the values of its variables may have filled in, in braces."""
_SLOT = re.compile(r"\{\{([a-z_]+)\}\}|\{([a-z_]+)\}")
_ANY_NAME = ("ollama", "openai")
"""Engines whose list of models is no list of what is loaded, or is not to be relied on."""
_LISTED = 5


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
        used = {slot for word in (*self.command, *self.env.values()) for slot in _slots(word)}
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


class CommandChild:
    """A ChildKind."""

    def __init__(self, settings: CommandSettings) -> None:
        self._settings = settings
        self.name = settings.name
        self.place = _place(settings)
        self.force = signal.SIGUSR1 if os.name == "posix" else signal.SIGTERM

    def prepare(self, given_up: threading.Event) -> Launch:
        settings = self._settings
        if os.name != "posix":
            raise LoadFailure("refused", Said("commands are started on POSIX alone", "命令只能在 POSIX 系统上启动"))
        directory = find_program(settings)
        host, fixed = self.place
        if fixed and is_loopback(host) and not is_free(host, fixed):
            raise LoadFailure("port", explain_port(host, fixed))
        port = settings.port or _free_port(settings.host)
        model, facts, note = self._model(given_up)
        total = settings.context * settings.slots if settings.context and settings.slots else None
        values = {
            "port": port,
            "host": settings.host,
            "model": model,
            "name": settings.name,
            "context": settings.context,
            "total_context": total,
            "slots": settings.slots,
            "gpu_layers": settings.gpu_layers,
        }
        line = {
            "command": [_filled(word, values) for word in settings.command],
            "env": {name: _filled(value, values) for name, value in settings.env.items()},
            "directory": directory,
            "address": settings.address or f"http://{settings.host}:{port}",
            "grace": settings.grace,
            "parent": os.getpid(),
        }
        return Launch(KEEPER, msgspec.json.encode(line) + b"\n", facts, (note,) if note else ())

    async def serving(self, address: str) -> LoadFailure | None:
        settings = self._settings
        root = address.rstrip("/").removesuffix("/v1")
        await wait_healthy(root)
        if settings.engine in _ANY_NAME:
            return None
        listed = await listed_models(root, settings.api_key)
        if listed is None or any(_same(settings, name) for name in listed):
            return None
        shown = ", ".join(listed[:_LISTED]) + (", …" if len(listed) > _LISTED else "")
        return LoadFailure(
            "refused",
            said(
                'the command serves "{served}", and not "{asked}": set model: {served}, or have the command serve it under '
                "that name ({flag} {asked})",
                "命令提供的是“{served}”，而不是“{asked}”：请写 model: {served}，"
                "或者让命令用这个名字提供模型（{flag} {asked}）",
                served=shown,
                asked=settings.name,
                flag="--alias" if settings.engine == "llamacpp" else "--served-model-name",
            ),
        )

    def silent(self, pid: int, address: str | None) -> str:
        """Where else it listens."""
        elsewhere = sorted(_listens(pid))
        if not elsewhere:
            return said("; it listens nowhere", "；它没有在任何端口监听")
        return said(
            "; it listens at {places}, and {address} was asked: put {{port}} into the command, or set port or base_url",
            "；它在 {places} 监听，而我们访问的是 {address}：请在命令里写上 {{port}}，或者设置 port 或 base_url",
            places=", ".join(elsewhere[:_LISTED]),
            address=address,
        )

    def _model(self, given_up: threading.Event) -> tuple[str, ModelFacts, Said | None]:
        """What `{model}` stands for, what a file says of itself, and a note. Files are looked at where the command names
        them."""
        settings = self._settings
        model = settings.model
        if not any("model" in _slots(word) for word in (*settings.command, *settings.env.values())):
            return model, ModelFacts(), None
        place = Path(model).expanduser()
        if not (model.startswith(PREFIX) or model.endswith(".gguf") or place.exists()):
            return model, ModelFacts(), None  # a name that the engine looks up by itself
        try:
            checked = check_model(model)
        except BadModel as error:
            raise LoadFailure(error.fault, error.said) from None
        first = checked.files[0]
        check_hash(first, settings.sha256, settings.hashes, given_up)
        facts = ModelFacts()
        if checked.kind == "gguf":
            place = first
            with contextlib.suppress(GgufError):
                facts = read_gguf(first).facts
        return str(place), facts, note_of(first, holders(first))


def find_program(settings: CommandSettings) -> str | None:
    """The folder to run in, None: the gateway's own. Raises LoadFailure where that, or the program, is not there."""
    path = {**os.environ, **settings.env}.get("PATH")
    directory, asked = _directory(settings.directory), settings.command[0]
    program = Path(directory or ".") / asked if "/" in asked else asked
    if shutil.which(str(program), path=path) is None:
        raise LoadFailure("missing", _no_program(asked, program, path))
    return directory


def _is_http(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme == "http" and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is none
        return False


def _place(settings: CommandSettings) -> tuple[str, int]:
    """Where it is to listen: host and port, 0 for a free one."""
    if settings.address is None:
        return settings.host, settings.port
    parts = urlsplit(settings.address)
    return parts.hostname or settings.host, parts.port or 80


def _slots(word: str) -> Iterator[str]:
    return (found[2] for found in _SLOT.finditer(word) if found[2])


def _filled(word: str, values: Mapping[str, object]) -> str:
    return _SLOT.sub(lambda found: f"{{{found[1]}}}" if found[1] else str(values[found[2]]), word)


def _same(settings: CommandSettings, listed: str) -> bool:
    """llama-server lists the path of its file where it was given no alias, and serves whatever a request names."""
    if listed == settings.name:
        return True
    if settings.engine != "llamacpp":
        return False
    return PurePath(listed).name == PurePath(settings.model).name or (
        settings.model.startswith(PREFIX) and listed.endswith(".gguf")
    )


def _directory(told: str | None) -> str | None:
    if told is None:
        return None
    place = Path(told).expanduser()
    if not place.is_dir():
        none = said('there is no folder "{place}" to run in', "没有可以运行的文件夹“{place}”", place=place)
        raise LoadFailure("missing", none)
    return str(place)


def _no_program(asked: str, program: Path | str, path: str | None) -> Said:
    if isinstance(program, Path):
        if program.is_dir():
            return said('"{program}" is a folder, and no program', "“{program}”是文件夹，不是程序", program=asked)
        if program.exists():
            return said(
                '"{program}" may not be executed: chmod +x {program}',
                "“{program}”没有执行权限：chmod +x {program}",
                program=asked,
            )
        return said('there is no program "{program}"', "没有程序“{program}”", program=asked)
    names: set[str] = set()
    for folder in (path or "").split(os.pathsep):
        with contextlib.suppress(OSError):  # many a PATH names folders that are not there
            names.update(entry.name for entry in Path(folder or ".").iterdir())
    return said(
        'there is no program "{program}" in PATH{hint}',
        "PATH 里没有程序“{program}”{hint}",
        program=asked,
        hint=did_you_mean(asked, sorted(names)),
    )


def _free_port(host: str) -> int:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
    return port


def _listens(pid: int) -> set[str]:
    """Of the process and all that it started, as far as we may see."""
    found: set[str] = set()
    try:
        top = psutil.Process(pid)
        for process in (top, *top.children(recursive=True)):
            for each in process.net_connections(kind="tcp"):
                if each.status == psutil.CONN_LISTEN and each.laddr:
                    found.add(f"{each.laddr.ip}:{each.laddr.port}")
    except psutil.Error:
        pass
    return found
