"""Give a desktop client the tools of a running gateway: an MCP server over stdin and stdout."""

from __future__ import annotations

import argparse
import base64
import json
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from pointsman.cli.base_here import base_here
from pointsman.cli.gateway_client import KEY, Client, NoAddress, Unreachable, refusal
from pointsman.cli.output import print_error
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.said import Tongue, said, told

PATIENCE = 3600.0
"""Seconds for an answer: whoever asks has a limit of their own."""
TOGETHER = 16
_META = "io.modelcontextprotocol/protocolVersion"
_PLAIN = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--url", default=base_here(), help="where the gateway is (default: as pointsman.yaml says)")
    parser.add_argument("--key", help=f"a key of the gateway's, where one is needed; default: {KEY}")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    bridge = Bridge(Client(options.url, options.key, options.tongue), sys.stdout.buffer, options.tongue)
    try:
        bridge.check()
    except NoAddress as error:
        print_error("mcp", error.args[0], options.tongue)
        return 2
    with ThreadPoolExecutor(TOGETHER) as threads:
        for line in sys.stdin.buffer:
            if line.strip():
                threads.submit(bridge.pass_on, line)
    return 0


class Bridge:
    """Each message goes to the gateway as it came, and what comes back goes to `out`, in whatever order."""

    def __init__(self, gateway: Client, out: BinaryIO, tongue: Tongue) -> None:
        self._gateway = gateway
        self._out = out
        self._tongue = tongue
        self._lock = threading.Lock()
        self._version: str | None = None

    def check(self) -> None:
        """Raises NoAddress. A gateway that does not answer now may do so later."""
        try:
            self._gateway.send("GET", "/health", None, {}, seconds=2.0)
        except NoAddress:
            raise
        except Unreachable:
            pass

    def pass_on(self, line: bytes) -> None:
        try:
            message: Any = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        asks = isinstance(message, dict) and "method" in message and "id" in message
        try:
            status, body = self._gateway.send(
                "POST",
                "/mcp",
                line.strip(),
                {"content-type": "application/json", **self._headers(message)},
                seconds=PATIENCE,
            )
            answer = _answer(body)
            if answer is None and (status >= 300 or asks):
                raise _NoMessage(refusal(status, _json(body)))
        except Unreachable as error:
            en, zh = "the gateway does not answer: {why}", "网关没有应答：{why}"
            answer = self._failed(message, said(en, zh, why=error.args[0])) if asks else None
        except _NoMessage as error:
            answer = self._failed(message, error.args[0]) if asks else None
        if answer is None:
            return
        if asks and message["method"] == "initialize":
            self._version = (answer.get("result") or {}).get("protocolVersion") if isinstance(answer, dict) else None
        with self._lock:
            self._out.write(json.dumps(answer, ensure_ascii=False).encode() + b"\n")
            self._out.flush()

    def _headers(self, message: Any) -> dict[str, str]:
        """What HTTP says of a message before it."""
        params = message.get("params") if isinstance(message, dict) else None
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        stateless = meta.get(_META) if isinstance(meta, dict) else None
        if isinstance(stateless, str):
            headers = {"mcp-protocol-version": stateless, "mcp-method": _fit(str(message.get("method")))}
            return headers | ({"mcp-name": _fit(params["name"])} if isinstance(params.get("name"), str) else {})
        return {"mcp-protocol-version": self._version} if self._version else {}

    def _failed(self, message: Any, why: str) -> dict[str, Any]:
        error = {"code": -32000, "message": told(why, self._tongue)}
        return {"jsonrpc": "2.0", "id": message["id"], "error": error}


class _NoMessage(Exception):
    """The gateway answered with something else; `args[0]` says what it says."""


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _answer(body: bytes) -> Any:
    """The message, or the messages, that it is."""
    found = _json(body)
    several = found if isinstance(found, list) else [found]
    return found if several and all(isinstance(one, dict) and one.get("jsonrpc") == "2.0" for one in several) else None


def _fit(value: str) -> str:
    """As the value of a header."""
    return value if _PLAIN.fullmatch(value) else f"=?base64?{base64.b64encode(value.encode()).decode()}?="
