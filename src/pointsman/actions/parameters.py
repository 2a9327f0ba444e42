"""Parameters of an action, held against its JSON Schema."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from pointsman.domain.action import ActionSpec
from pointsman.domain.errors import PointsmanError, did_you_mean
from pointsman.domain.json_schema import validator_of
from pointsman.domain.said import Said, said

if TYPE_CHECKING:
    import jsonschema_rs

_TYPES = {
    "string": Said("text", "文本"),
    "integer": Said("a whole number", "整数"),
    "number": Said("a number", "数字"),
    "boolean": Said("true or false", "true 或 false"),
    "array": Said("a list", "列表"),
    "object": Said("an object", "对象"),
    "null": Said("null", "null"),
}

_FORMATS = {
    "date": Said("a day such as 2026-12-31", "日期，例如 2026-12-31"),
    "date-time": Said("a moment such as 2026-12-31T18:00:00+08:00", "时刻，例如 2026-12-31T18:00:00+08:00"),
    "time": Said("a time of day such as 18:00:00+08:00", "时间，例如 18:00:00+08:00"),
    "email": Said("an e-mail address", "邮箱地址"),
    "uri": Said("a URL", "网址"),
}


class Checker:
    """Whether parameters are what an action takes; its schema is known to be one."""

    def __init__(self, spec: ActionSpec) -> None:
        self._spec = spec

    @cached_property
    def _validator(self) -> jsonschema_rs.Draft202012Validator:
        """Made when the first parameters come."""
        return validator_of(self._spec.parameters, formats=True)

    def check(self, parameters: dict[str, Any]) -> None:
        """Raises PointsmanError (400) that names the first that is wrong, and what is valid."""
        error = next(iter(self._validator.iter_errors(parameters)), None)
        if error is not None:
            raise _wrong(self._spec, error)


def schema_problem(schema: dict[str, Any]) -> str | None:
    """What is wrong with a JSON Schema, if anything."""
    try:
        validator_of(schema)
    except ValueError as error:
        return str(error).splitlines()[0][:300]
    return None


def _wrong(spec: ActionSpec, error: Any) -> PointsmanError:
    kind, place = error.kind, [str(part) for part in error.instance_path]
    valid = list(spec.properties)
    match kind.name:
        case "required":
            place.append(str(kind.property))
            why = Said("is missing", "缺失")
        case "additionalProperties":
            name = str(kind.unexpected[0])
            place.append(name)
            en, zh = "is not known{hint}; valid: {valid}", "不存在{hint}（可用的有：{valid}）"
            why = said(en, zh, hint=did_you_mean(name, valid), valid=", ".join(valid) or Said("none", "无"))
        case "type":
            why = said("must be {kinds}", "必须是{kinds}", kinds=_names(kind.types))
        case "enum":
            options = ", ".join(map(_shown, kind.options))
            why = said("must be one of {options}", "必须是下列之一：{options}", options=options)
        case "format":
            wanted = _FORMATS.get(kind.format, Said(kind.format, kind.format))
            why = said("must be {wanted}", "必须是{wanted}", wanted=wanted)
        case "anyOf" | "oneOf" if kinds := _either(kind.context):
            why = said("must be {kinds}", "必须是{kinds}", kinds=kinds)
        case "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum":
            sign = {"minimum": ">=", "maximum": "<=", "exclusiveMinimum": ">", "exclusiveMaximum": "<"}[kind.name]
            why = said("must be {sign} {limit}", "必须 {sign} {limit}", sign=sign, limit=kind.limit)
        case "minLength" | "maxLength":
            sign = ">=" if kind.name == "minLength" else "<="
            en, zh = "must have {sign} {limit} characters", "字符数必须 {sign} {limit}"
            why = said(en, zh, sign=sign, limit=kind.limit)
        case "pattern":
            why = said("must match {pattern}", "必须匹配 {pattern}", pattern=kind.pattern)
        case _:
            why = said("is not valid ({rule})", "无效（{rule}）", rule=kind.name)
    where = ".".join(["parameters", *place])
    message = said("{action}: {where} {why}", "{action}：{where} {why}", action=spec.name, where=where, why=why)
    return PointsmanError(message, code="bad_parameters", param=where[:100])


def _either(alternatives: Any) -> Said:
    """What a value may be that met none of the alternatives: what each says first."""
    found: dict[str, Said] = {}  # by its words: two may say the same
    for errors in alternatives:
        for error in errors[:1]:
            kind = error.kind
            match kind.name:
                case "type":
                    one = _names(kind.types)
                case "format":
                    one = _FORMATS.get(kind.format, Said(kind.format, kind.format))
                case "enum":
                    options = ", ".join(map(_shown, kind.options))
                    one = said("one of {options}", "下列之一：{options}", options=options)
                case _:
                    one = said("what meets {rule!r}", "符合 {rule!r} 的值", rule=kind.name)
            found[one] = one
    return Said(" or ".join(found), "或".join(one.zh for one in found.values()))


def _names(types: Any) -> Said:
    given = sorted(types, key="null".__eq__) if isinstance(types, list) else [types]
    names = [_TYPES.get(name, Said(name, name)) for name in given]
    return Said(" or ".join(names), "或".join(name.zh for name in names))


def _shown(option: Any) -> str:
    return option if isinstance(option, str) else msgspec.json.encode(option).decode()
