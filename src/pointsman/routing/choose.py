"""From a tier to an ordered list of targets: what cannot serve is left out with its reason; those that are as good a choice
as each other are ordered by their score, where they get one; what is down, or whose breaker is open, comes last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter

import msgspec

from pointsman.domain.decision import TargetChoice
from pointsman.domain.target import BackendState, Snapshot, Target
from pointsman.routing.score import Scoring, score


class Wanted(msgspec.Struct, frozen=True):
    """Targets in the order of preference and why they are there ("route simple_qa", "fallback")."""

    why: str
    targets: tuple[str, ...]


class Choice(msgspec.Struct, frozen=True):
    """`targets` in the order of trying, maybe none; `left_out` with reasons; `context_length` is the largest context
    among the targets that the prompt did not fit, None where length left none out."""

    targets: tuple[TargetChoice, ...]
    left_out: tuple[TargetChoice, ...]
    context_length: int | None = None


def choose(
    wanted: Sequence[Wanted],
    targets: Mapping[str, Target],
    snapshot: Snapshot,
    *,
    input_tokens: int,
    reserve: int,
    keep_local: bool,
    scoring: Scoring | None = None,
) -> Choice:
    """Pure. A prompt fits where `input_tokens + reserve` is at most the target's context length, or that is unknown. Scores
    order what is wanted for the same reason; a target that several want belongs to the first."""
    chosen: dict[str, tuple[int, TargetChoice]] = {}
    left_out: dict[str, TargetChoice] = {}
    largest: int | None = None
    places: dict[str, int] = {}
    for place, name, why in [(place, name, group.why) for place, group in enumerate(wanted) for name in group.targets]:
        if name in chosen or name in left_out:
            continue
        state = snapshot.state(name)
        context = state.facts.context_length
        if keep_local and targets[name].external:
            left_out[name] = TargetChoice(name, "external, and this entry keeps requests local")
        elif context is not None and input_tokens + reserve > context:
            largest = max(largest or 0, context)
            left_out[name] = TargetChoice(name, f"holds {context} tokens, the prompt has {input_tokens}")
        else:
            chosen[name] = (standing(state), TargetChoice(name, _explain(why, state)))
            places[name] = place
    if scoring is not None:
        chosen = _scored(chosen, places, targets, snapshot, scoring)
    ordered = chosen.values() if len(chosen) < 2 else sorted(chosen.values(), key=itemgetter(0))
    return Choice(tuple([choice for _, choice in ordered]), tuple(left_out.values()), largest)


def _scored(
    chosen: Mapping[str, tuple[int, TargetChoice]],
    places: Mapping[str, int],
    targets: Mapping[str, Target],
    snapshot: Snapshot,
    scoring: Scoring,
) -> dict[str, tuple[int, TargetChoice]]:
    """The same, in the order of places, and in each by score."""
    groups: dict[int, list[tuple[Target, str]]] = {}
    for name, (_, choice) in chosen.items():
        groups.setdefault(places[name], []).append((targets[name], choice.why))
    return {
        choice.target: (chosen[choice.target][0], choice)
        for place in sorted(groups)
        for choice in score(groups[place], snapshot, scoring)
    }


def standing(state: BackendState) -> int:
    """0 for a target that can be tried now, and more the less that is so: those come after all others."""
    return max(_RANK[state.health], _BREAKER_RANK[state.breaker])


_RANK = {"up": 0, "unknown": 0, "loading": 1, "down": 2}
_BREAKER_RANK = {"closed": 0, "half_open": 0, "trying": 1, "open": 2}


def _explain(why: str, state: BackendState) -> str:
    if state.health not in ("up", "unknown"):
        return f"{why}; {state.health}: {state.problem or 'no answer'}"
    if state.resident is False:
        took = "" if state.load_seconds is None else f", loads in {state.load_seconds:.2g} s"
        why = f"{why}; not in memory{took}"
    if state.breaker == "closed":
        return why
    return f"{why}; breaker {state.breaker}: {state.cause or 'error'}"
