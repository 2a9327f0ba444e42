"""The report for programs: the same findings as plain data, without words of prompts unless they are asked for."""

from __future__ import annotations

from typing import Any

from msgspec.structs import asdict, replace

from pointsman.offline.replay.outcome import Effect, Replay
from pointsman.offline.weekly.part_unjudged import unjudged_part
from pointsman.offline.weekly.spans import Span
from pointsman.offline.weekly.weekly import Weekly


def plain(found: Weekly, *, text: bool) -> dict[str, Any]:
    """Times are seconds since the epoch, unless their name says milliseconds."""
    return {
        "since": found.week.start,
        "until": found.now,
        "week": _span(found.week),
        "before": _span(found.before),
        "days": found.days,
        "misroutes": found.misroutes,
        "clarified": found.looked.clarified,
        "balance": found.balances,
        "rules": [each if text else replace(each, texts=()) for each in found.rules.advice],
        "clusters": [
            {**asdict(heap.gap), **({} if text else {"representative": None, "samples": []})}
            for heap in found.unsettled.heaps
        ],
        "replayed_since": found.replayed,
        "newest_policy": None if found.as_it_is is None else _replay(found.as_it_is),
        "against": None if found.against is None else {"file": found.against[0], **_replay(found.against[1])},
        "suggestions": [
            {
                "what": each.suggestion.what,
                "why": each.suggestion.why,
                "config": each.suggestion.config,
                "bound": each.suggestion.bound,
                "replay": None if each.replay is None else _replay(each.replay),
            }
            for each in found.tried
        ],
        "not_suggested": found.none,
        "not_replayed": found.left_out,
        "not_judged": unjudged_part(found).lines,
    }


def _span(span: Span) -> dict[str, Any]:
    whole = span.whole
    return {
        "requests": span.requests,
        "without_a_model": span.spared,
        "failed": span.failed,
        "input_tokens": whole.input_tokens,
        "output_tokens": whole.output_tokens,
        "cached_tokens": whole.cached_tokens,
        "p95_ms": whole.total_ms.quantile(0.95),
        "p95_ttft_ms": whole.ttft_ms.quantile(0.95),
        "p95_queued_ms": whole.queued_ms.quantile(0.95),
    }


def _replay(replay: Replay) -> dict[str, Any]:
    forecast = replay.forecast
    return {
        "requests": replay.requests,
        "compared": replay.compared,
        "moved": replay.moved,
        "unreadable": replay.unreadable,
        "mean_seconds": _effect(forecast.mean),
        "p95_seconds": _effect(forecast.p95),
        "gpu_seconds": _effect(forecast.gpu),
        "quality": {**_effect(forecast.quality), "requests": forecast.answered, "guessed": forecast.guessed_quality},
    }


def _effect(effect: Effect) -> dict[str, float]:
    return asdict(effect)
