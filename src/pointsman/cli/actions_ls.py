"""List the actions of the config. Parameters in brackets may be left out."""

from __future__ import annotations

import argparse

import msgspec

from pointsman.app.build import build
from pointsman.cli.action_words import specs_of, takes_words
from pointsman.cli.output import print_json, print_line
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.table import table
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.said import Said, told


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    built = build(load_config(options))
    specs = specs_of(built.policy.document)
    if options.json:
        for spec in specs.values():
            print_json(msgspec.to_builtins(spec))
        return 0
    for note in built.unread:
        print_line(told(note, options.tongue))
    if not specs:
        print_line(told(_NONE, options.tongue))
        return 0
    rows = [
        [spec.name, spec.kind, takes_words(spec), spec.about.get(options.tongue, "") or "-"] for spec in specs.values()
    ]
    for line in table([told(head, options.tongue) for head in _HEADS], rows, set()):
        print_line(line)
    return 0


_HEADS = (Said("name", "名称"), Said("kind", "类型"), Said("takes", "参数"), Said("what it does", "用途"))
_NONE = Said(
    "the config has no actions; docs/actions.md shows what there can be",
    "配置里还没有动作；可用的种类见 docs/actions.zh-CN.md",
)
