"""What `fit` says to people."""

from __future__ import annotations

from pointsman.domain.said import Said, said
from pointsman.memory.estimate import Estimate, Setup
from pointsman.memory.sizes import shown
from pointsman.memory.verdict import Change, Room, Verdict

PARTS = {
    "weights": Said("weights", "权重"),
    "kv_bytes": Said("KV cache", "KV 缓存"),
    "compute": Said("compute buffer", "计算缓冲区"),
    "output": Said("output", "输出"),
    "mmproj": Said("mmproj", "图像投影（mmproj）"),
    "draft": Said("draft model", "草稿模型"),
    "context": Said("CUDA context", "CUDA 上下文"),
    "margin": Said("margin", "余量"),
    "total": Said("total", "合计"),
}


def part_rows(found: Estimate) -> list[list[str]]:
    """A row a part that takes anything, and the sum."""
    rows = []
    for name, word in PARTS.items():
        shares = [found.main] + ([found.host] if found.host else [])
        sizes = [getattr(share, name) for share in shares]
        if any(sizes) or name in ("weights", "kv_bytes", "total"):
            rows.append([word, *(shown(size) if size else "-" for size in sizes)])
    return rows


def verdict_lines(verdict: Verdict, room: Room) -> list[Said]:
    """Whether it fits, by how much, and how long a context could be."""
    where = Said("the GPU", "显卡") if room.gpu else Said("main memory", "内存")
    size, spare = shown(room.size), shown(abs(verdict.spare))
    if verdict.fits:
        lines = [
            said(
                "It fits: {spare} of {size} are left on {where}.",
                "放得下：{where}共 {size}，还剩 {spare}。",
                spare=spare,
                size=size,
                where=where,
            )
        ]
    else:
        lines = [
            said(
                "It does not fit: {spare} are missing on {where} ({size}).",
                "放不下：{where}（{size}）还差 {spare}。",
                spare=spare,
                size=size,
                where=where,
            )
        ]
    if room.used:
        lines.append(
            said(
                "In use on it now: {used}; the figures are those of an empty card.",
                "现在已用 {used}；以上按空卡计算。",
                used=shown(room.used),
            )
        )
    if verdict.fits and verdict.largest_ctx:
        lines.append(
            said(
                "The longest context that fits: --ctx {ctx}.",
                "能放下的最长上下文：--ctx {ctx}。",
                ctx=verdict.largest_ctx,
            )
        )
    if not verdict.fits and not verdict.changes:
        lines.append(Said("No single change makes it fit.", "只改一处无法放下。"))
    elif not verdict.fits:
        lines.append(Said("Any one of these makes it fit:", "改下面任何一处即可放下："))
    return lines


def change_line(change: Change, before: Setup) -> Said:
    """One way to make it fit."""
    total = shown(change.total)
    if change.what == "ctx":
        return said("  --ctx {ctx}  ({total})", "  --ctx {ctx}（{total}）", ctx=change.setup.ctx, total=total)
    if change.what == "parallel":
        return said(
            "  --parallel {parallel} --ctx {ctx}  ({total})",
            "  --parallel {parallel} --ctx {ctx}（{total}）",
            parallel=change.setup.parallel,
            ctx=change.setup.ctx,
            total=total,
        )
    if change.what == "kv_type":
        return said(
            "  --kv-type {kind}  ({total}; answers change a little)",
            "  --kv-type {kind}（{total}；回答会略有变化）",
            kind=change.setup.types.k,
            total=total,
        )
    return said(
        "  --gpu-layers {layers}  ({total}; replies at least {lost:.0%} slower)",
        "  --gpu-layers {layers}（{total}；回答至少慢 {lost:.0%}）",
        layers=change.setup.gpu_layers,
        total=total,
        lost=change.lost or 0.0,
    )
