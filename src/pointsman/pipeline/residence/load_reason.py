"""What a decision says of a model that has to be loaded before it replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pointsman.domain.decision import TargetChoice
from pointsman.domain.target import Snapshot, Target
from pointsman.domain.wording import Tongue, say


def load_reason(
    choices: Sequence[TargetChoice], targets: Mapping[str, Target], snapshot: Snapshot, tongue: Tongue
) -> str:
    """To be added to the reason; nothing where the first target is in memory, or another one of its pool is and so takes the
    request."""
    if not choices:
        return ""
    first = snapshot.state(choices[0].target)
    if first.resident is not False or first.health not in ("up", "unknown"):
        return ""
    pool = [choice.target for choice in choices if targets[choice.target].tier == targets[first.target].tier]
    if any(_is_there(snapshot, name) for name in pool):
        return ""
    seconds = first.load_seconds
    about = "" if seconds is None else say("loaded_first.about", tongue, seconds=f"{seconds:.2g}")
    return say("loaded_first", tongue, target=first.target, about=about)


def _is_there(snapshot: Snapshot, target: str) -> bool:
    state = snapshot.state(target)
    return state.health == "up" and state.resident is not False
