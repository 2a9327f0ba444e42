"""Scalars of a rule against a request, and its share of those who ask."""

from __future__ import annotations

import zlib

from pointsman.domain.features import Features
from pointsman.domain.rule import Asking, Conditions, Rule


def holds(conditions: Conditions, features: Features, asking: Asking) -> bool:
    """Whether all of them hold. Bounds are inclusive and are on the question; a rule that names roles, keys, groups or
    sources needs one of them."""
    tokens, characters, turn = features.question_tokens, features.characters, features.turns
    return (
        (conditions.min_tokens is None or tokens >= conditions.min_tokens)
        and (conditions.max_tokens is None or tokens <= conditions.max_tokens)
        and (conditions.asked is None or features.asked == conditions.asked)
        and (conditions.tools is None or features.tools == conditions.tools)
        and (conditions.images is None or bool(features.images) == conditions.images)
        and (conditions.structured is None or features.structured == conditions.structured)
        and (conditions.brief is None or features.brief == conditions.brief)
        and (conditions.min_characters is None or characters >= conditions.min_characters)
        and (conditions.max_characters is None or characters <= conditions.max_characters)
        and (conditions.min_turn is None or turn >= conditions.min_turn)
        and (conditions.max_turn is None or turn <= conditions.max_turn)
        and (conditions.languages is None or features.language in conditions.languages)
        and (conditions.roles is None or asking.role in conditions.roles)
        and (conditions.keys is None or asking.key in conditions.keys)
        and (conditions.groups is None or asking.group in conditions.groups)
        and (conditions.sources is None or asking.source in conditions.sources)
        and (conditions.entries is None or asking.entry in conditions.entries)
        and (conditions.endpoints is None or asking.endpoint in conditions.endpoints)
    )


def chosen(rule: Rule, asking: Asking) -> bool:
    """Whether a rule with a share counts for who asks: the same for the same person, whenever and wherever, and for
    another rule another choice."""
    if rule.share is None:
        return True
    who = f"{rule.id}\0{asking.key}\0{asking.person}"
    return zlib.crc32(who.encode(errors="replace")) % 100 < rule.share
