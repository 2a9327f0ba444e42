"""YAML as people mean it: `off` is a word, a key given twice is an error, and every value knows its line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from pointsman.domain.errors import Problem, Problems

_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_DEPTH = 64
_WRITTEN = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
VARIABLE = re.compile("\ue000([A-Za-z0-9_]+)\ue001")


class _Loader(_BASE):  # type: ignore[misc]
    """YAML 1.2's core rules; PyYAML's own are YAML 1.1, where `off`, `no` and `1:30` are two booleans and 90."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", "-+0123456789"),
    (
        "float",
        r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf)|\.(?:nan|NaN))$",
        "-+.0123456789",
    ),
    ("null", r"^(?:~|null|Null|NULL|)$", "~nN\0"),
    ("merge", r"^<<$", "<"),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), [c if c != "\0" else "" for c in _first]
    )


def _int(loader: Any, node: Any) -> int:
    text = loader.construct_scalar(node)
    return int(text, 0) if text.startswith(("0x", "0o")) else int(text)


_Loader.add_constructor("tag:yaml.org,2002:int", _int)


class YamlSource:
    """One parsed document. `data` is plain Python; `line(path)` tells where a value stands (`routes[1].target`)."""

    def __init__(self, name: str, data: Any, lines: dict[str, int], duplicates: list[Problem]) -> None:
        self.name = name
        self.data = data
        self.duplicates = duplicates
        self._lines = lines

    def line(self, path: str) -> int | None:
        while path:
            if path in self._lines:
                return self._lines[path]
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return None

    def place(self, problem: Problem) -> Problem:
        """The same problem, with file and line."""
        line = self.line(problem.path)
        where = f"{self.name}:{line}" if line else self.name
        return Problem(problem.path or "top level", problem.message, valid=problem.valid, where=where)


def parse_yaml(text: str, name: str, *, variables: bool = False) -> YamlSource:
    """Raises Problems when the text is no YAML. Keys given twice are collected in `duplicates`. With `variables`, a
    `${NAME}` comes back as VARIABLE finds it: braces of its own would end a YAML mapping written in braces."""
    if variables:
        text = _WRITTEN.sub("\ue000\\1\ue001", text)
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            lines: dict[str, int] = {}
            duplicates: list[Problem] = []
            if node is not None:
                _survey(node, "", lines, duplicates, name, 0)
            data = None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{name}:{mark.line + 1}" if mark else name
        what = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise Problems([Problem("YAML", f"cannot be read: {what}", where=where)]) from None
    except (ValueError, RecursionError) as error:
        raise Problems([Problem("YAML", f"cannot be read: {error}", where=name)]) from None
    return YamlSource(name, data, lines, duplicates)


def read_yaml(path: Path, *, variables: bool = False) -> YamlSource:
    """Raises Problems when the file cannot be read."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise Problems([Problem(str(path), "there is no such file")]) from None
    except UnicodeDecodeError as error:
        raise Problems([Problem(str(path), f"is not UTF-8 (byte {error.start})")]) from None
    except OSError as error:
        raise Problems([Problem(str(path), f"cannot be read: {error.strerror}")]) from None
    return parse_yaml(text, str(path), variables=variables)


def _survey(node: Any, path: str, lines: dict[str, int], duplicates: list[Problem], name: str, depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise ValueError(f"nested deeper than {_MAX_DEPTH} levels at {path[:80]}")
    lines[path] = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            word = key.value if isinstance(key, yaml.ScalarNode) else "?"
            below = f"{path}.{word}" if path else str(word)
            if word in seen and word != "<<":
                where = f"{name}:{key.start_mark.line + 1}"
                duplicates.append(Problem(below, "this key is given twice; only one can hold", where=where))
            seen.add(word)
            _survey(value, below, lines, duplicates, name, depth + 1)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _survey(value, f"{path}[{index}]", lines, duplicates, name, depth + 1)
