"""A call that the config writes out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote_plus

from pointsman.actions.http.call import OURS, TOKEN, Call, Field, slots_in
from pointsman.actions.http.origin import VALID, path_of, read_base
from pointsman.config.action_schema.http import Http
from pointsman.domain.errors import Problem
from pointsman.domain.said import Said, said

_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie|password|signature", re.IGNORECASE)


def call_by_hand(http: Http, path: str) -> tuple[Call | None, list[Problem]]:
    """`path` is where it stands in the config."""
    assert http.url is not None
    problems: list[Problem] = []
    origin, behind = "", ""
    try:
        origin, behind = read_base(http.url)
        if "#" in behind:
            raise ValueError(
                Said("it has a fragment (#), which no server gets to see", "它带有片段（#），服务器看不到")
            )
        place, _, given = behind.partition("?")
        words = path_of(place)
        query = _query_of(given)
    except ValueError as error:
        return None, [Problem(f"{path}.url", error.args[0], valid=VALID)]
    for key in ("body", "form"):
        if getattr(http, key) is not None and http.method in ("GET", "DELETE"):
            en, zh = "{method} has no body", "{method} 没有请求体"
            problems.append(Problem(f"{path}.{key}", said(en, zh, method=http.method)))
    if http.body is not None and http.form is not None:
        problems.append(
            Problem(f"{path}.form", Said("stands instead of body, not beside it", "form 和 body 只能写一个"))
        )
    problems += wrong_headers(http.headers, path)
    query += fields_of(http.query)
    form = tuple(Field(name, template) for name, template in http.form.items()) if http.form is not None else None
    headers = fields_of(http.headers)
    templates = [words, *(f.template for f in (*query, *headers, *(form or ()))), http.body]
    call = Call(
        method=http.method,
        origin=origin,
        path=words,
        query=tuple(query),
        headers=tuple(headers),
        body=http.body,
        form=form,
        slots=tuple(slots_in(templates)),
    )
    return call, problems


def fields_of(given: Mapping[str, str]) -> list[Field]:
    """Those of the config; one without a slot whose name speaks of keys is a secret."""
    return [
        Field(name, template, secret=bool(_SECRET_HEADER.search(name)) and not slots_in(template))
        for name, template in given.items()
    ]


def wrong_headers(headers: Mapping[str, Any], path: str) -> list[Problem]:
    problems = []
    for name, template in headers.items():
        place = f"{path}.headers.{name}"
        if not TOKEN.fullmatch(name):
            problems.append(Problem(place, said("is no name of a header", "不是请求头的名称")))
        elif name.lower() in OURS:
            en, zh = "is set by the gateway itself", "由网关自己设置"
            problems.append(Problem(place, Said(en, zh)))
        elif not re.fullmatch(r"[\x20-\x7e\x80-\xff]*", re.sub(r"\{[^{}]*\}", "", str(template))):
            en, zh = (
                "its value holds a line break, a control or a non-Latin-1 character",
                "值含有换行、控制字符或 Latin-1 之外的字符",
            )
            problems.append(Problem(place, Said(en, zh)))
    return problems


def _query_of(text: str) -> list[Field]:
    """Of the URL itself. Raises ValueError."""
    fields = []
    for pair in text.split("&") if text else []:
        name, _, template = pair.partition("=")
        if "{" in name or "}" in name or not name:
            raise ValueError(
                Said(
                    "no slot can be the name of a parameter: write ?name={slot}",
                    "参数名不能是占位符：请写 ?name={slot}",
                )
            )
        fields.append(Field(unquote_plus(name), _plain(template)))
    return fields


def _plain(template: str) -> str:
    """Without the percent-encoding outside of slots: all of it is encoded anew."""
    return "".join(
        piece if piece.startswith("{") else unquote_plus(piece) for piece in re.split(r"(\{[^{}]*\})", template)
    )
