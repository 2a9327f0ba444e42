"""B 4.1: backends of one model in one tier that keep weights or cache otherwise: the same question, other answers."""

from __future__ import annotations

import re

from pointsman.app.doctor.facts import ConfigFacts, EngineFacts, FileFacts
from pointsman.app.doctor.finding import Finding, note, ok
from pointsman.domain.said import Said, said

_NAMED = re.compile(
    r"(?<![a-z0-9])(i?q[1-8](?:_[a-z0-9]+)*|bf16|fp16|f16|fp8|int[48]|awq|gptq|nvfp4|mxfp4)(?![a-z0-9])"
)


def judge(config: ConfigFacts, files: tuple[FileFacts, ...], engines: dict[str, EngineFacts]) -> list[Finding]:
    by_model = {file.model: file.quant for file in files}
    alike: dict[tuple[str, str], dict[str, str]] = {}
    for target in config.targets:
        named = by_model.get(target.model) or quant_in(target.model)
        own = {name: engine for name, engine in engines.items() if engine.state.target == target.name}
        places = {name: (named or engine.quant, engine.cache_type) for name, engine in own.items()}
        for name, (weights, cache) in (places or {target.name: (named, None)}).items():
            if kept := _kept(weights, cache):
                alike.setdefault((target.tier, base_of(target.model)), {})[name] = kept
    mixed = {tier: kinds for (tier, _), kinds in alike.items() if len(set(kinds.values())) > 1}
    if not mixed:
        return [
            ok(
                Said(
                    "backends of one model and tier keep it alike, as far as they tell",
                    "同一层级里同一模型的后端精度一致（就已知而言）",
                )
            )
        ]
    return [
        note(
            said(
                "{tier}: {kinds}",
                "{tier}：{kinds}",
                tier=tier,
                kinds=", ".join(f"{name} {kept}" for name, kept in kinds.items()),
            ),
            Said(
                "whichever of them serves a request decides how precisely it is computed: answers to the same question "
                "differ though routing is the same",
                "由哪一个来回答，精度就不同：路由没有变，同一个问题的答案却会不一样",
            ),
            Said(
                "one kind of weights and cache in a tier, or a tier for each kind",
                "同一层级用同一种权重和缓存精度，或者分成不同层级",
            ),
        )
        for tier, kinds in mixed.items()
    ]


def _kept(weights: str | None, cache: str | None) -> str:
    parts = [_plain(weights)] if weights else []
    return " + ".join([*parts, *([f"KV {cache}"] if cache and cache != "auto" else [])])


def quant_in(model: str) -> str | None:
    """How the weights are kept, where a model's name says so: `qwen2.5:7b-instruct-q4_K_M`."""
    found = _NAMED.search(model.lower())
    return found[1] if found else None


def base_of(model: str) -> str:
    """What is left of a model's name without its folder, its owner and its quantisation: `qwen253binstruct`."""
    name = re.split(r"[/\\]", model.lower())[-1].removesuffix(".gguf")
    return re.sub(r"[^a-z0-9]", "", _NAMED.sub("", name))


def _plain(quant: str) -> str:
    """`Q4_K_M`, `q4_k` and `q4_K` are one."""
    return re.sub(r"_[sml]$", "", quant.lower()).replace("bf16", "16").replace("fp16", "16").replace("f16", "16")
