"""Channels of delivery, as far as decisions need to know them: no address, no secret."""

from __future__ import annotations

import msgspec


class ChannelRule(msgspec.Struct, frozen=True):
    """`words` are what people call it besides its name; callers of these `roles` may name it themselves, empty: all."""

    name: str
    words: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()

    def open_to(self, role: str | None) -> bool:
        """Whether a caller of that role may name it."""
        return not self.roles or role in self.roles
