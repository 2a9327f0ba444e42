"""Whether more machines are needed: signs in the log, and its traffic simulated against several numbers of nodes.

Exit code 1: the log cannot be read, or has nothing of it. 2: usage, or the config does not load."""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from zoneinfo import ZoneInfo

import msgspec

from pointsman.admission.ticket import OPEN, Capacity
from pointsman.app.admission import gate_rules
from pointsman.app.residence import units_and_rules
from pointsman.app.targets import targets_of
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.report_scale_shown import as_json, as_lines
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.tongue import declare_tongue
from pointsman.config.others_words import all_of
from pointsman.config.paths import data_dir
from pointsman.config.schema import Config, parse_span
from pointsman.domain.errors import PointsmanError
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.said import said
from pointsman.domain.target import BackendState, Snapshot
from pointsman.offline.whatif.forecast import GOAL, Draws
from pointsman.offline.whatif.memory import Memory
from pointsman.offline.whatif.report import Wanted, scale
from pointsman.offline.whatif.simulate import Fleet, Served
from pointsman.offline.whatif.slowdown import Slowdown
from pointsman.residency.unit import shortage
from pointsman.store.log_reader import LogError, LogReader
from pointsman.store.log_schema import explained

_VERB = "report scale"
_SPAN = re.compile(r"[0-9]{1,9}[smhd]")
_NODES = re.compile(r"([0-9]{1,3})(?:\.\.([0-9]{1,3}))?")
_MOST_NODES = 64
_USUAL_LOAD = 10.0
"""Seconds that a model takes to load, where nobody measured it."""
_DRAWS = Draws()


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--data-dir", metavar="DIR", help="where the log is; default: as in the config")
    parser.add_argument("--since", metavar="SPAN", default="7d", help="only newer than 24h, 7d, 30d (default 7d)")
    parser.add_argument("--nodes", metavar="N..M", default="1..4", help="how many nodes are tried (default 1..4)")
    parser.add_argument(
        "--models", metavar="NAMES", help="only these targets, models or tiers, by commas; default: all"
    )
    parser.add_argument(
        "--goal", metavar="SECONDS", type=float, default=GOAL, help=f"99 of 100 wait so long at most (default {GOAL:g})"
    )
    parser.add_argument(
        "--requests", metavar="N", type=int, default=_DRAWS.most, help=f"the newest N at most (default {_DRAWS.most})"
    )
    parser.add_argument(
        "--draws", metavar="N", type=int, default=_DRAWS.count, help=f"for intervals (default {_DRAWS.count})"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    loaded = load_config(options, {"server.data_dir": options.data_dir})
    config = loaded.draft
    try:
        wanted = _wanted(options)
        is_wanted = _chosen(config, options.models)
    except PointsmanError as error:
        print_error(_VERB, error.message, options.tongue)
        return 2
    folder = data_dir(config)
    try:
        document = _newest(LogReader(folder))
        found = None if document is None else scale(folder, wanted, is_wanted, _fleets(config, document))
    except FileNotFoundError as error:
        print_error(_VERB, all_of(error), options.tongue)
        return 1
    except LogError as error:
        message = said("the log cannot be read: {why}", "日志无法读取：{why}", why=explained(error))
        print_error(_VERB, message, options.tongue)
        return 1
    if found is None or not found.rows:
        message = said("no engine was asked in that time", "这段时间内没有请求到达引擎")
        print_error(_VERB, message, options.tongue)
        return 1
    if options.json:
        print_json(as_json(found, wanted))
    else:
        for line in as_lines(found, wanted, ZoneInfo(config.server.timezone or "UTC"), options.tongue):
            print_line(line)
    return 0


def _wanted(options: argparse.Namespace) -> Wanted:
    """Raises PointsmanError."""
    if not _SPAN.fullmatch(options.since) or parse_span(options.since) <= 0:
        raise PointsmanError(
            said(
                "--since {span!r} is no span of time (valid: 24h, 7d, 30d)",
                "--since {span!r} 不是时长（合法取值：24h、7d、30d）",
                span=options.since,
            )
        )
    given = _NODES.fullmatch(options.nodes)
    first, last = (int(given[1]), int(given[2] or given[1])) if given else (0, 0)
    if not 1 <= first <= last <= _MOST_NODES:
        raise PointsmanError(
            said(
                "--nodes {nodes!r} is no number of nodes (valid: 2, 1..4; {most} at most)",
                "--nodes {nodes!r} 不是节点数（合法取值：2、1..4；最多 {most}）",
                nodes=options.nodes,
                most=_MOST_NODES,
            )
        )
    if not options.goal > 0 or not 100 <= options.requests <= 1_000_000 or not 2 <= options.draws <= 1000:
        en = "--goal is above 0, --requests 100 to 1,000,000, --draws 2 to 1000"
        zh = "--goal 要大于 0，--requests 是 100 到 1,000,000，--draws 是 2 到 1000"
        raise PointsmanError(said(en, zh))
    now = time.time()
    draws = msgspec.structs.replace(_DRAWS, count=options.draws, most=options.requests)
    since = now - parse_span(options.since)
    return Wanted(since, now, tuple(range(first, last + 1)), options.goal, draws)


def _chosen(config: Config, names: str | None) -> Callable[[str], bool]:
    """Raises PointsmanError for a name that nothing has."""
    targets = [target for pairs in targets_of(config).values() for target, _ in pairs if not target.embedding]
    if names is None:
        return {target.name for target in targets if not target.external}.__contains__
    chosen = set()
    for name in names.split(","):
        found = {each.name for each in targets if name in (each.name, each.model, each.tier)}
        if not found:
            known = ", ".join(sorted({each.tier for each in targets}))
            raise PointsmanError(
                said(
                    "--models: there is no {name!r} (valid: targets, models, or the tiers {known})",
                    "--models：没有 {name!r}（合法取值：目标、模型，或层级 {known}）",
                    name=name,
                    known=known,
                )
            )
        chosen |= found
    return chosen.__contains__


def _newest(reader: LogReader) -> PolicyDocument | None:
    """Raises LogError."""
    try:
        newest = next(reader.rows({}, None, 1), None)
        return reader.policy(newest["policy"]) if newest is not None and newest["policy"] else None
    finally:
        reader.close()


def _fleets(
    config: Config, document: PolicyDocument
) -> Callable[[int, dict[str, BackendState], dict[str, Slowdown]], Fleet]:
    """What a gateway with this config has before it."""
    rules = gate_rules(config, lambda _, slots: slots)
    pairs = [pair for each in targets_of(config).values() for pair in each]
    said_of = {target.name: limit for target, backend in pairs if isinstance(limit := backend.limits.sequences, int)}
    units, memory = units_and_rules(config, document)
    units = tuple(unit for unit in units if shortage(unit, units, memory) is None)

    def fleet(nodes: int, states: dict[str, BackendState], known: dict[str, Slowdown]) -> Fleet:
        capacities = rules.capacities(Snapshot.of(states.values()))
        there = tuple(unit for unit in units if known.keys() & set(unit.models))
        loads = {
            unit.name: sum(
                _USUAL_LOAD if (took := states[model].load_seconds if model in states else None) is None else took
                for model in unit.models
            )
            for unit in there
        }
        served = {
            name: Served(_one_of(capacities.get(name, OPEN), states.get(name), said_of.get(name)), slowdown)
            for name, slowdown in known.items()
        }
        return Fleet(nodes, served, Memory(there, memory, loads), config.admission.queue, config.admission.wait)

    return fleet


def _one_of(capacity: Capacity, state: BackendState | None, sequences: int | None) -> Capacity:
    """Of one of the nodes that there are; `sequences` is what the config says of each."""
    nodes = max(len(state.nodes), 1) if state is not None else 1
    if sequences is None and capacity.sequences is not None:
        sequences = max(capacity.sequences // nodes, 1)
    return Capacity(sequences, None if capacity.cells is None else max(capacity.cells // nodes, 1))
