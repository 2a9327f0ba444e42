"""YAML as people mean it: `off` is a word, a key given twice is an error, and every value knows its line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from pointsman.config.others_words import in_both, why, yaml_says
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.said import said

_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_DEPTH = 64
_MAX_REPEATED = 10_000  # nodes that aliases repeat: more is a bomb, and no config
_LEAST, _MOST = -(1 << 63), (1 << 64) - 1  # what the log and the wire can carry
_TAG = "tag:yaml.org,2002:"
_WRITTEN = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
VARIABLE = re.compile("\ue000([A-Za-z0-9_]+)\ue001")
"""How `${NAME}` stands in `data` of a document that was parsed with `variables`."""


class _Loader(_BASE):  # type: ignore[misc]
    """YAML 1.2's core rules; PyYAML's own are YAML 1.1, where `off`, `no` and `1:30` are two booleans and 90."""


_SCALARS = {
    "bool": re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"),
    "int": re.compile(r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$"),
    "float": re.compile(
        r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf)|\.(?:nan|NaN))$"
    ),
    "null": re.compile(r"^(?:~|null|Null|NULL|)$"),
    "merge": re.compile(r"^<<$"),
}
_FIRST = {"bool": "tTfF", "int": "-+0123456789", "float": "-+.0123456789", "null": ["~", "n", "N", ""], "merge": "<"}
_ALLOWED = {f"{_TAG}{name}" for name in (*_SCALARS, "str", "seq", "map")} | {"!"}
_VALID_TAGS = said(
    "none, or !!str, !!int, !!float, !!bool, !!null, !!seq, !!map",
    "不写，或 !!str、!!int、!!float、!!bool、!!null、!!seq、!!map",
)

_Loader.yaml_implicit_resolvers = {}
for _name, _pattern in _SCALARS.items():
    _Loader.add_implicit_resolver(f"{_TAG}{_name}", _pattern, list(_FIRST[_name]))


def _number(text: str) -> int:
    """The whole number that a scalar stands for; of one with a thousand digits only that it is too large."""
    if text.startswith(("0x", "0o")):
        return int(text, 0)
    return int(text) if len(text) < 1000 else 1 << 64


_Loader.add_constructor(f"{_TAG}int", lambda loader, node: _number(loader.construct_scalar(node)))


class YamlSource:
    """One parsed document. `data` is plain Python; `line(path)` tells where a value stands (`routes[1].target`).
    `mistakes` are those of its writing, each with its line: a key given twice, a number beyond 64 bits."""

    def __init__(self, name: str, data: Any, lines: dict[str, int], mistakes: list[Problem]) -> None:
        self.name = name
        self.data = data
        self.mistakes = mistakes
        self._lines = lines

    def line(self, path: str) -> int | None:
        """The line of the value there, or else of the innermost mapping or list around it."""
        while path:
            if path in self._lines:
                return self._lines[path]
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return None

    def where(self, path: str) -> str:
        """`file:line` of a path; only the file, where the path leads nowhere."""
        line = self.line(path)
        return in_both(self.name, lambda name: f"{name}:{line}") if line else self.name

    def place(self, problem: Problem) -> Problem:
        """The same problem, with file and line."""
        return Problem(problem.path or TOP, problem.message, valid=problem.valid, where=self.where(problem.path))


def parse_yaml(text: str, name: str, *, variables: bool = False) -> YamlSource:
    """Raises Problems when the text is no YAML. What is wrong otherwise is in `mistakes`. With `variables`, a `${NAME}`
    comes back as VARIABLE finds it: braces of its own would end a YAML mapping written in braces."""
    if variables:
        text = _WRITTEN.sub("\ue000\\1\ue001", text)
    survey = _Survey(name)
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            if node is not None:
                survey.walk(node, "", 0, node.start_mark.line)
            data = None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{name}:{mark.line + 1}" if mark else name
        what = yaml_says(getattr(error, "problem", None) or str(error).splitlines()[0])
        raise Problems([_unreadable("YAML", in_both(what, as_written), where)]) from None
    except RecursionError:
        raise Problems([_unreadable("YAML", _TOO_DEEP, name)]) from None
    except ValueError as error:
        raise Problems([_unreadable("YAML", yaml_says(str(error)), name)]) from None
    return YamlSource(name, data, survey.lines, survey.mistakes)


def as_written(text: str) -> str:
    """A text of a document parsed with `variables`, with each `${NAME}` as its author wrote it."""
    return VARIABLE.sub(r"${\1}", text)


def read_yaml(path: Path, *, variables: bool = False) -> YamlSource:
    """Raises Problems when the file cannot be read."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise Problems([Problem(str(path), said("there is no such file", "没有这个文件"))]) from None
    except UnicodeDecodeError as error:
        message = said("is not UTF-8 (byte {byte})", "不是 UTF-8 编码（第 {byte} 字节）", byte=error.start)
        raise Problems([Problem(str(path), message)]) from None
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise Problems([_unreadable(str(path), why(error))]) from None
    return parse_yaml(text, str(path), variables=variables)


def _unreadable(path: str, reason: str, where: str | None = None) -> Problem:
    return Problem(path, said("cannot be read: {reason}", "无法读取：{reason}", reason=reason), where=where)


_TOO_DEEP = said("nested deeper than {most} levels", "嵌套超过 {most} 层", most=_MAX_DEPTH)
TOP = said("top level", "最外层")
"""How the path of the document itself is shown."""


class _Survey:
    """One walk over the nodes of a document, before anything is made of them: the line of every value, and what is
    wrong with the writing. Raises MarkedYAMLError for what must not be made: depths, bombs of aliases, foreign tags."""

    def __init__(self, name: str) -> None:
        self.lines: dict[str, int] = {}
        self.mistakes: list[Problem] = []
        self._name = name
        self._seen: set[int] = set()
        self._repeated = 0

    def walk(self, node: Any, path: str, depth: int, line: int) -> None:
        """`line` counts from 0; of a member of a mapping it is that of its key."""
        if depth > _MAX_DEPTH:
            raise yaml.MarkedYAMLError(problem=_TOO_DEEP, problem_mark=node.start_mark)
        fresh = id(node) not in self._seen
        self._seen.add(id(node))
        if not fresh:
            self._repeated += 1
            if self._repeated > _MAX_REPEATED:
                what = said(
                    "its aliases (*name) repeat more than {most:,} values",
                    "别名（*名字）重复了超过 {most:,} 个值",
                    most=_MAX_REPEATED,
                )
                raise yaml.MarkedYAMLError(problem=what, problem_mark=node.start_mark)
        self.lines[path] = line + 1
        if isinstance(node, yaml.MappingNode):
            self._mapping(node, path, depth, fresh)
        elif isinstance(node, yaml.SequenceNode):
            for index, value in enumerate(node.value):
                self.walk(value, f"{path}[{index}]", depth + 1, value.start_mark.line)
        elif fresh:
            self._scalar(node, path, line)
        if node.tag not in _ALLOWED:
            raise _foreign(node)

    def _mapping(self, node: Any, path: str, depth: int, fresh: bool) -> None:
        keys: set[str] = set()
        for key, value in node.value:
            word = as_written(key.value) if isinstance(key, yaml.ScalarNode) else "?"
            below = f"{path}.{word}" if path else str(word)
            line = key.start_mark.line
            if fresh and word in keys and word != "<<":
                twice = said("this key is given twice; only one can hold", "这个键写了两次，只能有一个生效")
                self._wrong(below, twice, line)
            if fresh and isinstance(key, yaml.ScalarNode):
                if word != key.value:
                    filled = said(
                        "a name cannot come from the environment; write it out", "名字不能取自环境变量，请直接写出"
                    )
                    self._wrong(below, filled, line)
                self._scalar(key, below, line)
            keys.add(word)
            self.walk(value, below, depth + 1, line)

    def _scalar(self, node: Any, path: str, line: int) -> None:
        pattern = _SCALARS.get(node.tag.removeprefix(_TAG))
        if pattern is not None and not pattern.match(node.value):
            raise _foreign(node)
        if node.tag == f"{_TAG}int" and not _LEAST <= _number(node.value) <= _MOST:
            shown = node.value if len(node.value) <= 40 else f"{node.value[:40]}…"
            message = said("{shown} is beyond 64 bits", "{shown} 超出 64 位整数的范围", shown=shown)
            valid = said("{least} to {most}", "{least} 到 {most}", least=_LEAST, most=_MOST)
            self._wrong(path, message, line, valid)

    def _wrong(self, path: str, message: str, line: int, valid: str | None = None) -> None:
        self.mistakes.append(Problem(path, message, valid=valid, where=f"{self._name}:{line + 1}"))


def _foreign(node: Any) -> yaml.MarkedYAMLError:
    tag = node.tag.replace(_TAG, "!!")
    value: str = ""
    if isinstance(node, yaml.ScalarNode):
        value = said(" of {text!r}", "（值 {text!r}）", text=as_written(node.value)[:40])
    problem = said(
        "the tag {tag}{value} cannot be (valid: {valid})",
        "标签 {tag}{value}不能用在这里（合法取值：{valid}）",
        tag=tag[:40],
        value=value,
        valid=_VALID_TAGS,
    )
    return yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
