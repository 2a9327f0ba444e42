"""Twins of engines that load and unload models when they are told to: what they answer follows from what they were told.

Each is a Twin whose recordings answer everything else. `lag` is how many questions they still answer as before after an
order: none of them is done at once."""

from __future__ import annotations

import json
from typing import Any

from twins.twin import Recording, Twin

JSON = {"Content-Type": "application/json; charset=utf-8"}


def reply(method: str, path: str, value: Any, status: int = 200) -> Recording:
    return Recording(method, path, status=status, headers=JSON, body=json.dumps(value))


class OllamaTwin(Twin):
    """`/api/generate` without a prompt loads, and unloads with `keep_alive` 0; `/api/ps` lists what is in memory. Shapes of
    `docs/api.md` and `server/routes.go` as README.md names them. `short` is what it says instead of loading."""

    def __init__(self, *, lag: int = 1, short: str | None = None, holds: bool = False) -> None:
        super().__init__("ollama-0.32.9")
        self.lag, self.short, self.holds = lag, short, holds
        self.resident = False
        self._still = 0

    def find(self, method: str, path: str, fields: dict[str, Any]) -> Recording:
        if path == "/api/ps":
            listed = self.resident or self._still > 0
            self._still = max(0, self._still - 1)
            entry = {
                "name": self.engine.model,
                "model": self.engine.model,
                "size": 492523008,
                "digest": "a8b0c51577010a279d933d14c2a8ab4b268079d44c5c8830c0a93900f1827c67",
                "details": {"format": "gguf", "family": "qwen2"},
                "expires_at": "2318-01-01T00:00:00Z",
                "size_vram": 402653184,
                "context_length": 4096,
            }
            return reply(method, path, {"models": [entry] if listed else []})
        embeds = path == "/api/embed" and fields.get("input") == []
        if method == "POST" and ((path == "/api/generate" and not fields.get("prompt")) or embeds):
            name = fields["model"]
            if name != self.engine.model:
                return reply(method, path, {"error": f"model '{name}' not found"}, 404)
            if fields.get("keep_alive") == 0:
                self.resident = self.holds and self.resident
                self._still = self.lag
                return reply(method, path, self._done("unload"))
            if self.short:
                return reply(method, path, {"error": self.short}, 500)
            self.resident = True
            return reply(method, path, {"model": name, "embeddings": []} if embeds else self._done("load"))
        return super().find(method, path, fields)

    def _done(self, why: str) -> dict[str, Any]:
        made = "2026-11-02T08:10:34.383753787Z"
        return {"model": self.engine.model, "created_at": made, "response": "", "done": True, "done_reason": why}


class RouterTwin(Twin):
    """llama-server in router mode, as `server-models.cpp` has it (see README.md). `exit_code` ends every load; `stays`: it
    never gets further than loading; `holds`: it never lets go."""

    def __init__(self, *, lag: int = 2, exit_code: int | None = None, stays: bool = False, holds: bool = False) -> None:
        super().__init__("llamacpp-2026.10.11549")
        self.lag, self.exit_code, self.stays, self.holds = lag, exit_code, stays, holds
        self.status: dict[str, Any] = {"value": "unloaded"}
        self._after: dict[str, Any] = self.status
        self._left = 0

    def find(self, method: str, path: str, fields: dict[str, Any]) -> Recording:
        if method == "GET" and path == "/models":
            if self._left == 0:
                self.status = self._after
            self._left = max(0, self._left - 1)
            others = self._entry("other", {"value": "unloaded"})
            return reply(
                method, path, {"data": [self._entry(self.engine.model, self.status), others], "object": "list"}
            )
        if path == "/props":
            plain = {
                "default_generation_settings": {"params": {}, "n_ctx": 0},
                "build_info": "b11000",
                "max_instances": 4,
            }
            return reply(method, path, {"role": "router", "model_alias": "llama-server", "model_path": "none", **plain})
        if path.startswith("/props?model="):
            loaded = self.status["value"] == "loaded"
            return super().find(method, "/props", fields) if loaded else self._wrong(path, "model is not loaded", 400)
        if method == "POST" and path in ("/models/load", "/models/unload"):
            runs = self.status["value"] in ("loading", "loaded", "sleeping")
            if fields["model"] != self.engine.model:
                return self._wrong(path, "model is not found", 404 if path == "/models/load" else 400)
            if path == "/models/load":
                return self._wrong(path, "model is already running", 400) if runs else self._load(path)
            return self._unload(path) if runs else self._wrong(path, "model is not running", 400)
        return super().find(method, path, fields)

    def sleeps(self) -> None:
        self.status = self._after = {"value": "sleeping", "args": ["llama-server"]}

    def _load(self, path: str) -> Recording:
        self.status = {"value": "loading", "args": ["llama-server"]}
        done = {"value": "loaded", "args": ["llama-server"]}
        if self.exit_code is not None:
            done = {"value": "unloaded", "args": ["llama-server"], "failed": True, "exit_code": self.exit_code}
        self._after, self._left = (self.status if self.stays else done), self.lag
        return reply("POST", path, {"success": True})

    def _unload(self, path: str) -> Recording:
        if not self.holds:  # what was asked for may look like a failure (issue 23257)
            self._after = {"value": "unloaded", "args": ["llama-server"], "failed": True, "exit_code": 1}
            self._left = self.lag
        return reply("POST", path, {"success": True})

    def _entry(self, name: str, status: dict[str, Any]) -> dict[str, Any]:
        aliases = [f"{name}-alias"]
        return {"id": name, "aliases": aliases, "tags": [], "object": "model", "owned_by": "llamacpp", "status": status}

    def _wrong(self, path: str, message: str, code: int) -> Recording:
        kind = "not_found_error" if code == 404 else "invalid_request_error"
        return reply("POST", path, {"error": {"code": code, "message": message, "type": kind}}, code)


class SleepingTwin(Twin):
    """vLLM with VLLM_SERVER_DEV_MODE=1 (`dev`) and --enable-sleep-mode (`enabled`); its answers come before it is done."""

    def __init__(self, *, lag: int = 1, dev: bool = True, enabled: bool = True) -> None:
        super().__init__("vllm-0.33.0")
        self.lag, self.dev, self.enabled = lag, dev, enabled
        self.sleeping = False
        self._left = 0

    def find(self, method: str, path: str, fields: dict[str, Any]) -> Recording:
        if self.dev and method == "GET" and path == "/is_sleeping":
            told = self.sleeping != (self._left > 0)
            self._left = max(0, self._left - 1)
            return reply(method, path, {"is_sleeping": told})
        if self.dev and method == "POST" and path in ("/sleep?level=1", "/wake_up"):
            wanted = path != "/wake_up" and self.enabled
            if wanted != self.sleeping:
                self.sleeping, self._left = wanted, self.lag
            return Recording(method, path)
        return super().find(method, path, fields)
