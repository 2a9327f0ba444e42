"""The tables of `bench swap`."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.bench.results import Results
from pointsman.bench.subjects import POINTSMAN
from pointsman.bench.swap.measure import MIXED, SWAP, subject_of
from pointsman.bench.tables import Cell, Table, count_cell, spread_cell
from pointsman.domain.said import Said, said

_SWAPS = (
    ("cold_s", Said("the first request for a model that is out of memory", "对不在内存中的模型的第一个请求")),
    ("warm_s", Said("the same request again", "再发一次同样的请求")),
    ("load_s", Said("of the difference: the engine's load in that swap", "两者之差中：引擎在这次切换中的加载")),
    ("over_s", Said("the gateway: unloading, confirming, letting in", "网关：卸载、确认释放、放行")),
    ("fresh_s", Said("the engine's first reply, beyond a later one", "引擎的第一个回复比之后的多用")),
    ("own_s", Said("a load without a gateway, another time", "另测：没有网关时的一次加载")),
)
_MIXED = (
    ("sent_n", Said("sent", "发出")),
    ("ok_n", Said("answered", "完成")),
    ("loads_n", Said("loads", "加载次数")),
    ("fewest_n", Said("fewest, nobody waits (Belady)", "最少，不等待（Belady）")),
    ("ratio", Said("ratio", "比值")),
    ("fewest_gathered_n", Said("fewest, each waits up to gather", "最少，各等 gather 之久")),
    ("ratio_gathered", Said("ratio", "比值")),
    ("fewest_waited_n", Said("fewest, each waits as the longest here", "最少，各等到本次最长等待")),
    ("wait_p50_s", Said("wait p50, s", "等待 p50，秒")),
    ("wait_p95_s", Said("p95, s", "p95，秒")),
    ("wait_most_s", Said("longest, s", "最长，秒")),
)


def swap_tables(results: Results) -> Iterator[Table]:
    options = results.options
    if SWAP in results.rows:
        lines: list[list[Cell]] = [[head, spread_cell(results.spread(POINTSMAN, SWAP, key))] for key, head in _SWAPS]
        title = said(
            "{n} swaps between two models with memory for one; seconds, median (least–most)",
            "内存只容得下一个模型时，在两个模型之间切换 {n} 次；秒，中位数（最小–最大）",
            n=options["swaps"],
        )
        yield Table(title, (Said("what", "内容"), Said("s", "秒")), lines)
    if MIXED in results.rows:
        title = said(
            "{n} requests over three models, {rate:g} a second at random, memory for {places}",
            "三个模型共 {n} 个请求，每秒 {rate:g} 个，随机到达，内存容得下 {places} 个",
            n=options["requests"],
            rate=options["rate"],
            places=options["places"],
        )
        subjects = [subject_of(gather) for gather in options["gathers"]]
        lines = [
            [
                subject,
                *(
                    (count_cell if key.endswith("_n") else spread_cell)(results.spread(subject, MIXED, key))
                    for key, _ in _MIXED
                ),
            ]
            for subject in subjects
        ]
        yield Table(title, (Said("gateway", "网关"), *(head for _, head in _MIXED)), lines)
