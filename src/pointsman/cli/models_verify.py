"""`models verify`: whether models' files are whole, and their hashes, held against what they should be."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.progress_bar import ProgressBar
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.tongue import declare_tongue
from pointsman.config.others_words import why
from pointsman.config.paths import data_dir
from pointsman.config.schema import Config
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.fleet.builtin import PREFIX
from pointsman.fleet.file_hash import Changed, expected_hash, hash_file, memory_of
from pointsman.fleet.model_check import BadModel, check_model
from pointsman.fleet.pull import ENDINGS
from pointsman.memory.sizes import MIB, shown

_DIGEST = re.compile(r"[0-9a-fA-F]{64}")


class VerifiedFile(msgspec.Struct, frozen=True):
    """`sha256` None: not asked for. `expected` None: nobody says. `kept`: it was remembered."""

    path: str
    size: int
    sha256: str | None = None
    expected: str | None = None
    kept: bool = False


class Verified(msgspec.Struct, frozen=True):
    """One model; `problem` None where all is well. `offset`: the byte at which it showed."""

    model: str
    ok: bool
    files: tuple[VerifiedFile, ...] = ()
    tensors: int = 0
    problem: Said | None = None
    offset: int | None = None
    notes: tuple[Said, ...] = ()


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model",
        metavar="MODEL",
        nargs="*",
        help="a .gguf file, builtin:…, a folder with a config.json; default: those of the config, and what was pulled",
    )
    parser.add_argument("--sha256", metavar="HEX", help="what the one MODEL's file should have")
    parser.add_argument("--quick", action="store_true", help="structure alone: read headers, compute no hashes")
    declare_config(parser)
    parser.add_argument("--json", action="store_true", help="print JSON, one model a line")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    """0 if all are well, 1 if one is not, 2 for a wish that cannot be. Raises Problems."""
    if options.sha256 is not None and (len(options.model) != 1 or not _DIGEST.fullmatch(options.sha256)):
        wrong = said("--sha256: 64 hexadecimal digits, and one MODEL", "--sha256：要 64 位十六进制数，且只给一个 MODEL")
        print_error("models verify", wrong, options.tongue)
        return 2
    config = load_config(options).draft
    memory = memory_of(data_dir(config))
    here: dict[str, str | None] = {}
    for model, wanted in local_models(config):
        here.setdefault(model, wanted)
    models = options.model or list(here)
    if not models and not options.json:
        none = said("No model of the config lies here, and none was pulled.", "配置里没有本地模型，也没有下载过模型。")
        print_line(told(none, options.tongue))
    good = True
    for model in models:
        found = verify(
            model, memory, options.sha256 or here.get(model), options.tongue, quick=options.quick, quiet=options.json
        )
        good = good and found.ok
        if options.json:
            print_json(_as_json(found))
        else:
            for line in _lines(found, options.tongue):
                print_line(line)
    return 0 if good else 1


def local_models(config: Config) -> Iterator[tuple[str, str | None]]:
    """Models of the config whose files lie on this machine, as it names them, and the files that were pulled; with the hash
    that the config wants."""
    for model in config.models.values():
        for backend in model.backends:
            if backend.model.startswith(PREFIX) or backend.model.endswith(ENDINGS):
                yield backend.model, backend.sha256.removeprefix("sha256:") if backend.sha256 else None
    try:
        pulled = sorted((data_dir(config) / "models").iterdir())
    except OSError:
        return
    yield from ((str(path), None) for path in pulled if path.suffix in ENDINGS)


def verify(
    model: str, memory: Path, wanted: str | None, tongue: Tongue, *, quick: bool = False, quiet: bool = False
) -> Verified:
    """Structure first; a file that is cut is not read whole."""
    try:
        checked = check_model(model)
    except BadModel as error:
        return Verified(model, False, problem=error.said, offset=error.offset)
    sizes = [(path, path.stat().st_size) for path in checked.files]
    if quick:
        files = tuple(VerifiedFile(str(path), size) for path, size in sizes)
        return Verified(model, True, files, checked.tensors, notes=checked.notes)
    if wanted is not None and len(sizes) != 1:
        several = said(
            "{model}: one SHA-256 is given, and it lies in {n} files",
            "{model}：只给了一个 SHA-256，而它有 {n} 个文件",
            model=model,
            n=len(sizes),
        )
        return Verified(model, False, problem=several)
    files = ()
    for path, size in sizes:
        try:
            found = _hashed(path, memory, tongue, quiet)
        except Changed as error:
            return Verified(model, False, files, checked.tensors, error.said)
        except OSError as error:
            unread = said("{path}: {why}", "{path}：{why}", path=path, why=why(error))
            return Verified(model, False, files, checked.tensors, unread)
        expected = wanted.lower() if wanted is not None else expected_hash(path)
        files = (*files, VerifiedFile(str(path), size, found.sha256, expected, found.kept))
        if expected is not None and expected != found.sha256:
            differs = said(
                "{path} has SHA-256 {found}, and should have {wanted}",
                "{path} 的 SHA-256 是 {found}，应当是 {wanted}",
                path=path,
                found=found.sha256,
                wanted=expected,
            )
            return Verified(model, False, files, checked.tensors, differs)
    return Verified(model, True, files, checked.tensors, notes=checked.notes)


def _hashed(path: Path, memory: Path, tongue: Tongue, quiet: bool) -> Any:
    bar = ProgressBar(tongue)
    reading = told(said("{name} (MiB)", "{name}（MiB）", name=path.name), tongue)

    def tell(done: int, size: int) -> None:
        if not quiet and bar.live:
            bar.show(reading, done // MIB, size // MIB)

    try:
        return hash_file(path, memory, tell)
    finally:
        bar.end()


def _lines(found: Verified, tongue: Tongue) -> list[str]:
    if not found.ok:
        assert found.problem is not None
        return [f"{told(Said('bad', '损坏'), tongue)}  {told(found.problem, tongue)}"]
    head = said(
        "ok   {model}: {tensors} tensors, {size}{parts}",
        "完好  {model}：{tensors} 个张量，{size}{parts}",
        model=found.model,
        tensors=found.tensors,
        size=shown(sum(file.size for file in found.files)),
        parts=said(" in {n} files", "，共 {n} 个文件", n=len(found.files)) if len(found.files) > 1 else "",
    )
    lines = [told(head, tongue)]
    for file in found.files:
        if file.sha256 is not None:
            known = (
                Said("as it should be", "与应有的一致")
                if file.expected
                else Said("nothing to hold it against", "没有可对照的值")
            )
            known = known if not file.kept else said("{it}; remembered", "{it}；取自记录", it=known)
            lines.append(f"     {file.sha256}  {told(known, tongue)}")
    return lines + [f"     {told(note, tongue)}" for note in found.notes]


def _as_json(found: Verified) -> dict[str, Any]:
    return {
        "model": found.model,
        "ok": found.ok,
        "tensors": found.tensors,
        "files": list(found.files),
        "problem": {"en": str(found.problem), "zh": found.problem.zh} if found.problem is not None else None,
        "offset": found.offset,
        "notes": [{"en": str(note), "zh": note.zh} for note in found.notes],
    }
