"""One model's process: started, watched, restarted when it dies, ended with the gateway."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from pointsman.child_process import spawned
from pointsman.domain.errors import Problem
from pointsman.domain.said import Said, said
from pointsman.domain.target import ModelFacts
from pointsman.fleet.health_probe import wait_healthy
from pointsman.fleet.launch import COMMAND, prepare
from pointsman.fleet.log_tail import LogTail
from pointsman.fleet.port_owner import explain_port
from pointsman.fleet.settings import ChildReport, ModelSettings

State = Literal["loading", "up", "down"]


class Backoff(msgspec.Struct, frozen=True):
    """Seconds before the first, second, … start in a row; the last one repeats. A child that was up for `reset_after`
    seconds starts the row anew."""

    delays: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
    reset_after: float = 60.0

    def delay(self, failures: int) -> float:
        """The wait after `failures` failures in a row, of which there was at least one."""
        return self.delays[min(failures, len(self.delays)) - 1]


class ModelProcess:
    """Runs one embedded model. All methods on one event loop, which runs in the main thread: Linux ties the child to
    the thread that spawned it.

    `on_change` is called on the loop, with this object, after each change of state; it must not block. Nothing here
    raises for a model that cannot run: `state` is "down", `problem` says why and what to do, and the next start follows
    by itself, so installing what is missing is enough. `log_path` gets llama.cpp's log as well. Times in seconds;
    `load_timeout` runs from the spawn to the first healthy answer. `death_signal` False is for tests."""

    def __init__(
        self,
        settings: ModelSettings,
        *,
        on_change: Callable[[ModelProcess], None] | None = None,
        backoff: Backoff | None = None,
        load_timeout: float = 300.0,
        stop_timeout: float = 5.0,
        log_lines: int = 200,
        log_path: Path | None = None,
        death_signal: bool = True,
    ) -> None:
        self.settings = settings
        self._on_change = on_change
        self._backoff = backoff or Backoff()
        self._load_timeout = load_timeout
        self._stop_timeout = stop_timeout
        self._log = LogTail(log_lines, log_path)
        self._death_signal = death_signal
        self._task: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._settled = asyncio.Event()
        self._up_since: float | None = None
        self.state: State = "down"
        self.address: str | None = None
        """Base URL without a path (`http://127.0.0.1:44021`) while up, else None. A restart may change it."""
        self.problem: str | None = None
        """The last failure, for people; kept while the next start loads, None once up and after `stop`."""
        self.retry_after: float | None = None
        """While down and not stopped: seconds from the failure to the next start."""
        self.facts = ModelFacts()
        """From the file once it was read; `context_length`, `slots` and `engine_version` once it was up."""
        self.load_seconds: float | None = None
        """From the spawn to the first healthy answer, the last time, to two digits; None before it was up."""
        self.starts = 0
        """How many children were spawned."""

    @property
    def pid(self) -> int | None:
        process = self._process
        return process.pid if process and process.returncode is None else None

    @property
    def log_tail(self) -> list[str]:
        """The last lines of llama.cpp's log, across restarts."""
        return self._log.lines

    async def start(self) -> None:
        """Starts supervising and returns at once, `state` being "loading". Raises RuntimeError if it runs already."""
        if self._task:
            raise RuntimeError(f"{self.settings.name} is started already")
        self._change("loading")
        self._task = asyncio.create_task(self._supervise(), name=f"model process {self.settings.name}")

    async def settled(self, timeout: float | None = None) -> State:
        """Waits until the present start has ended well or badly, at most `timeout` seconds; the state then."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._settled.wait()
        return self.state

    async def stop(self) -> None:
        """Ends the child and waits for it: stdin closed and SIGTERM, after `stop_timeout` SIGKILL. Safe to repeat; a
        second call while the first one waits kills at once. `start` may follow."""
        task = self._task
        if task is None:
            return
        task.cancel()
        await asyncio.wait((task,))
        if self._task is task:
            self._task, self._process = None, None
            self.problem, self.retry_after = None, None
            self._log.close()
            self._change("down")

    async def _supervise(self) -> None:
        failures = 0
        while True:
            self._up_since = None
            try:
                problem = await self._live()
            except Problem as error:
                problem = error.said
            except Exception as error:  # supervising goes on whatever happens
                problem = said(
                    "the process of {name} cannot be run: {why}",
                    "{name} 的进程无法运行：“{why}”",
                    name=self.settings.name,
                    why=error,
                )
            if self._up_since is not None and time.monotonic() - self._up_since >= self._backoff.reset_after:
                failures = 0
            failures += 1
            self.problem, self.retry_after = problem, self._backoff.delay(failures)
            self._change("down")
            await asyncio.sleep(self.retry_after)
            self.retry_after = None
            self._change("loading")

    async def _live(self) -> Said:
        """One child from spawn to end; why it ended. Raises Problem where it could not even be spawned, OSError."""
        line, facts = await asyncio.to_thread(prepare, self.settings, death_signal=self._death_signal)
        self.facts = facts
        self._log.begin()
        began = time.monotonic()
        process, pump = await self._spawn()
        failure = None
        try:
            try:
                async with asyncio.timeout(self._load_timeout):
                    report = await self._load(process, line)
            except TimeoutError:
                return said(
                    "{name} was not ready after {seconds:g} s",
                    "{name} 在 {seconds:g} 秒后仍未就绪",
                    name=self.settings.name,
                    seconds=self._load_timeout,
                )
            if report.error is None and process.returncode is None:
                self.address = report.address
                self.facts = msgspec.structs.replace(
                    facts,
                    context_length=report.context_length,
                    slots=report.slots,
                    engine_version=report.engine_version,
                )
                self.problem, self._up_since = None, time.monotonic()
                self.load_seconds = float(f"{self._up_since - began:.2g}")
                self._change("up")
                await process.wait()
            if report.error is not None:
                failure = Said(report.error, report.error_zh or f"“{report.error}”")
        finally:
            await self._end(process, pump)
        return await self._explain(process.returncode, failure)

    async def _spawn(self) -> tuple[asyncio.subprocess.Process, asyncio.Task[None]]:
        """The child and the task that reads its log."""
        pipe = asyncio.subprocess.PIPE
        process = await spawned(*COMMAND, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        self._process = process
        self.starts += 1
        return process, asyncio.create_task(self._pump(process))

    async def _load(self, process: asyncio.subprocess.Process, line: bytes) -> ChildReport:
        """Sends the settings, waits for the report and for /health; a report of nothing where the child died first."""
        assert process.stdin and process.stdout
        with contextlib.suppress(OSError):  # it died already; its log says why
            process.stdin.write(line)
            await process.stdin.drain()
        answer = await process.stdout.readline()
        if not answer:
            await process.wait()
            return ChildReport()
        try:
            report = msgspec.json.decode(answer, type=ChildReport)
        except msgspec.DecodeError as error:
            text = said("its report is unreadable: {why}", "它的报告无法读取：“{why}”", why=error)
            return ChildReport(error=str(text), error_zh=text.zh)
        if report.error:
            with contextlib.suppress(TimeoutError):  # its log is complete only when it has exited
                async with asyncio.timeout(2.0):
                    await process.wait()
        elif report.address:
            healthy = asyncio.create_task(wait_healthy(report.address))
            ended = asyncio.create_task(process.wait())
            try:
                await asyncio.wait((healthy, ended), return_when=asyncio.FIRST_COMPLETED)
            finally:
                healthy.cancel()
                ended.cancel()
                await asyncio.wait((healthy, ended))
        return report

    async def _pump(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr
        while data := await process.stderr.read(65_536):
            self._log.feed(data)
        self._log.flush()

    async def _end(self, process: asyncio.subprocess.Process, pump: asyncio.Task[None]) -> None:
        """Ends the child if it still runs, reaps it, reads its pipes to the end. Cancelled again, it kills at once."""
        assert process.stdin and process.stdout
        self.address = None
        process.stdin.close()
        try:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.terminate()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._stop_timeout):
                        await process.wait()
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
            await process.wait()
            await asyncio.wait((pump,), timeout=2.0)
            pump.cancel()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(2.0):
                    await process.stdout.read()

    async def _explain(self, code: int | None, failure: Said | None) -> Said:
        """Why the child ended, in a sentence: its exit, and llama.cpp's own words where it said something."""
        name, settings = self.settings.name, self.settings
        reasons = self._log.reasons()
        if settings.port and any("couldn't bind" in reason for reason in reasons):
            return await asyncio.to_thread(explain_port, settings.host, settings.port)
        words = "; ".join(reasons)
        quoted = Said(words, f"“{words}”")
        if failure is not None:
            return said(
                "{name} did not load: {why}", "{name} 没有加载成功：{why}", name=name, why=quoted if words else failure
            )
        if code is not None and code < 0:
            try:
                what = said("killed by {it}", "被 {it} 终止", it=signal.Signals(-code).name)
            except ValueError:
                what = said("killed by signal {it}", "被信号 {it} 终止", it=-code)
            if code == -signal.SIGKILL:
                what = said(
                    "{what} (the system does that when memory runs out)", "{what}（内存耗尽时系统会这样做）", what=what
                )
        else:
            what = said("exit status {code}", "退出状态 {code}", code=code)
        return said(
            "the process of {name} ended: {what}{words}",
            "{name} 的进程已结束：{what}{words}",
            name=name,
            what=what,
            words=said(": {words}", "：{words}", words=quoted) if words else "",
        )

    def _change(self, state: State) -> None:
        self.state = state
        if state == "loading":
            self._settled.clear()
        else:
            self._settled.set()
        if self._on_change:
            try:
                self._on_change(self)
            except Exception as error:
                context = {"message": "on_change of a model process failed", "exception": error}
                asyncio.get_running_loop().call_exception_handler(context)
