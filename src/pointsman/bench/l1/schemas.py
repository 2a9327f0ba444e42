"""JSON schemas as applications have them, of growing difficulty, with what a model is asked to write."""

from __future__ import annotations

from typing import Any

import msgspec

JsonSchema = dict[str, Any]


class Form(msgspec.Struct, frozen=True):
    """`level` 1 to 6: single values, flat objects, lists and nesting, choices, references, whole documents."""

    name: str
    level: int
    about: str
    schema: JsonSchema


LEVELS = range(1, 7)
_TEXT: JsonSchema = {"type": "string", "maxLength": 40}
_NAME: JsonSchema = {"type": "string", "minLength": 1, "maxLength": 30}
_COUNT: JsonSchema = {"type": "integer", "minimum": 0, "maximum": 1000}
_DAY: JsonSchema = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}
_MONEY: JsonSchema = {"type": "number", "minimum": 0, "maximum": 1_000_000}


def _object(required: str = "", /, **properties: JsonSchema) -> JsonSchema:
    """Closed; `required` are names parted by blanks, all where it is empty."""
    names = required.split() if required else list(properties)
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


def _list(items: JsonSchema, least: int = 1, most: int = 3) -> JsonSchema:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def _of(*values: Any) -> JsonSchema:
    return {"enum": list(values)}


_ADDRESS = _object(street=_TEXT, city=_NAME, zip={"type": "string", "pattern": r"^\d{5}$"})
_STEP = _of("sql_optimize", "code_review", "data_summarize")
_CONTRACT = _object(
    "intent execution_path confidence",
    intent=_of("sql_optimization", "code_review", "open_ended"),
    parameters=_object("sql", sql=_TEXT, target_db=_of("postgresql", "mysql", "sqlite")),
    execution_path=_list(_STEP),
    confidence={"type": "number", "minimum": 0, "maximum": 1},
    fallback_reason=_TEXT,
)

FORMS: tuple[Form, ...] = (
    Form("title", 1, "the title of a weekly report", _object(title=_NAME)),
    Form("count", 1, "how many orders came in", _object(orders=_COUNT)),
    Form("flag", 1, "whether the server is up", _object(up={"type": "boolean"})),
    Form("choice", 1, "the file format that was asked for: PDF", _object(format=_of("pdf", "xlsx", "csv"))),
    Form("share", 1, "the confidence of a guess", _object(confidence={"type": "number", "minimum": 0, "maximum": 1})),
    Form("person", 2, "a colleague", _object(name=_NAME, age=_COUNT, remote={"type": "boolean"})),
    Form("date", 2, "a meeting", _object(topic=_NAME, day=_DAY)),
    Form("period", 2, "the first quarter of 2025", _object(start=_DAY, end=_DAY, grain=_of("day", "month", "quarter"))),
    Form("code", 2, "a product code", _object(code={"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$"}, stock=_COUNT)),
    Form("optional", 2, "a ticket", _object("id", id=_COUNT, note=_TEXT, severity=_of(1, 2, 3))),
    Form("tags", 3, "an article", _object(title=_NAME, tags=_list(_NAME))),
    Form("address", 3, "a customer", _object(name=_NAME, address=_ADDRESS)),
    Form("nullable", 3, "a delivery", _object(number=_COUNT, arrived={"type": ["string", "null"], "maxLength": 20})),
    Form("fixed", 3, "an event", _object(version={"const": 2}, kind={"const": "created"}, at=_DAY)),
    Form("matrix", 3, "a small table of numbers", _object(rows=_list(_list(_COUNT, 2, 2), 2, 2))),
    Form(
        "order", 4, "an order", _object(customer=_NAME, lines=_list(_object(item=_NAME, quantity=_COUNT, price=_MONEY)))
    ),
    Form("deep", 4, "where a desk is", _object(site=_object(building=_object(floor=_object(desk=_COUNT))))),
    Form("any", 4, "a filter on the amount", _object(amount={"anyOf": [_MONEY, _object(least=_MONEY, most=_MONEY)]})),
    Form(
        "kinds",
        4,
        "a notification by e-mail",
        _object(
            channel={
                "oneOf": [
                    _object(type={"const": "mail"}, to=_NAME),
                    _object(type={"const": "sms"}, number={"type": "string", "pattern": "^[0-9]{6,12}$"}),
                ]
            }
        ),
    ),
    Form(
        "map",
        4,
        "stock by warehouse",
        {"type": "object", "additionalProperties": _COUNT, "minProperties": 1, "maxProperties": 3},
    ),
    Form(
        "shared",
        5,
        "a shipment from one city to another",
        {
            **_object(origin={"$ref": "#/$defs/place"}, target={"$ref": "#/$defs/place"}),
            "$defs": {"place": _object(city=_NAME)},
        },
    ),
    Form(
        "tree",
        5,
        "a folder with one file in it",
        {
            "$ref": "#/$defs/node",
            "$defs": {"node": _object("name", name=_NAME, children=_list({"$ref": "#/$defs/node"}, 0, 2))},
        },
    ),
    Form(
        "all",
        5,
        "a manager",
        {
            "allOf": [
                {"type": "object", "properties": {"name": _NAME}, "required": ["name"]},
                {"type": "object", "properties": {"team": _NAME}, "required": ["team"]},
            ]
        },
    ),
    Form(
        "together",
        5,
        "a payment by card",
        {**_object("amount", amount=_MONEY, card=_NAME, expires=_DAY), "dependentRequired": {"card": ["expires"]}},
    ),
    Form(
        "names",
        5,
        "opening hours",
        {
            "type": "object",
            "patternProperties": {"^(mon|tue|wed)$": _NAME},
            "additionalProperties": False,
            "minProperties": 1,
        },
    ),
    Form("contract", 6, "the decision on: optimise SELECT * FROM users", _CONTRACT),
    Form(
        "invoice",
        6,
        "an invoice with one line",
        _object(
            "number date seller lines total",
            number={"type": "string", "pattern": "^INV-[0-9]{4}$"},
            date=_DAY,
            seller=_object(name=_NAME, address=_ADDRESS),
            lines=_list(_object(text=_NAME, quantity=_COUNT, unit_price=_MONEY, vat=_of(0, 7, 19)), 1, 2),
            total=_MONEY,
            currency=_of("CNY", "EUR", "USD"),
        ),
    ),
    Form(
        "deployment",
        6,
        "a deployment of one container",
        _object(
            apiVersion={"const": "apps/v1"},
            kind={"const": "Deployment"},
            metadata=_object(
                "name",
                name={"type": "string", "pattern": "^[a-z]{3,12}$"},
                labels={
                    "type": "object",
                    "additionalProperties": _NAME,
                    "maxProperties": 2,
                },
            ),
            spec=_object(
                replicas={"type": "integer", "minimum": 1, "maximum": 9},
                containers=_list(
                    _object(
                        "image", image=_NAME, ports=_list({"type": "integer", "minimum": 1, "maximum": 65535}, 1, 2)
                    ),
                    1,
                    1,
                ),
            ),
        ),
    ),
    Form(
        "tools",
        6,
        "one call of the tool get_weather for Paris",
        _object(
            calls=_list(
                {
                    "oneOf": [
                        _object(
                            name={"const": "get_weather"}, arguments=_object("city", city=_NAME, unit=_of("C", "F"))
                        ),
                        _object(name={"const": "search"}, arguments=_object(query=_NAME)),
                    ]
                },
                1,
                2,
            )
        ),
    ),
    Form(
        "survey",
        6,
        "a survey with one question",
        {
            **_object(title=_NAME, questions=_list({"$ref": "#/$defs/question"}, 1, 2)),
            "$defs": {
                "question": _object(
                    "id text type",
                    id=_COUNT,
                    text=_TEXT,
                    type=_of("choice", "text", "scale"),
                    options=_list({"$ref": "#/$defs/option"}, 0, 2),
                ),
                "option": _object(label=_NAME, value={"type": ["integer", "string"], "maxLength": 10}),
            },
        },
    ),
)
