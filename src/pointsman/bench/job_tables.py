"""The tables of `bench jobs`."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.bench.jobs import JOBS, SQLITE, STEPS, TAKEN
from pointsman.bench.results import Results
from pointsman.bench.tables import Cell, Table, ratio_cell, spread_cell
from pointsman.domain.said import Said, said

_STORE = Said("store", "存储")


def job_tables(results: Results) -> Iterator[Table]:
    flight = results.options["in_flight"]
    stores = [name for name in results.versions if results.spread(name, STEPS, "per_s")]
    steps: list[list[Cell]] = [
        [name, *(spread_cell(results.spread(name, STEPS, key)) for key in ("per_s", "p50_ms", "p99_ms"))]
        for name in stores
    ]
    title = said("Durable steps, {flight} in flight", "持久化的状态转换，{flight} 个并发", flight=flight)
    yield Table(title, (_STORE, Said("per second", "每秒"), "p50 ms", "p99 ms"), steps)
    jobs: list[list[Cell]] = [
        [
            name,
            spread_cell(results.spread(name, JOBS, "per_s")),
            ratio_cell(results.ratio(name, JOBS, "per_s", SQLITE)),
        ]
        for name in results.versions
    ]
    title = said(
        "Jobs submitted by {flight} clients and done by a worker in the same process",
        "由 {flight} 个客户端提交、同一进程内的工作进程执行的任务",
        flight=flight,
    )
    yield Table(title, (_STORE, Said("per second", "每秒"), "× SQLite"), jobs)
    taken: list[list[Cell]] = [[name, spread_cell(results.spread(name, TAKEN, "s"))] for name in stores]
    title = said(
        "A job whose worker was killed is another's, with a lease of {lease:g} s",
        "工作进程被杀死后任务由另一个接手，租约 {lease:g} 秒",
        lease=results.options["lease_s"],
    )
    yield Table(title, (_STORE, Said("after seconds", "秒后")), taken)
