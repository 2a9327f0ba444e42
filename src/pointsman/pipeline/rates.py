"""The rates of all targets, kept as records tell of them."""

from __future__ import annotations

from collections.abc import Callable, Collection

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.target import Snapshot
from pointsman.recording.rates import Rate, sample_of


class MeasuredRates:
    """A recorder. `changed` hears that a target has other rates now."""

    def __init__(self) -> None:
        self.changed: Callable[[str], None] | None = None
        self._rates: dict[str, tuple[Rate, Rate]] = {}

    def put(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None:
        sample = sample_of(record)
        if sample is None or record.target is None:
            return
        prefill, decode = self._rates.setdefault(record.target, (Rate(), Rate()))
        changed = False
        if sample.prefill is not None:
            changed |= prefill.take(*sample.prefill)
        if sample.decode is not None:
            changed |= decode.take(*sample.decode)
        if changed and self.changed is not None:
            self.changed(record.target)

    def of(self, target: str) -> tuple[float | None, float | None]:
        """Tokens a second that it reads of a prompt, and writes of a reply; None: not measured."""
        rates = self._rates.get(target)
        return (None, None) if rates is None else (rates[0].shown, rates[1].shown)

    def keep(self, targets: Collection[str]) -> None:
        """Forgets all others."""
        self._rates = {name: rates for name, rates in self._rates.items() if name in targets}
