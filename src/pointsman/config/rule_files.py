"""Finding and reading rule packs and rule files. What the rules mean is the rules stage's matter."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pointsman.config.convert import convert
from pointsman.config.others_words import all_of
from pointsman.config.schema import Rules
from pointsman.config.section import Section
from pointsman.config.yaml_source import YamlSource, read_yaml
from pointsman.domain.errors import Problem, Problems, did_you_mean
from pointsman.domain.said import said

BUILTIN = Path(__file__).resolve().parent.parent / "packs"
OPT_IN = frozenset({"length-guard"})
"""Packs that ship and are on only where a config names them: they refuse by a number that is the owner's to set."""


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

    @property
    def label(self) -> str:
        """The file without its place on this machine: what a policy keeps of it."""
        return f"{self.pack}/{Path(self.source.name).name}"


def builtin_packs() -> list[str]:
    return sorted(path.parent.name for path in BUILTIN.glob("*/pack.yaml"))


def default_packs() -> list[str]:
    """The packs that are on where there is no config file."""
    return [name for name in builtin_packs() if name not in OPT_IN]


def read_rules(rules: Rules, base: Path) -> tuple[list[RuleFile], list[Problem]]:
    """All rule documents that the config names, in its order: packs first, then files (pack name: the file's stem); and
    what is wrong, at its place in the rule files, or else at the config's path that names them."""
    found: list[RuleFile] = []
    problems: list[Problem] = []
    for index, name in enumerate(rules.packs):
        path = f"rules.packs[{index}]"
        try:
            folders = _pack_folders(name, base, path)
        except Problem as problem:
            problems.append(problem)
            continue
        for folder in folders:
            files, wrong = _read_pack(folder)
            found += files
            problems += [_named_at(path, problem) for problem in wrong]
    for index, name in enumerate(rules.files):
        try:
            source = read_yaml(base / name)
        except Problems as error:
            problems += [_named_at(f"rules.files[{index}]", problem) for problem in error.problems]
        else:
            found.append(RuleFile(Path(name).stem, source))
            problems += source.mistakes
    return found, problems


def folders_of(rules: Rules, base: Path) -> list[Path]:
    """The folders in which packs or their rules may appear or go, those that ship apart."""
    folders = [base / name for name in rules.packs if not name.startswith("builtin:")]
    return [*folders, *(card.parent for folder in folders for card in folder.glob("*/pack.yaml"))]


def _named_at(path: str, problem: Problem) -> Problem:
    """A file that cannot be read at all is a problem of the line that names it."""
    return problem if problem.where else Problem(path, problem.said)


def _pack_folders(name: str, base: Path, path: str) -> list[Path]:
    """The folders of packs that a name under `rules.packs` stands for. Raises Problem."""
    if name.startswith("builtin:"):
        short, valid = name.removeprefix("builtin:"), builtin_packs()
        if short not in valid:
            listed = ", ".join(f"builtin:{each}" for each in valid)
            message = said(
                "no pack {name!r} ships{hint}",
                "没有内置规则包 {name!r}{hint}",
                name=short,
                hint=did_you_mean(short, valid),
            )
            raise Problem(path, message, valid=listed)
        return [BUILTIN / short]
    folder = base / name
    try:
        if not folder.is_dir():
            raise Problem(path, said("there is no folder {folder}", "没有文件夹 {folder}", folder=folder))
        if (folder / "pack.yaml").is_file():
            return [folder]
        packs = sorted(card.parent for card in folder.glob("*/pack.yaml"))
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        message = said(
            "{folder!r} cannot be read: {reason}",
            "无法读取 {folder!r}：{reason}",
            folder=str(folder),
            reason=all_of(error),
        )
        raise Problem(path, message) from None
    if not packs:
        message = said(
            "{folder} holds no pack (a folder with pack.yaml)",
            "{folder} 里没有规则包（含有 pack.yaml 的文件夹）",
            folder=folder,
        )
        raise Problem(path, message)
    return packs


def _read_pack(folder: Path) -> tuple[list[RuleFile], list[Problem]]:
    problems: list[Problem] = []
    try:
        card = read_yaml(folder / "pack.yaml")
    except Problems as error:
        return [], error.problems
    wrong: list[Problem] = []
    head = convert(card.data, PackHead, "", wrong)
    problems += [*card.mistakes, *map(card.place, wrong)]
    pack, guard = (head.name, head.guard) if head is not None else (folder.name, False)
    files = []
    for path in sorted(folder.glob("*.yaml")):
        if path.name == "pack.yaml":
            continue
        try:
            source = read_yaml(path)
        except Problems as error:
            problems += error.problems
        else:
            files.append(RuleFile(pack, source, guard))
            problems += source.mistakes
    return files, problems
