"""What the log is filtered by, and where each of these stands in a head."""

from __future__ import annotations

from collections.abc import Callable

from pointsman.store.log_row import Brief, Head

FILTERS = (
    "id", "stage", "rule", "action", "target", "outcome", "caller", "model", "entry", "endpoint", "language", "task_type",
    "error", "intent", "risk", "mark", "shadow",
)  # fmt: skip
FEATURES = ("language", "task_type")
"""Those that stand among the features."""
LABELS: dict[str, Callable[[Head | Brief], list[str]]] = {
    "mark": lambda head: head.marks,
    "shadow": lambda head: head.shadow,
}
"""Those of which a request has several."""
_FIELDS = {"entry": "model"}  # a client names an entry as a model


def field_of(name: str) -> str:
    """What the filter looks at."""
    return _FIELDS.get(name, name)


KEPT = tuple(dict.fromkeys(map(field_of, FILTERS)))
"""The fields that chapters have columns of."""
