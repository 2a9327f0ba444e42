"""The running gateway: everything that a config asks for, started, replaced at a reload, and stopped."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pointsman.actions.report.action import ReportAction
from pointsman.actions.report.runner import ReportRunner
from pointsman.app.build import Built, build
from pointsman.app.key_file import key_in
from pointsman.app.targets import Served, serve_target, targets_of
from pointsman.config.load import Loaded
from pointsman.config.paths import data_dir
from pointsman.config.restart import restart_needed
from pointsman.config.schema import TIERS, Config, parse_size, parse_span
from pointsman.domain.errors import PointsmanError, Problems
from pointsman.domain.links import Links
from pointsman.domain.said import Said, said
from pointsman.domain.wording import INSTALL
from pointsman.fleet.prober import Prober
from pointsman.http.auth import Keys
from pointsman.http.cors import Cors
from pointsman.http.exchange import Client
from pointsman.http.files import Files
from pointsman.http.gateway import Doors, Gateway
from pointsman.http.openai.generate import Generate
from pointsman.http.openai.models import Models
from pointsman.http.openai.relay import Relay
from pointsman.http.ops import Ops
from pointsman.pipeline.handle import Pipeline
from pointsman.planning.plan import ask_period
from pointsman.ports.clock import SystemClock
from pointsman.recording.fanout import Fanout
from pointsman.store.log_writer import LogWriter
from pointsman.telemetry.metrics import Metrics

log = logging.getLogger("pointsman")
_HEALTH = {"unknown": "状态未知", "loading": "加载中", "up": "正常", "down": "已下线"}


class App:
    """One gateway process. `reload_from` reads the config again; what it raises leaves everything as it was."""

    def __init__(self, built: Built, reload_from: Callable[[], Loaded]) -> None:
        config = built.loaded.config
        self._folder = data_dir(config)
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._reload_from = reload_from
        self._reloading = asyncio.Lock()
        self._served: dict[str, Served] = {}
        self._since = int(time.time())
        self._prober = Prober()
        self._metrics = Metrics()
        self._log = LogWriter(self._folder, config.log.prompts, parse_span(config.log.keep))
        self._links = Links(key_in(self._folder / "links.key"))
        files = config.files
        self._runner = ReportRunner(
            self._folder / "files",
            concurrency=files.concurrency,
            timeout=files.timeout,
            memory=parse_size(files.memory),
            demo=self._folder / "demo",
        )
        clock = SystemClock()
        self._report = ReportAction(self._runner, self._links, clock.wall, ask_period)
        self.pipeline = Pipeline(
            self._prober.snapshot, Fanout([self._metrics, self._log]), clock, {"report": self._report}
        )
        self.built = built
        self._started = config
        self._reload_problem: Said | None = None
        self.door = Gateway(self._doors(built))
        self._retired: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Starts what the config asks for. The gateway can serve from here on; models may still be loading."""
        await self._install(self.built, self._made(self.built.loaded.config))
        self._purging = asyncio.create_task(self._purge())

    async def stop(self) -> None:
        self._purging.cancel()
        await self._prober.close()
        await asyncio.gather(*(served.close() for served in self._served.values()), *self._retired)
        await asyncio.to_thread(self._log.close)

    async def settled(self, timeout: float) -> None:
        """Waits until every embedded model is up or has failed once, and every target has been probed."""
        deadline = time.monotonic() + timeout
        for served in self._served.values():
            if served.process is not None:
                await served.process.settled(max(deadline - time.monotonic(), 0.01))
        for name in self._served:
            self._prober.look_again(name)
        await self._prober.first_round(max(deadline - time.monotonic(), 0.01))
        await asyncio.sleep(0.05)

    async def reload(self) -> dict[str, Any]:
        """Reads and compiles off the event loop, then swaps. Raises Problems; then the old one goes on."""
        async with self._reloading:
            try:
                built = await asyncio.to_thread(lambda: build(self._reload_from(), self.built))
                made = self._made(built.loaded.config)
            except Problems as error:
                self._reload_problem = error.said
                self._metrics.reloaded("refused")
                refused = Said("reload refused, the old config goes on:\n%s", "重新加载被拒绝，继续用原来的配置：\n%s")
                log.error(refused, error.said)
                raise
            old = self.built.policy.hash
            later = [
                said("{name} has changed; it counts from the next start on", "{name} 已修改，下次启动时生效", name=name)
                for name in restart_needed(self._started, built.loaded.config)
            ]
            await self._install(built, made)
            self._reload_problem = None
            self._metrics.reloaded("ok")
            log.info(Said("reloaded: policy %s → %s", "已重新加载：策略 %s → %s"), old, built.policy.hash)
            for note in later:
                log.warning(note)
            return {"policy": built.policy.hash, "before": old, "notes": [*built.notes, *later]}

    def readiness(self) -> tuple[bool, dict[str, Any]]:
        """Can it serve, and what is wrong. Ready with at least one target up, or where only rules are asked for."""
        states = self._prober.states()
        problems = [
            said(
                "{target}: {health}, {problem}",
                "{target}：{health}，{problem}",
                target=state.target,
                health=Said(state.health, _HEALTH[state.health]),
                problem=state.problem,
            )
            for state in states
            if state.problem
        ]
        if self.built.no_model:
            en = "no model is set up, so only rules answer ({why}). To install: {install}"
            zh = "没有可用的模型，只能由规则回答（{why}）。安装：{install}"
            problems.append(said(en, zh, why=self.built.no_model, install=INSTALL))
        problems += [note if isinstance(note, Said) else Said(note, note) for note in self.built.unread]
        if self._reload_problem:
            en, zh = "the last reload was refused: {why}", "上一次重新加载被拒绝：{why}"
            problems.append(said(en, zh, why=self._reload_problem))
        if self._log.problem:
            en, zh = "the request log cannot be written: {why}", "请求日志无法写入：{why}"
            problems.append(said(en, zh, why=self._log.problem))
        ready = any(state.health == "up" for state in states) or not self.built.loaded.config.models
        targets = [{"target": s.target, "health": s.health, "problem": s.problem, "facts": s.facts} for s in states]
        return ready, {"ready": ready, "policy": self.built.policy.hash, "problems": problems, "targets": targets}

    def _made(self, config: Config) -> dict[str, Served]:
        """Adapters and processes for every target; those whose settings are as before are kept. Raises Problems."""
        made: dict[str, Served] = {}
        for pairs in targets_of(config).values():
            for target, backend in pairs:
                old = self._served.get(target.name)
                if target.name in made:
                    continue
                if old is not None and old.config == backend:
                    made[target.name] = old
                else:
                    made[target.name] = serve_target(target, backend, self._logs(), self._process_changed)
        return made

    def _process_changed(self, name: str) -> None:
        """A model's own process came up or went down: said in the log, and looked at by the prober."""
        served = self._served.get(name)
        if served is not None and served.process is not None:
            if served.process.state == "up":
                log.info("%s is up (pid %s)", name, served.process.pid)
            elif served.process.state == "down" and served.process.problem:
                log.warning("%s is down and will be started again: %s", name, served.process.problem)
        self._prober.look_again(name)

    def _logs(self) -> Path:
        folder = self._folder / "engines"
        folder.mkdir(exist_ok=True, mode=0o700)
        return folder

    async def _purge(self) -> None:
        """Removes files whose links have expired, every hour."""
        while True:
            keep = parse_span(self.built.loaded.config.files.keep)
            await asyncio.to_thread(self._runner.purge, time.time() - keep)
            await asyncio.sleep(3600)

    async def _install(self, built: Built, made: dict[str, Served]) -> None:
        old = self._served
        document, config = built.policy.document, built.loaded.config
        self._report.install(
            document.reports,
            built.sources,
            timezone=document.timezone,
            keep=parse_span(config.files.keep),
            public_url=config.server.public_url,
        )
        self._served = made
        self.built = built
        for name, served in made.items():
            if served.process is not None and old.get(name) is not served:
                await served.process.start()
        self.pipeline.install(built.policy, {name: served.backend for name, served in made.items()})
        self._prober.watch({name: served.backend for name, served in made.items()})
        self.door.doors = self._doors(built)
        for name, served in old.items():
            if made.get(name) is not served:
                task = asyncio.create_task(served.close())
                self._retired.add(task)
                task.add_done_callback(self._retired.discard)

    def _doors(self, built: Built) -> Doors:
        config = built.loaded.config
        forced = frozenset(name for name, entry in config.entries.items() if entry.usage == "force")
        generate = Generate(
            self.pipeline,
            heartbeat_after=config.server.heartbeat_after,
            forced_usage=forced,
            reasoning_field=config.server.reasoning_field,
            default_model=next(iter(config.entries), "auto"),
        )
        relay = Relay(self.pipeline)
        files = Files(self._links, self._folder / "files")
        models = Models(_names(built), self._since)
        ops = Ops(self.readiness, lambda: self._metrics.text(self._prober.snapshot(), self._log.dropped))

        def list_models(client: Client) -> None:
            client.json(200, models.all())

        def one_model(client: Client) -> None:
            client.json(200, models.one(client.path.removeprefix("/v1/models/")))

        async def reload(client: Client, _: bytes) -> None:
            if not client.caller.admin:
                raise PointsmanError(
                    Said(
                        "this needs a key with admin: true, or a client on this machine",
                        "这需要设有 admin: true 的密钥，或者从本机调用",
                    ),
                    status=403,
                    type="permission_error",
                    code="admin_only",
                )
            try:
                client.json(200, await self.reload())
            except Problems as error:
                en, zh = "reload refused, the old config goes on: {why}", "重新加载被拒绝，旧配置继续生效：{why}"
                raise PointsmanError(said(en, zh, why=error.said), code="bad_config") from None

        return Doors(
            gets={
                "/health": ops.health,
                "/ready": ops.ready,
                "/metrics": ops.metrics,
                "/v1/models": list_models,
                "/v1/models/": one_model,
                "/files/": files.serve,
            },
            posts={
                "/v1/chat/completions": generate.chat,
                "/v1/completions": generate.completions,
                "/v1/embeddings": relay.embeddings,
                "/v1/rerank": relay.rerank,
                "/rerank": relay.rerank,
                "/v1/reranking": relay.rerank,
                "/admin/reload": reload,
            },
            keys=Keys(config.auth),
            cors=Cors(config.server.cors),
            max_body=parse_size(config.server.max_body),
            language=config.server.language,
        )


def _names(built: Built) -> list[tuple[str, str]]:
    """All that a client may call: entries, tiers, aliases, models, in this order."""
    config = built.loaded.config
    kinds = dict.fromkeys(built.policy.document.names, "alias")
    kinds.update({target.model: "model" for target in built.policy.document.targets})
    kinds.update({name: "tier" if name in TIERS else "model" for name in config.models})
    aliases = {alias for model in config.models.values() for alias in model.aliases}
    kinds.update(dict.fromkeys(aliases, "alias"))
    order = {"tier": 0, "alias": 1, "model": 2}
    listed = sorted(kinds.items(), key=lambda pair: order[pair[1]])
    return [*((name, "entry") for name in config.entries), *listed]
