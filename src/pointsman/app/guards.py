"""Config → what engines must not see, and which replies are kept."""

from __future__ import annotations

from pointsman.config.cache_schema import Cache
from pointsman.config.schema import Config, parse_size, parse_span
from pointsman.masking import PERSONAL, Masking
from pointsman.pipeline.reply_cache import ReplyCache


def masking_of(config: Config) -> Masking | None:
    """None where nothing is to be masked."""
    pii = config.guards.pii
    kinds = PERSONAL if pii.mask == "all" else tuple(dict.fromkeys(pii.mask))
    return Masking(kinds, pii.unmask, pii.backends == "all") if kinds else None


def caches_of(config: Config) -> dict[str, ReplyCache]:
    """A new one for every entry that keeps replies: after a reload nothing is answered by what was before it."""
    return {name: _cache(entry.cache) for name, entry in config.entries.items() if entry.cache is not None}


def _cache(wanted: str | Cache) -> ReplyCache:
    settings = Cache() if isinstance(wanted, str) else wanted
    seconds = parse_span(wanted) if isinstance(wanted, str) else settings.seconds
    return ReplyCache(seconds, settings.entries, parse_size(settings.max_bytes))
