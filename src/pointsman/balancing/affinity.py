"""Requests that begin alike go to the same node, whose engine still has the beginning in its cache: rendezvous hashing, so
that nothing needs to be remembered, and a node that leaves takes only its own part along."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

SYSTEM = ("system", "developer")


def prefix_key(turns: Iterable[tuple[str, str]], most: int) -> str:
    """A short name of what a conversation begins with: its system messages and the first message of the user, of which the
    first `most` characters count. `turns` are (role, text). "" where there is nothing, or `most` is 0. One way only."""
    text: list[str] = []
    left = most
    for role, said in turns:
        text.append(said[:left])
        left -= len(said)
        if left <= 0 or role not in SYSTEM:
            break
    begins = "\0".join(text)
    return blake2b(begins.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest() if begins else ""


def ranked(key: str, names: Iterable[str]) -> Sequence[str]:
    """All names, the one that the key belongs to first; another order for each key."""
    return sorted(names, key=lambda name: blake2b(f"{key}\0{name}".encode(), digest_size=8).digest(), reverse=True)
