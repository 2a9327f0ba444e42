"""How each subject is started: one worker, no access log, keep-alive on both sides. The peers get what makes them fast."""

from __future__ import annotations

import getpass
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from pointsman.bench.canned import MODEL
from pointsman.bench.processes import free_port
from pointsman.config.rule_files import default_packs

CANNED = "/canned"
"""The path that the bare peers answer themselves."""
PACKS = tuple(default_packs())
_PEERS = Path(__file__).with_name("peers")
Starter = Callable[[int, int, Path], "Start"]


@dataclass(frozen=True)
class Start:
    command: list[str]
    env: Mapping[str, str] = field(default_factory=dict)


def config(upstream: int, sections: Mapping[str, Any]) -> dict[str, Any]:
    """Pointsman as shipped: the demo packs, two routes, the sealed log, metrics."""
    backend = {"engine": "vllm", "model": MODEL, "base_url": f"http://127.0.0.1:{upstream}/v1"}
    shipped: dict[str, Any] = {
        "models": {"medium": {"backends": [backend]}},
        "rules": {"packs": [f"builtin:{name}" for name in PACKS]},
        "sources": {"demo": {"demo": True}},
        "routes": [
            {"name": "code", "target": "medium", "match": {"code": True}},
            {"name": "long", "target": "medium", "match": {"min_tokens": 4000}},
        ],
        "fallback": {"target": "medium"},
    }
    return {name: section for name, section in {**shipped, **sections}.items() if section is not None}


def pointsman(
    program: Sequence[str],
    sections: Mapping[str, Any],
    arguments: Sequence[str],
    port: int,
    upstream: int,
    folder: Path,
) -> Start:
    """A section may be a function of (upstream port, folder) that gives it."""
    made = {name: part(upstream, folder) if callable(part) else part for name, part in sections.items()}
    file = folder / "pointsman.yaml"
    file.write_text(yaml.safe_dump(config(upstream, made), allow_unicode=True), encoding="utf-8")
    command = [*program, "serve", "-c", str(file), "--port", str(port), "--data-dir", str(folder / "data")]
    return Start([*command, "--log-level", "warning", *arguments])


_NGINX = """\
user {user};
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 8192; }}
http {{
  access_log off;
  client_max_body_size 64m;
  client_body_buffer_size 8m;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  upstream engine {{
    server 127.0.0.1:{upstream};
    keepalive 128;
    keepalive_requests 100000000;
  }}
  server {{
    listen 127.0.0.1:{port} backlog=2048;
    keepalive_requests 100000000;
    keepalive_timeout 600s;
    location / {{
      proxy_pass http://engine;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }}
  }}
}}
"""


def nginx(program: str) -> Starter:
    def start(port: int, upstream: int, folder: Path) -> Start:
        file = folder / "nginx.conf"
        file.write_text(_NGINX.format(user=getpass.getuser(), folder=folder, port=port, upstream=upstream))
        return Start([program, "-p", str(folder), "-c", str(file), "-e", str(folder / "error.log")])

    return start


def vllm_router(venv: Path) -> Starter:
    def start(port: int, upstream: int, folder: Path) -> Start:
        command = [str(venv / "bin" / "vllm-router"), "--host", "127.0.0.1", "--port", str(port)]
        command += ["--worker-urls", f"http://127.0.0.1:{upstream}", "--policy", "round_robin", "--log-level", "error"]
        return Start([*command, "--prometheus-host", "127.0.0.1", "--prometheus-port", str(free_port())])

    return start


def peer(name: str, venv: Path) -> Starter:
    """One of those in `peers/`."""

    def start(port: int, upstream: int, folder: Path) -> Start:
        script = _PEERS / f"relay_{name.replace('-', '_')}.py"
        return Start([str(venv / "bin" / "python"), str(script), str(port), str(upstream)])

    return start


def litellm(venv: Path) -> Starter:
    def start(port: int, upstream: int, folder: Path) -> Start:
        route = {"model": f"openai/{MODEL}", "api_base": f"http://127.0.0.1:{upstream}/v1", "api_key": "none"}
        file = folder / "litellm.json"  # JSON is YAML
        file.write_text(json.dumps({"model_list": [{"model_name": "auto", "litellm_params": route}]}))
        command = [str(venv / "bin" / "litellm"), "--config", str(file), "--host", "127.0.0.1", "--port", str(port)]
        env = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_TELEMETRY": "False", "LITELLM_LOG": "ERROR"}
        env["LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY"] = "true"  # none of the others asks for a key either
        return Start([*command, "--num_workers", "1"], env)

    return start
