"""What an action takes and may cost, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pointsman.domain.action import FILE, ActionSpec
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.said import Said, Tongue, said, told

_TYPES = {
    "string": Said("text", "文本"),
    "integer": Said("whole number", "整数"),
    "number": Said("number", "数字"),
    "boolean": Said("true/false", "布尔值"),
    "array": Said("list", "列表"),
    "object": Said("object", "对象"),
}
_FILE = Said("file", "文件")
_ANY = Said("any", "任意")


def specs_of(document: PolicyDocument) -> dict[str, ActionSpec]:
    """Those that do something, by name."""
    return {name: rule.spec for name, rule in document.actions.items() if rule.spec is not None}


def takes_words(spec: ActionSpec) -> str:
    """Its parameters in a line: those that may be left out in brackets."""
    return " ".join(name if name in spec.required else f"[{name}]" for name in spec.properties) or "-"


def type_words(schema: Mapping[str, Any], tongue: Tongue) -> str:
    if "enum" in schema:
        return " | ".join(str(option) for option in schema["enum"])
    if schema.get("format") == FILE:
        return told(_FILE, tongue)
    kinds = schema.get("type")
    names = kinds if isinstance(kinds, list) else [kinds] if isinstance(kinds, str) else []
    return " | ".join(told(_TYPES.get(name, Said(name, name)), tongue) for name in names) or told(_ANY, tongue)


def about_words(schema: Mapping[str, Any], tongue: Tongue) -> str:
    """What a parameter is, as far as its schema says."""
    about = schema.get("x-about")
    if isinstance(about, dict) and about.get(tongue):
        return str(about[tongue])
    return str(schema.get("description") or schema.get("title") or "")


def limit_words(spec: ActionSpec) -> str:
    gpu = (
        said(", {gpu} MB of GPU memory", "，占用显存 {gpu} MB", gpu=spec.gpu_memory)
        if spec.gpu_memory
        else Said("", "")
    )
    return said(
        "at most {seconds:g} s, {memory} MB of memory, {output} KB of output{gpu}",
        "上限：{seconds:g} 秒，内存 {memory} MB，输出 {output} KB{gpu}",
        seconds=spec.seconds,
        memory=spec.memory >> 20,
        output=spec.output >> 10,
        gpu=gpu,
    )


def cost_words(spec: ActionSpec) -> str:
    cores = said("{cores}", " {cores} 个核", cores=spec.cores) if spec.cores else Said("all", "全部可用的核")
    return said(
        "expected: {seconds:g} s of CPU time, cores: {cores}",
        "预计：CPU 时间 {seconds:g} 秒，占用{cores}",
        seconds=spec.cpu_seconds,
        cores=cores,
    )


def effect_words(spec: ActionSpec) -> str:
    if not spec.effect:
        return Said("changes nothing outside", "不改变外部系统")
    if spec.repeatable == "no":
        return Said("changes something outside; never tried twice", "会改变外部系统；不会重试")
    return Said("changes something outside; done once for each job", "会改变外部系统；每个任务只做一次")
