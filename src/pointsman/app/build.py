"""Config → policy, without starting anything: what `serve`, `check` and `explain` share."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from pointsman import __version__
from pointsman.actions.mcp.listed_before import keep_tools
from pointsman.actions.mcp.listing import Asked
from pointsman.app.actions import action_specs, surroundings_of
from pointsman.app.classifier import classifying
from pointsman.app.delivery import note_on_links, wrong_delivery, wrong_rules_deliver
from pointsman.app.file_store import wrong_files
from pointsman.app.instances import same_model_twice
from pointsman.app.intents import clashing, with_all_intents
from pointsman.app.job_store import wrong_jobs
from pointsman.app.mcp_servers import all_tools, with_tools
from pointsman.app.quality_table import quality_table
from pointsman.app.report_templates import unusable_templates
from pointsman.app.reports import sources_of, specs_of, unusable_reports, with_values
from pointsman.app.residence import wrong_residency
from pointsman.app.schedules import wrong_asks, wrong_schedules
from pointsman.app.setup import Setup
from pointsman.app.targets import not_installed, targets_of, unworkable, with_builtin
from pointsman.config.load import Loaded
from pointsman.config.paths import data_dir
from pointsman.config.schema import Config
from pointsman.domain.action import ActionSpec
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.report import ReportSpec
from pointsman.domain.said import said
from pointsman.domain.wording import INSTALL
from pointsman.pipeline.book_cases import wrong_cases
from pointsman.pipeline.document import actions_of, build_document, check_steering, names_of, wrong_frames
from pointsman.pipeline.intent_notes import notes_of
from pointsman.pipeline.intent_rules import wrong_intents
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.rulebook import read_rulebook


class Built(Setup, frozen=True, kw_only=True):
    """A config whose rules hold their own cases, where it was read, and which MCP servers were asked for their tools."""

    loaded: Loaded
    asked: dict[str, Asked] = msgspec.field(default_factory=dict)


class Before(msgspec.Struct, frozen=True):
    """What was known until now: the reports, and what actions take."""

    reports: tuple[ReportSpec, ...] = ()
    actions: dict[str, ActionSpec] = {}


_NOTHING = Before()


def before(setup: Setup) -> Before:
    """What that one knows."""
    document = setup.policy.document
    specs = {name: rule.spec for name, rule in document.actions.items() if rule.spec is not None}
    return Before(document.reports, specs)


NOBODY: frozenset[str] = frozenset()
"""For verbs that only look at the config: no MCP server is started."""


def build(loaded: Loaded, known: Before = _NOTHING, may_ask: frozenset[str] | None = None) -> Built:
    """Raises Problems with all that is wrong, in the config, its rules, their cases, its actions and its reports. What
    somebody else does not tell now is taken from what was `known`. `may_ask` names the MCP servers that may be asked (None:
    all)."""
    config, no_model = with_builtin(loaded.draft)
    base = loaded.path.resolve().parent if loaded.path else Path.cwd()
    book, wrong_rules = read_rulebook(loaded.rules)
    steps = (step.action for own in config.actions.values() for step in own.steps or ())
    surroundings = surroundings_of(config, base, known.actions, may_ask, data_dir(config))
    offered = with_tools(surroundings, {*(rule.action for rule in book.rules), *steps})
    config, wrong_files_read = with_all_intents(offered.surroundings.config, base)
    loaded = msgspec.structs.replace(loaded, draft=config)
    targets = {tier: tuple(target for target, _ in pairs) for tier, pairs in targets_of(config).items()}
    specs = action_specs(config, base, known.actions, offered.surroundings.asked, may_ask)
    actions, wrong_actions = actions_of(config, specs.specs)
    names = {} if "models" in loaded.broken else names_of(config, targets)
    sources, wrong_sources = sources_of(config, base)
    catalog, wrong_reports = specs_of(config, base, loaded.broken)
    wrong_examples, near_examples = clashing(config)
    quality, wrong_quality = quality_table(config, base)
    classifier, wrong_classifier = classifying(config, base)
    problems = [
        *loaded.problems,
        *loaded.places.place_all(
            [
                *unworkable(config),
                *offered.problems,
                *specs.problems,
                *wrong_actions,
                *wrong_frames(config),
                *wrong_sources,
                *wrong_reports,
                *_not_here(config),
                *wrong_files_read,
                *wrong_intents(config, actions, names),
                *wrong_examples,
                *wrong_jobs(config),
                *wrong_files(config),
                *wrong_quality,
                *wrong_residency(config),
                *wrong_classifier,
                *wrong_delivery(config, base),
                *wrong_schedules(config, specs.specs, loaded.broken),
            ]
        ),
        *wrong_rules,
        *check_steering(book, actions, names, loaded),
        *wrong_rules_deliver(book, config, loaded.broken),
        *wrong_cases(book),
    ]
    if problems:
        raise Problems(problems)
    reports, unread = with_values(config, catalog, sources, data_dir(config), base, known.reports)
    placed = build_document(loaded, book, actions, targets, reports, __version__, quality, classifier.rule)
    policy = Policy(placed.document, own_tasks=classifier.own, own_difficulty=classifier.own_difficulty)
    policy.read_models()
    if wrong := list(wrong_asks(config, policy, time.time())):
        raise Problems(loaded.places.place_all(wrong))
    absent = [
        said("{path}: {message}", "{path}：{message}", path=problem.path, message=problem.message)
        for problem in not_installed(config)
    ]
    empty = [
        said("{file} holds no rules", "{file} 里没有任何规则", file=file.source.name)
        for file in loaded.rules
        if not file.source.data
    ]
    notes_on_intents = [*near_examples, *notes_of(config, placed.document.targets, placed.document.names)]
    not_now = [*offered.notes, *specs.notes]
    notes = [
        *placed.notes,
        *notes_on_intents,
        *note_on_links(config),
        *classifier.notes,
        *not_now,
        *unread,
        *absent,
        *same_model_twice(config),
        *empty,
    ]
    if no_model:
        en = "no model is set up, so only rules answer ({why}). To install the built-in one: {install}"
        zh = "没有可用的模型，只能由规则回答（{why}）。安装内置模型：{install}"
        notes.append(said(en, zh, why=no_model, install=INSTALL))
    return Built(
        loaded=loaded,
        config=config,
        policy=policy,
        sources=sources,
        base=str(base),
        notes=tuple(notes),
        no_model=no_model,
        unread=(*unread, *not_now),
        file=str(loaded.path.resolve()) if loaded.path else None,
        asked=offered.asked,
    )


def keep_asked(built: Built) -> None:
    """What MCP servers said, for verbs that ask none; where the data folder is there."""
    said_now = {name: one.tools for name, one in built.asked.items() if one.tools is not None}
    keep_tools(data_dir(built.config), built.config.mcp_servers, said_now)


def check_tools(built: Built) -> dict[str, Asked]:
    """What the MCP servers of the config offer, by their names; those that no action uses are asked now, too."""
    surroundings = surroundings_of(built.config, Path(built.base), {})
    return all_tools(surroundings, built.asked)


def check_sources(built: Built) -> tuple[str, ...]:
    """Asks the sources of all reports whether tables and columns are there, and tries their templates out. Raises Problems;
    gives notes on sources that cannot be reached now. Takes about a second each."""
    config, specs = built.config, built.policy.document.reports
    wrong, notes = unusable_reports(config, specs, built.sources, data_dir(config))
    broken, warned = unusable_templates(config, specs, data_dir(config))
    if wrong or broken:
        raise Problems(built.loaded.places.place_all([*wrong, *broken]))
    return (*notes, *warned)


def _not_here(config: Config, system: str = os.name) -> Iterator[Problem]:
    """What this system cannot do."""
    if system == "nt" and config.server.workers > 1:
        alone = said("on Windows one process serves the port", "在 Windows 上只能由一个进程提供服务")
        yield Problem("server.workers", alone, valid="1")
