"""Config → policy, without starting anything: what `serve`, `check` and `explain` share."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pointsman import __version__
from pointsman.actions.report.settings import SourceSettings
from pointsman.app.reports import reports_of, sources_of
from pointsman.app.targets import targets_of, with_builtin
from pointsman.config.load import Loaded
from pointsman.config.paths import data_dir
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.features import Features
from pointsman.domain.request import Request, Turn
from pointsman.domain.wording import INSTALL
from pointsman.features.extract import extract
from pointsman.pipeline.document import build_document
from pointsman.pipeline.policy import Policy
from pointsman.rules import compile_rules, failed_cases


class Built(msgspec.Struct, frozen=True):
    """A config whose rules hold their own cases, and its policy. `no_model` says why there is none, where there is none."""

    loaded: Loaded
    policy: Policy
    sources: dict[str, SourceSettings]
    notes: tuple[str, ...]
    no_model: str | None


def build(loaded: Loaded) -> Built:
    """Raises Problems with all that is wrong. A pack must hold its own cases; that another pack's rule of higher priority
    would take one is the right of whoever put the packs together."""
    config, no_model = with_builtin(loaded.config)
    loaded = msgspec.structs.replace(loaded, config=config)
    targets = {tier: tuple(target for target, _ in pairs) for tier, pairs in targets_of(config).items()}
    base = loaded.path.resolve().parent if loaded.path else Path.cwd()
    sources = sources_of(config, base)
    reports, unread = reports_of(config, sources, data_dir(config) / "files")
    placed = build_document(loaded, targets, reports, __version__)
    rules = placed.document.rules
    problems: list[Problem] = []
    for pack in dict.fromkeys(rule.pack for rule in rules):
        of_pack = [rule for rule in rules if rule.pack == pack]
        problems += [case.problem for case in failed_cases(compile_rules(of_pack), of_pack, _features_of)]
    if problems:
        raise Problems(problems)
    notes = [*loaded.notes, *placed.notes, *unread]
    if no_model:
        notes.append(f"no model is set up, so only rules answer ({no_model}). To install the built-in one: {INSTALL}")
    return Built(loaded, Policy(placed.document), sources, tuple(notes), no_model)


def _features_of(text: str) -> Features:
    return extract(Request("case", "chat", "auto", (Turn("user", text),)))
