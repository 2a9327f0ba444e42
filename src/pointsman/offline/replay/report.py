"""A replay for people: paragraphs and tables in both languages, which a terminal and Markdown show alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pointsman.domain.said import Said, said
from pointsman.offline.replay.limits import Limits, Passed
from pointsman.offline.replay.moved import Place
from pointsman.offline.replay.outcome import Move, Replay, Sample
from pointsman.offline.replay.report_forecast import forecast_section, ids_of, targets_section
from pointsman.offline.replay.section import Behind, Section, counted, number, percent, stated
from pointsman.offline.replay.words import ASPECTS, ASSUMED, UNREAD, cause_text, part_text, place_text

_MOVES = 20
_RULES = 20
_PARTS = 12
_SHORT_OF = 0.95


def sections(found: Replay, span: str | None, passed: Sequence[Passed], limits: Limits) -> Iterator[Section]:
    """`span` is what was asked for: 7d."""
    moved = (Behind(0, None, ids=ids_of(found.moves)),) if found.moves else ()
    yield Section(None, tuple(_summary(found, span)), behind=moved)
    if found.unread:
        yield _unread(found)
    if found.moves:
        yield _moves(found)
    if any(each.lost or each.won for each in found.rules):
        yield _rules(found)
    if found.compared:
        yield forecast_section(found.forecast, found.moves)
        yield targets_section(found.forecast, found.moves)
    if found.assumed:
        yield Section(
            Said("Taken to be so", "所作的假定"),
            tuple(stated(count, ASSUMED[kind]) for kind, count in sorted(found.assumed.items())),
        )
    if limits.any:
        yield _limits(passed)


def _summary(found: Replay, span: str | None) -> Iterator[str]:
    if not found.requests:
        yield Said("the log of this period is empty", "这段时间的日志是空的")
        return
    yield said(
        "{requests} requests, {compared} of them decided again: {moved} move ({share})",
        "{requests} 个请求，其中 {compared} 个重新决定：{moved} 个去向不同（{share}）",
        requests=number(found.requests),
        compared=number(found.compared),
        moved=number(found.moved),
        share=percent(found.moved_share),
    )
    others = (
        (found.reordered, Said("with the same target first, others after it", "首选目标不变，后备不同")),
        (found.reworded, Said("done by the same rule in other words", "同一规则，措辞或参数不同")),
        (found.noted, Said("with other marks or rules in shadow", "标记或影子规则不同")),
        (found.undecided, Said("without a decision to make again", "没有可重新作出的决定")),
    )
    for count, what in others:
        if count:
            yield counted(count, what)
    if found.parts:
        shown = [part_text(part) for part in found.parts[:_PARTS]]
        more = len(found.parts) - len(shown)
        if more > 0:
            shown.append(said("{more} more", "另有 {more} 处", more=more))
        differ = Said("; ".join(shown), "；".join(text.zh for text in shown))
        yield said("What differs: {differ}", "不同之处：{differ}", differ=differ)
    else:
        yield Said("The two policies decide alike in every part", "两份策略在各部分都相同")
    yield said(
        "{checked} were decided by their own policy too and came out as logged, bit for bit",
        "其中 {checked} 个也用当时的策略重算，与日志逐位相同",
        checked=number(found.checked - found.unread.get("version", 0)),
    )
    yield from _of_period(found, span)


def _of_period(found: Replay, span: str | None) -> Iterator[str]:
    if found.since is not None and found.began is not None and span is not None:
        asked, there = found.until - found.since, found.until - found.began
        if there < _SHORT_OF * asked:
            yield said(
                "the log begins later than that: it holds {days} days of the last {span}",
                "日志开始得更晚：最近 {span} 里只有 {days} 天",
                days=f"{max(there, 0.0) / 86_400:.1f}",
                span=span,
            )
    if found.future:
        yield said(
            "{count} are stamped later than now: the clock has run backwards since; they are counted all the same",
            "{count} 个的时间戳晚于现在：时钟后来被调回过；它们照样计入",
            count=number(found.future),
        )
    if found.approximated:
        yield said(
            "the cause of {count} moves is taken from others like them",
            "{count} 个移动的原因取自同类的其他移动",
            count=number(found.approximated),
        )


def _unread(found: Replay) -> Section:
    title = said(
        "Cannot be decided again: {count} ({share})",
        "无法重新决定：{count} 个（{share}）",
        count=number(found.unreadable),
        share=percent(found.unreadable_share),
    )
    return Section(
        title,
        tuple(stated(count, UNREAD[why]) for why, count in found.unread.items()),
        behind=tuple(Behind(line, None, ids=found.unread_ids.get(why, ())) for line, why in enumerate(found.unread)),
    )


def _moves(found: Replay) -> Section:
    rows: list[tuple[str, ...]] = []
    behind: list[Behind] = []
    for move in found.moves[:_MOVES]:
        ids = ids_of([move])
        behind += [Behind(len(rows), column, ids=ids) for column in (0, 1)]
        rows.append(_move(move, found.compared))
        rows += [(_sample(sample),) for sample in move.samples]
    more = found.moves[_MOVES:]
    lines: tuple[str, ...] = ()
    if more:
        count = number(sum(move.requests for move in more))
        lines = (
            said(
                "{kinds} more kinds, {count} requests", "另有 {kinds} 种，{count} 个请求", kinds=len(more), count=count
            ),
        )
    heads = (
        Said("requests", "请求"),
        Said("share", "占比"),
        Said("from", "从"),
        Said("to", "到"),
        Said("what", "变化"),
        Said("because of", "原因"),
    )
    return Section(Said("What moves", "去向变化"), lines, heads, tuple(rows), frozenset((0, 1)), tuple(behind))


def _move(move: Move, of: int) -> tuple[str, ...]:
    return (
        number(move.requests),
        percent(move.requests / of),
        place_text(move.before),
        place_text(move.after),
        ASPECTS[move.aspect],
        cause_text(move.cause),
    )


def _sample(sample: Sample) -> str:
    told = [sample.id, sample.language or "-", f"{sample.input_tokens or 0} tokens"]
    if sample.task is not None:
        told.append(sample.task)
    if sample.difficulty is not None:
        told.append(f"{sample.difficulty:.2f}")
    line = "  ".join(told)
    return line if sample.text is None else f"{line}  {' '.join(sample.text.split())[:100]}"


def _rules(found: Replay) -> Section:
    changed = sorted((each for each in found.rules if each.lost or each.won), key=lambda each: -(each.lost + each.won))
    rows = tuple(
        (
            each.rule,
            number(each.before),
            number(each.after),
            number(each.lost),
            _most(each.to),
            number(each.won),
            _most(each.from_),
        )
        for each in changed[:_RULES]
    )
    heads = (
        Said("rule", "规则"),
        Said("took", "原来"),
        Said("takes", "现在"),
        Said("loses", "失去"),
        Said("to", "到"),
        Said("wins", "得到"),
        Said("from", "从"),
    )
    behind: list[Behind] = []
    for row, each in enumerate(changed[:_RULES]):
        place = Place("rule", each.rule)
        behind += [
            Behind(row, 1, fields={"rule": each.rule}),
            Behind(row, 3, ids=ids_of(move for move in found.moves if move.before == place)),
            Behind(row, 5, ids=ids_of(move for move in found.moves if move.after == place)),
        ]
    return Section(Said("Rules", "规则"), (), heads, rows, frozenset((1, 2, 3, 5)), tuple(behind))


def _most(places: dict[str, int]) -> str:
    shown = [f"{name} {count}" for name, count in list(places.items())[:2]]
    return ", ".join(shown) + (" …" if len(places) > len(shown) else "")


def _limits(passed: Sequence[Passed]) -> Section:
    if not passed:
        return Section(Said("Limits", "限值"), (Said("all are kept", "全部符合"),))
    lines = tuple(said("{option}: {why}", "{option}：{why}", option=each.option, why=each.why) for each in passed)
    return Section(Said("Limits that are passed", "超出的限值"), lines)
