"""Which tables a result has."""

from __future__ import annotations

from collections.abc import Iterable

from pointsman.bench.admission_tables import admission_tables
from pointsman.bench.growth_tables import growth_tables
from pointsman.bench.job_tables import job_tables
from pointsman.bench.l1_tables import l1_tables
from pointsman.bench.log_million_tables import log_million_tables
from pointsman.bench.log_tables import log_tables
from pointsman.bench.nodes_tables import nodes_tables
from pointsman.bench.quality_tables import quality_tables
from pointsman.bench.relay_tables import layer_tables, relay_tables, worker_tables
from pointsman.bench.replay_tables import replay_check_tables, replay_tables
from pointsman.bench.results import Results
from pointsman.bench.rules_tables import rules_tables
from pointsman.bench.swap_tables import swap_tables
from pointsman.bench.tables import Table
from pointsman.bench.whatif_tables import whatif_tables

_TABLES = {
    "relay": relay_tables,
    "layers": layer_tables,
    "workers": worker_tables,
    "growth": growth_tables,
    "rules": rules_tables,
    "jobs": job_tables,
    "log": log_tables,
    "log_million": log_million_tables,
    "l1": l1_tables,
    "quality": quality_tables,
    "admission": admission_tables,
    "nodes": nodes_tables,
    "swap": swap_tables,
    "replay": replay_tables,
    "replay-check": replay_check_tables,
    "whatif": whatif_tables,
}


def tables_of(results: Results) -> Iterable[Table]:
    return _TABLES[results.kind](results)
