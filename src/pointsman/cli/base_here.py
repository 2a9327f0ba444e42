"""Where the gateway of the config in this folder listens: what verbs that ask a gateway ask, unless told."""

from __future__ import annotations

from pointsman.cli.gateway_client import BASE
from pointsman.config.paths import find_config
from pointsman.config.yaml_source import read_yaml
from pointsman.domain.errors import Problems

_ALL = ("0.0.0.0", "::")  # noqa: S104 - addresses to be reached through this machine's own


def base_here() -> str:
    """`http://HOST:PORT` as the config says; the usual address where there is no config that says one."""
    path = find_config(None)
    if path is None:
        return BASE
    try:
        data = read_yaml(path).data
    except Problems:
        return BASE
    server = data.get("server") if isinstance(data, dict) else None
    if not isinstance(server, dict):
        return BASE
    host, port = server.get("host", "127.0.0.1"), server.get("port", 8900)
    if not isinstance(host, str) or not isinstance(port, int) or not port:
        return BASE
    return base_of(host, port)


def base_of(host: str, port: int) -> str:
    """How this machine reaches a gateway that listens there; the usual address where the port is 0."""
    if not port:
        return BASE
    host = "127.0.0.1" if host in _ALL else host
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
