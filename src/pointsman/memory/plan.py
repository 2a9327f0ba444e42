"""Which models fit together on one card, and which of their layers go to the CPU if all are to run.

Exact, by enumeration: every set of models is tried whole (2^n of at most 12 models); and for all models together every
number of layers of each, as a search that keeps, model by model, only those choices that no other beats in both bytes on
the card and time (a choice that another beats is in no best plan). Where more than `MOST_KEPT` such choices are left, those
within the same MiB are merged, to the larger: the plan then fits for sure, and wastes at most a MiB a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import msgspec

from pointsman.domain.said import Said, said
from pointsman.memory.estimate import ALONE, CONTEXT, MARGIN, Beside, Setup, Share, estimate, offloadable
from pointsman.memory.network import Network, Unreadable
from pointsman.memory.offload import USUAL, Bandwidths, slower, token_seconds
from pointsman.memory.sizes import MIB
from pointsman.memory.verdict import longest_ctx

MOST_MODELS = 12
MOST_KEPT = 20_000


class Wanted(msgspec.Struct, frozen=True):
    """A model that is to run, each in a process of its own. `share`: its part of all the tokens that are written.
    `fixed`: bytes that its engine takes of the card whatever the model (vLLM), else None."""

    name: str
    network: Network
    setup: Setup
    beside: Beside = ALONE
    share: float = 1.0
    fixed: int | None = None


class Card(msgspec.Struct, frozen=True):
    """The card: `margin` stays free once, `context` is the driver's for each process. `ram` is what the layers of the
    CPU may take, None: not bounded."""

    size: int
    context: int = CONTEXT
    margin: int = MARGIN
    bandwidths: Bandwidths = USUAL
    ram: int | None = None

    @property
    def room(self) -> int:
        """Bytes for models."""
        return self.size - self.margin


class Placed(msgspec.Struct, frozen=True):
    """One model in a plan: `gpu_layers` of `of` on the card, its parts there and in main memory, and the share of its
    speed that it loses at least."""

    name: str
    gpu_layers: int
    of: int
    gpu: Share
    host: int
    lost: float

    @property
    def whole(self) -> bool:
        return self.gpu_layers >= self.of


class Together(msgspec.Struct, frozen=True):
    """A set of models that fits whole, and what is left then."""

    names: tuple[str, ...]
    used: int
    left: int


class Plan(msgspec.Struct, frozen=True):
    """`together`: the sets that fit whole and are in no larger such set, the largest first. `placed`: all models at once,
    at the least loss; empty where not even that fits. `left`: bytes of the card beside them, `more_tokens` how many tokens
    longer the context of one model could be if it got them all. `method` says how it was found."""

    together: tuple[Together, ...]
    placed: tuple[Placed, ...]
    left: int
    more_tokens: dict[str, int]
    method: Said
    missing: int = 0


class _Choice(msgspec.Struct, frozen=True, gc=False):
    gpu: int
    host: int
    seconds: float
    layers: tuple[int, ...]


def plan(models: Sequence[Wanted], card: Card) -> Plan:
    """Raises Unreadable for more models than are tried, two of one name, or a setup that cannot be."""
    names = [model.name for model in models]
    if not models or len(models) > MOST_MODELS:
        raise Unreadable(
            said(
                "{count} models to plan for (valid: 1 to {most})",
                "要规划的模型有 {count} 个（合法取值：1 到 {most}）",
                count=len(models),
                most=MOST_MODELS,
            )
        )
    if len(set(names)) < len(names):
        raise Unreadable(Said("two models have the same name", "有两个模型同名"))
    choices = [list(_choices(model, card)) for model in models]
    together = tuple(_together(models, [each[-1].gpu for each in choices], card))
    best, merged = _best(choices, card)
    sets = said("all {n} sets of models", "全部 {n} 种模型组合", n=2 ** len(models) - 1)
    method = said(
        "tried: {sets}, and every number of layers of each model{merged}",
        "试过：{sets}，以及每个模型放多少层的全部可能{merged}",
        sets=sets,
        merged=said(", to the MiB", "（精确到 MiB）") if merged else "",
    )
    if best is None:
        least = sum(min(choice.gpu for choice in each) for each in choices)
        return Plan(together, (), 0, {}, method, max(0, least - card.room))
    placed = tuple(_placed(model, layers, card) for model, layers in zip(models, best.layers, strict=True))
    left = card.room - best.gpu
    more = {model.name: _more(model, layers, left, card) for model, layers in zip(models, best.layers, strict=True)}
    return Plan(together, placed, left, more, method)


def _share(model: Wanted, layers: int, card: Card) -> tuple[Share, int]:
    """Of one model with so many layers on the card: its share there without a margin, and bytes of main memory."""
    if model.fixed is not None:
        return Share(weights=model.fixed), 0
    setup = msgspec.structs.replace(model.setup, gpu_layers=layers)
    found = estimate(model.network, setup, model.beside, gpu=True, context=card.context, margin=0)
    return found.main, found.host.total if found.host else 0


def _choices(model: Wanted, card: Card) -> Iterator[_Choice]:
    """From no layer to all; of a model that is told its layers, or whose engine needs all, that one."""
    most = offloadable(model.network)
    told = model.setup.gpu_layers
    for layers in (
        range(most + 1) if told is None and model.fixed is None else [most if told is None else min(told, most)]
    ):
        gpu, host = _share(model, layers, card)
        yield _Choice(gpu.total, host, model.share * token_seconds(model.network, layers, card.bandwidths), (layers,))


def _together(models: Sequence[Wanted], whole: Sequence[int], card: Card) -> Iterator[Together]:
    found: list[frozenset[int]] = []
    for count in range(len(models), 0, -1):
        for places in combinations(range(len(models)), count):
            used = sum(whole[at] for at in places)
            if used <= card.room and not any(frozenset(places) <= larger for larger in found):
                found.append(frozenset(places))
                yield Together(tuple(models[at].name for at in places), used, card.room - used)


def _best(choices: Sequence[Sequence[_Choice]], card: Card) -> tuple[_Choice | None, bool]:
    """The least time that fits; among equals the one with more of the card left."""
    kept, merged = [_Choice(0, 0, 0.0, ())], False
    for number, each in enumerate(choices, 1):
        joined = [
            _Choice(so.gpu + one.gpu, so.host + one.host, so.seconds + one.seconds, so.layers + one.layers)
            for so in kept
            for one in each
            if so.gpu + one.gpu <= card.room and (card.ram is None or so.host + one.host <= card.ram)
        ]
        kept = _unbeaten(joined, card.ram is not None)
        if len(kept) > MOST_KEPT and number < len(choices):
            merged, kept = True, _unbeaten(_rounded(kept), card.ram is not None)
    return min(kept, key=lambda choice: (choice.seconds, choice.gpu), default=None), merged


def _unbeaten(choices: list[_Choice], bounded: bool) -> list[_Choice]:
    """Those that no other beats: in bytes of the card and time, and in main memory where that is bounded."""
    ordered = sorted(choices, key=lambda choice: (choice.gpu, choice.seconds, choice.host))
    kept: list[_Choice] = []
    if not bounded:
        for choice in ordered:
            if not kept or choice.seconds < kept[-1].seconds:
                kept.append(choice)
        return kept
    front: list[_Choice] = []  # of those so far, unbeaten in time and main memory alone: they take less of the card
    for choice in ordered:
        if not any(other.seconds <= choice.seconds and other.host <= choice.host for other in front):
            front = [other for other in front if not (choice.seconds <= other.seconds and choice.host <= other.host)]
            front.append(choice)
            kept.append(choice)
    return kept


def _rounded(choices: list[_Choice]) -> list[_Choice]:
    return [msgspec.structs.replace(choice, gpu=-(-choice.gpu // MIB) * MIB) for choice in choices]


def _placed(model: Wanted, layers: int, card: Card) -> Placed:
    gpu, host = _share(model, layers, card)
    most = offloadable(model.network)
    return Placed(model.name, layers, most, gpu, host, slower(model.network, layers, card.bandwidths))


def _more(model: Wanted, layers: int, left: int, card: Card) -> int:
    """How many tokens longer the context of this model could be with what is left; 0 for an engine that takes its share
    at the start, and for a model that is not on the card."""
    if model.fixed is not None or not layers:
        return 0
    room = _share(model, layers, card)[0].total + left

    def fits(setup: Setup) -> bool:
        return _share(msgspec.structs.replace(model, setup=setup), layers, card)[0].total <= room

    return max(0, (longest_ctx(model.network, model.setup, fits) or 0) - model.setup.ctx)
