"""What `rules ls --stats` and `rules review` share: the period, the pass over the log, the ids behind a number."""

from __future__ import annotations

import argparse
import gc
import re
import time
from typing import Any

from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.source import declare_config
from pointsman.cli.tongue import declare_tongue
from pointsman.config.load import Loaded
from pointsman.config.paths import data_dir
from pointsman.config.schema import parse_span
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.offline.audit.outcome import Audit, Moved, RuleAudit
from pointsman.offline.audit.run import audit
from pointsman.store.log_reader import LogError, LogReader
from pointsman.store.log_schema import explained

_SPAN = re.compile(r"[0-9]{1,9}[smhd]")
_NEAR = 5


def declare_audit(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--data-dir", metavar="DIR", help="where the log is; default: as in the config")
    parser.add_argument("--since", metavar="SPAN", default="30d", help="only newer than 30m, 12h, 7d (default 30d)")
    parser.add_argument("--rule", metavar="ID", help="only this rule")
    parser.add_argument("--ids", action="store_true", help="with --rule: the requests behind each of its numbers")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    declare_tongue(parser)


def wrong_usage(options: argparse.Namespace) -> bool:
    """Whether something is wrong with these options; then it has been said."""
    if not _SPAN.fullmatch(options.since):
        message = said(
            "--since {span!r} is no span of time (valid: 30m, 12h, 7d)",
            "--since {span!r} 不是时长（合法取值：30m、12h、7d）",
            span=options.since,
        )
    elif options.ids and not options.rule:
        message = said("--ids needs --rule ID", "--ids 要和 --rule ID 一起用")
    else:
        return False
    print_error(f"rules {options.sub_verb}", message, options.tongue)
    return True


def read_audit(options: argparse.Namespace, loaded: Loaded) -> Audit:
    """Raises PointsmanError where the log cannot be read, FileNotFoundError where there is none."""
    now = time.time()
    gc.disable()  # the pass makes no cycles, and looking for some takes a tenth of its time
    try:
        reader = LogReader(data_dir(loaded.draft))
        try:
            since = now - parse_span(options.since)
            return audit(reader, since, now=now, traced=options.rule if options.ids else None)
        finally:
            reader.close()
    except LogError as error:
        message = said("the log cannot be read: {why}", "日志无法读取：{why}", why=explained(error))
        raise PointsmanError(message) from None
    finally:
        gc.enable()


def print_ids(options: argparse.Namespace, found: Audit) -> int:
    """The ids behind the numbers of one rule. 1 where the log knows nothing of it."""
    trace: dict[str, list[str]] = found.trace or {}
    if options.json:
        print_json({"rule": options.rule, "ids": trace})
        return 0 if trace else 1
    if not trace:
        print_error(f"rules {options.sub_verb}", unknown_rule(options.rule), options.tongue)
        return 1
    for name, ids in trace.items():
        print_line(f"{name} ({len(ids)})")
        for request_id in ids:
            print_line(f"  {request_id}")
    return 0


def unknown_rule(rule: str) -> Said:
    return said("the log of this period knows no rule {rule!r}", "这段时间的日志里没有规则 {rule!r}", rule=rule)


def heading(found: Audit, options: argparse.Namespace) -> list[Said]:
    """What the numbers are of, and what could not be told."""
    lines = [
        said(
            "{requests} requests in the last {span}, {reached} reached rules",
            "最近 {span} 共 {requests} 个请求，其中 {reached} 个经过规则",
            requests=found.requests,
            span=options.since,
            reached=found.reached,
        )
    ]
    if found.unread:
        lines.append(
            said(
                "of {unread} the prompt was not kept, or the key is not here: where they would have gone without a rule, "
                "who asked again and what nearly matched cannot be told of these",
                "其中 {unread} 个没有保存提示词，或者没有密钥：它们没有规则会去哪里、谁又问了一遍、差一点命中什么，"
                "都无从得知",
                unread=found.unread,
            )
        )
    if not found.costs and found.reached:
        lines.append(
            said(
                "no model request is in the log, so GPU seconds are unknown",
                "日志里没有模型请求，所以 GPU 秒数未知",
            )
        )
    if found.reached and not found.sessions and not found.unread:
        lines.append(
            said(
                "no client names its sessions (x-pointsman-session), so who broke off cannot be told",
                "没有客户端给出会话（x-pointsman-session），所以看不出谁中途放弃",
            )
        )
    return lines


def near_lines(found: Audit, rule: str | None, tongue: Tongue) -> list[str]:
    """Questions that lacked one group of a rule."""
    near = [miss for miss in found.near if rule in (None, miss.rule)][:_NEAR]
    if not near:
        return []
    share = "" if found.sampled_share == 1 else f" ({100 * found.sampled_share:.1f}%)"
    title = said(
        "Nearly: one group short, among {count} different questions that no rule took{share}",
        "差一点命中：只缺一个词组（在没有规则接住的 {count} 个不同问题中{share}）",
        count=found.sampled,
        share=share,
    )
    lines = ["", told(title, tongue)]
    for miss in near:
        line = said(
            "{rule} lacks {group}: {requests} requests, {questions} questions",
            "{rule} 缺 {group}：{requests} 个请求，{questions} 个问题",
            rule=miss.rule,
            group=miss.group,
            requests=miss.requests,
            questions=miss.questions,
        )
        lines.append("  " + told(line, tongue))
        lines += [f"    {_short(text)}" for text in miss.texts[:3]]
    return lines


def moved_text(moved: Moved) -> Said:
    """Where requests would have gone, and what that would have cost."""
    if moved.kind == "unknown":
        return said("{requests} unknown", "{requests} 个未知", requests=moved.requests)
    where = {
        "rule": said("rule {name}", "规则 {name}", name=moved.name),
        "target": said("{name}", "{name}", name=moved.name),
        "none": said("nowhere ({name})", "无处可去（{name}）", name=moved.name),
    }[moved.kind]
    if moved.seconds is None:
        unknown = said("(cost unknown)", "（代价未知）")
        return said("{n} → {where} {unknown}", "{n} → {where}{unknown}", n=moved.requests, where=where, unknown=unknown)
    if moved.kind != "target":
        return said("{requests} → {where}", "{requests} → {where}", requests=moved.requests, where=where)
    return said(
        "{requests} → {where} ({seconds} GPU s)",
        "{requests} → {where}（{seconds} GPU 秒）",
        requests=moved.requests,
        where=where,
        seconds=f"{moved.seconds:.1f}",
    )


def audit_json(each: RuleAudit) -> dict[str, Any]:
    suspected = each.suspected
    return {
        "hits": each.hits,
        "share": each.share,
        "median_ms": each.median_ms,
        "p95_ms": each.p95_ms,
        "outcomes": each.outcomes,
        "gpu_seconds_saved": each.saved,
        "untold": each.untold,
        "without_it": each.moved,
        "suspected": {
            "any": suspected.any,
            "of": suspected.of,
            "rate": suspected.rate,
            "asked_again": suspected.asked_again,
            "said_so": suspected.said_so,
            "feedback": suspected.feedback,
            "texts": suspected.texts,
        },
        "abandoned": suspected.abandoned,
    }


def period_json(found: Audit) -> dict[str, Any]:
    return {
        "since": found.since,
        "until": found.until,
        "requests": found.requests,
        "reached_rules": found.reached,
        "without_prompt": found.unread,
        "sessions": found.sessions,
        "costs": {name or "all": cost for name, cost in found.costs.items()},
    }


def near_json(found: Audit, rule: str | None) -> dict[str, Any]:
    return {
        "questions": found.sampled,
        "share": found.sampled_share,
        "rules": [miss for miss in found.near if rule in (None, miss.rule)],
    }


def number(value: float | None, digits: int = 1) -> str:
    return "?" if value is None else f"{value:.{digits}f}"


def percent(value: float | None) -> str:
    return "?" if value is None else f"{100 * value:.1f}%"


def _short(text: str) -> str:
    return " ".join(text[:80].split())
