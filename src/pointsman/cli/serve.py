"""Run the gateway."""

from __future__ import annotations

import argparse
import asyncio
import logging
import socket
import sys

from pointsman.app.build import Built, build, keep_asked
from pointsman.app.data_folder import usable
from pointsman.app.gateway import App
from pointsman.app.proving import proven
from pointsman.app.reading import Origin
from pointsman.cli.event_loop import GRACE, KEEP_ALIVE, run_loop, stop_or_reload
from pointsman.cli.greeting import SETTLE, greet
from pointsman.cli.listening import base_of, listen
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.spoken_log import SpokenLog
from pointsman.domain.said import Tongue
from pointsman.http.server import Server
from pointsman.loaded import loaded


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--host", help="address to listen on (default 127.0.0.1)")
    parser.add_argument("--port", type=int, help="port (default 8900; 0: a free one)")
    parser.add_argument("--workers", type=int, metavar="N", help="processes that serve the port (default 1)")
    parser.add_argument("--data-dir", metavar="DIR", help="where log and keys are kept")
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
    server = built.config.server
    with listen(server.host, server.port) as listener:
        origin = Origin(options.config, {name: value for name, value in flags.items() if value is not None})
        if server.workers > 1:
            run_loop(_several(built, origin, listener, options))
        else:
            run_loop(_alone(built, origin, listener, options.tongue))
    return 0


async def _alone(built: Built, origin: Origin, listener: socket.socket, tongue: Tongue) -> None:
    """One process that serves."""
    with usable(built.config):
        app = App(built, origin)
    keep_asked(built)
    server = Server(app.door, keep_alive=KEEP_ALIVE)
    told_to_stop = stop_or_reload(app.reload)

    async def say() -> None:
        await app.settled(SETTLE)
        ready, state = app.readiness()
        up = [entry["target"] for entry in state["targets"] if entry["health"] == "up"]
        greet(base_of(listener), ready, up, [*app.setup.notes, *state["problems"]], tongue)

    await app.start()
    loaded()
    greeting = asyncio.create_task(say())
    try:
        await server.listen(listener)
        await told_to_stop.wait()
    finally:
        greeting.cancel()
        await server.close(GRACE)
        await app.stop()


async def _several(built: Built, origin: Origin, listener: socket.socket, options: argparse.Namespace) -> None:
    """One process that listens, and several that serve."""
    from pointsman.app.workers.hub import Hub  # one process does without them
    from pointsman.cli import serve_member

    with usable(built.config):
        hub = Hub(built, origin, serve_member.command(options.log_level, options.tongue), listener)
    keep_asked(built)
    told_to_stop = stop_or_reload(hub.reload)

    async def say() -> None:
        await hub.settled(SETTLE)
        ready, up, problems = hub.readiness()
        greet(base_of(listener), ready, up, [*hub.setup.notes, *problems], options.tongue)

    starting = asyncio.create_task(hub.start())
    stopping = asyncio.create_task(told_to_stop.wait())
    greeting = None
    try:
        await asyncio.wait((starting, stopping), return_when=asyncio.FIRST_COMPLETED)
        if starting.done():
            starting.result()
            greeting = asyncio.create_task(say())
        await stopping
    finally:
        for task in (starting, stopping, greeting):
            if task is not None:
                task.cancel()
        listener.close()
        await hub.stop(GRACE)
