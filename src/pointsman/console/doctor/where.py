"""Where what a check saw can be looked at: the requests that it counted, or the page that has it as of now."""

from __future__ import annotations

import msgspec

from pointsman.domain.said import Said


class Where(msgspec.Struct, frozen=True):
    """`path` is a page of the console."""

    path: str
    title: Said


_MODELS = Where("/ui/models", Said("Models & nodes", "模型与节点"))
WHERE = {
    "weights": _MODELS,
    "kv_cache": _MODELS,
    "concurrency": _MODELS,
    "fragmentation": _MODELS,
    "out_of_memory": Where("/ui/requests?outcome=failed&since=7d", Said("requests that failed", "失败的请求")),
    "precision": _MODELS,
    "tokenizer": Where("/ui/requests?kind=model&since=7d", Said("requests to models", "由模型回答的请求")),
    "cut_input": Where("/ui/requests?kind=l1&since=7d", Said("requests to the arbiter", "由仲裁定下的请求")),
    "hidden_state": Where("/ui/requests?since=24h", Said("requests of the last day", "最近一天的请求")),
    "request_ids": Where("/ui/requests?since=7d", Said("requests of the last week", "最近一周的请求")),
    "memory_free": _MODELS,
    "files": _MODELS,
    "thrash": _MODELS,
    "config": Where("/ui/rules", Said("Rules", "规则")),
    "l0_hits": Where("/ui/requests?kind=l0&since=7d", Said("requests that rules answered", "由规则回答的请求")),
    "engines": _MODELS,
    "scale": Where("/ui", Said("Now", "现状")),
    "store": Where("/ui/jobs", Said("Jobs", "任务")),
    "keys": Where("/ui/keys", Said("Keys", "密钥")),
    "clock": Where("/ui/requests", Said("the newest requests", "最新的请求")),
}
"""By the check's name. What this machine alone has (its ports, its disk, what is installed) is on no page."""
