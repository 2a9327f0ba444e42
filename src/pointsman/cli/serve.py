"""Run the gateway."""

from __future__ import annotations

import argparse
import contextlib
import logging
import socket
import sys

from pointsman.app.build import Built, build
from pointsman.app.handover.beside import no_room
from pointsman.app.handover.taking import Predecessor, predecessor_in
from pointsman.app.proving import proven
from pointsman.app.reading import Origin
from pointsman.cli.event_loop import run_loop
from pointsman.cli.listening import base_of, listen, listens_there
from pointsman.cli.lives import Lives
from pointsman.cli.served import Alone, Served, Several
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.spoken_log import SpokenLog
from pointsman.cli.systemd import ServiceManager, activated
from pointsman.config.paths import data_dir
from pointsman.config.schema import Config
from pointsman.domain.said import Said
from pointsman.fleet.room import free_memory, largest_gpu

log = logging.getLogger("pointsman")


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--host", help="address to listen on (default 127.0.0.1)")
    parser.add_argument("--port", type=int, help="port (default 8900; 0: a free one)")
    parser.add_argument("--workers", type=int, metavar="N", help="processes that serve the port (default 1)")
    parser.add_argument("--data-dir", metavar="DIR", help="where log and keys are kept")
    parser.add_argument(
        "--replace",
        choices=("auto", "beside", "after"),
        nargs="?",
        const="auto",
        help="take the place of the gateway that serves with this data folder, without a break (see docs/deploy.md); "
        "beside it, or after it has left room; default: as there is memory",
    )
    levels = ("debug", "info", "warning", "error")
    parser.add_argument("--log-level", default="info", choices=levels, help="how much is said (default info)")
    parser.add_argument(
        "--language", choices=("zh", "en"), help="of the log and of messages, where a request shows none"
    )


def run(options: argparse.Namespace) -> int:
    flags: dict[str, object] = {
        "server.host": options.host,
        "server.port": options.port,
        "server.workers": options.workers,
        "server.data_dir": options.data_dir,
        "server.language": options.language,
    }
    lines = logging.StreamHandler(sys.stderr)
    logging.basicConfig(level=options.log_level.upper(), handlers=[lines])
    loaded = load_config(options, flags)
    if loaded.path is not None:
        options.config = str(loaded.path.resolve())  # a reload reads this very file, and fails where it is gone
    lines.setFormatter(SpokenLog(options.tongue))
    built = proven(build(loaded))
    origin = Origin(options.config, {name: value for name, value in flags.items() if value is not None})
    run_loop(_serve(built, origin, options))
    return 0


async def _serve(built: Built, origin: Origin, options: argparse.Namespace) -> None:
    config, manager = built.config, ServiceManager()
    folder = data_dir(config)
    passed = activated()
    predecessor = await predecessor_in(folder) if options.replace else None
    with contextlib.closing(_listener(config, passed, predecessor)) as listener:
        if predecessor is not None:
            await _room(predecessor, config, options.replace)

        def make(opened: bool) -> Served:
            if config.server.workers == 1:
                return Alone(built, origin, listener)
            return Several(built, origin, listener, options.log_level, options.tongue, opened=opened)

        theirs = passed is not None or (predecessor is not None and predecessor.offer.passed)
        await Lives(make, listener, theirs, folder, manager, options.tongue).run(predecessor)


def _listener(config: Config, passed: socket.socket | None, predecessor: Predecessor | None) -> socket.socket:
    """The socket that the service manager passed; else that of the gateway before, where it is the one that the config asks
    for; else a new one. Raises Problem."""
    server = config.server
    if passed is not None:
        if not listens_there(passed, server.host, server.port):
            log.info(_PASSED, base_of(passed))
        return passed
    if predecessor is None:
        return listen(server.host, server.port)
    if predecessor.offer.passed or listens_there(predecessor.listener, server.host, server.port):
        return predecessor.listener
    log.warning(_ELSEWHERE, base_of(predecessor.listener))
    predecessor.listener.close()
    return listen(server.host, server.port)


async def _room(predecessor: Predecessor, config: Config, how: str) -> None:
    """Has the gateway before leave first, where both cannot run."""
    engines = predecessor.offer.engines
    why = no_room(config, engines, free_memory(), engines > 0 and largest_gpu() is not None)
    if how == "beside" or (how == "auto" and why is None):
        return
    log.info(_AFTER, predecessor.offer.pid, why or _WISHED)
    await predecessor.make_room()


_PASSED = Said(
    "the service manager passed a socket, which counts in place of server.host and server.port: %s",
    "使用服务管理器传入的套接字，server.host 和 server.port 不生效：%s",
)
_ELSEWHERE = Said(
    "the gateway before listened on %s; that address is given up",
    "之前的网关监听 %s；该地址不再使用",
)
_AFTER = Said(
    "the gateway that serves (pid %s) leaves first, and clients wait until this one is up: %s",
    "运行中的网关（pid %s）先退出，客户端等到本进程启动完成：%s",
)
_WISHED = Said("as --replace after says", "按 --replace after 的要求")
