"""An operation of an OpenAPI document as a call, and what it takes as a JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pointsman.actions.http.by_hand import fields_of, wrong_headers
from pointsman.actions.http.call import OURS, TOKEN, Call, Field, Method, Style
from pointsman.actions.http.document import References, Unusable
from pointsman.actions.http.origin import VALID, path_of, read_base
from pointsman.config.action_schema.http import Http
from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.said import Said, said

METHODS: dict[str, Method] = {"get": "GET", "post": "POST", "put": "PUT", "patch": "PATCH", "delete": "DELETE"}
_FORM = "application/x-www-form-urlencoded"


class Operation:
    """One of a document. `name` is its operationId, or method and path."""

    def __init__(self, path: str, method: Method, item: Mapping[str, Any], node: Mapping[str, Any]) -> None:
        self.path = path
        self.method = method
        self.item = item
        self.node = node
        self.name = str(node.get("operationId") or f"{method} {path}")


def operations_of(document: Mapping[str, Any]) -> list[Operation]:
    references = References(dict(document))
    found = []
    paths = document.get("paths")
    for path, item in list(paths.items())[:2000] if isinstance(paths, dict) else []:
        try:
            real = references.at(item)
        except Unusable:
            continue
        for key, method in METHODS.items():
            if isinstance(real.get(key), dict):
                found.append(Operation(str(path), method, real, real[key]))
    return found


class Built:
    """A call and what it takes; `about` is the document's own summary."""

    def __init__(self, call: Call, properties: dict[str, Any], required: list[str], about: str) -> None:
        self.call = call
        self.properties = properties
        self.required = required
        self.about = about


def call_of(document: dict[str, Any], http: Http, path: str) -> tuple[Built | None, list[Problem]]:
    """`path` is where it stands in the config."""
    known = operations_of(document)
    wanted = http.operation or ""
    chosen = [one for one in known if wanted in (one.name, f"{one.method} {one.path}")]
    if len(chosen) != 1:
        names = [one.name for one in known]
        en, zh = "no operation {it!r}{hint}", "没有操作 {it!r}{hint}"
        if len(chosen) > 1:
            en, zh = "{it!r} names several operations: write method and path", "{it!r} 对应多个操作：请写方法和路径"
        wrong = said(en, zh, it=wanted, hint=did_you_mean(wanted, names))
        return None, [Problem(f"{path}.operation", wrong, valid=", ".join(names[:40]) or Said("none", "无"))]
    references = References(document)
    problems = wrong_headers(http.headers, path)
    try:
        origin, prefix = _server(document, chosen[0], http)
    except (ValueError, TypeError, AttributeError) as error:
        why = error.args[0] if isinstance(error.args[0], Said) else Said("is malformed", "格式有误")
        return None, [*problems, Problem(f"{path}.server", why, valid=VALID)]
    try:
        built = _Builder(references, chosen[0], http).built(origin, prefix)
        problems += _security(document, references, chosen[0], http, path)
    except Unusable as unusable:
        return None, [*problems, Problem(f"{path}.operation", unusable.message)]
    except (TypeError, AttributeError, KeyError, IndexError):  # a part of another type than it should be
        malformed = Said(
            "the document is malformed where it describes this operation", "文档中描述这个操作的部分格式有误"
        )
        return None, [*problems, Problem(f"{path}.operation", malformed)]
    except ValueError as error:
        why = error.args[0] if isinstance(error.args[0], Said) else Said("is malformed", "格式有误")
        return None, [*problems, Problem(f"{path}.operation", why)]
    return built, problems


def _server(document: Mapping[str, Any], operation: Operation, http: Http) -> tuple[str, str]:
    """Origin and path before that of the operation. Raises ValueError."""
    url = http.server
    variables: Any = {}
    if url is None:
        for place in (operation.node, operation.item, document):
            servers = place.get("servers")
            if isinstance(servers, list) and servers and isinstance(servers[0], dict):
                url, variables = str(servers[0].get("url", "")), servers[0].get("variables") or {}
                break
    if not url or url.startswith("/"):
        raise ValueError(Said("the document does not say where the service is", "文档没有写明服务的地址"))
    for name in re.findall(r"\{([^{}]*)\}", url):
        known = variables.get(name) if isinstance(variables, dict) else None
        value = http.variables.get(
            name, str(known["default"]) if isinstance(known, dict) and "default" in known else None
        )
        if value is None:
            raise ValueError(said("variables: {name} is missing", "variables 缺少 {name}", name=name))
        options = [str(one) for one in known.get("enum") or []] if isinstance(known, dict) else []
        if options and value not in options:
            en, zh = "variables: {name} is one of {options}", "variables：{name} 必须是 {options} 之一"
            raise ValueError(said(en, zh, name=name, options=", ".join(options)))
        url = url.replace("{" + name + "}", value)
    origin, behind = read_base(url)
    if "?" in behind or "#" in behind:
        raise ValueError(Said("the server's URL has a query or a fragment", "服务地址带有查询参数或片段"))
    return origin, path_of(behind).rstrip("/")


class _Builder:
    def __init__(self, references: References, operation: Operation, http: Http) -> None:
        self._references = references
        self._operation = operation
        self._http = http
        self.properties: dict[str, Any] = {}
        self.required: list[str] = []
        self._path: dict[str, str] = {}
        self._query: list[Field] = fields_of(http.query)
        self._headers: list[Field] = fields_of(http.headers)

    def built(self, origin: str, prefix: str) -> Built:
        for node in self._parameters():
            self._parameter(node)
        body, form = self._body()
        template = re.sub(r"\{([^{}]*)\}", self._slot, self._operation.path)
        call = Call(
            method=self._operation.method,
            origin=origin,
            path=prefix + path_of(template),
            query=tuple(self._query),
            headers=tuple(self._headers),
            body=body,
            form=form,
            slots=tuple(self.properties),
            defaults={name: one["default"] for name, one in self.properties.items() if "default" in one},
        )
        own = self._operation.node
        about = str(own.get("summary") or own.get("description") or "")
        return Built(call, self.properties, self.required, about.strip().splitlines()[0][:200] if about.strip() else "")

    def _slot(self, match: re.Match[str]) -> str:
        name = self._path.get(match[1])
        if name is None:
            en, zh = "the path's {{{name}}} is described nowhere", "路径中的 {{{name}}} 没有说明"
            raise Unusable(said(en, zh, name=match[1]))
        return "{" + name + "}"

    def _parameters(self) -> list[dict[str, Any]]:
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for place in (self._operation.item, self._operation.node):
            for node in place.get("parameters") or []:
                real = self._references.at(node)
                found[str(real.get("name")), str(real.get("in"))] = real
        return list(found.values())[:200]

    def _parameter(self, node: dict[str, Any]) -> None:
        name, where = str(node.get("name", "")), str(node.get("in", ""))
        schema, style = self._schema_of(node, name)
        needed = bool(node.get("required")) or where == "path"
        if where == "query":
            if name in self._http.query:
                return
            self._query.append(Field(name, "{" + self._take(name, where, schema, needed, node) + "}", style))
        elif where == "path":
            self._path[name] = self._take(name, where, schema, True, node)
        elif where == "header":
            given = {one.lower() for one in self._http.headers}
            if name.lower() in given | OURS | {"accept", "content-type", "authorization", "idempotency-key"}:
                return
            if not TOKEN.fullmatch(name):
                raise Unusable(said("{name!r} is no name of a header", "{name!r} 不是请求头的名称", name=name))
            self._headers.append(Field(name, "{" + self._take(name, where, schema, needed, node) + "}", style))
        elif needed and "cookie" not in {one.lower() for one in self._http.headers}:
            en, zh = (
                "it needs the cookie {name!r}: give headers: {{Cookie: …}}",
                "它需要 cookie {name!r}：请写 headers: {{Cookie: …}}",
            )
            raise Unusable(said(en, zh, name=name))

    def _schema_of(self, node: dict[str, Any], name: str) -> tuple[dict[str, Any], Style]:
        content = node.get("content")
        if isinstance(content, dict) and content:
            kind, media = next(iter(content.items()))
            if "json" not in str(kind):
                en, zh = "the parameter {name!r} is {kind}, not JSON", "参数 {name!r} 的类型是 {kind}，不是 JSON"
                raise Unusable(said(en, zh, name=name, kind=kind))
            return self._references.schema(self._references.at(media).get("schema")), "json"
        schema = self._references.schema(node.get("schema") or {})
        if schema.get("type") == "object":
            if node.get("style") != "deepObject" or node.get("in") != "query":
                en = "the parameter {name!r} is an object that would be written as several parameters"
                zh = "参数 {name!r} 是对象，会被写成多个参数"
                raise Unusable(said(en, zh, name=name))
            return schema, "deep"
        style: Style = "comma" if node.get("explode") is False or node.get("in") != "query" else "plain"
        return schema, style

    def _take(self, name: str, where: str, schema: dict[str, Any], needed: bool, node: Mapping[str, Any]) -> str:
        """The parameter's name for people and programs: its own, or with its place where that one is taken."""
        plain = re.sub(r"[^A-Za-z0-9_.-]", "_", name).replace(".", "_").strip("_")[:60] or where
        others = (f"{plain}_{where}", *(f"{plain}_{number}" for number in range(2, 500)))
        free = next(one for one in (plain, *others) if one not in self.properties)
        described = {"description": str(node["description"])[:500]} if node.get("description") else {}
        self.properties[free] = {**described, **schema}
        if needed and "default" not in schema:
            self.required.append(free)
        return free

    def _body(self) -> tuple[Any, tuple[Field, ...] | None]:
        given = self._operation.node.get("requestBody")
        if given is None or self._operation.method in ("GET", "DELETE"):
            return None, None
        node = self._references.at(given)
        content = node.get("content")
        given = content if isinstance(content, dict) else {}
        kinds = {str(kind).partition(";")[0].strip().lower(): media for kind, media in given.items()}
        json = next((kind for kind in kinds if kind == "application/json" or kind.endswith("+json")), None)
        kind = json or (_FORM if _FORM in kinds else None)
        if kind is None:
            en, zh = "its body is {kinds}; JSON and forms can be sent", "请求体是 {kinds}；只能发送 JSON 和表单"
            raise Unusable(said(en, zh, kinds=", ".join(kinds) or "?"))
        schema = self._references.schema(self._references.at(kinds[kind]).get("schema") or {})
        needed = bool(node.get("required"))
        properties = schema.get("properties")
        if (
            schema.get("type", "object") != "object"
            or not properties
            or any(key in schema for key in ("oneOf", "anyOf"))
        ):
            if json is None:
                raise Unusable(Said("its form does not say which fields it has", "表单没有说明有哪些字段"))
            return "{" + self._take("body", "body", schema, needed, node) + "}", None
        wanted = schema.get("required") or []
        slots = {
            name: self._take(name, "body", one, needed and name in wanted, one) for name, one in properties.items()
        }
        if json is None:
            return None, tuple(Field(name, "{" + slot + "}") for name, slot in slots.items())
        return {name: "{" + slot + "}" for name, slot in slots.items()}, None


def _security(
    document: Mapping[str, Any], references: References, operation: Operation, http: Http, path: str
) -> list[Problem]:
    """What the service wants to know of the caller must stand in the config: never does it come from a user."""
    wanted = operation.node.get("security", document.get("security"))
    if not isinstance(wanted, list) or not wanted or {} in wanted:
        return []
    components = document.get("components")
    schemes = components.get("securitySchemes") if isinstance(components, dict) else None
    missing: list[str] = []
    for alternative in wanted:
        lacks = []
        for name in alternative if isinstance(alternative, dict) else ():
            node = references.at((schemes or {}).get(name))
            what = _lacking(node, http)
            if what is not None:
                lacks.append(what)
        if not lacks:
            return []
        missing.append(", ".join(lacks))
    en, zh = "the service wants to know who calls: {what}", "服务需要身份凭据：{what}"
    return [Problem(path, said(en, zh, what=Said(" or ".join(missing), " 或 ".join(missing))))]


def _lacking(node: Mapping[str, Any], http: Http) -> str | None:
    headers = {name.lower() for name in http.headers}
    if node.get("type") == "apiKey":
        name, where = str(node.get("name")), node.get("in")
        if where == "query":
            return None if name in http.query else f"query: {{{name}: ${{KEY}}}}"
        header = "cookie" if where == "cookie" else name.lower()
        value = f"{name}=${{KEY}}" if where == "cookie" else "${KEY}"
        return None if header in headers else f"headers: {{{'Cookie' if where == 'cookie' else name}: {value}}}"
    scheme = "Basic NAME:${PASSWORD}" if str(node.get("scheme")).lower() == "basic" else "Bearer ${TOKEN}"
    return None if "authorization" in headers else f"headers: {{Authorization: {scheme}}}"
