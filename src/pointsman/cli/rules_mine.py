"""Propose rules that the questions of a log or a file suggest, ready to paste, each with what speaks for and against it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from pointsman.app.build import NOBODY, build
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.question_source import Refused, declare_source, read_source
from pointsman.cli.source import load_config
from pointsman.domain.said import Tongue, said, told
from pointsman.offline.mining.mine import mine
from pointsman.offline.mining.parsed import MissingSegmenter
from pointsman.offline.mining.proposal import Mined, Proposal

_SHARE = 0.004
_SHOWN = 3


def declare(parser: argparse.ArgumentParser) -> None:
    declare_source(parser)
    parser.add_argument("--limit", type=int, default=10, help="at most so many proposals (default 10)")
    parser.add_argument(
        "--min-share", type=_share, default=_SHARE, metavar="SHARE", help="of all questions, at least; 0.004 or 0.4%%"
    )
    parser.add_argument("--write", metavar="FILE", help="write the proposals as a rule file")


def run(options: argparse.Namespace) -> int:
    options.verb_name = "rules mine"
    if options.limit < 1:
        print_error(options.verb_name, said("--limit must be at least 1", "--limit 至少是 1"), options.tongue)
        return 2
    target = Path(options.write) if options.write else None
    if target is not None and target.exists():
        message = said("{path} exists already", "{path} 已经存在", path=target)
        print_error(options.verb_name, message, options.tongue)
        return 2
    built = build(load_config(options, {"server.data_dir": options.data_dir}), may_ask=NOBODY)
    try:
        asked, _, _ = read_source(options, built.loaded)
        mined = mine(
            asked,
            policy=built.policy,
            limit=options.limit,
            min_share=options.min_share,
            tongue="en" if options.json else options.tongue,
        )
    except Refused as refused:
        return refused.code
    except MissingSegmenter as error:
        print_error(options.verb_name, error.args[0], options.tongue)
        return 1
    if target is not None and mined.proposals:
        target.write_text("\n".join(proposal.yaml for proposal in mined.proposals), encoding="utf-8")
    if options.json:
        print_json(_as_json(mined))
    else:
        for line in _lines(mined, options.tongue):
            print_line(line)
        if target is not None and mined.proposals:
            print_line(told(said("written to {path}", "已写入 {path}", path=target), options.tongue))
    return 0 if mined.proposals else 1


def _share(text: str) -> float:
    """0.004 or 0.4%."""
    value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    if not 0 < value <= 1:
        raise ValueError(text)
    return value


def _as_json(mined: Mined) -> dict[str, Any]:
    return {
        **{name: getattr(mined, name) for name in Mined.__struct_fields__ if name != "proposals"},
        "proposals": [{**msgspec.structs.asdict(each), "share": each.share} for each in mined.proposals],
    }


def _lines(mined: Mined, tongue: Tongue) -> Iterator[str]:
    yield told(
        said(
            "{questions} questions ({different} different){left_out}; rules took {taken}{unread}",
            "{questions} 个问题（{different} 种）{left_out}；其中 {taken} 个已由规则接住{unread}",
            questions=mined.questions,
            different=mined.different,
            taken=mined.taken,
            left_out=said(", {count} left out", "，另有 {count} 个未看", count=mined.left_out)
            if mined.left_out
            else "",
            unread=said(", {count} cannot be read", "，{count} 个读不到内容", count=mined.unread)
            if mined.unread
            else "",
        ),
        tongue,
    )
    if not mined.proposals:
        yield told(said("nothing worth a rule", "没有值得写成规则的"), tongue)
    for proposal in mined.proposals:
        yield ""
        for line in _proposal(proposal):
            yield told(line, tongue)
        yield ""
        yield from proposal.yaml.rstrip("\n").split("\n")


def _proposal(proposal: Proposal) -> Iterator[str]:
    yield said(
        "{id}: takes {questions} of {of} questions ({share:.1%}); {intent} want the same",
        "{id}：接住 {of} 个问题中的 {questions} 个（{share:.1%}）；有同样意图的共 {intent} 个",
        id=proposal.id,
        questions=proposal.questions,
        of=proposal.of,
        share=proposal.share,
        intent=proposal.intent,
    )
    yield said(
        "  estimated precision {precision:.1%} ({low:.1%} to {high:.1%}, on {tried} questions that it was not made from)",
        "  估计准确率 {precision:.1%}（95% 区间 {low:.1%} 到 {high:.1%}，在没有参与生成的 {tried} 个问题上）",
        precision=proposal.precision,
        low=proposal.low,
        high=proposal.high,
        tried=proposal.tried,
    )
    if proposal.seconds is not None:
        yield said(
            "  engines spent {seconds:.1f} s on {timed} of these questions",
            "  引擎在其中 {timed} 个问题上用了 {seconds:.1f} 秒",
            seconds=proposal.seconds,
            timed=proposal.timed,
        )
    for conflict in proposal.conflicts[:_SHOWN]:
        yield said(
            "  conflict with {rule}: {message}",
            "  与 {rule} 冲突：{message}",
            rule=conflict.rule,
            message=conflict.message,
        )
    if len(proposal.conflicts) > _SHOWN:
        more = len(proposal.conflicts) - _SHOWN
        yield said("  {more} more conflicts (--json)", "  还有 {more} 处冲突（--json）", more=more)
    for text in proposal.doubtful[:_SHOWN]:
        yield said("  look at: {text}", "  请看一看：{text}", text=" ".join(text.split())[:120])
