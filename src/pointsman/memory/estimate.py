"""All that a model takes of a device, part by part."""

from __future__ import annotations

import msgspec

from pointsman.memory.cache import UBATCH, layer_bytes
from pointsman.memory.compute import compute_bytes, output_bytes
from pointsman.memory.network import Network
from pointsman.memory.rows import F16, Types
from pointsman.memory.sizes import MIB

CONTEXT = 300 * MIB  # what the CUDA driver takes of a card for a process, before anything is loaded
MARGIN = 1024 * MIB  # what llama.cpp leaves free of a card (`--fit-target`)
CPU_MARGIN = 512 * MIB


class Setup(msgspec.Struct, frozen=True):
    """How llama.cpp is told to run a model; `ctx` is of all `parallel` sequences together. `gpu_layers` counts as
    `--n-gpu-layers` does: the output matrix is the first, then the layers from the last; None: all, 0: none."""

    ctx: int
    parallel: int = 1
    unified: bool = False
    types: Types = F16
    ubatch: int = UBATCH
    flash: bool = True
    swa_full: bool = False
    gpu_layers: int | None = None
    outputs: int | None = None


class Beside(msgspec.Struct, frozen=True):
    """What stands beside the model on its device: bytes of a projector for pictures and a draft model with its own
    cache."""

    mmproj: int = 0
    draft: int = 0


ALONE = Beside()


class Share(msgspec.Struct, frozen=True):
    """Bytes on one device. `kv_bytes` is what is kept of sequences; `context` what its driver takes for the process;
    `margin` what is to be left free."""

    weights: int = 0
    kv_bytes: int = 0
    compute: int = 0
    output: int = 0
    mmproj: int = 0
    draft: int = 0
    context: int = 0
    margin: int = 0

    @property
    def total(self) -> int:
        """All of it, the margin too."""
        return sum(getattr(self, name) for name in self.__struct_fields__)

    @property
    def used(self) -> int:
        """Without the margin: what a look at the device would show."""
        return self.total - self.margin


class Estimate(msgspec.Struct, frozen=True):
    """`main` is the device that was asked for, `host` the main memory beside a GPU (None where there is no GPU).
    `gpu_layers` as they were counted."""

    main: Share
    host: Share | None
    gpu_layers: int


def offloadable(network: Network) -> int:
    """The largest `gpu_layers`: the layers, and the output matrix."""
    return len(network.layers) + 1


def estimate(
    network: Network,
    setup: Setup,
    beside: Beside = ALONE,
    *,
    gpu: bool,
    context: int = CONTEXT,
    margin: int | None = None,
) -> Estimate:
    """Raises Unreadable for a setup that an engine would refuse."""
    kept = layer_bytes(
        network.layers,
        setup.ctx,
        setup.parallel,
        setup.unified,
        setup.types,
        ubatch=setup.ubatch,
        swa_full=setup.swa_full,
    )
    compute = compute_bytes(
        network,
        setup.ctx,
        setup.parallel,
        setup.unified,
        setup.types,
        ubatch=setup.ubatch,
        flash=setup.flash,
        swa_full=setup.swa_full,
        outputs=setup.outputs,
    )
    output = output_bytes(network, setup.parallel)
    weights = network.weights
    count = len(network.layers)
    layers = (weights.layers + (0,) * count)[:count]  # files may have fewer, or more: heads that look ahead
    if not gpu:
        everything = Share(
            weights.total,
            sum(kept),
            compute,
            output,
            beside.mmproj,
            beside.draft,
            0,
            CPU_MARGIN if margin is None else margin,
        )
        return Estimate(everything, None, 0)
    most = offloadable(network)
    asked = most if setup.gpu_layers is None else min(setup.gpu_layers, most)
    first = most - asked  # layers before it are computed by the CPU
    if not asked:
        aside = Share(weights.total, sum(kept), compute, output)
        main = Share(mmproj=beside.mmproj, draft=beside.draft, context=context if beside != ALONE else 0)
        return Estimate(msgspec.structs.replace(main, margin=MARGIN if margin is None else margin), aside, 0)
    last = weights.output + weights.other + sum(weights.layers[count:]) + (weights.input if weights.tied else 0)
    main = Share(
        sum(layers[first:]) + last,
        sum(kept[first:]),
        compute,
        0,
        beside.mmproj,
        beside.draft,
        context,
        MARGIN if margin is None else margin,
    )
    on_cpu = compute if first else setup.ubatch * 4 * network.embedding
    return Estimate(main, Share(sum(layers[:first]) + weights.input, sum(kept[:first]), on_cpu, output), asked)


def draft_bytes(network: Network, setup: Setup) -> int:
    """What a draft model takes on the same device: weights, a cache of its own in f16, its compute buffer."""
    plain = msgspec.structs.replace(setup, types=F16, gpu_layers=None)
    return estimate(network, plain, gpu=True, context=0, margin=0).main.total
