"""All cases of all rules, over the cores of this machine."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor

from pointsman.domain.policy import EntryRule
from pointsman.domain.rule import Rule
from pointsman.pipeline.book_cases import features_of
from pointsman.rulecheck.coverage import RuleRun, run_rule
from pointsman.rulecheck.lexicon import Lexicon
from pointsman.rulecheck.scenes import scenes_of
from pointsman.rules import RuleSet, compile_rules

_FEW = 3_000
_CHUNK = 100
_PREPARED: list[Callable[[Rule], RuleRun]] = []
"""What forked processes find ready; emptied afterwards."""


def run_all(
    rules: Sequence[Rule],
    wanted: Sequence[Rule],
    entries: Sequence[EntryRule],
    guard_packs: Sequence[str],
    direct: Sequence[str],
    workers: int,
) -> list[RuleRun]:
    """The cases of the rules that are `wanted`, each among the rules of its pack, and among all `rules` that its first
    entry has. Rules are compiled once; the processes are forks that share them. Threads would not help: the time goes
    into Python."""
    run = _prepare(rules, wanted, entries, guard_packs, direct)
    wanted = [rule for rule in wanted if rule.mode != "off"]
    if workers < 2 or sum(len(rule.cases) for rule in wanted) < _FEW or not hasattr(os, "fork"):
        return [run(rule) for rule in wanted]
    _PREPARED.append(run)
    try:
        chunks = [tuple(range(start, min(start + _CHUNK, len(wanted)))) for start in range(0, len(wanted), _CHUNK)]
        _WANTED.extend(wanted)
        with ProcessPoolExecutor(workers, multiprocessing.get_context("fork")) as pool:
            return [run for some in pool.map(_run_some, chunks) for run in some]
    finally:
        _PREPARED.clear()
        _WANTED.clear()


_WANTED: list[Rule] = []


def _run_some(places: tuple[int, ...]) -> list[RuleRun]:
    [run] = _PREPARED
    return [run(_WANTED[place]) for place in places]


def _prepare(
    rules: Sequence[Rule],
    wanted: Sequence[Rule],
    entries: Sequence[EntryRule],
    guard_packs: Sequence[str],
    direct: Sequence[str],
) -> Callable[[Rule], RuleRun]:
    lexicon = Lexicon(wanted)
    packs: dict[str, RuleSet] = {}
    for pack in dict.fromkeys(rule.pack for rule in wanted):
        packs[pack] = compile_rules([rule for rule in rules if rule.pack == pack])
    scenes = scenes_of(rules, entries, guard_packs, direct)

    def run(rule: Rule) -> RuleRun:
        pack = packs[rule.pack]
        whole = next((scene.ruleset for scene in scenes if rule.id in scene.rank), pack)
        return run_rule(rule, pack, None if len(whole.rules) == len(pack.rules) else whole, lexicon, features_of)

    return run
