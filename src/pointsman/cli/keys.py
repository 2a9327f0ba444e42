"""Make API keys: a new one for a client, or the hash of one that you have."""

from __future__ import annotations

import argparse
import getpass
import secrets
import sys

import yaml

from pointsman.cli.output import print_error, print_json
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.characters import whole_characters
from pointsman.domain.said import said, told
from pointsman.http.auth import hash_key


def declare(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    new = actions.add_parser("new", help="make a key; print it once, and what goes under auth.keys")
    new.add_argument("name", help="whose key it is")
    new.add_argument("--json", action="store_true", help="print JSON")
    declare_tongue(new)
    hashed = actions.add_parser("hash", help="read a key from the terminal or standard input, print its hash")
    hashed.add_argument("--json", action="store_true", help="print JSON")
    declare_tongue(hashed)


def run(options: argparse.Namespace) -> int:
    if options.action == "new":
        key = "pm-" + secrets.token_urlsafe(32)
        name = whole_characters(options.name)
        if options.json:
            print_json({"name": name, "key": key, "hash": hash_key(key)})
        else:
            head = said(
                "key (shown once; give it to the client):\n  {key}\n\nin pointsman.yaml:",
                "密钥（只显示这一次，请交给客户端）：\n  {key}\n\n写进 pointsman.yaml：",
                key=key,
            )
            print(told(head, options.tongue))
            print(f"  auth:\n    keys:\n      - {{name: {_quoted(name)}, hash: {hash_key(key)!r}}}")
        return 0
    prompt = told(said("key: ", "密钥："), options.tongue)
    key = (getpass.getpass(prompt) if sys.stdin.isatty() else sys.stdin.readline()).strip()
    if not key:
        print_error("keys hash", said("no key was given", "没有输入密钥"), options.tongue)
        return 2
    print_json({"hash": hash_key(key)}) if options.json else print(hash_key(key))
    return 0


def _quoted(name: str) -> str:
    """In YAML, whatever characters it has."""
    return str(yaml.safe_dump(name, default_style='"', allow_unicode=True, width=sys.maxsize)).strip()
