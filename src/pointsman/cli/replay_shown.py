"""A replay on a terminal, as Markdown, and as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pointsman.cli.table import table
from pointsman.domain.said import Tongue, in_zh, told
from pointsman.offline.replay.limits import Passed
from pointsman.offline.replay.outcome import Cause, Effect, Move, Replay
from pointsman.offline.replay.section import Section
from pointsman.offline.replay.words import cause_text

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")


def as_text(sections: Iterable[Section], tongue: Tongue) -> Iterator[str]:
    first = True
    for section in sections:
        if not first:
            yield ""
        first = False
        indent = ""
        if section.title is not None:
            yield told(section.title, tongue)
            indent = "  "
        for line in section.lines:
            yield indent + told(line, tongue)
        if not section.heads:
            continue
        rows = [[told(cell, tongue) for cell in row] for row in section.rows]
        heads = [told(head, tongue) for head in section.heads]
        lines = iter(table(heads, [row for row in rows if len(row) > 1], section.numbers))
        yield indent + next(lines)
        for row in rows:
            yield f"{indent}    {row[0]}" if len(row) == 1 else indent + next(lines)


def as_markdown(sections: Iterable[Section], tongue: Tongue) -> Iterator[str]:
    """For a comment: what came from others is escaped."""
    for section in sections:
        if section.title is not None:
            yield f"### {_plain(told(section.title, tongue))}"
            yield ""
        for line in section.lines:
            yield f"- {_plain(told(line, tongue))}"
        if section.lines:
            yield ""
        if not section.heads:
            continue
        yield _row([told(head, tongue) for head in section.heads])
        yield _row(["--:" if place in section.numbers else "---" for place in range(len(section.heads))], escape=False)
        notes = []
        for row in section.rows:
            cells = [told(cell, tongue) for cell in row]
            if len(cells) == 1:
                notes.append(cells[0])
            else:
                yield _row(cells)
        yield ""
        if notes:
            for note in notes:
                yield f"- {_plain(note)}"
            yield ""


def as_json(found: Replay, over: Sequence[Passed], sections: Iterable[Section]) -> dict[str, Any]:
    """`report` is what people are told, in both languages."""
    forecast = found.forecast
    return {
        "since": found.since,
        "until": found.until,
        "began": found.began,
        "ended": found.ended,
        "requests": found.requests,
        "compared": found.compared,
        "moved": found.moved,
        "moved_share": found.moved_share,
        "reordered": found.reordered,
        "reworded": found.reworded,
        "noted": found.noted,
        "undecided": found.undecided,
        "unreadable": found.unreadable,
        "unreadable_share": found.unreadable_share,
        "unread": found.unread,
        "assumed": found.assumed,
        "checked": found.checked,
        "by_terms": found.rescored,
        "spared": found.spared,
        "future": found.future,
        "cause_from_others": found.approximated,
        "policies": found.policies,
        "differences": [{"kind": part.kind, "name": part.name, "how": part.how} for part in found.parts],
        "moves": [_move(move) for move in found.moves],
        "rules": [
            {"rule": each.rule, "before": each.before, "after": each.after, "lost": each.lost, "to": each.to,
             "won": each.won, "from": each.from_}
            for each in found.rules
        ],
        "forecast": {
            "requests": forecast.requests,
            "left_out": forecast.left_out,
            "mean_seconds": _effect(forecast.mean),
            "median_seconds": _effect(forecast.median),
            "p95_seconds": _effect(forecast.p95),
            "gpu_seconds": _effect(forecast.gpu),
            "quality": {**_effect(forecast.quality), "requests": forecast.answered, "guessed": forecast.guessed_quality},
            "guessed_speed": forecast.guessed_speed,
            "untimed": forecast.untimed,
            "targets": forecast.targets,
        },
        "passed": [{"option": each.option, "why": each.why} for each in over],
        "seconds": found.seconds,
        "report": [
            {
                "title": None if section.title is None else _both(section.title),
                "lines": list(map(_both, section.lines)),
                "heads": list(map(_both, section.heads)),
                "rows": [list(map(_both, row)) for row in section.rows],
                "numbers": sorted(section.numbers),
                "behind": [each for each in section.behind if each.ids != ()],
            }
            for section in sections
        ],
    }  # fmt: skip


def _both(text: str) -> dict[str, str]:
    return {"en": str(text), "zh": in_zh(text)}


def _move(move: Move) -> dict[str, Any]:
    return {
        "from": move.before,
        "to": move.after,
        "what": move.aspect,
        "cause": _cause(move.cause),
        "requests": move.requests,
        "samples": move.samples,
    }


def _cause(cause: Cause) -> dict[str, Any]:
    return {
        "text": cause_text(cause),
        "parts": [{"kind": part.kind, "name": part.name, "how": part.how} for part in cause.parts],
        "alone": cause.alone,
    }


def _effect(effect: Effect) -> dict[str, float | None]:
    return {
        "before": effect.before,
        "after": effect.after,
        "low": effect.low,
        "high": effect.high,
        "change": effect.change,
    }


def _row(cells: Sequence[str], *, escape: bool = True) -> str:
    return f"| {' | '.join(_plain(cell) if escape else cell for cell in cells)} |"


def _plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
