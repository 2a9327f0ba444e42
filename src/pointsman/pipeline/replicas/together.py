"""What nodes are like together: the state of their target."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from pointsman.domain.said import Said, said
from pointsman.domain.target import BackendState, Health, ModelFacts, merge_facts
from pointsman.pipeline.replicas.member import Member

_SHOWN = 4
"""Nodes whose problems are told; of more only how many they are."""


def state_of(target: str, members: Sequence[Member], wrong: Sequence[str]) -> BackendState:
    """Up where one node is; its slots are those of all that are ready, its context what each of them holds. `wrong` says
    what keeps others from being used at all."""
    ready = [member for member in members if member.ready]
    facts = ModelFacts()
    for member in ready:
        facts = merge_facts(facts, member.state.facts if member.state is not None else ModelFacts())
    lengths = [m.state.facts.context_length for m in ready if m.state is not None and m.state.facts.context_length]
    slots = [member.slots for member in ready]
    known = [count for count in slots if count is not None]
    facts = replace(
        facts,
        context_length=min(lengths, default=None),
        slots=sum(known) if known and len(known) == len(slots) else None,
    )
    loading = [m.state.load_seconds for m in members if m.state is not None and m.state.load_seconds is not None]
    resident = [m.state.resident for m in ready if m.state is not None and m.state.resident is not None]
    return BackendState(
        target,
        _health(members, ready),
        facts,
        _problem(members, ready, wrong),
        load_seconds=max(loading, default=None),
        resident=any(resident) if resident else None,
        nodes=tuple(member.status() for member in sorted(members, key=lambda member: member.name)),
    )


def _health(members: Sequence[Member], ready: Sequence[Member]) -> Health:
    if ready:
        return "up"
    if any(member.health == "loading" for member in members):
        return "loading"
    return "unknown" if members and all(member.health == "unknown" for member in members) else "down"


def _problem(members: Sequence[Member], ready: Sequence[Member], wrong: Sequence[str]) -> str | None:
    told = [
        said("{node}: {problem}", "{node}：{problem}", node=member.name, problem=member.problem)
        for member in sorted(members, key=lambda member: member.name)
        if member.problem
    ]
    told += [why if isinstance(why, Said) else Said(why, why) for why in wrong]
    if not members and not told:
        return Said("no node is known yet", "还没有任何节点登记")
    if not told:
        return None
    more = (
        said("; and {count} more", "；另有 {count} 个", count=len(told) - _SHOWN)
        if len(told) > _SHOWN
        else Said("", "")
    )
    shown = Said("; ".join(told[:_SHOWN]), "；".join(each.zh for each in told[:_SHOWN]))
    en, zh = "{up} of {all} nodes serve; {shown}{more}", "{all} 个节点中有 {up} 个可用；{shown}{more}"
    return said(en, zh, up=len(ready), all=len(members) + len(wrong), shown=shown, more=more)
