"""What it costs to leave layers to the CPU.

To write one token an engine reads all weights that lie on each device once: the time is bytes by bandwidth, summed. That
is a lower bound of the loss (attention and copies come on top), and enough to compare choices. B 3.1's "30 to 50 %
slower" is what some 3 to 7 % of the layers cost at the default bandwidths."""

from __future__ import annotations

import msgspec

from pointsman.memory.estimate import offloadable
from pointsman.memory.network import Network


class Bandwidths(msgspec.Struct, frozen=True):
    """Bytes a second that a device reads: by default a GPU with GDDR6X (RTX 3090: 936 GB/s) and two channels of DDR5."""

    gpu: float = 936e9
    cpu: float = 60e9


USUAL = Bandwidths()


def token_seconds(network: Network, gpu_layers: int, bandwidths: Bandwidths = USUAL) -> float:
    """Seconds a token of one sequence takes at least, with that many layers on the GPU (as `--n-gpu-layers` counts)."""
    weights = network.weights
    first = offloadable(network) - gpu_layers
    matrix = weights.output or (weights.input if weights.tied else 0)
    on_gpu = sum(weights.layers[first:]) + matrix if gpu_layers else 0
    on_cpu = sum(weights.layers[:first]) + (0 if gpu_layers else matrix)
    return on_gpu / bandwidths.gpu + on_cpu / bandwidths.cpu


def slower(network: Network, gpu_layers: int, bandwidths: Bandwidths = USUAL) -> float:
    """The share of its speed that a model loses against all layers on the GPU: 0 is nothing, 0.5 half."""
    whole = token_seconds(network, offloadable(network), bandwidths)
    now = token_seconds(network, gpu_layers, bandwidths)
    return 1 - whole / now if now > 0 else 0.0
