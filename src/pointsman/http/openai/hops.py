"""Headers of a client's request that go on to engines as they are."""

from __future__ import annotations

from pointsman.http.exchange import Client

_TRACE = ("traceparent", "tracestate")
_NAMES = {name: name.encode() for name in (*_TRACE, "authorization")}
_KEYS = frozenset(_NAMES.values())


def passed_on(client: Client) -> tuple[tuple[str, str], ...]:
    """Its place in a trace, and its own key: a backend drops that unless its settings say otherwise."""
    fields = client.fields
    if _KEYS.isdisjoint(fields):
        return ()
    return tuple((name, fields[key].decode("latin-1")) for name, key in _NAMES.items() if key in fields)
