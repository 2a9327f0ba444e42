"""A Setup → bytes for another process, and back. What the receiver runs on is what the sender checked, whatever becomes of
the files."""

from __future__ import annotations

import msgspec

from pointsman.app.setup import Setup
from pointsman.app.workers.messages import Packed, both, text_of
from pointsman.domain.policy import PolicyDocument
from pointsman.pipeline.policy import Policy


def packed(setup: Setup) -> Packed:
    return Packed(
        setup.config,
        setup.policy.document.encode(),
        setup.sources,
        [both(note) for note in setup.notes],
        None if setup.no_model is None else both(setup.no_model),
        [both(note) for note in setup.unread],
    )


def unpacked(packed: Packed) -> Setup:
    """Compiles the policy: a second for some ten thousand rules."""
    return Setup(
        config=packed.config,
        policy=Policy(msgspec.msgpack.decode(packed.document, type=PolicyDocument)),
        sources=packed.sources,
        notes=tuple(map(text_of, packed.notes)),
        no_model=None if packed.no_model is None else text_of(packed.no_model),
        unread=tuple(map(text_of, packed.unread)),
    )
