"""Show what would be decided on a text, and why, without serving it. No model is called."""

from __future__ import annotations

import argparse
import re
import sys
import time

import msgspec

from pointsman.app.build import NOBODY, build
from pointsman.cli.decision_lines import decision_lines
from pointsman.cli.output import print_json, print_line
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.tongue import declare_tongue
from pointsman.config.others_words import in_both
from pointsman.domain.characters import whole_characters
from pointsman.domain.errors import PointsmanError
from pointsman.domain.request import Request, Turn
from pointsman.domain.said import said
from pointsman.domain.target import Snapshot
from pointsman.domain.task_types import TASK_TYPES
from pointsman.http.openai.read import check_task, read_messages, read_tools
from pointsman.http.strict_json import parse_body
from pointsman.pipeline.explained import explained
from pointsman.pipeline.policy import Policy

_OBJECT = re.compile(r'\s*\{\s*["}]')


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("text", metavar="TEXT", help="what a user would write; - reads one text a line, or JSON lines")
    parser.add_argument("--json", action="store_true", help="print JSON, one object a text")
    parser.add_argument("--model", help="entry, tier, alias or model that the client names; default: the first entry")
    parser.add_argument("--task", choices=TASK_TYPES, help="declared task type", metavar="TYPE")
    parser.add_argument("--role", help="the caller's role")
    parser.add_argument("--key", help="the name of the caller's key")
    parser.add_argument("--group", help="the group of that key")
    parser.add_argument("--source", help="the program that asks, such as open-webui")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    policy = build(load_config(options), may_ask=NOBODY).policy
    model = whole_characters(options.model or next(iter(policy.entries), "auto"))
    snapshot = Snapshot.of(())
    if options.text != "-":
        decision = explained(
            _request(options, model, (Turn("user", whole_characters(options.text)),)), policy, snapshot
        )
        if options.json:
            print_json(decision)
        else:
            for line in decision_lines(decision, options.tongue):
                print_line(line)
        return 0
    good = True
    for number, line in enumerate(sys.stdin.buffer, 1):
        text = line.rstrip(b"\r\n")
        if not text.strip():
            continue
        good &= _explain_line(options, policy, snapshot, model, number, text)
    return 0 if good else 1


def _explain_line(
    options: argparse.Namespace, policy: Policy, snapshot: Snapshot, model: str, number: int, text: bytes
) -> bool:
    """One line in, one JSON object out, also for a line that cannot be read."""
    try:
        print_json(explained(_read(options, model, text), policy, snapshot))
    except PointsmanError as error:
        print_json({"error": {"line": number, "message": error.message, "param": error.param}})
        return False
    return True


def _read(options: argparse.Namespace, model: str, line: bytes) -> Request:
    """A line that begins as a JSON object does is one: {"text"} or {"messages"}, and maybe model, task and tools; any
    other is a text. Raises PointsmanError."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        message = said("not valid UTF-8 (byte {byte})", "不是有效的 UTF-8（第 {byte} 字节）", byte=error.start)
        raise PointsmanError(message) from None
    if not _OBJECT.match(text):
        return _request(options, model, (Turn("user", text),))
    try:
        data = parse_body(line).tree
    except PointsmanError as error:
        error.message = in_both(
            error.message, lambda text: text.replace("the body", "the line", 1).replace("请求体", "这一行", 1)
        )
        raise
    if "messages" in data:
        turns: tuple[Turn, ...] = read_messages(data["messages"])
    elif isinstance(data.get("text"), str):
        turns = (Turn("user", data["text"]),)
    else:
        message = said(
            'a JSON line holds "text" (a string) or "messages" (a list)',
            "JSON 行里要有 “text”（字符串）或 “messages”（列表）",
        )
        raise PointsmanError(message)
    for name in ("model", "task"):
        if not isinstance(data.get(name, ""), str):
            raise PointsmanError(said("{name} must be text", "{name} 必须是文本", name=name), param=name)
    if "task" in data:
        check_task(data["task"], "task")
    request = _request(options, data.get("model") or model, turns)
    tools, characters = read_tools(data)
    task = data.get("task", options.task)
    return msgspec.structs.replace(request, task=task, tools=tools, tool_characters=characters)


def _request(options: argparse.Namespace, model: str, turns: tuple[Turn, ...]) -> Request:
    def given(text: str | None) -> str | None:
        return whole_characters(text) if text else None

    return Request(
        "explain",
        "chat",
        model,
        turns,
        now=time.time(),
        task=options.task,
        caller=given(options.key) or "anonymous",
        caller_role=given(options.role),
        caller_group=given(options.group),
        source=given(options.source),
    )
