"""The axes of `bench growth`: what grows, by a hundred times and more, and what is asked of the gateway at each size."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pointsman import packs
from pointsman.bench.canned import EVENTS, MODEL, QUESTION, asked, greeting
from pointsman.bench.picked import picked
from pointsman.bench.policies import as_yaml_rules, random_rules
from pointsman.bench.starts import PACKS
from pointsman.domain.said import Said

SHIPPED_RULES = 89
"""The least rules of that axis. The demo packs bring some of them; the others are random ones."""


@dataclass(frozen=True)
class Point:
    """One size. `sections` go into the config as `starts.pointsman` takes them; `body` is a whole completion's request, None
    for a stream of `events`; `records` are written to the decision log before; `hosts` are addresses of the upstream.
    `least_seconds` is the shortest measurement that has enough replies. `reloads`: the config is read again meanwhile."""

    size: int
    sections: Mapping[str, Any] = field(default_factory=dict)
    body: bytes | None = field(default_factory=lambda: asked(stream=False))
    events: int = EVENTS
    hosts: int = 1
    key: str | None = None
    records: int = 0
    parallel: int = 16
    least_seconds: float = 0.0
    reloads: bool = False


@dataclass(frozen=True)
class Axis:
    """`sizes` in order; `quick` are those of a short run."""

    name: str
    title: Said
    sizes: Sequence[int]
    quick: Sequence[int]
    point: Callable[[int], Point]


def _rules(size: int) -> Point:
    def section(upstream: int, folder: Path) -> dict[str, Any]:
        rules = as_yaml_rules(random_rules(max(1, size - _in_packs()))[0])
        (folder / "many.yaml").write_text(json.dumps({"rules": rules}, ensure_ascii=False), encoding="utf-8")
        return {"packs": [f"builtin:{name}" for name in PACKS], "files": ["many.yaml"]}

    return Point(size, {"rules": section})


def _reload(size: int) -> Point:
    """Under the load of questions that a rule answers: what a reload does to those who ask meanwhile."""
    point = _rules(size)
    return Point(size, point.sections, body=greeting(), reloads=True, least_seconds=4.0 + size / 800)


def _in_packs() -> int:
    """How many rules the demo packs have."""
    folder = Path(packs.__path__[0])
    return sum((folder / name / "rules.yaml").read_text(encoding="utf-8").count("\n  - id:") for name in PACKS)


def _backends(size: int) -> Point:
    def section(upstream: int, folder: Path) -> dict[str, Any]:
        urls = [f"http://127.0.0.{number}:{upstream}/v1" for number in range(1, size + 1)]
        return {"medium": {"backends": [{"engine": "vllm", "model": MODEL, "base_url": url} for url in urls]}}

    return Point(size, {"models": section}, hosts=size)


def _keys(size: int) -> Point:
    names = [f"bench-key-{number}" for number in range(size)]
    keys = [{"name": name, "hash": f"sha256:{hashlib.sha256(name.encode()).hexdigest()}"} for name in names]
    return Point(size, {"auth": {"keys": keys, "loopback": "key"}}, key=names[-1])


def _log(size: int) -> Point:
    return Point(size, records=size)


def _body(size: int) -> Point:
    text = QUESTION
    while len(text.encode()) < size:
        text += QUESTION
    room = size - len(asked(stream=False, text=""))
    cut = text.encode()[: max(1, room)].decode(errors="ignore")
    return Point(size, body=asked(stream=False, text=cut), parallel=4, least_seconds=size / 500_000)


def _stream(size: int) -> Point:
    return Point(size, body=None, events=size)


AXES = {
    axis.name: axis
    for axis in (
        Axis("rules", Said("rules", "规则数"), (SHIPPED_RULES, 1000, 10_000), (SHIPPED_RULES, 1000), _rules),
        Axis(
            "reload",
            Said("rules read again under load", "带负载重新加载的规则数"),
            (SHIPPED_RULES, 1000, 10_000),
            (1000,),
            _reload,
        ),
        Axis("backends", Said("backends", "后端数"), (1, 10, 100), (1, 10), _backends),
        Axis("keys", Said("keys", "密钥数"), (1, 10, 100, 1000), (1, 100), _keys),
        Axis("log", Said("records in the log before", "日志已有记录数"), (0, 1000, 10_000, 100_000), (0, 1000), _log),
        Axis(
            "body",
            Said("bytes of the request", "请求字节数"),
            (1000, 10_000, 100_000, 1_000_000, 5_000_000),
            (1000, 100_000),
            _body,
        ),
        Axis("stream", Said("events of a stream", "流的事件数"), (30, 300, 3000), (30, 300), _stream),
    )
}


def axes_of(names: Sequence[str]) -> list[Axis]:
    """Raises PointsmanError that lists the valid names."""
    return picked(names, AXES, Said("axis", "这个维度"))
