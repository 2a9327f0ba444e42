"""The socket that clients connect to."""

from __future__ import annotations

import contextlib
import errno
import socket

from pointsman.config.others_words import why
from pointsman.domain.errors import Problem
from pointsman.domain.said import said
from pointsman.fleet.port_owner import explain_port
from pointsman.http.server import WAITING


def listen(host: str, port: int) -> socket.socket:
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
        listener.listen(WAITING)
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


def listens_there(listener: socket.socket, host: str, port: int) -> bool:
    """Whether it listens where `listen` would; any port will do for 0."""
    address = listener.getsockname()
    with contextlib.suppress(OSError):
        wanted = socket.getaddrinfo(host, port, listener.family, socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        return any(found[0] == address[0] and port in (0, address[1]) for *_, found in wanted)
    return False


def base_of(listener: socket.socket) -> str:
    """`http://host:port`."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
