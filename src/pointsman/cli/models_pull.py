"""`models pull`: fetch a model's file from the web or another folder; what broke off goes on where it did."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
from pathlib import Path

from pointsman.cli.command import command
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.progress_bar import ProgressBar
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.tongue import declare_tongue
from pointsman.config.paths import data_dir
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.fleet.file_hash import memory_of
from pointsman.fleet.model_check import BadModel
from pointsman.fleet.pull import Pulled, pull
from pointsman.fleet.pull_sources import HUB, PullFailed, Source, sources_of
from pointsman.memory.sizes import MIB, shown

_DIGEST = re.compile(r"[0-9a-fA-F]{64}")
_DOING = {
    "fetch": Said("{name} (MiB)", "{name}（MiB）"),
    "hash": Said("SHA-256 of {name} (MiB)", "{name} 的 SHA-256（MiB）"),
}


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help="https://…, a path, or hf:org/repo/file.gguf; the first of several shards stands for all",
    )
    parser.add_argument("--to", metavar="DIR", help="folder; default: models in the data folder")
    parser.add_argument("--sha256", metavar="HEX", help="what the file must have")
    parser.add_argument("--hub", metavar="URL", help=f"where hf: leads; default: HF_ENDPOINT, else {HUB}")
    declare_config(parser)
    parser.add_argument("--json", action="store_true", help="print JSON, one file a line, and no progress")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    """0 if all is there, 1 if not (what has come is kept), 2 for a wish that cannot be. Raises Problem, Problems."""
    if options.sha256 is not None and not _DIGEST.fullmatch(options.sha256):
        print_error(
            "models pull", said("--sha256: 64 hexadecimal digits", "--sha256：要 64 位十六进制数"), options.tongue
        )
        return 2
    hub, token = options.hub or os.environ.get("HF_ENDPOINT") or None, os.environ.get("HF_TOKEN") or None
    sources = sources_of(options.source, hub, token)
    if options.sha256 is not None and len(sources) > 1:
        several = said("--sha256: there are {n} shards", "--sha256：共有 {n} 个分片", n=len(sources))
        print_error("models pull", several, options.tongue)
        return 2
    config = load_config(options).draft
    folder = Path(options.to).expanduser() if options.to else data_dir(config) / "models"
    if not options.to:
        with contextlib.suppress(OSError):  # which pulling says in better words
            data_dir(config).mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        pulled = [_pull(source, folder, options, memory_of(data_dir(config))) for source in sources]
    except (PullFailed, BadModel) as error:
        print_error("models pull", error.said, options.tongue)
        if any((folder / f"{source.name}.part").exists() for source in sources):
            kept = said(
                "what has come is kept: the same command goes on there", "已下载的部分还在：再次运行同一命令即可续传"
            )
            print_error("models pull", kept, options.tongue)
        return 1
    if not options.json:
        for line in _next(pulled[0], options.tongue):
            print_line(line)
    return 0


def _pull(source: Source, folder: Path, options: argparse.Namespace, memory: Path) -> Pulled:
    bar = ProgressBar(options.tongue)

    def tell(what: str, done: int, total: int | None) -> None:
        if not options.json:
            text = told(said(_DOING[what], _DOING[what].zh, name=source.name), options.tongue)
            bar.show(text, done // MIB, total // MIB if total else None)

    try:
        found = pull(source, folder, tell, sha256=options.sha256, memory=memory)
    finally:
        bar.end()
    if options.json:
        print_json(
            {
                "path": str(found.path),
                "size": found.size,
                "sha256": found.sha256,
                "resumed_at": found.begun,
                "fetched": found.fetched,
            }
        )
    else:
        for line in _done(found):
            print_line(told(line, options.tongue))
    return found


def _done(found: Pulled) -> list[Said]:
    if not found.fetched and not found.begun:
        return [said("{path} is there already, and whole.", "{path} 已经在了，而且完整。", path=found.path)]
    resumed = (
        said(", of which {begun} were there from before", "，其中 {begun} 是之前下载的", begun=shown(found.begun))
        if found.begun
        else ""
    )
    whole = said(
        "{path}: {size}{resumed}", "{path}：{size}{resumed}", path=found.path, size=shown(found.size), resumed=resumed
    )
    return [whole, said("SHA-256 {it}", "SHA-256 {it}", it=found.sha256)]


def _next(found: Pulled, tongue: Tongue) -> list[str]:
    ask = said("How to serve it: {it}", "如何部署它：{it}", it=f"{command()} models flags {found.path}")
    lines = [told(ask, tongue)]
    if found.path.suffix == ".gguf":
        use = said(
            "Or in the gateway itself: models: {{light: {{backends: [{{engine: embedded, model: {path}}}]}}}}",
            "或由网关自己运行：models: {{light: {{backends: [{{engine: embedded, model: {path}}}]}}}}",
            path=found.path,
        )
        lines.append(told(use, tongue))
    return lines
