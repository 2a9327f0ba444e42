"""What the log is filtered by, and where each of these stands in a head."""

from __future__ import annotations

from typing import get_args

from pointsman.domain.attempt import Outcome
from pointsman.domain.decision import Stage
from pointsman.domain.features import Language
from pointsman.domain.task_types import TASK_TYPES

FILTERS = (
    "id", "stage", "rule", "action", "target", "outcome", "caller", "model", "entry", "endpoint", "language", "task_type",
    "error", "intent", "risk", "mark", "shadow",
)  # fmt: skip
VALUES: dict[str, tuple[str, ...]] = {
    "stage": get_args(Stage),
    "outcome": get_args(Outcome),
    "language": get_args(Language),
    "task_type": TASK_TYPES,
}
"""All that there are, where a filter takes no others."""
FEATURES = ("language", "task_type")
"""Those that stand among the features."""
LABELS = {"mark": "marks", "shadow": "shadow"}
"""Those of which a request has several, and the field of a head that has them."""
_FIELDS = {"entry": "model"}  # a client names an entry as a model


def field_of(name: str) -> str:
    """What the filter looks at."""
    return _FIELDS.get(name, name)


KEPT = tuple(dict.fromkeys(map(field_of, FILTERS)))
"""The fields that chapters have columns of."""
