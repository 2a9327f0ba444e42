"""Operations of OpenAPI documents as actions: what they take, what is sent, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from actions.http.service import Service, answer, calling, wrong
from actions.workshop import OCCASION, config_of
from pointsman.actions.http.spec import spec_of
from pointsman.actions.specs import Surroundings
from thorough import tries

STOCK: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Stock", "version": "1"},
    "servers": [{"url": "https://{region}.stock.example.com/{base}", "variables": {
        "region": {"default": "eu", "enum": ["eu", "cn"]}, "base": {"default": "v1"}}}],
    "security": [{"key": []}],
    "paths": {
        "/items/{id}": {
            "parameters": [{"$ref": "#/components/parameters/Id"}],
            "get": {
                "operationId": "getItem",
                "summary": "How many there are",
                "parameters": [
                    {"name": "id", "in": "query", "schema": {"type": "integer"}},
                    {"name": "tags", "in": "query", "explode": False, "schema": {"type": "array",
                        "items": {"type": "string"}}},
                    {"name": "filter", "in": "query", "style": "deepObject", "schema": {
                        "type": "object", "properties": {"min": {"type": "integer"}}}},
                    {"name": "X-Tenant", "in": "header", "required": True, "schema": {"type": "string"}},
                    {"name": "Authorization", "in": "header", "schema": {"type": "string"}},
                    {"name": "unit", "in": "query", "schema": {"type": "string", "default": "kg", "enum": ["kg", "t"]}},
                ],
                "responses": {"200": {"description": "ok"}},
            },
            "patch": {
                "operationId": "changeItem",
                "requestBody": {"required": True, "content": {"application/json": {"schema": {
                    "$ref": "#/components/schemas/Change"}}}},
                "responses": {},
            },
            "post": {
                "requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": {
                    "type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}}}},
                "responses": {},
            },
        },
        "/far": {"get": {"operationId": "far", "parameters": [{"$ref": "other.yaml#/x"}], "responses": {}}},
        "/web": {"get": {"operationId": "web", "parameters": [{"$ref": "http://x/y#/z"}], "responses": {}}},
        "/lost": {"get": {"operationId": "lost", "parameters": [{"$ref": "#/components/nothing"}], "responses": {}}},
        "/round": {"get": {"operationId": "round", "parameters": [{"$ref": "#/components/parameters/Loop"}],
            "responses": {}}},
        "/twice": {"get": {"operationId": "same", "responses": {}}, "delete": {"operationId": "same", "responses": {}}},
        "/tree": {"put": {"operationId": "tree", "requestBody": {"content": {"application/json": {"schema": {
            "$ref": "#/components/schemas/Tree"}}}}, "responses": {}}},
        "/file": {"post": {"operationId": "file", "requestBody": {"content": {"multipart/form-data": {}}}, "responses": {}}},
        "/open": {"get": {"operationId": "open", "security": [], "responses": {}}},
        "/basic": {"get": {"operationId": "basic", "security": [{"basic": []}, {"bearer": []}], "responses": {}}},
    },
    "components": {
        "parameters": {
            "Id": {"name": "id", "in": "path", "required": True, "schema": {"type": "string", "pattern": "^[A-Z0-9]+$"}},
            "Loop": {"$ref": "#/components/parameters/Loop"},
        },
        "schemas": {
            "Change": {"type": "object", "required": ["count"], "properties": {
                "count": {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
                "note": {"type": "string", "nullable": True}, "id": {"type": "integer"},
                "made": {"type": "string", "readOnly": True}, "odd": {"type": "string", "pattern": "(?<=x)y"}}},
            "Tree": {"type": "object", "properties": {"name": {"type": "string"}, "below": {
                "type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}},
        },
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"},
                            "basic": {"type": "http", "scheme": "basic"}, "bearer": {"type": "http", "scheme": "bearer"}},
    },
}  # fmt: skip
KEY = {"headers": {"X-Key": "secret-key-1"}}


def document(folder: Path, **changes: Any) -> dict[str, Any]:
    (folder / "stock.yaml").write_text(yaml.safe_dump({**STOCK, **changes}))
    (folder / "stock.json").write_text(json.dumps({**STOCK, **changes}))
    return {"openapi": "stock.yaml", **KEY}


def spec(folder: Path, http: dict[str, Any]) -> Any:
    config = config_of({"call": {"http": http}})
    return spec_of("call", config.actions["call"], Surroundings(config, folder))


def test_what_an_operation_takes(tmp_path: Path) -> None:
    http = document(tmp_path)
    for file in ("stock.yaml", "stock.json"):
        made = spec(tmp_path, {**http, "openapi": file, "operation": "getItem"})
        assert list(made.properties) == ["id", "id_query", "tags", "filter", "X-Tenant", "unit"]
        assert made.required == ("id", "X-Tenant") and made.about["en"] == "How many there are"
        assert made.properties["id"] == {"type": "string", "pattern": "^[A-Z0-9]+$"}
        assert not made.effect and made.repeatable == "yes"
    made = spec(tmp_path, {**http, "operation": "changeItem"})
    assert made.properties["count"] == {"type": "integer", "exclusiveMinimum": 0}
    assert made.properties["note"] == {"type": ["string", "null"]} and "made" not in made.properties
    assert "pattern" not in made.properties["odd"] and made.properties["id_body"] == {"type": "integer"}
    assert set(made.required) == {"id", "count"} and made.repeatable == "no" and made.effect
    tree = spec(tmp_path, {**http, "operation": "tree"})
    assert tree.properties["below"] == {"type": "array", "items": {}}  # of itself: any value


async def test_what_is_sent(tmp_path: Path) -> None:
    http = document(tmp_path)
    async with Service(answer(200, {"n": 1})) as service:
        here = {**http, "server": f"{service.url}/base/", "allow": [f"127.0.0.1:{service.port}"]}
        async with calling(tmp_path, {**here, "operation": "getItem"}) as action:
            given = {"id": "A1", "id_query": 7, "tags": ["a", "b&"], "filter": {"min": 3}, "X-Tenant": "t"}
            assert (await action.run(given, OCCASION)).outcome == "ok"
            refused = await action.run({**given, "id": "a/b"}, OCCASION)
            assert refused.outcome == "refused" and "pattern" not in refused.text.lower()
            assert (await action.run({**given, "X-Key": "mine"}, OCCASION)).outcome == "refused"
        async with calling(tmp_path, {**here, "operation": "changeItem"}) as action:
            await action.run({"id": "A1", "count": 5, "id_body": 9}, OCCASION)
        async with calling(tmp_path, {**here, "operation": "POST /items/{id}"}) as action:
            await action.run({"id": "A1", "count": 5}, OCCASION)
        get, patch, post = service.got
        assert get.target == "/base/items/A1?id=7&tags=a%2Cb%26&filter[min]=3&unit=kg"
        assert get.headers["x-tenant"] == "t" and get.headers["x-key"] == "secret-key-1"
        assert (patch.method, patch.target, patch.json) == ("PATCH", "/base/items/A1", {"count": 5, "id": 9})
        assert post.body == b"count=5" and post.headers["content-type"] == "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("changes", "en", "zh"),
    [
        ({"operation": "getItm"}, 'did you mean "getItem"', "是不是“getItem”"),
        ({"operation": "same"}, "names several", "对应多个操作"),
        ({"operation": "far"}, "another file or URL", "别的文件或 URL"),
        ({"operation": "web"}, "another file or URL", "别的文件或 URL"),
        ({"operation": "lost"}, "leads nowhere", "没有对应的内容"),
        ({"operation": "round"}, "refers to itself", "引用了自己"),
        ({"operation": "file"}, "multipart/form-data", "只能发送 JSON 和表单"),
        ({"operation": "getItem", "headers": {}}, "X-Key: ${KEY}", "身份凭据"),
        ({"operation": "basic"}, "Basic NAME:${PASSWORD}} or headers: {Authorization: Bearer", "或"),
        ({"operation": "getItem", "variables": {"region": "us"}}, "one of eu, cn", "必须是 eu, cn 之一"),
        ({"operation": "getItem", "server": "http://10.0.0.1/"}, "add it to allow", "请加入 allow"),
        ({"operation": "getItem", "server": "https://{x}.com/"}, "variables: x", "variables 缺少 x"),
        ({"operation": "getItem", "variables": {"base": "../x"}}, "segment", "段"),
        (
            {"operation": "getItem", "variables": {"region": "cn", "base": "a?b"}},
            "query or a fragment",
            "查询参数或片段",
        ),
        ({"operation": "getItem", "openapi": "none.yaml"}, "no file", "没有文件"),
        ({"openapi": "stock.yaml"}, "is missing", "缺失"),
        ({"operation": "getItem", "body": {}}, "calls by hand", "手写的调用"),
        ({"operation": "getItem", "query": {"q": "{id}"}}, "no slots beside openapi", "不能有占位符"),
    ],
)
def test_mistakes_are_told_at_check(tmp_path: Path, changes: dict[str, Any], en: str, zh: str) -> None:
    problems = wrong(tmp_path, {**document(tmp_path), **changes})
    assert any(en in problem.message and zh in problem.said.zh for problem in problems), [p.said.zh for p in problems]


def test_documents_that_are_none(tmp_path: Path) -> None:
    http = {"openapi": "x.yaml", "operation": "a"}
    bomb = "a: &a [x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(20)
    )
    for text in ("swagger: '2.0'", "[]", "", "openapi: 2.9", "{", bomb, "openapi: 3.0.0", "\x00", "openapi: 3.0.0\npaths: 7",
                 "openapi: 3.1.0\npaths: {/x: {get: 5, post: {operationId: a, parameters: 3}}}"):  # fmt: skip
        (tmp_path / "x.yaml").write_text(text)
        assert wrong(tmp_path, http), text
    (tmp_path / "x.yaml").write_text("# " + "x" * (6 << 20))
    assert "larger" in wrong(tmp_path, http)[0].message
    deep: Any = {"type": "string"}
    for _ in range(40):
        deep = {"type": "array", "items": deep}
    body = {"requestBody": {"content": {"application/json": {"schema": deep}}}}
    given = {
        "openapi": "3.1.0",
        "servers": [{"url": "https://a.example.com"}],
        "paths": {"/": {"put": {"operationId": "a", **body}}},
    }
    (tmp_path / "x.yaml").write_text(json.dumps(given))
    assert wrong(tmp_path, http) == []


def test_what_every_one_of_its_parts_may_be(tmp_path: Path) -> None:
    """A document whose parts are of other types than they should be is told, and never a crash."""
    odd: list[Any] = [None, 3, "x", [], {}, [None], {"$ref": 3}, True]

    def replaced(node: Any, place: tuple[Any, ...], value: Any) -> Any:
        if not place:
            return value
        copy = dict(node) if isinstance(node, dict) else list(node)
        copy[place[0]] = replaced(node[place[0]], place[1:], value)
        return copy

    def places(node: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        return [at, *(place for key, value in inner for place in places(value, (*at, key)))]

    for number, place in list(enumerate(p for p in places(STOCK) if p))[:: tries(3, 1)]:
        text = json.dumps(replaced(STOCK, place, odd[number % len(odd)]))
        (tmp_path / "stock.yaml").write_text(text)
        for operation in ("getItem", "changeItem", "POST /items/{id}"):
            wrong(tmp_path, {"openapi": "stock.yaml", "operation": operation, **KEY})
