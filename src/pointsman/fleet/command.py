"""An engine that the gateway starts by a command line of the user's: `llama-server -m {model} --port {port}`, `vllm serve
{model} --port {port}`, `docker run --rm …`."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import sys
import threading
from pathlib import Path, PurePath

import msgspec
import psutil

from pointsman.config.references import is_loopback
from pointsman.domain.errors import did_you_mean
from pointsman.domain.said import Said, said
from pointsman.domain.target import ModelFacts
from pointsman.fleet.builtin import PREFIX
from pointsman.fleet.child_kind import Launch
from pointsman.fleet.command_settings import CommandSettings, filled, place_of, slots_of
from pointsman.fleet.file_promise import check_hash
from pointsman.fleet.gguf import GgufError, read_gguf
from pointsman.fleet.health_probe import listed_models, wait_healthy
from pointsman.fleet.model_check import BadModel, check_model
from pointsman.fleet.port_owner import explain_port, is_free
from pointsman.fleet.same_file import holders, note_of
from pointsman.ports.model_driver import LoadFailure

# by its path and alone: what stays beside each engine takes 10 MB
KEEPER = (sys.executable, "-I", "-S", str(Path(__file__).with_name("keeper.py")))
_ANY_NAME = ("ollama", "openai")
"""Engines whose list of models is no list of what is loaded, or is not to be relied on."""
_LISTED = 5


class CommandChild:
    """A ChildKind."""

    def __init__(self, settings: CommandSettings) -> None:
        self._settings = settings
        self.name = settings.name
        self.place = place_of(settings)
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
            "command": [filled(word, values) for word in settings.command],
            "env": {name: filled(value, values) for name, value in settings.env.items()},
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
        if not any("model" in slots_of(word) for word in (*settings.command, *settings.env.values())):
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
