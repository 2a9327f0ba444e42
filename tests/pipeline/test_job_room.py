"""Whose jobs a worker may take."""

from __future__ import annotations

import pytest

from pointsman.pipeline.job_room import WEBHOOKS, room


@pytest.mark.parametrize(
    ("concurrency", "interactive", "batch", "webhook", "wanted"),
    [
        (4, 0, 0, 0, (4, 3, WEBHOOKS)),
        (4, 0, 3, 0, (1, 0, WEBHOOKS)),
        (4, 2, 1, 5, (1, 1, WEBHOOKS - 5)),
        (4, 4, 0, 0, (0, 0, WEBHOOKS)),
        (1, 0, 0, 0, (1, 1, WEBHOOKS)),
        (1, 0, 1, 0, (0, 0, WEBHOOKS)),
        (2, 0, 1, WEBHOOKS, (1, 0, 0)),
    ],
)
def test_webhooks_take_no_place_and_batches_leave_one(
    concurrency: int, interactive: int, batch: int, webhook: int, wanted: tuple[int, int, int]
) -> None:
    under_way = {"interactive": interactive, "batch": batch, "webhook": webhook}
    found = [room(queue, concurrency, under_way) for queue in ("interactive", "batch", "webhook")]  # type: ignore[arg-type]
    assert tuple(found) == wanted
