"""`models flags`: the flags with which an engine should serve a model, derived from what the model takes (`fit`)."""

from __future__ import annotations

import argparse
import os
import shlex
from typing import Any

from pointsman.cli.fit_asked import asked_room, asked_types, checked
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.table import columns
from pointsman.cli.tongue import declare_tongue
from pointsman.cli.wrapped import wrapped
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.fleet.model_files import read_json
from pointsman.fleet.model_network import ModelNetwork, read_model
from pointsman.memory.estimate import CONTEXT
from pointsman.memory.flags import Flag, Launch, Wish, llama_launch, ollama_launch
from pointsman.memory.network import Unreadable
from pointsman.memory.rows import LLAMA_TYPES, VLLM_TYPES
from pointsman.memory.sizes import MIB, shown
from pointsman.memory.verdict import Room
from pointsman.memory.vllm_flags import vllm_launch

_PROGRAMS = {"llamacpp": "llama-server", "vllm": "vllm serve", "ollama": "ollama serve"}


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a .gguf file, builtin:…, or a folder with a config.json")
    parser.add_argument("--engine", choices=tuple(_PROGRAMS), help="default: llamacpp for GGUF, vllm for a config.json")
    parser.add_argument("--parallel", type=int, metavar="N", help="requests at once; default: up to 4, as many as fit")
    parser.add_argument("--tokens", type=int, metavar="N", help="of each request; default: up to 32768, as many as fit")
    parser.add_argument(
        "--kv-type", metavar="K[,V]", help="types of the KV cache; default: plain, or small if it must be"
    )
    parser.add_argument(
        "--gpu", metavar="SIZE", help="memory of the card, as 24GiB; none: main memory alone; default: ask the driver"
    )
    parser.add_argument(
        "--cuda-context", default=f"{CONTEXT // MIB}MiB", metavar="SIZE", help="what the driver takes (default 300MiB)"
    )
    parser.add_argument("--margin", metavar="SIZE", help="what is to stay free (default 1GiB; 512MiB without a GPU)")
    parser.add_argument("--json", action="store_true", help="print JSON, the reasons in both languages")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    """0 if the model fits with these flags, 1 if it fits with none, 2 for a wish that cannot be. Raises Problem."""
    try:
        model = read_model(options.model, path="MODEL")
        engine = options.engine or ("vllm" if model.kind == "hf" else "llamacpp")
        room = asked_room(options)
        found = _launch(options, engine, model, room)
    except Unreadable as error:
        print_error("models flags", error.message, options.tongue)
        return 2
    if options.json:
        print_json(_as_json(options.model, model, room, found))
    else:
        for line in _lines(model, room, found, options.tongue):
            for part in wrapped(line):
                print_line(part)
    return 0 if found.fits else 1


def _launch(options: argparse.Namespace, engine: str, model: ModelNetwork, room: Room) -> Launch:
    valid = VLLM_TYPES if engine == "vllm" else LLAMA_TYPES
    trained = model.network.trained_context or 1 << 24
    wish = Wish(
        None if options.parallel is None else checked(options.parallel, "--parallel", 1, 65_536),
        None if options.tokens is None else checked(options.tokens, "--tokens", 1, trained),
        None if options.kv_type is None else asked_types(options.kv_type, valid),
    )
    if engine == "ollama":
        return ollama_launch(model.network, room, wish)
    if engine == "llamacpp":
        if model.kind == "hf":
            raise Unreadable(
                Said(
                    "llama.cpp reads .gguf files, and this is a folder in Hugging Face's form (see --engine)",
                    "llama.cpp 只读 .gguf 文件，而这是 Hugging Face 格式的文件夹（见 --engine）",
                )
            )
        return llama_launch(model.network, room, wish, str(model.path), os.cpu_count() or 1)
    if not room.gpu:
        raise Unreadable(
            Said(
                "vLLM needs a GPU, and none answers here: give its memory, as --gpu 24GiB",
                "vLLM 需要显卡，而这里没有找到：请给出显存，如 --gpu 24GiB",
            )
        )
    path = model.path if model.kind == "gguf" else model.path.parent
    return vllm_launch(model.network, room, wish, str(path), _dtype(model))


def _dtype(model: ModelNetwork) -> str | None:
    """What config.json names as the weights' type."""
    if model.kind != "hf":
        return None
    config = read_json(model.path)
    named = config.get("dtype") or config.get("torch_dtype")
    return named if isinstance(named, str) else None


def command_of(found: Launch) -> str:
    """One line for a shell."""
    if found.engine == "ollama":
        variables = " ".join(f"{flag.name}={flag.value}" for flag in found.flags)
        return f"{variables} {_PROGRAMS['ollama']}"
    words = [word for flag in found.flags for word in (flag.name, flag.value) if word]
    return f"{_PROGRAMS[found.engine]} {shlex.join(words)}"


def _as_json(name: str, model: ModelNetwork, room: Room, found: Launch) -> dict[str, Any]:
    return {
        "model": name,
        "path": str(model.path),
        "engine": found.engine,
        "device": {"kind": "gpu" if room.gpu else "memory", "size": room.size, "used": room.used},
        "parallel": found.parallel,
        "tokens_per_sequence": found.tokens,
        "takes": found.takes,
        "spare": found.spare,
        "fits": found.fits,
        "command": command_of(found),
        "flags": [
            {"name": flag.name, "value": flag.value, "reason": {"en": str(flag.reason), "zh": flag.reason.zh}}
            for flag in found.flags
        ],
        "notes": [{"en": str(note), "zh": note.zh} for note in model.network.notes],
    }


def _lines(model: ModelNetwork, room: Room, found: Launch, tongue: Tongue) -> list[str]:
    names = [_shown(flag, found) for flag in found.flags]
    width = min(40, max(map(columns, names)))
    reasons = [
        f"  {name}{' ' * (width - columns(name))}  {told(flag.reason, tongue)}"
        for name, flag in zip(names, found.flags, strict=True)
    ]
    lines = [command_of(found), "", *reasons, "", told(_verdict(room, found), tongue)]
    return lines + [told(note, tongue) for note in model.network.notes]


def _shown(flag: Flag, found: Launch) -> str:
    if found.engine == "ollama":
        return f"{flag.name}={flag.value}"
    value = flag.value or ""
    return " ".join(word for word in (flag.name, value if len(value) < 32 else "…" + value[-31:]) if word)


def _verdict(room: Room, found: Launch) -> Said:
    where = Said("the GPU", "显卡") if room.gpu else Said("main memory", "内存")
    if not found.fits:
        return said(
            "It does not fit on {where} ({size}): {missing} are missing even so. Take a smaller quantisation of the "
            "model, or a larger card.",
            "{where}（{size}）放不下：即使这样还差 {missing}。请改用量化更小的版本，或更大的显卡。",
            where=where,
            size=shown(room.size),
            missing=shown(-found.spare),
        )
    if found.engine == "vllm":
        return said(
            "It takes {takes} of {size}, as vLLM does; {many} requests at full length leave {spare} of that unused.",
            "vLLM 占用 {size} 中的 {takes}；{many} 个满长请求之外还余 {spare}。",
            takes=shown(found.takes),
            size=shown(room.size),
            many=found.parallel,
            spare=shown(found.spare),
        )
    return said(
        "It takes {takes} of {size} on {where}, margin included; {spare} are left.",
        "{where}共 {size}，它占用 {takes}（含余量），还剩 {spare}。",
        takes=shown(found.takes),
        size=shown(room.size),
        where=where,
        spare=shown(found.spare),
    )
