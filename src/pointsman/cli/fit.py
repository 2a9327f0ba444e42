"""Show what a model takes of a GPU's memory, and whether it fits; --plan: which models fit together."""

from __future__ import annotations

import argparse

from pointsman.cli.fit_model import fit_model
from pointsman.cli.fit_plan import fit_plan
from pointsman.cli.fit_vllm import fit_running
from pointsman.cli.output import print_error
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.said import said
from pointsman.memory.estimate import CONTEXT, MARGIN
from pointsman.memory.network import Unreadable
from pointsman.memory.rows import LLAMA_TYPES
from pointsman.memory.sizes import MIB


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model", metavar="MODEL", nargs="?", help="a .gguf file, builtin:…, or a folder with a config.json"
    )
    parser.add_argument("--ctx", type=int, metavar="N", help="tokens of all sequences together; default: 4096 for each")
    parser.add_argument("--parallel", type=int, default=1, metavar="N", help="sequences at once (default 1)")
    parser.add_argument("--unified", action="store_true", help="one cache for all sequences (--kv-unified)")
    parser.add_argument(
        "--kv-type", default="f16", metavar="K[,V]", help=f"types of the KV cache: {', '.join(LLAMA_TYPES)}"
    )
    parser.add_argument("--ubatch", type=int, default=512, metavar="N", help="tokens of one step (default 512)")
    parser.add_argument("--no-flash-attention", action="store_true", help="the engine runs without it")
    parser.add_argument("--swa-full", action="store_true", help="layers with a window keep all tokens")
    parser.add_argument(
        "--gpu", metavar="SIZE", help="memory of the card, as 24GiB; none: main memory alone; default: ask the driver"
    )
    parser.add_argument("--gpu-layers", type=int, metavar="N", help="as the engine counts; default: all")
    parser.add_argument("--mmproj", metavar="FILE", help="the projector for pictures, a .gguf file")
    parser.add_argument("--draft", metavar="MODEL", help="a draft model for speculative decoding")
    parser.add_argument(
        "--cuda-context", default=f"{CONTEXT // MIB}MiB", metavar="SIZE", help="what the driver takes (default 300MiB)"
    )
    parser.add_argument(
        "--margin", metavar="SIZE", help=f"what is to stay free (default {MARGIN // MIB}MiB; 512MiB without a GPU)"
    )
    parser.add_argument(
        "--engine", choices=("llamacpp", "vllm"), help="default: llamacpp for GGUF, vllm for a config.json"
    )
    parser.add_argument(
        "--gpu-memory-utilization", type=float, metavar="SHARE", help="vLLM's share of the card (default 0.9)"
    )
    parser.add_argument("--metrics", metavar="URL", help="a running vLLM: its blocks, by /metrics")
    parser.add_argument("--plan", metavar="FILE", help="models.yaml, or a config: which of its models fit together")
    parser.add_argument("--json", action="store_true", help="print JSON")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    ways = [options.model, options.metrics, options.plan]
    if sum(way is not None for way in ways) != 1:
        message = said("give one of MODEL, --metrics URL, --plan FILE", "请给出 MODEL、--metrics URL、--plan FILE 之一")
        print_error("fit", message, options.tongue)
        return 2
    try:
        if options.plan is not None:
            return fit_plan(options)
        if options.metrics is not None:
            return fit_running(options)
        return fit_model(options)
    except Unreadable as error:
        print_error("fit", error.message, options.tongue)
        return 2
