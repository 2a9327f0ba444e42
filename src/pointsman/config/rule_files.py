"""Finding and reading rule packs and rule files. What the rules mean is the rules stage's matter."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pointsman.config.convert import convert
from pointsman.config.schema import Rules
from pointsman.config.section import Section
from pointsman.config.yaml_source import YamlSource, read_yaml
from pointsman.domain.errors import Problem, Problems, did_you_mean

BUILTIN = Path(__file__).resolve().parent.parent / "packs"


class PackHead(Section, frozen=True):
    """pack.yaml of a pack folder."""

    name: str
    version: str = "0"
    guard: bool = False
    summary: dict[str, str] = msgspec.field(default_factory=dict)


class RuleFile(msgspec.Struct, frozen=True):
    """One YAML document of rules, as plain data, and the pack to which it belongs. A `guard` pack also stands before
    models that a client names directly."""

    pack: str
    source: YamlSource
    guard: bool = False


def builtin_packs() -> list[str]:
    return sorted(path.parent.name for path in BUILTIN.glob("*/pack.yaml"))


def read_rules(rules: Rules, base: Path) -> tuple[list[RuleFile], list[Problem]]:
    """All rule documents that the config names, in its order: packs first, then files (pack name: the file's stem)."""
    found: list[RuleFile] = []
    problems: list[Problem] = []
    for index, name in enumerate(rules.packs):
        path = f"rules.packs[{index}]"
        try:
            folder = _pack_folder(name, base, path)
            folders = (
                [folder] if (folder / "pack.yaml").is_file() else sorted(p.parent for p in folder.glob("*/pack.yaml"))
            )
            if not folders:
                raise Problems([Problem(path, f"{folder} holds no pack (a folder with pack.yaml)")])
            for pack in folders:
                found += _read_pack(pack)
        except Problems as error:
            problems += error.problems
    for index, name in enumerate(rules.files):
        try:
            source = read_yaml(base / name)
            found.append(RuleFile(Path(name).stem, source))
        except Problems as error:
            problems += [Problem(f"rules.files[{index}]", str(p)) if not p.where else p for p in error.problems]
    for file in found:
        problems += file.source.duplicates
    return found, problems


def _pack_folder(name: str, base: Path, path: str) -> Path:
    if name.startswith("builtin:"):
        short, valid = name.removeprefix("builtin:"), builtin_packs()
        if short not in valid:
            raise Problems(
                [
                    Problem(
                        path,
                        f"no pack {short!r} ships{did_you_mean(short, valid)}",
                        valid=", ".join(f"builtin:{v}" for v in valid),
                    )
                ]
            )
        return BUILTIN / short
    folder = base / name
    if not folder.is_dir():
        raise Problems([Problem(path, f"there is no folder {folder}")])
    return folder


def _read_pack(folder: Path) -> list[RuleFile]:
    head_source = read_yaml(folder / "pack.yaml")
    wrong: list[Problem] = []
    head = convert(head_source.data, PackHead, "", wrong)
    if head is None:
        raise Problems([head_source.place(problem) for problem in wrong])
    files = [path for path in sorted(folder.glob("*.yaml")) if path.name != "pack.yaml"]
    return [RuleFile(head.name, read_yaml(path), head.guard) for path in files]
