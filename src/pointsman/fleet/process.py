"""One model's process: started, watched, restarted when it dies, ended with the gateway."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from pointsman.child_process import exited, spawned
from pointsman.domain.said import Said, said
from pointsman.domain.target import ModelFacts
from pointsman.fleet.child_kind import ChildKind, Launch
from pointsman.fleet.command import CommandChild
from pointsman.fleet.command_settings import CommandSettings
from pointsman.fleet.exit_words import End, failure_of
from pointsman.fleet.launch import EmbeddedChild
from pointsman.fleet.log_tail import LogTail
from pointsman.fleet.session import Family, end_all, family, remaining
from pointsman.fleet.settings import ChildReport, ModelSettings, Sizing
from pointsman.ports.model_driver import LoadFailure, LoadFault

State = Literal["loading", "up", "down"]
_LOOK = 0.05


class Backoff(msgspec.Struct, frozen=True):
    """Seconds before the first, second, … start in a row; the last one repeats. A child that was up for `reset_after`
    seconds starts the row anew."""

    delays: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
    reset_after: float = 60.0

    def delay(self, failures: int) -> float:
        """The wait after `failures` failures in a row, of which there was at least one."""
        return self.delays[min(failures, len(self.delays)) - 1]


class ModelProcess:
    """Runs one model: the embedded llama.cpp, or a command. All methods on one event loop, which runs in the main thread:
    Linux ties the child to the thread that spawned it.

    `on_change` is called on the loop, with this object, after each change of state; it must not block. Nothing here
    raises for a model that cannot run: `state` is "down", `problem` says why and what to do, and the next start follows
    by itself, so installing what is missing is enough. `log_path` gets the engine's log as well. Times in seconds;
    `load_timeout` runs from the spawn to the first healthy answer. `death_signal` False is for tests."""

    def __init__(
        self,
        settings: ModelSettings | CommandSettings,
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
        if isinstance(settings, CommandSettings):
            child: ChildKind = CommandChild(settings)
            grace, stop_timeout = settings.grace, stop_timeout + settings.grace
        else:
            child, grace = EmbeddedChild(settings, death_signal=death_signal), stop_timeout
        self._child = child
        self._on_change = on_change
        self._backoff = backoff or Backoff()
        self._load_timeout = load_timeout
        self._stop_timeout, self._grace = stop_timeout, grace
        self._log = LogTail(log_lines, log_path)
        self._task: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._settled = asyncio.Event()
        self._settled.set()  # nothing is under way
        self._up_since: float | None = None
        self._started: dict[int, Family] = {}
        self._asked: str | None = None
        self.state: State = "down"
        self.address: str | None = None
        """Its base URL (`http://127.0.0.1:44021`) while up, else None. A restart may change it."""
        self.problem: str | None = None
        """The last failure, for people; kept while the next start loads, None once up and after `stop`."""
        self.fault: LoadFault | None = None
        """Of what kind the problem is."""
        self.retry_after: float | None = None
        """While down and not stopped: seconds from the failure to the next start."""
        self.facts = ModelFacts()
        """From the file once it was read; `context_length`, `slots` and `engine_version` once it was up."""
        self.notes: tuple[Said, ...] = ()
        """What is odd about the present start, and does not stop it."""
        self.load_seconds: float | None = None
        """From the spawn to the first healthy answer, the last time, to two digits; None before it was up."""
        self.starts = 0
        """How many children were spawned."""

    @property
    def pid(self) -> int | None:
        process = self._process
        return process.pid if process and process.returncode is None else None

    @property
    def running(self) -> bool:
        """Whether it is started, and not stopped: it is up, loads, or will be started again."""
        return self._task is not None and not self._task.done()

    @property
    def log_tail(self) -> list[str]:
        """The last lines of the engine's log, across restarts."""
        return self._log.lines

    def remains(self) -> list[int]:
        """Processes that its children started and that still run after it: none, unless the system cannot end them."""
        return sorted({pid for leader, known in self._started.items() for pid in remaining(leader, known)})

    async def start(self, *, restart: bool = True) -> None:
        """Starts supervising and returns at once, `state` being "loading". Without `restart` the first failure is the end of
        it. Raises RuntimeError if it runs already."""
        if self.running:
            raise RuntimeError(f"{self._child.name} is started already")
        self._change("loading")
        self._task = asyncio.create_task(self._supervise(restart), name=f"model process {self._child.name}")

    async def settled(self, timeout: float | None = None) -> State:
        """Waits until the present start, where there is one, has ended well or badly, at most `timeout` seconds; the state
        then."""
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
            self.problem, self.fault, self.retry_after = None, None, None
            self._log.close()
            self._change("down")

    async def _supervise(self, restart: bool) -> None:
        failures = 0
        while True:
            self._up_since = None
            try:
                failure = await self._live()
            except LoadFailure as error:
                failure = error
            except Exception as error:  # supervising goes on whatever happens
                failure = LoadFailure(
                    "exited",
                    said(
                        "the process of {name} cannot be run: {why}",
                        "{name} 的进程无法运行：“{why}”",
                        name=self._child.name,
                        why=error,
                    ),
                )
            if self._up_since is not None and time.monotonic() - self._up_since >= self._backoff.reset_after:
                failures = 0
            failures += 1
            self.problem, self.fault = failure.said, failure.fault
            self.retry_after = self._backoff.delay(failures) if restart else None
            self._change("down")
            if self.retry_after is None:
                return
            await asyncio.sleep(self.retry_after)
            self.retry_after = None
            self._change("loading")

    async def _live(self) -> LoadFailure:
        """One child from spawn to end; why it ended. Raises LoadFailure where it could not even be spawned, OSError."""
        given_up = threading.Event()
        try:
            launch = await asyncio.to_thread(self._child.prepare, given_up)
        finally:
            given_up.set()
        self.facts, self.notes = launch.facts, launch.notes
        self._log.begin()
        began = time.monotonic()
        process, pump = await self._spawn(launch)
        told, failure = None, None
        try:
            try:
                async with asyncio.timeout(self._load_timeout):
                    report, failure = await self._load(process, launch.line)
            except TimeoutError:
                return await self._late(process.pid)
            if report.error is None and failure is None and process.returncode is None:
                self.address = report.address
                self.facts = msgspec.structs.replace(
                    launch.facts,
                    context_length=report.context_length,
                    slots=report.slots,
                    engine_version=report.engine_version,
                )
                self.problem, self.fault, self._up_since = None, None, time.monotonic()
                self.load_seconds = float(f"{self._up_since - began:.2g}")
                self._change("up")
                self._started[process.pid] = await asyncio.to_thread(family, process.pid)
                await exited(process)
            if report.error is not None:
                told = Said(report.error, report.error_zh or f"“{report.error}”")
        finally:
            await self._end(process, pump)
        if failure is not None:
            return failure
        return await asyncio.to_thread(failure_of, self._ended(process.returncode, told), self._sizing())

    async def _spawn(self, launch: Launch) -> tuple[asyncio.subprocess.Process, asyncio.Task[None]]:
        """The child and the task that reads its log."""
        pipe = asyncio.subprocess.PIPE
        process = await spawned(*launch.command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        self._process = process
        self._started = {each: known for each, known in self._started.items() if remaining(each, known)}
        self._started[process.pid] = ()
        self.starts += 1
        return process, asyncio.create_task(self._pump(process))

    async def _load(self, process: asyncio.subprocess.Process, line: bytes) -> tuple[ChildReport, LoadFailure | None]:
        """Sends the settings, waits for the report and until it serves; a report of nothing where the child died first. A
        failure where it serves something else."""
        assert process.stdin and process.stdout
        with contextlib.suppress(OSError):  # it died already; its log says why
            process.stdin.write(line)
            await process.stdin.drain()
        answer = await process.stdout.readline()
        if not answer:
            await exited(process)
            return ChildReport(), None
        try:
            report = msgspec.json.decode(answer, type=ChildReport)
        except msgspec.DecodeError as error:
            text = said("its report is unreadable: {why}", "它的报告无法读取：“{why}”", why=error)
            return ChildReport(error=str(text), error_zh=text.zh), None
        if report.error:
            with contextlib.suppress(TimeoutError):  # its log is complete only when it has exited
                async with asyncio.timeout(2.0):
                    await exited(process)
        elif report.address:
            self._asked = report.address
            serving = asyncio.create_task(self._child.serving(report.address))
            ended = asyncio.create_task(exited(process))
            try:
                await asyncio.wait((serving, ended), return_when=asyncio.FIRST_COMPLETED)
                if serving.done() and not ended.done():
                    return report, serving.result()
            finally:
                serving.cancel()
                ended.cancel()
                await asyncio.wait((serving, ended))
        return report, None

    async def _late(self, pid: int) -> LoadFailure:
        hint = await asyncio.to_thread(self._child.silent, pid, self._asked)
        return LoadFailure(
            "timeout",
            said(
                "{name} was not ready after {seconds:g} s{hint}",
                "{name} 在 {seconds:g} 秒后仍未就绪{hint}",
                name=self._child.name,
                seconds=self._load_timeout,
                hint=hint,
            ),
        )

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
                        await exited(process)
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.send_signal(self._child.force)
            await exited(process)
            await self._leftovers(process.pid)
            await asyncio.wait((pump,), timeout=2.0)
            pump.cancel()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(2.0):
                    await process.stdout.read()

    async def _leftovers(self, child: int) -> None:
        """Where the child was killed by somebody, what it had started is asked to end by the system; then it is killed."""
        known = self._started.get(child, ())
        for _ in range(round(self._grace / _LOOK)):
            if not remaining(child, known):
                return
            await asyncio.sleep(_LOOK)
        end_all(remaining(child, known))

    def _ended(self, code: int | None, told: Said | None) -> End:
        log, child = self._log, self._child
        return End(
            child.name,
            child.place,
            code,
            told,
            log.suspect,
            log.reasons(),
            log.last(),
            self._up_since is not None,
            isinstance(child, CommandChild),
        )

    def _sizing(self) -> Sizing:
        settings = self.settings
        return Sizing(settings.model, settings.context, settings.slots or 1, settings.gpu_layers)

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
