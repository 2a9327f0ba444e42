"""Decide the logged requests again under another config: what moves from where to where, why, and what that comes to.

Exit code 1: a limit (--max-…) is passed. 2: usage, or the config does not load, or the log cannot be read."""

from __future__ import annotations

import argparse
import contextlib
import gc
import re
import sys
import time
from pathlib import Path
from typing import Any

from pointsman.app.build import NOBODY, Before, build
from pointsman.cli.output import print_error, print_json, print_line, print_problems
from pointsman.cli.replay_shown import as_json, as_markdown, as_text
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.tongue import declare_tongue
from pointsman.config.load import load
from pointsman.config.others_words import all_of
from pointsman.config.paths import data_dir, find_config
from pointsman.config.schema import parse_span
from pointsman.config.yaml_source import read_yaml
from pointsman.domain.errors import PointsmanError, Problem, Problems, did_you_mean
from pointsman.domain.said import said
from pointsman.offline.replay.limits import Limits, limit_of, passed, share_of, stolen_of
from pointsman.offline.replay.outcome import Replay
from pointsman.offline.replay.report import sections
from pointsman.offline.replay.run import ALL, Asked, replay
from pointsman.pipeline.policy import Policy
from pointsman.store.log_reader import LogError, LogReader
from pointsman.store.log_schema import explained

_SPAN = re.compile(r"[0-9]{1,9}[smhd]")
_EVERY = 16


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--data-dir", metavar="DIR", help="where the log is; default: as in the config")
    parser.add_argument("--since", metavar="SPAN", default="7d", help="only newer than 30m, 12h, 7d (default 7d)")
    against = parser.add_argument_group("against what (at least one)")
    against.add_argument("--against", metavar="FILE", help="another pointsman.yaml, with all that it names")
    against.add_argument(
        "--against-rules", metavar="FILE", action="append", default=[],
        help="the config with these rule files in place of its rules.files; repeatable",
    )  # fmt: skip
    against.add_argument(
        "--against-weights", metavar="FILE", help="the config with these weights in place of its policy"
    )
    against.add_argument("--against-classifier", metavar="FILE", help="the config with that model of task types")
    limits = parser.add_argument_group("limits (1 where one is passed); LIMIT is a share such as 2%%, or a number")
    limits.add_argument("--max-moved", metavar="LIMIT", help="requests that go elsewhere")
    limits.add_argument("--max-slower", metavar="SHARE", help="by which the mean or the 95th percentile of times grows")
    limits.add_argument("--max-worse", metavar="SHARE", help="points of quality lost: 1%% is 0.01 of 1")
    limits.add_argument("--max-gpu", metavar="SHARE", help="by which GPU seconds grow")
    limits.add_argument("--max-unreadable", metavar="LIMIT", help="requests that cannot be decided again")
    limits.add_argument(
        "--max-stolen", metavar="RULE[=LIMIT]", action="append", default=[],
        help="what may go elsewhere of what RULE took; without a limit nothing may; repeatable",
    )  # fmt: skip
    parser.add_argument("--samples", metavar="N", type=int, default=3, help="requests shown of each move (default 3)")
    parser.add_argument("--text", action="store_true", help="with what was asked (needs the key in the data folder)")
    parser.add_argument(
        "--verify", action="store_true", help="decide every request by its own policy too, not only those that move"
    )
    parser.add_argument("--progress", action="store_true", help="tell on stderr how far it is: a line a percent")
    shapes = parser.add_mutually_exclusive_group()
    shapes.add_argument("--json", action="store_true", help="print one JSON object")
    shapes.add_argument("--markdown", action="store_true", help="print Markdown, for a comment in a code review")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    try:
        limits = _limits(options)
        loaded = load_config(options, {"server.data_dir": options.data_dir})
        with contextlib.closing(LogReader(data_dir(loaded.draft))) as reader:
            policy = _policy(options, reader)
            found = _replayed(options, reader, policy)
            _check_rules(limits, policy, found)
    except Problems as error:
        print_problems(error.problems, options.tongue)
        return 2
    except PointsmanError as error:
        print_error("replay", error.message, options.tongue)
        return 2
    except FileNotFoundError as error:
        print_error("replay", all_of(error), options.tongue)
        return 2
    except LogError as error:
        message = said("the log cannot be read: {why}", "日志无法读取：{why}", why=explained(error))
        print_error("replay", message, options.tongue)
        return 2
    over = passed(found, limits)
    if options.json:
        print_json(as_json(found, over, sections(found, options.since, over, limits)))
    else:
        show = as_markdown if options.markdown else as_text
        for line in show(sections(found, options.since, over, limits), options.tongue):
            print_line(line)
    return 1 if over else 0


def _limits(options: argparse.Namespace) -> Limits:
    """Raises PointsmanError for what is wrong with any option."""
    if not _SPAN.fullmatch(options.since):
        raise PointsmanError(
            said(
                "--since {span!r} is no span of time (valid: 30m, 12h, 7d)",
                "--since {span!r} 不是时长（合法取值：30m、12h、7d）",
                span=options.since,
            )
        )
    if not (options.against or options.against_rules or options.against_weights or options.against_classifier):
        raise PointsmanError(
            said(
                "against what? Give --against FILE, or --against-rules, --against-weights or --against-classifier",
                "与什么比较？请给出 --against FILE，或 --against-rules、--against-weights、--against-classifier",
            )
        )
    if not 0 <= options.samples <= 1000:
        raise PointsmanError(said("--samples is 0 to 1000", "--samples 应为 0 到 1000"))
    given = {name: getattr(options, f"max_{name}") for name in ("moved", "unreadable", "slower", "worse", "gpu")}
    counts = {name: limit_of(f"--max-{name}", given[name]) for name in ("moved", "unreadable") if given[name]}
    shares = {name: share_of(f"--max-{name}", given[name]) for name in ("slower", "worse", "gpu") if given[name]}
    return Limits(
        moved=counts.get("moved"),
        unreadable=counts.get("unreadable"),
        slower=shares.get("slower"),
        worse=shares.get("worse"),
        gpu=shares.get("gpu"),
        stolen=dict(map(stolen_of, options.max_stolen)),
    )


def _policy(options: argparse.Namespace, reader: LogReader) -> Policy:
    """Raises Problems. What only somebody else could tell of reports and actions is taken from the newest policy of the
    log."""
    file = find_config(options.against or options.config)
    rules = [str(Path(name).absolute()) for name in options.against_rules]
    classifier = options.against_classifier and str(Path(options.against_classifier).absolute())
    weights = options.against_weights and _weights(Path(options.against_weights))
    loaded = load(file, {"rules.files": rules or None, "classifier.file": classifier, "policy": weights})
    newest = next(reader.rows({}, None, 1), None)
    document = reader.policy(newest["policy"]) if newest is not None and newest["policy"] else None
    known = Before()
    if document is not None:
        specs = {name: rule.spec for name, rule in document.actions.items() if rule.spec is not None}
        known = Before(document.reports, specs)
    return build(loaded, known, may_ask=NOBODY).policy


def _weights(file: Path) -> dict[Any, Any]:
    """What stands under `policy` instead. Raises Problems."""
    data = read_yaml(file).data
    if not isinstance(data, dict):
        message = said("must be a mapping of names of weights", "必须是由权重名组成的映射")
        raise Problems([Problem("policy", message, where=str(file))])
    return data


def _check_rules(limits: Limits, policy: Policy, found: Replay) -> None:
    """A mistyped name would guard nothing. Raises PointsmanError."""
    known = list(dict.fromkeys([*(rule.id for rule in policy.document.rules), *(each.rule for each in found.rules)]))
    for rule in limits.stolen:
        if rule not in known:
            message = said(
                "--max-stolen: there is no rule {rule!r}, neither in the new config nor in the log{hint}",
                "--max-stolen：新配置和日志里都没有规则 {rule!r}{hint}",
                rule=rule,
                hint=did_you_mean(rule, known),
            )
            raise PointsmanError(message)


def _replayed(options: argparse.Namespace, reader: LogReader, policy: Policy) -> Replay:
    now = time.time()
    asked = Asked(
        now=now,
        since=now - parse_span(options.since),
        shown=options.samples,
        text=options.text,
        every=ALL if options.verify else _EVERY,
    )
    gc.disable()  # the pass makes no cycles, and looking for some takes a tenth of its time
    try:
        return replay(reader, policy, asked, _Progress() if options.progress else lambda share: None)
    finally:
        gc.enable()


class _Progress:
    def __init__(self) -> None:
        self._told = 0

    def __call__(self, share: float) -> None:
        percent = int(100 * share)
        if percent > self._told:
            self._told = percent
            print(f"{percent} %", file=sys.stderr, flush=True)
