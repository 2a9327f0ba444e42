"""An OpenAPI document: read within bounds, references looked up inside of it alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote

from pointsman.actions.parameters import schema_problem
from pointsman.config.yaml_source import parse_yaml
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.said import Said, said

MOST = 5 << 20
"""Bytes of a document."""
_DEEPEST = 24
_MOST_NODES = 4000
_KEPT = frozenset(
    """type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems
    uniqueItems minProperties maxProperties title description""".split()  # noqa: SIM905
)
_FORMATS = frozenset(("date", "date-time", "time", "email", "uuid", "uri", "int32", "int64", "float", "double"))


class Unusable(Exception):
    """Something in the document that cannot be worked with; the message is in both languages."""

    def __init__(self, message: Said) -> None:
        super().__init__(message)
        self.message = message


def read_document(file: Path, path: str) -> dict[str, Any]:
    """Raises Problems, at that place of the config."""
    try:
        if file.stat().st_size > MOST:
            en, zh = "{file} is larger than {most:,} bytes", "{file} 超过 {most:,} 字节"
            raise Problems([Problem(path, said(en, zh, file=file.name, most=MOST))])
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise Problems([Problem(path, said("there is no file {file}", "没有文件 {file}", file=file))]) from None
    except (OSError, ValueError):
        en, zh = "{file} cannot be read as text", "无法把 {file} 读作文本"
        raise Problems([Problem(path, said(en, zh, file=file.name))]) from None
    found = parse_yaml(text, file.name)  # JSON is YAML
    document = found.data
    version = str(document.get("openapi", "")) if isinstance(document, dict) else ""
    if not version.startswith(("3.0", "3.1")):
        what = document.get("swagger") if isinstance(document, dict) else None
        old = said(" (it is Swagger {version})", "（它是 Swagger {version}）", version=what) if what else ""
        en, zh = "{file} is no OpenAPI document{old}", "{file} 不是 OpenAPI 文档{old}"
        raise Problems([Problem(path, said(en, zh, file=file.name, old=old), valid="openapi: 3.0.x, 3.1.x")])
    assert isinstance(document, dict)
    return document


class References:
    """What `$ref` means in one document. Raises Unusable for one that leads out of it, nowhere, or in a circle."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._nodes = 0

    def at(self, node: Any) -> dict[str, Any]:
        """The mapping itself, or what it refers to."""
        for _ in range(_DEEPEST):
            if not isinstance(node, dict):
                raise Unusable(Said("a mapping is missing where the document needs one", "文档中缺少应有的映射"))
            reference = node.get("$ref")
            if not isinstance(reference, str):
                return node
            node = self._found(reference)
        raise Unusable(said("{ref} refers to itself", "{ref} 引用了自己", ref=str(node.get("$ref"))[:100]))

    def _found(self, reference: str) -> Any:
        if not reference.startswith("#/"):
            en = "{ref} refers to another file or URL, which is never fetched: bundle the document into one"
            zh = "{ref} 引用了别的文件或 URL，不会去读取：请把文档合并成一个文件"
            raise Unusable(said(en, zh, ref=reference[:100]))
        node: Any = self._document
        for part in reference[2:].split("/"):
            key = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(node, list) and key.isdigit() and int(key) < len(node):
                node = node[int(key)]
            elif isinstance(node, dict) and key in node:
                node = node[key]
            else:
                raise Unusable(said("{ref} leads nowhere", "{ref} 没有对应的内容", ref=reference[:100]))
        return node

    def schema(self, node: Any, depth: int = 0, within: tuple[str, ...] = ()) -> dict[str, Any]:
        """A JSON Schema of today without references. What refers to itself, lies too deep or is too much is any value."""
        self._nodes += 1
        if depth > _DEEPEST or self._nodes > _MOST_NODES or node is True or not isinstance(node, dict):
            return {}
        reference = node.get("$ref")
        if isinstance(reference, str):
            if reference in within:
                return {}
            beside = {key: value for key, value in node.items() if key in ("description", "default")}
            found = self._found(reference)
            return {**self.schema(found, depth + 1, (*within, reference)), **beside}
        made = {key: value for key, value in node.items() if key in _KEPT}
        if "default" in node:
            made["default"] = node["default"]
        if node.get("format") in _FORMATS:
            made["format"] = node["format"]
        if isinstance(node.get("pattern"), str) and schema_problem({"pattern": node["pattern"]}) is None:
            made["pattern"] = node["pattern"]
        self._older(node, made)
        for key in ("items", "additionalProperties", "not"):
            if isinstance(node.get(key), dict):
                made[key] = self.schema(node[key], depth + 1, within)
            elif isinstance(node.get(key), bool):
                made[key] = node[key]
        for key in ("allOf", "anyOf", "oneOf", "prefixItems"):
            if isinstance(node.get(key), list) and node[key]:
                made[key] = [self.schema(one, depth + 1, within) for one in node[key][:50]]
        properties = node.get("properties")
        if isinstance(properties, dict):
            given = {name: one for name, one in list(properties.items())[:200] if not _read_only(self, one)}
            made["properties"] = {str(name): self.schema(one, depth + 1, within) for name, one in given.items()}
            required = node.get("required")
            if isinstance(required, list):
                made["required"] = [name for name in required if isinstance(name, str) and name in given]
        return made

    def _older(self, node: dict[str, Any], made: dict[str, Any]) -> None:
        """OpenAPI 3.0's own words: nullable, and bounds that are excluded by true."""
        if node.get("nullable") is True and isinstance(made.get("type"), str):
            made["type"] = [made["type"], "null"]
            if "enum" in made and None not in made["enum"]:
                made["enum"] = [*made["enum"], None]
        for bound, excluded in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
            if isinstance(made.get(excluded), bool) and made.pop(excluded) and bound in made:
                made[excluded] = made.pop(bound)


def _read_only(references: References, node: Any) -> bool:
    try:
        return bool(references.at(node).get("readOnly"))
    except Unusable:
        return False
