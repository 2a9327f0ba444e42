"""`GET /v1/models`: from the config alone, so that it answers at once, also with every backend down."""

from __future__ import annotations

from typing import Any

from pointsman.domain.errors import PointsmanError, did_you_mean
from pointsman.domain.said import said


class Models:
    """`names` are (name, kind) with kind entry, tier, alias or model, in the order of the list."""

    def __init__(self, names: list[tuple[str, str]], since: int) -> None:
        self._cards = {name: _card(name, kind, since) for name, kind in names}

    def all(self) -> dict[str, Any]:
        return {"object": "list", "data": list(self._cards.values())}

    def one(self, name: str) -> dict[str, Any]:
        """Raises a 404 that lists the valid names."""
        if name in self._cards:
            return self._cards[name]
        valid = list(self._cards)
        raise PointsmanError(
            said(
                'there is no model "{name}"{hint}; valid: {valid}',
                "没有名为“{name}”的模型{hint}（可用的有：{valid}）",
                name=name[:200],
                hint=did_you_mean(name[:200], valid),
                valid=", ".join(valid),
            ),
            status=404,
            type="not_found_error",
            code="model_not_found",
        )


def _card(name: str, kind: str, since: int) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": since, "owned_by": "pointsman", "pointsman": {"kind": kind}}
