"""Run the gateway."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import errno
import gc
import logging
import signal
import socket
import sys

from pointsman import __version__
from pointsman.app.build import Built, build
from pointsman.app.gateway import App
from pointsman.cli.command import command
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.spoken_log import SpokenLog
from pointsman.config.others_words import why
from pointsman.config.paths import data_dir
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.fleet.port_owner import explain_port
from pointsman.http.server import Server
from pointsman.store.log_reader import LogError
from pointsman.store.log_schema import explained

log = logging.getLogger("pointsman")

KEEP_ALIVE = 75  # seconds that an idle client connection is kept
GRACE = 10  # seconds for requests under way when the gateway is told to stop
SETTLE = 120.0  # seconds that the greeting waits for models to load


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--host", help="address to listen on (default 127.0.0.1)")
    parser.add_argument("--port", type=int, help="port (default 8900; 0: a free one)")
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
        "server.data_dir": options.data_dir,
        "server.language": options.language,
    }
    lines = logging.StreamHandler(sys.stderr)
    logging.basicConfig(level=options.log_level.upper(), handlers=[lines])
    loaded = load_config(options, flags)
    if loaded.path is not None:
        options.config = str(loaded.path.resolve())  # a reload reads this very file, and fails where it is gone
    lines.setFormatter(SpokenLog(options.tongue))
    built = build(loaded)
    server = built.loaded.config.server
    with _listen(server.host, server.port) as listener:
        return _serve(options, flags, built, listener)


def _serve(options: argparse.Namespace, flags: dict[str, object], built: Built, listener: socket.socket) -> int:
    async def main() -> None:
        app = _app(options, flags, built)
        server = Server(app.door, keep_alive=KEEP_ALIVE)
        loop = asyncio.get_running_loop()
        told_to_stop = _stop_signals(loop)
        if hasattr(signal, "SIGHUP"):
            loop.add_signal_handler(signal.SIGHUP, lambda: loop.create_task(_reload(app)))
        await app.start()
        gc.collect()
        gc.freeze()  # what is loaded now stays: the collector need not look at it again
        greeting = loop.create_task(_greet(app, listener, options.tongue))
        try:
            await server.listen(listener)
            await told_to_stop.wait()
        finally:
            greeting.cancel()
            await server.close(GRACE)
            await app.stop()

    if sys.platform == "win32":
        asyncio.run(main())
    else:
        import uvloop

        uvloop.run(main())
    return 0


def _app(options: argparse.Namespace, flags: dict[str, object], built: Built) -> App:
    """Raises Problem where the data folder, or what lies in it, cannot be used."""
    try:
        return App(built, lambda: load_config(options, flags))
    except OSError as error:
        name = error.filename or data_dir(built.loaded.config)
        message = said("{name} cannot be used: {why}", "无法使用 {name}：{why}", name=name, why=why(error))
        raise Problem("server.data_dir", message) from None
    except (ValueError, LogError) as error:
        raise Problem("server.data_dir", explained(error)) from None


def _stop_signals(loop: asyncio.AbstractEventLoop) -> asyncio.Event:
    """Set by the first SIGINT or SIGTERM; a second one ends the process at once."""
    told = asyncio.Event()

    def stop(number: int, _: object) -> None:
        if told.is_set():
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        loop.call_soon_threadsafe(told.set)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    return told


async def _reload(app: App) -> None:
    with contextlib.suppress(Problems):  # said in the log, in /ready and in the metrics
        await app.reload()


def _listen(host: str, port: int) -> socket.socket:
    """Raises Problem that names the process which holds the port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        info = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except socket.gaierror as error:
        message = said(
            "{host!r} is no address of this machine: {why}", "{host!r} 不是本机的地址：{why}", host=host, why=why(error)
        )
        raise Problem("server.host", message) from None
    listener = socket.socket(info[0], socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(info[4])
        listener.listen(2048)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            message = said(
                "{owner} (choose another with --port)",
                "{owner}（可用 --port 换一个端口）",
                owner=explain_port(host, port),
            )
            raise Problem("server.port", message) from None
        message = said(
            "cannot listen on {host} port {port}: {why}",
            "无法监听 {host} 端口 {port}：{why}",
            host=host,
            port=port,
            why=why(error),
        )
        raise Problem("server", message) from None
    listener.setblocking(False)
    return listener


async def _greet(app: App, listener: socket.socket, tongue: Tongue) -> None:
    """Says what is served once that is known, and three commands to try."""
    await app.settled(SETTLE)
    host, port = listener.getsockname()[:2]
    base = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    ready, state = app.readiness()
    for note in app.built.notes:
        log.warning(note)
    for problem in state["problems"]:
        log.warning(problem)
    targets = [entry["target"] for entry in state["targets"] if entry["health"] == "up"]
    what = ", ".join(targets) if targets else said("rules only", "只有规则")
    log.info(_READY if ready else _LISTENS, __version__, base, what)
    print(told(said(_TRY, _TRY, heading=_HEADING, base=base, command=command()), tongue), flush=True)


_READY = Said("Pointsman %s is ready on %s: %s", "Pointsman %s 已就绪，地址 %s （%s）")
_LISTENS = Said("Pointsman %s listens on %s: %s", "Pointsman %s 已启动，尚未就绪，地址 %s （%s）")
_HEADING = Said("Try it in another terminal:", "在另一个终端里试试：")
_TRY = """
{heading}

  curl -s {base}/v1/chat/completions -H 'content-type: application/json' \\
    -d '{{"model": "auto", "messages": [{{"role": "user", "content": "你好"}}]}}'

  curl -sN {base}/v1/chat/completions -H 'content-type: application/json' \\
    -d '{{"model": "auto", "stream": true, "messages": [{{"role": "user", "content": "Name three fruits."}}]}}'

  {command} explain "把上周五销售报表导出为PDF"
"""
