"""The endpoints of a config, and what stands behind each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from pointsman.app.askers import Askers
from pointsman.app.batches import Batches
from pointsman.app.console import OWN, ConsoleDoor
from pointsman.app.guards import masking_of
from pointsman.app.jobs import Jobs
from pointsman.app.setup import Setup
from pointsman.app.traces import Traces
from pointsman.config.schema import TIERS, parse_size, parse_span
from pointsman.domain.errors import PointsmanError, Problems
from pointsman.domain.links import Linked, Links
from pointsman.domain.said import said
from pointsman.http.auth import Keys
from pointsman.http.cors import Cors
from pointsman.http.decide import DecideDoor
from pointsman.http.exchange import Client
from pointsman.http.feedback import FeedbackDoor, Keep
from pointsman.http.files import Files
from pointsman.http.gateway import Doors, Get, Post
from pointsman.http.jobs.door import JobsDoor
from pointsman.http.jobs.submitting import Submitting
from pointsman.http.mcp.door import McpDoor
from pointsman.http.mcp.noted import ToolLog
from pointsman.http.models_admin import ModelsDoor, only_admins
from pointsman.http.openai.generate import Generate
from pointsman.http.openai.models import Models
from pointsman.http.openai.relay import Relay
from pointsman.http.ops import Ops, Text
from pointsman.http.requests import RequestsDoor
from pointsman.pipeline.pipeline import Pipeline
from pointsman.ports.action import MadeFile
from pointsman.ports.file_store import FileStore


def doors_of(
    setup: Setup,
    pipeline: Pipeline,
    *,
    links: Links,
    files: FileStore,
    since: int,
    readiness: Callable[[], tuple[bool, dict[str, Any]]],
    metrics: Text,
    reload: Callable[[], Awaitable[dict[str, Any]]],
    models: ModelsDoor,
    askers: Askers,
    keep_feedback: Keep,
    jobs: Jobs,
    batches: Batches,
    traces: Traces,
    console: ConsoleDoor,
    count_tool: Callable[[str, str], None],
) -> Doors:
    """`since` is when the models came, in seconds since the epoch; `reload` raises Problems where it is refused; `askers`
    is told of requests of which feedback may come; `count_tool` takes a tool that a client called itself, and its
    outcome."""
    config = setup.config

    def link_file(file: MadeFile, base_url: str) -> str:
        expires = int(pipeline.clock.wall() + parse_span(config.files.keep))
        token = links.sign(Linked(file.key, file.name, expires))
        return f"{(config.server.public_url or base_url).rstrip('/')}/files/{token}"

    generate = Generate(
        pipeline,
        heartbeat_after=config.server.heartbeat_after,
        forced_usage=frozenset(name for name, entry in config.entries.items() if entry.usage == "force"),
        reasoning_field=config.server.reasoning_field,
        default_model=next(iter(config.entries), "auto"),
        masking=masking_of(config),
    )
    deciding = DecideDoor(pipeline, next(iter(config.entries), "auto"), count_tool)
    cors = Cors(config.server.cors)
    mcp = McpDoor(pipeline.actions, deciding, cors, link_file, ToolLog(pipeline, count_tool))
    relay = Relay(pipeline, masking_of(config))
    named = Models(_names(setup), since)
    ops = Ops(readiness, metrics)
    checks = {
        "/v1/chat/completions": generate.check_chat,
        "/v1/completions": generate.check_completion,
        "/v1/embeddings": relay.check_embedding,
        "/v1/rerank": relay.check_rerank,
    }
    kept = JobsDoor(
        jobs.store,
        Submitting(jobs.store, jobs.vet),
        jobs.call_off,
        checks,
        pipeline.actions,
        config.server.heartbeat_after,
        setup.policy.document.channels,
    )
    requests = RequestsDoor(traces.find)
    shown, said_there = _console_doors(console, config.console.enabled)
    uploads, many = batches.files_door(jobs), batches.door(jobs)

    def asked(path: str, post: Post) -> Post:
        return askers.noting(kept.later(path, post))

    def list_models(client: Client) -> None:
        client.json(200, named.all())

    def one_model(client: Client) -> None:
        client.json(200, named.one(client.named))

    async def asked_to_reload(client: Client, _: bytes) -> None:
        only_admins(client)
        try:
            client.json(200, await reload())
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
            "/v1/jobs": kept.ls,
            "/v1/jobs/{id}": kept.get,
            "/v1/jobs/{id}/events": kept.events,
            "/v1/files": uploads.all,
            "/v1/files/{id}": uploads.one,
            "/v1/files/{id}/content": uploads.content,
            "/v1/batches": many.all,
            "/v1/batches/{id}": many.one,
            "/v1/requests/{id}": requests.get,
            "/v1/requests/{id}/trace": requests.trace,
            "/files/": Files(links, files).serve,
            "/admin/models": models.ls,
            **shown,
        },
        posts={
            "/v1/chat/completions": asked("/v1/chat/completions", generate.chat),
            "/v1/completions": asked("/v1/completions", generate.completions),
            "/v1/embeddings": asked("/v1/embeddings", relay.embeddings),
            "/v1/rerank": asked("/v1/rerank", relay.rerank),
            "/rerank": asked("/v1/rerank", relay.rerank),
            "/v1/reranking": asked("/v1/rerank", relay.rerank),
            "/v1/jobs": kept.post,
            "/v1/batches": many.create,
            "/v1/batches/{id}/cancel": many.cancel,
            "/v1/decide": deciding.post,
            "/mcp": mcp.post,
            "/v1/feedback": FeedbackDoor(askers.find, keep_feedback).post,
            "/admin/reload": asked_to_reload,
            "/admin/models/{name}/load": models.load,
            "/admin/models/{name}/unload": models.unload,
            "/admin/models/{name}/pin": models.pin,
            "/admin/models/{name}/unpin": models.unpin,
            **said_there,
        },
        deletes={"/v1/jobs/{id}": kept.delete, "/v1/files/{id}": uploads.delete},
        intakes={"/v1/files": uploads.upload},
        keys=Keys(config.auth),
        cors=cors,
        max_body=parse_size(config.server.max_body),
        language=config.server.language,
        own=OWN if config.console.enabled else (),
    )


def _console_doors(console: ConsoleDoor, enabled: bool) -> tuple[dict[str, Get], dict[str, Post]]:
    """What the console takes by GET and by POST."""
    if not enabled:
        return {}, {}
    return {"/ui": console.get, "/ui/": console.get}, {"/ui/": console.post}


def _names(setup: Setup) -> list[tuple[str, str]]:
    """All that a client may call: entries, tiers, aliases, models, in this order."""
    config, document = setup.config, setup.policy.document
    kinds = dict.fromkeys(document.names, "alias")
    kinds.update({target.model: "model" for target in document.targets})
    kinds.update({name: "tier" if name in TIERS else "model" for name in config.models})
    aliases = {alias for model in config.models.values() for alias in model.aliases}
    kinds.update(dict.fromkeys(aliases, "alias"))
    order = {"tier": 0, "alias": 1, "model": 2}
    listed = sorted(kinds.items(), key=lambda pair: order[pair[1]])
    return [*((name, "entry") for name in config.entries), *listed]
