"""One action of the config: what it takes, what it may cost, its steps."""

from __future__ import annotations

import argparse
import json

import msgspec

from pointsman.app.build import build
from pointsman.app.mcp_servers import servers_of
from pointsman.cli.action_words import about_words, cost_words, effect_words, limit_words, specs_of, type_words
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.table import table
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.errors import did_you_mean
from pointsman.domain.said import Said, said, told


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="an action of the config")
    declare_config(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object, with the JSON Schema of parameters")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    loaded = load_config(options)
    specs = specs_of(build(loaded, may_ask=servers_of(options.name, loaded.draft)).policy.document)
    spec = specs.get(options.name)
    tongue = options.tongue
    if spec is None:
        valid = ", ".join(specs) or Said("none", "无")
        en, zh = "no action {name!r}{hint} (valid: {valid})", "没有动作 {name!r}{hint}（可用的有：{valid}）"
        hint = did_you_mean(options.name, list(specs))
        print_error("actions show", said(en, zh, name=options.name, hint=hint, valid=valid), tongue)
        return 1
    if options.json:
        print_json(msgspec.to_builtins(spec))
        return 0
    print_line(f"{spec.name} ({spec.kind})  {spec.about.get(tongue, '')}".rstrip())
    print_line(told(limit_words(spec), tongue))
    print_line(told(cost_words(spec), tongue))
    print_line(told(effect_words(spec), tongue))
    if spec.steps:
        print_line(told(said("steps: {steps}", "步骤：{steps}", steps=" → ".join(spec.steps)), tongue))
    rows = []
    for name, schema in spec.properties.items():
        need = _REQUIRED if name in spec.required else _DEFAULT
        default = json.dumps(schema["default"], ensure_ascii=False) if "default" in schema else ""
        hidden = told(_HIDDEN, tongue) if name in spec.redact else ""
        about = " ".join(part for part in (about_words(schema, tongue), hidden) if part)
        rows.append([name, type_words(schema, tongue), told(need, tongue).format(default).strip(), about])
    if rows:
        print_line("")
        for line in table([told(head, tongue) for head in _HEADS], rows, set()):
            print_line(line)
    return 0


_HEADS = (Said("parameter", "参数"), Said("type", "类型"), Said("", ""), Said("about", "说明"))
_REQUIRED = Said("required", "必填")
_DEFAULT = Said("default {}", "默认 {}")
_HIDDEN = Said("(never shown in logs)", "（不会出现在日志里）")
