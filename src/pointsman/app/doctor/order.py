"""All checks, in the order in which they are made: that of document B (4.1 to 4.3), then rules, then the house itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from pointsman.app.doctor.checks import (
    clock,
    concurrency,
    config,
    cut_input,
    data_folder,
    engines,
    extras,
    files,
    fragmentation,
    hidden_state,
    keys,
    kv_cache,
    l0_hits,
    memory_free,
    out_of_memory,
    ports,
    precision,
    request_ids,
    scale,
    store,
    thrash,
    tokenizer,
    weights,
)
from pointsman.app.doctor.facts import Facts, NotKnown
from pointsman.app.doctor.finding import Finding
from pointsman.domain.said import Said, said


class Check(msgspec.Struct, frozen=True):
    """`judge` takes the facts that are named in `needs`, in that order."""

    name: str
    title: Said
    needs: tuple[str, ...]
    judge: Callable[..., list[Finding]]


class Part(msgspec.Struct, frozen=True):
    title: Said
    checks: tuple[Check, ...]


PARTS = (
    Part(
        Said("Memory", "显存与内存"),
        (
            Check("weights", Said("weights in memory", "权重占用"), ("files",), weights.judge),
            Check("kv_cache", Said("KV cache", "KV 缓存"), ("files", "engines"), kv_cache.judge),
            Check(
                "concurrency", Said("requests at once", "并发上限"), ("config", "gateway", "engines"), concurrency.judge
            ),
            Check("fragmentation", Said("fragmentation", "碎片化"), ("logs",), fragmentation.judge),
            Check(
                "out_of_memory",
                Said("out of memory", "内存不足"),
                ("log", "logs", "machine", "gateway"),
                out_of_memory.judge,
            ),
            Check("precision", Said("precision", "精度"), ("config", "files", "engines"), precision.judge),
        ),
    ),
    Part(
        Said("Decisions", "路由决策"),
        (
            Check("tokenizer", Said("token counts", "token 计数"), ("log",), tokenizer.judge),
            Check("cut_input", Said("what the arbiter hears", "仲裁器的输入"), ("log",), cut_input.judge),
            Check("hidden_state", Said("computed again", "重新计算"), ("recount",), hidden_state.judge),
            Check("request_ids", Said("request ids", "请求编号"), ("log",), request_ids.judge),
        ),
    ),
    Part(
        Said("Loading models", "模型加载"),
        (
            Check("memory_free", Said("room to load", "加载空间"), ("config", "files", "machine"), memory_free.judge),
            Check("files", Said("model files", "模型文件"), ("files",), files.judge),
            Check("ports", Said("ports", "端口"), ("config", "gateway", "machine", "engines"), ports.judge),
            Check("thrash", Said("repeated loads", "反复加载"), ("gateway",), thrash.judge),
        ),
    ),
    Part(
        Said("Rules", "规则"),
        (
            Check("config", Said("config and rules", "配置与规则"), ("config",), config.judge),
            Check("l0_hits", Said("answered by rules", "规则命中率"), ("log",), l0_hits.judge),
        ),
    ),
    Part(
        Said("The house", "环境"),
        (
            Check("engines", Said("engines", "推理引擎"), ("gateway", "engines"), engines.judge),
            Check("scale", Said("one more machine", "是否该加机器"), ("gateway",), scale.judge),
            Check("data_folder", Said("data folder", "数据文件夹"), ("config", "machine"), data_folder.judge),
            Check("store", Said("job store", "任务存储"), ("store",), store.judge),
            Check("keys", Said("keys", "密钥"), ("config",), keys.judge),
            Check("clock", Said("clock", "时钟"), ("log", "machine"), clock.judge),
            Check("extras", Said("installed parts", "安装的组件"), ("config",), extras.judge),
        ),
    ),
)


def judged(check: Check, facts: Facts) -> list[Finding]:
    """What it says; where a fact is wanting, that."""
    values: list[Any] = [facts.get(name) for name in check.needs]
    for name, value in zip(check.needs, values, strict=True):
        if isinstance(value, NotKnown):
            return [Finding("unknown", said(*_WANTING, it=_LOOKS[name], why=value.why))]
    return check.judge(*values)


_WANTING = ("could not look at {it}: {why}", "无法查看{it}：{why}")
_LOOKS = {
    "config": Said("the config", "配置"),
    "gateway": Said("the gateway", "网关"),
    "log": Said("the request log", "请求日志"),
    "recount": Said("logged decisions", "日志里的决策"),
    "engines": Said("the engines", "推理引擎"),
    "files": Said("the models' files", "模型文件"),
    "machine": Said("this machine", "本机"),
    "logs": Said("the engines' logs", "引擎日志"),
    "store": Said("the job store", "任务存储"),
}
