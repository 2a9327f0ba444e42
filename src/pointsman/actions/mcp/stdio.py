"""A server that is a process of ours: one JSON message a line, over its stdin and stdout."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

from pointsman.actions.mcp import launch, rpc
from pointsman.actions.mcp.rpc import Incoming, McpFailure
from pointsman.actions.mcp.words import clean, one_line
from pointsman.apart import apart
from pointsman.child_process import spawned
from pointsman.domain.said import Said, said

LAST_WORDS = 4 << 10  # bytes of stderr that are kept, from its end
NOISE = 64  # lines that are no messages, before a server is given up
UNREAD = 4 << 20  # bytes that may wait for a server that does not read
_PIECE = 1 << 16
_LONG = 32 << 10  # bytes of a line above which it is read in a thread
_BREATH = 0.01  # seconds between two pieces of stderr: a server that floods it waits, not the gateway
_POLL = 0.005
_DYING = 5.0  # seconds for the system to end a process that was killed
_INHERITED = ("PATH", "HOME", "LANG")
_INHERITED_NT = ("SYSTEMROOT", "SYSTEMDRIVE", "PATHEXT", "TEMP", "APPDATA", "LOCALAPPDATA", "USERPROFILE")


async def opened(name: str, command: Sequence[str], env: Mapping[str, str], folder: Path) -> StdioWire:
    """Starts it, in `folder`, with `env` and hardly anything else in its environment. Raises McpFailure."""
    inherited = (*_INHERITED, *_INHERITED_NT) if os.name == "nt" else _INHERITED
    environment = {key: os.environ[key] for key in inherited if key in os.environ}
    begun = command if os.name == "nt" else (sys.executable, "-I", "-S", launch.__file__, str(os.getpid()), *command)
    try:
        process = await spawned(
            *begun,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**environment, **env},
            cwd=folder,
            limit=_PIECE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        en, zh = "the MCP server {name} could not be started: {why}", "MCP 服务 {name} 无法启动：{why}"
        raise McpFailure("not_started", said(en, zh, name=name, why=error), sent=False) from None
    return StdioWire(name, process)


class StdioWire:
    """`Wire`. What it prints that is no message is passed over, up to a point; what it says on stderr is read and all but
    its last words forgotten. It leads a session of its own, all of which is killed at the end."""

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        self.stale = False
        self._name = name
        self._process = process
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Incoming]] = {}
        self._failure: McpFailure | None = None
        self._errors = bytearray()
        self._noise = 0
        self._idle = 0  # bytes since the last answer
        self._ending: asyncio.Task[None] | None = None
        self._listening = [asyncio.create_task(self._listen()), asyncio.create_task(self._overhear())]

    @property
    def alive(self) -> bool:
        return self._failure is None and self._ending is None and self._process.returncode is None

    async def ask(self, method: str, params: dict[str, Any], headers: dict[str, str] | None = None) -> dict[str, Any]:
        self._number += 1
        number = self._number
        future: asyncio.Future[Incoming] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        try:
            await self._send(rpc.request(number, method, params))
            answer = await future
        except asyncio.CancelledError:
            if self.alive and method != "initialize":
                with contextlib.suppress(McpFailure):
                    self._write(rpc.notice("notifications/cancelled", {"requestId": number}))
            raise
        finally:
            self._waiting.pop(number, None)
            if future.done() and not future.cancelled():
                future.exception()  # seen, also where nobody waits any more
        try:
            return rpc.result_of(answer)
        except ValueError as error:
            raise self._wrong(Said("an answer of no known form", "应答的格式无法识别"), str(error)) from None

    async def tell(self, method: str) -> None:
        await self._send(rpc.notice(method))

    def speaks(self, version: str) -> None:
        """Each message says all that there is to say."""

    async def close(self, patience: float = 0.0) -> None:
        self._give_up(McpFailure("lost", said(*_GONE, name=self._name), sent=True))
        ending = self._begin_to_end(patience)
        cancelled = False
        while not ending.done():
            try:
                await asyncio.shield(ending)
            except asyncio.CancelledError:
                cancelled = True
                _kill(self._process)
        if cancelled:
            raise asyncio.CancelledError

    def _begin_to_end(self, patience: float) -> asyncio.Task[None]:
        if self._ending is None:
            self._ending = asyncio.create_task(self._end(patience))
        return self._ending

    async def _end(self, patience: float) -> None:
        process = self._process
        away = await asyncio.to_thread(_descendants, process.pid) if process.returncode is None else []
        if process.stdin is not None:
            process.stdin.close()
        await _gone(process, patience)
        _kill(process)
        for child in away:
            with contextlib.suppress(psutil.Error):
                child.kill()
        await _gone(process, _DYING)
        for task in self._listening:
            task.cancel()
        await asyncio.gather(*self._listening, return_exceptions=True)
        # whoever got away with a copy of the pipes' other ends would hold them open
        transport = getattr(process, "_transport", None)
        if transport is not None:
            transport.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_DYING):
                await process.wait()

    async def _send(self, line: bytes) -> None:
        self._write(line)
        assert self._process.stdin
        with contextlib.suppress(OSError):  # it is ending, and whoever listens to it says so
            await self._process.stdin.drain()

    def _write(self, line: bytes) -> None:
        if self._failure is not None:
            raise self._failure.again(sent=False)
        stdin = self._process.stdin
        assert stdin
        if self._process.returncode is not None or stdin.is_closing():
            raise McpFailure("lost", said(*_GONE, name=self._name), sent=False, detail=self._last_words())
        if stdin.transport.get_write_buffer_size() > UNREAD:
            self._give_up(self._wrong(Said("it does not read what it is sent", "它不读取发给它的内容")))
            self._write(line)
        stdin.write(line + b"\n")

    async def _listen(self) -> None:
        """Reads messages until the server ends or is given up."""
        stdout = self._process.stdout
        assert stdout
        kept = bytearray()
        try:
            while piece := await stdout.read(_PIECE):
                *lines, rest = piece.split(b"\n")
                for line in lines:
                    kept += line
                    await self._take(bytes(kept))
                    kept.clear()
                kept += rest
                self._idle += len(piece)
                if len(kept) > rpc.MOST:
                    en, zh = "one message of more than {most:,} bytes", "单条消息超过 {most:,} 字节"
                    raise self._wrong(said(en, zh, most=rpc.MOST), kind="too_large")
                if self._idle > 2 * rpc.MOST:
                    raise self._wrong(Said("it writes on and on, and answers nothing", "它不停输出，却不应答任何请求"))
            await _gone(self._process, 1.0)  # its last words come meanwhile
            self._give_up(McpFailure("lost", said(*_GONE, name=self._name), sent=True, detail=self._last_words()))
        except McpFailure as failure:
            self._give_up(failure)
        except OSError as error:
            self._give_up(McpFailure("lost", said(*_GONE, name=self._name), sent=True, detail=str(error)))
        self._begin_to_end(0.0)

    async def _take(self, line: bytes) -> None:
        if not line.strip():
            return
        messages = await apart(rpc.read, line) if len(line) > _LONG else rpc.read(line)
        if messages is None:
            self._noise += 1
            if self._noise > NOISE:
                what = Said("it prints something else than messages", "它输出的不是协议消息")
                raise self._wrong(what, one_line(line[:1000].decode("utf-8", "replace"), 300))
            return
        for message in messages:
            if message.is_answer:
                future = self._waiting.pop(message.id, None) if isinstance(message.id, int) else None
                if future is not None and not future.done():
                    future.set_result(message)
                    self._idle = self._noise = 0
            elif message.is_request:
                self._write(rpc.reply_to(message))
            elif message.method == "notifications/tools/list_changed":
                self.stale = True

    async def _overhear(self) -> None:
        stderr = self._process.stderr
        assert stderr
        with contextlib.suppress(OSError):
            while piece := await stderr.read(_PIECE):
                self._errors += piece
                del self._errors[:-LAST_WORDS]
                await asyncio.sleep(_BREATH)

    def _last_words(self) -> str | None:
        return clean(self._errors.decode("utf-8", "replace")).strip()[-1000:] or None

    def _wrong(self, what: Said, detail: str | None = None, kind: rpc.Kind = "protocol") -> McpFailure:
        en, zh = "the MCP server {name} is of no use: {what}", "MCP 服务 {name} 无法使用：{what}"
        return McpFailure(
            kind, said(en, zh, name=self._name, what=what), sent=True, detail=detail or self._last_words()
        )

    def _give_up(self, failure: McpFailure) -> None:
        """Nobody waits any longer."""
        if self._failure is None:
            self._failure = failure
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            if not future.done():
                future.set_exception(self._failure.again(sent=True))


_GONE = "the MCP server {name} ended", "MCP 服务 {name} 已退出"


def _kill(process: asyncio.subprocess.Process) -> None:
    """All of its session."""
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _descendants(pid: int) -> list[psutil.Process]:
    """Its children, and theirs, those among them that went into a session of their own."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []


async def _gone(process: asyncio.subprocess.Process, seconds: float) -> None:
    """Waits for the process itself, not for its pipes, which others may hold open."""
    end = asyncio.get_running_loop().time() + seconds
    while process.returncode is None and asyncio.get_running_loop().time() < end:  # noqa: ASYNC110
        await asyncio.sleep(_POLL)
