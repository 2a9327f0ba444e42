"""B 4.1, second: what the KV caches take is taken when models load, and how much it is."""

from __future__ import annotations

from pointsman.app.doctor.facts import EngineFacts, FileFacts
from pointsman.app.doctor.finding import Finding, note, ok
from pointsman.domain.said import Said, said
from pointsman.memory.sizes import shown

MOST = 0.92  # of a card


def judge(files: tuple[FileFacts, ...], engines: dict[str, EngineFacts]) -> list[Finding]:
    found = [_of_file(file) for file in files if file.cache is not None]
    found += [_of_vllm(name, engine) for name, engine in engines.items() if engine.blocks]
    found += [_of_ollama(name, engine) for name, engine in engines.items() if engine.loaded]
    if found:
        return found
    return [ok(said("no engine tells what its KV cache takes", "没有引擎说明 KV 缓存占多少"))]


def _of_file(file: FileFacts) -> Finding:
    return ok(
        said(
            "{model}: {slots} × {context:,} tokens, a cache of {cache}, taken when it loads and not by requests",
            "{model}：{slots} × {context:,} 个 token，缓存 {cache}，加载时一次占用，与请求多少无关",
            model=file.model,
            slots=file.slots,
            context=file.context,
            cache=shown(file.cache or 0),
        )
    )


def _of_vllm(name: str, engine: EngineFacts) -> Finding:
    blocks, block, share = engine.blocks or 0, engine.block or 0, engine.share
    took = said(", {share:.0%} of the card", "，占显卡 {share:.0%}", share=share) if share is not None else ""
    saw = said(
        "{name}: {blocks:,} blocks of {block} tokens, taken at its start{took}",
        "{name}：{blocks:,} 块，每块 {block} 个 token，启动时一次占用{took}",
        name=name,
        blocks=blocks,
        block=block,
        took=took,
    )
    if share is None or share <= MOST:
        return ok(saw)
    return note(
        saw,
        Said(
            "vLLM takes that share whatever the model; hardly anything is left for whatever else runs on the card",
            "vLLM 占用的比例与模型无关；留给显卡上其他程序的所剩无几",
        ),
        Said(
            "start it with a smaller --gpu-memory-utilization; pointsman models flags says which one the model needs",
            "启动时调小 --gpu-memory-utilization；pointsman models flags 会给出这个模型需要的值",
        ),
    )


def _of_ollama(name: str, engine: EngineFacts) -> Finding:
    loaded, on_gpu = engine.loaded or 0, engine.on_gpu or 0
    saw = said(
        "{name}: {loaded} in memory, {on_gpu} of it on the GPU",
        "{name}：占内存 {loaded}，其中显存 {on_gpu}",
        name=name,
        loaded=shown(loaded),
        on_gpu=shown(on_gpu),
    )
    if on_gpu in (0, loaded):
        return ok(saw)
    return note(
        saw,
        Said(
            "the rest is computed by the CPU, which makes replies several times slower",
            "其余由 CPU 计算，回答会慢好几倍",
        ),
        Said(
            "a smaller context or cache type, or fewer parallel requests: pointsman models flags --engine ollama",
            "减小上下文、缓存类型或并行数：pointsman models flags --engine ollama",
        ),
    )
