"""The tables of `bench nodes`."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.bench.nodes.measure import ALL, ALONE, IDEAL, ONE, THROUGHPUT, TURNS, TURNS_RUN, WAITS
from pointsman.bench.results import Results
from pointsman.bench.subjects import POINTSMAN
from pointsman.bench.tables import Cell, Table, ratio_cell, spread_cell
from pointsman.domain.said import Said, said

_NAMES = {
    IDEAL: Said("one central queue, computed", "一个集中队列（计算值）"),
    TURNS: Said("round robin, computed", "轮询（计算值）"),
    TURNS_RUN: Said("round robin, no gateway", "轮询，不经网关"),
    ALONE: Said("gateways that know nothing of each other", "互不知情的网关"),
    POINTSMAN: Said("gateways of one store", "共享一个存储的网关"),
}
_WAITS = (
    ("wait_mean_s", Said("mean, s", "平均，秒")),
    ("wait_p50_s", Said("p50, s", "p50，秒")),
    ("wait_p95_s", Said("p95, s", "p95，秒")),
    ("wait_p99_s", Said("p99, s", "p99，秒")),
)


def nodes_tables(results: Results) -> Iterator[Table]:
    options = results.options
    lines: list[list[Cell]] = [
        [
            name,
            *(spread_cell(results.spread(subject, WAITS, key)) for key, _ in _WAITS),
            ratio_cell(results.ratio(subject, WAITS, "wait_p99_s", IDEAL)),
            spread_cell(results.spread(subject, WAITS, "at_once_p50_ms")),
        ]
        for subject, name in _NAMES.items()
        if results.spread(subject, WAITS, "wait_p99_s")
    ]
    title = said(
        "How long {requests} requests waited for a slot; {gateways} gateways, {nodes} nodes of {slots} slots, "
        "{load:g} % load, heavy-tailed times of service of {mean:g} s",
        "{requests} 个请求等待槽位的时间；{gateways} 个网关，{nodes} 个节点各 {slots} 个槽位，负载 {load:g} %，"
        "服务时间重尾分布，平均 {mean:g} 秒",
        **{name: options[name] for name in ("requests", "gateways", "nodes", "slots", "mean")},
        load=options["load"] * 100,
    )
    heads = (
        Said("who sends", "由谁分发"),
        *(head for _, head in _WAITS),
        Said("p99, of the central queue's", "p99 为集中队列的几倍"),
        Said("where a slot was free, p50, ms", "有空槽时 p50，毫秒"),
    )
    yield Table(title, heads, lines)
    shown: list[list[Cell]] = [
        [
            name,
            spread_cell(results.spread(subject, THROUGHPUT, "served_per_s")),
            spread_cell(results.spread(subject, THROUGHPUT, "slots_busy")),
            ratio_cell(results.ratio(subject, THROUGHPUT, "slots_busy", ONE)),
        ]
        for subject, name in (
            (ONE, Said("one gateway, one node", "一个网关、一个节点")),
            (ALL, Said("all of them", "全部")),
        )
    ]
    yield Table(
        Said("What they get through with twice as many clients as slots", "客户端数为槽位两倍时的处理量"),
        (
            Said("", ""),
            Said("requests a second", "每秒请求数"),
            Said("slots at work", "工作中的槽位"),
            Said("of one node's", "为单节点的几倍"),
        ),
        shown,
    )
