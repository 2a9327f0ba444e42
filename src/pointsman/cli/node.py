"""Tell gateways of the engine on this machine: that it is there, which models it serves, how busy it is. It reports into the
store that the gateways use; these need `nodes: registry` for the model."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import socket
import sys
from urllib.parse import urlsplit

from pointsman.app.node import Agent
from pointsman.app.node_registry import open_node_store
from pointsman.backends.make import ENGINES, make_backend
from pointsman.backends.settings import BackendSettings
from pointsman.cli.event_loop import run_loop, stop_signals
from pointsman.cli.on_store import store_config, wrong_place
from pointsman.cli.output import print_error
from pointsman.cli.source import declare_config
from pointsman.cli.spoken_log import SpokenLog
from pointsman.config.references import is_loopback
from pointsman.config.schema import Config
from pointsman.domain.errors import Problem
from pointsman.domain.node import NodeModel, NodeReport
from pointsman.domain.said import Said, said
from pointsman.domain.target import Target
from pointsman.fleet.discover import FoundEngine, discover
from pointsman.fleet.registry.stored import StoredRegistry
from pointsman.ports.backend import Backend

log = logging.getLogger("pointsman")


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--engine", choices=sorted(ENGINES), help="the engine's software; default: found out")
    parser.add_argument("--base-url", metavar="URL", help="where the engine listens; default: found on this machine")
    parser.add_argument("--advertise", metavar="URL", help="where gateways reach it; default: as --base-url")
    parser.add_argument("--name", metavar="NAME", help="the node's name; default: this machine's and the port")
    parser.add_argument(
        "--model",
        metavar="NAME[=ID]",
        action="append",
        default=[],
        help="a model that it serves, as gateways ask for "
        "it (and as the engine calls it); again for more; default: all that the engine lists",
    )
    parser.add_argument("--slots", type=int, metavar="N", help="requests at a time; default: as the engine says")
    parser.add_argument("--key-from", metavar="VARIABLE", help="environment variable that holds the engine's key")
    parser.add_argument(
        "--drain", type=float, default=30.0, metavar="S", help="seconds to finish at the end (default 30)"
    )
    parser.add_argument("--store", metavar="URL", help="the gateways' store; default: as in the config")
    parser.add_argument("--data-dir", metavar="DIR", help="the data folder; default: as in the config")
    levels = ("debug", "info", "warning", "error")
    parser.add_argument("--log-level", default="info", choices=levels, help="how much is said (default info)")
    parser.add_argument("--language", choices=("zh", "en"), help="of the log")


def run(options: argparse.Namespace) -> int:
    wrong = wrong_place(options) or _wrong_usage(options)
    if wrong:
        print_error("node", wrong, options.tongue)
        return 2
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(SpokenLog(options.tongue))
    logging.basicConfig(level=options.log_level.upper(), handlers=[lines])
    run_loop(_report(options, store_config(options)))
    return 0


async def _report(options: argparse.Namespace, config: Config) -> None:
    told_to_stop = asyncio.Event()
    stop_signals(told_to_stop)
    engine, url = options.engine, options.base_url
    if engine is None or url is None:
        found = await _found(engine, url)
        engine, url = engine or found.engine, url or found.base_url
    models = [NodeModel(name, id=id or None) for name, _, id in (given.partition("=") for given in options.model)]
    name = options.name or f"{socket.gethostname()}:{urlsplit(url).port or 80}"
    key = os.environ.get(options.key_from) if options.key_from else None

    def asking(model: str, engine: str = engine) -> Backend:
        settings = BackendSettings(model=model, base_url=url, api_key=key)
        return make_backend(engine, settings, Target(f"{name}@{engine}", "node", model, name, engine))

    backend = asking(models[0].id or models[0].name) if models else asking("", _ANY)
    named = None if models else asking
    address = options.advertise or url
    report = NodeReport(name, address, "", engine=engine, slots=options.slots)
    if is_loopback(urlsplit(address).hostname or "") and not (options.store or config.store or "sqlite:").startswith(
        "sqlite:"
    ):
        log.warning(_LOOPBACK, address)
    shared = open_node_store(config, options.store)
    try:
        await Agent(StoredRegistry(shared), backend, report, models, named=named).run(told_to_stop, options.drain)
    finally:
        await shared.close()


async def _found(engine: str | None, url: str | None) -> FoundEngine:
    """The engine on this machine that is meant. Raises Problem."""
    port = None if url is None else urlsplit(url).port
    found = await discover() if port is None else await discover((port,))
    meant = [each for each in found.engines if engine in (None, each.engine)]
    if len(meant) == 1:
        return meant[0]
    names = ", ".join(f"{each.label} ({each.base_url})" for each in meant)
    raise Problem("--base-url", said(*(_SEVERAL if meant else _NONE), names=names))


def _wrong_usage(options: argparse.Namespace) -> str | None:
    if options.slots is not None and options.slots < 1:
        return Said("--slots must be at least 1", "--slots 至少是 1")
    for flag, value in (("--base-url", options.base_url), ("--advertise", options.advertise)):
        if value is not None and urlsplit(value).scheme not in ("http", "https"):
            return said(*_NO_URL, flag=flag, url=value)
    return None


_ANY = "openai"
"""What every engine speaks so far that it lists its models."""
_LOOPBACK = Said(
    "gateways on other machines cannot reach %s: say with --advertise where they can",
    "其他机器上的网关访问不到 %s：请用 --advertise 指定它们能访问的地址",
)
_SEVERAL = (
    "several engines run here: {names}; say which one with --engine and --base-url",
    "本机运行着多个引擎：{names}；请用 --engine 和 --base-url 指定",
)
_NONE = (
    "no engine was found on this machine's usual ports; say where it listens, and with --engine what it is",
    "在本机的常用端口上没有找到引擎；请指定它监听的地址，并用 --engine 说明是什么引擎",
)
_NO_URL = (
    '{flag}: "{url}" is no URL (valid: http://host:port/v1)',
    "{flag}：“{url}”不是 URL（合法：http://host:port/v1）",
)
