"""One line before all slots of a pool, over all gateways that share it. Pure: a gateway reads the ledger, works out what
follows from it and from what it does itself, and puts that in its place if nobody else did meanwhile.

So a request waits in one line until a node really has a slot for it, as it would before a single gateway, and no two
gateways give the same slot away. Each gateway writes what it holds itself, whole and from its own knowledge: a ledger that
got lost, or a gateway that was taken for dead, is mended by the next turn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec

from pointsman.balancing.node import SLOW_START, Node, has_room

MOST_WAITING = 64
"""So many of one gateway stand in the line at a time; others wait behind them at the gateway."""


class Waiter(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`number` is its gateway's own; `want` the node that has its prefix, or ""."""

    gateway: str
    number: int
    want: str = ""


class Grant(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A slot that another gateway gave to one that waits. It counts as taken until its gateway has seen it."""

    gateway: str
    number: int
    node: str


class Ledger(msgspec.Struct, frozen=True, array_like=True):
    """`held`: gateway → node → requests there; `line` in the order of coming."""

    held: dict[str, dict[str, int]] = {}
    line: tuple[Waiter, ...] = ()
    granted: tuple[Grant, ...] = ()


EMPTY = Ledger()
Choose = Callable[[Sequence[Node], Waiter], str]
"""Which of these nodes, all with room, that one gets."""


def busy(ledger: Ledger) -> dict[str, int]:
    """Requests at each node, of all gateways."""
    found: dict[str, int] = {}
    for held in ledger.held.values():
        for node, count in held.items():
            found[node] = found.get(node, 0) + count
    for grant in ledger.granted:
        found[grant.node] = found.get(grant.node, 0) + 1
    return found


def turn(
    ledger: Ledger,
    me: str,
    held: Mapping[str, int],
    waiting: Sequence[Waiter],
    nodes: Sequence[Node],
    alive: Collection[str],
    choose: Choose,
    slow_start: float = SLOW_START,
) -> tuple[Ledger, list[Grant]]:
    """The ledger after this gateway's turn, and who of its own goes where. `held` are its requests at each node, `waiting`
    those of its own that wait, in their order; `nodes` as it knows them (their `in_flight` is taken from the ledger);
    gateways that are not `alive` have nothing any more."""
    mine = [grant for grant in ledger.granted if grant.gateway == me]
    able = {node.name for node in nodes if node.ready}
    wanted = {waiter.number for waiter in waiting}
    served = [grant for grant in mine if grant.number in wanted and grant.node in able]
    done = {grant.number for grant in served}
    own = dict(held)
    for grant in served:
        own[grant.node] = own.get(grant.node, 0) + 1

    others = {name: dict(counts) for name, counts in ledger.held.items() if name != me and name in alive}
    granted = [grant for grant in ledger.granted if grant.gateway != me and grant.gateway in alive]
    still = {waiter.number: waiter for waiter in waiting if waiter.number not in done}
    line = [
        waiter
        for waiter in ledger.line
        if (waiter.number in still if waiter.gateway == me else waiter.gateway in alive)
    ]
    lost = {grant.number for grant in mine} - done  # given a slot at a node that this gateway knows to be gone
    line = [waiter for number, waiter in still.items() if number in lost] + line
    known = {waiter.number for waiter in line if waiter.gateway == me}
    line += [waiter for number, waiter in still.items() if number not in known][: max(MOST_WAITING - len(known), 0)]

    taken = busy(Ledger({**others, me: own}, (), tuple(granted)))
    now = {node.name: msgspec.structs.replace(node, in_flight=taken.get(node.name, 0)) for node in nodes}
    left: list[Waiter] = []
    for at, waiter in enumerate(line):
        room = [node for node in now.values() if has_room(node, slow_start)]
        if not room:
            left += line[at:]
            break
        name = choose(room, waiter)
        now[name] = msgspec.structs.replace(now[name], in_flight=now[name].in_flight + 1)
        grant = Grant(waiter.gateway, waiter.number, name)
        if waiter.gateway == me:
            served.append(grant)
            own[name] = own.get(name, 0) + 1
        else:
            granted.append(grant)
    counts = {node: count for node, count in own.items() if count}
    return Ledger({**others, me: counts} if counts else others, tuple(left), tuple(granted)), served
