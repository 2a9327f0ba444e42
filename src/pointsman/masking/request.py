"""One request's masks: made once, for those of its targets that are to see none of the values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from pointsman.domain.target import Target
from pointsman.masking.body import MaskedBody, mask_body
from pointsman.masking.unmask import Unmasker


class Masking(msgspec.Struct, frozen=True):
    """What the config wants: the kinds, whether replies are unmasked, and whether backends of this network, too, get
    masked requests."""

    kinds: tuple[str, ...]
    unmask: bool = True
    everywhere: bool = False

    def covers(self, target: Target) -> bool:
        return self.everywhere or target.external


class RequestMask:
    """`fields` are the top-level members of the request's body; `json`: a reply of JSON was asked for."""

    def __init__(self, masking: Masking, fields: Mapping[str, msgspec.Raw], *, json: bool) -> None:
        self._masking = masking
        self._fields = fields
        self._json = json
        self._made: MaskedBody | None = None

    def prepare(self, targets: Iterable[Target]) -> None:
        """Makes the mask, if one of them needs it: of a large request that takes a while, which a thread can spend."""
        for target in targets:
            if self.body(target) is not None:
                return

    def body(self, target: Target) -> MaskedBody | None:
        """None where that target gets the request as it is."""
        if not self._masking.covers(target):
            return None
        if self._made is None:
            self._made = mask_body(self._fields, self._masking.kinds)
        return self._made

    def unmasker(self, target: Target) -> Unmasker | None:
        """None where there is nothing to put back."""
        made = self.body(target)
        return Unmasker(made.values, json=self._json) if made and made.values and self._masking.unmask else None
