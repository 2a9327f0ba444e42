"""`python -m pointsman.fleet.child`: one llama.cpp server in a process of its own.

Reads one line of JSON (ChildSettings) from stdin, prints one line of JSON (ChildReport) on stdout when it listens or
could not, and then serves until stdin ends. llama.cpp's own log goes to stderr as it comes. Exit status: 0 when stdin
ended, 1 after an error report.

It never outlives its parent (`parent_death`), also while a model loads and xllamacpp holds the GIL (seen: 1.6 s without a
tick of another thread)."""

from __future__ import annotations

import importlib.metadata
import json
import os
import signal
import sys
import threading
import urllib.request
from difflib import get_close_matches
from enum import Enum
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from pointsman.domain.said import Said, said
from pointsman.fleet.builtin import NO_ENGINE
from pointsman.fleet.settings import MAX_SETTINGS_BYTES, ChildReport, ChildSettings
from pointsman.parent_death import die_with_parent

PROMPT_CACHE_MIB = 512  # llama.cpp would keep up to 8 GiB of old prompts
# attributes of CommonParams that have a setting of their own here
OWNED = {
    "model": "model",
    "model_alias": "name",
    "n_ctx": "context",
    "n_parallel": "slots",
    "n_batch": "batch",
    "cpuparams": "threads",
    "cpuparams_batch": "threads",
    "hostnames": "host",
    "port": "port",
    "n_gpu_layers": "gpu_layers",
    "embedding": "embedding",
    "pooling_type": "pooling",
}


class Refused(Exception):
    """A setting that cannot be; the text names it and what is valid."""

    def __init__(self, message: Said) -> None:
        super().__init__(message)


def main() -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the gateway, which lets its streams end first
    report_to = os.dup(1)
    os.dup2(2, 1)  # whatever native code prints stays off the report
    line = _first_line()
    if not line:
        os._exit(0)
    settings = msgspec.json.decode(line, type=ChildSettings)
    die_with_parent(settings.parent, death_signal=settings.death_signal)
    try:
        server, report = serve(settings)
    except Exception as error:  # the edge of the process: a sentence for the parent, never a traceback
        told = error.args[0] if error.args else None
        zh = told.zh if isinstance(told, Said) else None
        server, report = None, ChildReport(error=str(error) or type(error).__name__, error_zh=zh)
    os.write(report_to, msgspec.json.encode(report) + b"\n")
    os.close(report_to)
    if server is None:
        sys.exit(1)  # not os._exit: the end of the process is when llama.cpp's logging thread writes its last lines
    while True:  # the server lives as long as this frame holds it; the end comes from stdin or a signal
        threading.Event().wait()


def _first_line() -> bytes:
    line = b""
    while not line.endswith(b"\n") and len(line) <= MAX_SETTINGS_BYTES:
        part = os.read(0, 1)  # not one byte more: what follows belongs to the watch
        if not part:
            return b""
        line += part
    return line


def serve(settings: ChildSettings) -> tuple[Any, ChildReport]:
    """Blocks until the model is loaded and the server listens. Raises Refused, ImportError, RuntimeError."""
    try:
        import xllamacpp
    except ModuleNotFoundError:
        raise ImportError(NO_ENGINE) from None
    except ImportError as error:
        raise ImportError(
            said(
                "the embedded engine cannot be loaded on this machine: {why}",
                "内置引擎无法在这台机器上加载：“{why}”",
                why=error,
            )
        ) from None
    params = xllamacpp.CommonParams()
    params.model.path = settings.path
    params.model_alias = [settings.name]
    params.n_parallel = settings.slots
    params.n_ctx = settings.context * settings.slots  # llama.cpp divides it among the slots (kv_unified off)
    params.n_batch = settings.batch
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings.threads or default_threads()
    params.hostnames = [settings.host]
    params.port = settings.port
    if settings.gpu_layers is not None:
        params.n_gpu_layers = settings.gpu_layers
    if settings.embedding:
        # one input has to fit into one physical batch
        params.embedding = True
        params.n_batch = params.n_ubatch = max(settings.batch, settings.context)
        if settings.pooling:
            params.pooling_type = getattr(
                xllamacpp.llama_pooling_type, f"LLAMA_POOLING_TYPE_{settings.pooling.upper()}"
            )
    params.endpoint_metrics = True
    params.ui = False
    params.cors_origins = "http://pointsman.invalid"  # pages in a browser go through the gateway, not around it
    params.cors_origins_explicit = True
    params.cache_ram_mib = PROMPT_CACHE_MIB
    for key, value in settings.extra.items():
        if key in OWNED:
            raise Refused(
                said('extra: "{key}" is set by `{by}`', "extra：“{key}”由 `{by}` 设置", key=key, by=OWNED[key])
            )
        _set(params, key, value, "extra")
    server = xllamacpp.Server(params)
    address = server.listening_address
    for anywhere, here in (("//0.0.0.0:", "//127.0.0.1:"), ("//[::]:", "//[::1]:")):
        address = address.replace(anywhere, here)
    context, slots = _ask(address)
    version = f"xllamacpp {importlib.metadata.version('xllamacpp')}"
    return server, ChildReport(
        address=address,
        context_length=context or settings.context,
        slots=slots or settings.slots,
        engine_version=version,
    )


def default_threads() -> int:
    """One core fewer than this process may use, at least 1: llama.cpp spins, and with as many threads as cores a token
    took 3 s instead of 16 ms. A container's CPU quota counts."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        if quota != "max":
            cores = min(cores, int(quota) // int(period))
    except (OSError, ValueError, ZeroDivisionError):
        pass
    return max(1, cores - 1)


def _set(holder: Any, key: str, value: Any, place: str) -> None:
    """Sets one attribute by name. Mappings go into nested objects, names into enumerations (`q8_0`)."""
    valid = [name for name in dir(holder) if not name.startswith("_")]
    if key not in valid:
        close = get_close_matches(key, [name for name in valid if place != "extra" or name not in OWNED], n=3)
        hint = said(" (close to it: {names})", "（相近的有：{names}）", names=", ".join(close)) if close else ""
        raise Refused(
            said(
                '{place}: {holder} has no attribute "{key}"{hint}',
                "{place}：{holder} 没有属性“{key}”{hint}",
                place=place,
                holder=type(holder).__name__,
                key=key,
                hint=hint,
            )
        )
    current, at = getattr(holder, key), f"{place}.{key}"
    if isinstance(value, dict) and not isinstance(current, dict):
        for inner, inner_value in value.items():
            _set(current, inner, inner_value, f"{place}.{key}")
        return
    if isinstance(current, bool) and not isinstance(value, bool):
        raise Refused(
            said(
                "{at}: {value} is not true or false", "{at}：{value} 不是 true 或 false", at=at, value=json.dumps(value)
            )
        )
    if isinstance(current, Enum) and isinstance(value, str):
        names = {member.name.lower().rpartition("_type_")[2]: member for member in type(current)}
        found = names.get(value.lower().rpartition("_type_")[2])
        if found is None:
            raise Refused(
                said(
                    "{at}: unknown value {value} (valid: {names})",
                    "{at}：未知的值 {value}（合法取值：{names}）",
                    at=at,
                    value=json.dumps(value),
                    names=", ".join(names),
                )
            )
        value = found
    try:
        setattr(holder, key, value)
    except (TypeError, ValueError, OverflowError, AssertionError, AttributeError) as error:
        raise Refused(
            said(
                "{at}: {value} is refused: {why}",
                "{at}：{value} 被拒绝：“{why}”",
                at=at,
                value=json.dumps(value),
                why=error,
            )
        ) from None


def _ask(address: str) -> tuple[int | None, int | None]:
    """Tokens per slot and slots, as the server says: llama.cpp pads to 256 and caps at the trained context."""
    try:
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(f"{address}/props", timeout=10) as response:
            props = json.load(response)
        return int(props["default_generation_settings"]["n_ctx"]), int(props["total_slots"])
    except (OSError, ValueError, KeyError, TypeError):  # for example an API key in `extra`
        return None, None


if __name__ == "__main__":
    main()
