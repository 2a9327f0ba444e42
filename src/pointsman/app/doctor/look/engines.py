"""Every engine that the gateway does not start itself, asked as the gateway asks it: does it answer, has it the model, how
does it keep weights and cache."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
from typing import Any
from urllib.parse import urlsplit

import msgspec

from pointsman.app.doctor.facts import EngineFacts, TargetFacts
from pointsman.app.doctor.look.asking import get_json
from pointsman.app.doctor.look.config import facts_of
from pointsman.app.started import runs_here
from pointsman.app.targets import serve_target, targets_of
from pointsman.config.schema import Backend, Config
from pointsman.domain.said import Said, said
from pointsman.domain.target import BackendState, Target
from pointsman.fleet.port_owner import explain_port
from pointsman.fleet.vllm_metrics import fetch_metrics
from pointsman.memory.network import Unreadable
from pointsman.memory.vllm import read_metrics

_SECONDS = 3.0
_PROBE = 8.0


def look_at_engines(config: Config) -> dict[str, EngineFacts]:
    """By the target's name, of several nodes with each one's address. Engines that the gateway starts, and nodes of a
    registry, are its own matter. All are asked at once."""
    asked = {
        name: (target, one)
        for pairs in targets_of(config).values()
        for target, backend in pairs
        for name, one in _places(target, backend)
    }
    states = asyncio.run(_probed(list(asked.values())))
    return {
        name: _more(EngineFacts(state), facts_of(target, backend), backend)
        for (name, (target, backend)), state in zip(asked.items(), states, strict=True)
    }


def _places(target: Target, backend: Backend) -> list[tuple[str, Backend]]:
    if runs_here(backend) or backend.nodes == "registry":
        return []
    if not isinstance(backend.nodes, list):
        return [(target.name, backend)]
    return [
        (f"{target.name} ({url})", msgspec.structs.replace(backend, nodes=None, base_url=url)) for url in backend.nodes
    ]


async def _probed(asked: list[tuple[Target, Backend]]) -> list[BackendState]:
    return list(await asyncio.gather(*(_probe(target, backend) for target, backend in asked)))


async def _probe(target: Target, backend: Backend) -> BackendState:
    served = serve_target(target, backend, None).backend
    try:
        async with asyncio.timeout(_PROBE):
            return await served.probe()
    except TimeoutError:
        late = said("no answer within {n:g} s", "{n:g} 秒内没有应答", n=_PROBE)
        return BackendState(target.name, "down", problem=late)
    finally:
        with contextlib.suppress(Exception):
            await served.close()


def _more(found: EngineFacts, target: TargetFacts, backend: Backend) -> EngineFacts:
    if target.address is None:
        return found
    if found.state.health == "down":
        return msgspec.structs.replace(found, port_owner=_listens(target)) if target.local else found
    with contextlib.suppress(Unreadable, OSError, ValueError, http.client.HTTPException):
        if target.engine == "vllm":
            running = read_metrics(fetch_metrics(target.address))
            return msgspec.structs.replace(
                found,
                blocks=running.blocks,
                block=running.block,
                share=running.utilization,
                cache_type=running.cache_type,
            )
        if target.engine == "ollama":
            return _of_ollama(found, target, backend)
    return found


def _listens(target: TargetFacts) -> Said | None:
    """Who has the port of an engine that does not answer as it should; None where nobody has."""
    parts = urlsplit(target.address or "")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    told = explain_port(parts.hostname or "127.0.0.1", port)
    return told if " is in use by " in told else None


def _of_ollama(found: EngineFacts, target: TargetFacts, backend: Backend) -> EngineFacts:
    root = (target.address or "").rstrip("/").removesuffix("/v1").removesuffix("/api").rstrip("/")
    head = {"authorization": f"Bearer {backend.api_key}"} if backend.api_key else {}
    _, tags = get_json(f"{root}/api/tags", head, _SECONDS)
    _, ps = get_json(f"{root}/api/ps", head, _SECONDS)
    here, running = _named(tags, target.model), _named(ps, target.model)
    quant = (here.get("details") or {}).get("quantization_level")
    size, vram = running.get("size"), running.get("size_vram")
    return msgspec.structs.replace(
        found,
        quant=quant if isinstance(quant, str) else None,
        loaded=size if isinstance(size, int) else None,
        on_gpu=vram if isinstance(vram, int) else None,
    )


def _named(answer: dict[str, Any] | None, model: str) -> dict[str, Any]:
    full = model if ":" in model else f"{model}:latest"
    for each in (answer or {}).get("models") or ():
        if isinstance(each, dict) and each.get("name") in (model, full):
            return each
    return {}
