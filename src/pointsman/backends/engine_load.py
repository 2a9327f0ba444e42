"""What an engine's own /metrics say of how much it has to do."""

from __future__ import annotations

import re

from pointsman.ports.backend import EngineLoad

_LINE = re.compile(r"^(vllm|llamacpp):([a-z_]+)(?:\{[^}]*\})? ([0-9.eE+-]+|NaN)$", re.MULTILINE)
_RUNNING = ("num_requests_running", "requests_processing")
_WAITING = ("num_requests_waiting", "requests_deferred")
_PREEMPTIONS = ("num_preemptions_total", "num_preemptions")
_CACHE = ("kv_cache_usage_perc", "gpu_cache_usage_perc", "kv_cache_usage_ratio")


def read_load(text: str) -> EngineLoad | None:
    """Of vLLM and llama.cpp; several engines of one server are added up, of their caches the fullest counts. None where
    the page tells nothing of the kind."""
    found: dict[str, list[float]] = {}
    for _, name, value in _LINE.findall(text):
        number = float(value)
        if number == number:
            found.setdefault(name, []).append(number)

    def total(names: tuple[str, ...]) -> int | None:
        for name in names:
            if name in found:
                return round(sum(found[name]))
        return None

    running, waiting = total(_RUNNING), total(_WAITING)
    if running is None and waiting is None:
        return None
    caches = next((found[name] for name in _CACHE if name in found), None)
    return EngineLoad(running, waiting, total(_PREEMPTIONS), max(caches) if caches else None)
