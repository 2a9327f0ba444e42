"""A verb that is a family of verbs, each in a file of its own: `rules ls` is in rules_ls.py."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from pointsman.cli.parser import Parser
from pointsman.cli.tongue import tongue_of
from pointsman.domain.said import Said, told


def declare_verbs(parser: argparse.ArgumentParser, family: str, verbs: Mapping[str, Said]) -> None:
    """`verbs` are name → purpose. Which one was called is in the option `sub_verb`."""

    class Later(_Later):
        _family = family

    listed = parser.add_subparsers(dest="sub_verb", metavar="VERB", required=True, parser_class=Later)
    for name, purpose in verbs.items():
        told_purpose = told(purpose, tongue_of())
        listed.add_parser(name, help=told_purpose, description=told_purpose)


def run_verb(options: argparse.Namespace, family: str) -> int:
    return int(_module(family, options.sub_verb).run(options))


class _Later(Parser):
    """Its arguments are declared once it is called: only the verb that is called is imported."""

    _family = ""
    _declared = False

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        if not self._declared:
            self._declared = True
            _module(self._family, self.prog.rsplit(" ", 1)[-1]).declare(self)
        return super().parse_known_args(args, namespace)


def _module(family: str, verb: str) -> Any:
    return import_module(f"pointsman.cli.{family}_{verb}")
