"""Texts that another process says, as its JSON has them."""

from __future__ import annotations

import msgspec

from pointsman.domain.said import Said


class Words(msgspec.Struct, frozen=True):
    """A text in both languages."""

    en: str
    zh: str

    @property
    def said(self) -> Said:
        return Said(self.en, self.zh)
