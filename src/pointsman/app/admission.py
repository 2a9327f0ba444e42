"""Config → who is let in."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pointsman.admission.quota import Quota
from pointsman.admission.ticket import Capacity
from pointsman.app.targets import targets_of
from pointsman.config.admission_schema import Quota as Given
from pointsman.config.schema import Config
from pointsman.domain.target import Snapshot
from pointsman.pipeline.gate import GateRules
from pointsman.routing.breaker import BreakerRules


def quota_rules(config: Config) -> Callable[[str], Quota]:
    """What each key may ask for, by its name."""
    default = _quota(config.auth.quota)
    own = {key.name: _quota(key.quota) for key in config.auth.keys if key.quota is not None}
    return lambda name: own.get(name, default)


def _quota(given: Given) -> Quota:
    return Quota(given.requests, given.tokens, given.concurrency)


def breaker_rules(config: Config) -> BreakerRules:
    """When a target's breaker trips."""
    breaker = config.admission.breaker
    return BreakerRules(breaker.ratio, breaker.least, breaker.window, breaker.pause)


def _part(total: int | None, least: int, number: int, workers: int) -> int | None:
    """One worker's of so many; at least `least`, so that what fits into all of it fits into the part."""
    if total is None:
        return None
    part, rest = divmod(total, workers)
    return max(part + (number < rest), min(least, total))


def auto_targets(config: Config) -> list[str]:
    """Those whose limit of sequences is found out."""
    pairs = [pair for each in targets_of(config).values() for pair in each]
    return [target.name for target, backend in pairs if backend.limits.sequences == "auto"]


def gate_rules(
    config: Config, found_out: Callable[[str, int | None], int | None], number: int = 0, workers: int = 1
) -> GateRules:
    """What targets hold: as the config says, else as many sequences as the engine has slots. `found_out` says it of those
    that find it out, by the slots. Of several workers on a port each has its part; `number` begins at 0. Limits are of each
    node, where a backend has several."""
    pairs = [pair for each in targets_of(config).values() for pair in each]
    limits = {target.name: backend.limits for target, backend in pairs}
    pools = {target.name for target, backend in pairs if backend.nodes is not None}

    def capacities(snapshot: Snapshot) -> Mapping[str, Capacity]:
        found = {}
        for name, limit in limits.items():
            state = snapshot.state(name)
            facts = state.facts
            if limit.sequences == "auto":
                sequences = found_out(name, facts.slots)
            elif name in pools:  # who has a slot at which node is settled by all gateways and workers together
                sequences = facts.slots
            else:
                sequences = _part(limit.sequences or facts.slots, 1, number, workers)
            whole = limit.cells and limit.cells * max(sum(node.health == "up" for node in state.nodes), 1)
            cells = _part(whole, facts.context_length or limit.cells or 0, number, workers)
            if sequences is not None or cells is not None:
                found[name] = Capacity(sequences, cells)
        return found

    return GateRules(capacities, config.admission.queue, config.admission.wait)
