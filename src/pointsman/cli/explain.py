"""Show what would be decided on a text, and why, without serving it. No model is called."""

from __future__ import annotations

import argparse
import re
import sys
import time

import msgspec

from pointsman.app.build import build
from pointsman.cli.output import print_json, print_line
from pointsman.cli.source import declare_config, load_config
from pointsman.domain.characters import whole_characters
from pointsman.domain.decision import Decision
from pointsman.domain.errors import PointsmanError
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import Snapshot
from pointsman.domain.task_types import TASK_TYPES
from pointsman.http.openai.read import check_task, read_messages, read_tools
from pointsman.http.strict_json import parse_body
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy

_OBJECT = re.compile(r'\s*\{\s*["}]')


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("text", metavar="TEXT", help="what a user would write; - reads one text a line, or JSON lines")
    parser.add_argument("--json", action="store_true", help="print JSON, one object a text")
    parser.add_argument("--model", help="entry, tier, alias or model that the client names; default: the first entry")
    parser.add_argument("--task", choices=TASK_TYPES, help="declared task type", metavar="TYPE")
    parser.add_argument("--role", help="the caller's role")


def run(options: argparse.Namespace) -> int:
    policy = build(load_config(options)).policy
    model = whole_characters(options.model or next(iter(policy.entries), "auto"))
    snapshot = Snapshot.of(())
    if options.text != "-":
        decision = decide(_request(options, model, (Turn("user", whole_characters(options.text)),)), policy, snapshot)
        if options.json:
            print_json(decision)
        else:
            for line in _lines(decision):
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
        print_json(decide(_read(options, model, text), policy, snapshot))
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
        raise PointsmanError(f"not valid UTF-8 (byte {error.start})") from None
    if not _OBJECT.match(text):
        return _request(options, model, (Turn("user", text),))
    try:
        data = parse_body(line).tree
    except PointsmanError as error:
        error.message = error.message.replace("the body", "the line", 1)
        raise
    if "messages" in data:
        turns: tuple[Turn, ...] = read_messages(data["messages"])
    elif isinstance(data.get("text"), str):
        turns = (Turn("user", data["text"]),)
    else:
        raise PointsmanError('a JSON line holds "text" (a string) or "messages" (a list)')
    for name in ("model", "task"):
        if not isinstance(data.get(name, ""), str):
            raise PointsmanError(f"{name} must be text", param=name)
    if "task" in data:
        check_task(data["task"], "task")
    request = _request(options, data.get("model") or model, turns)
    return msgspec.structs.replace(request, task=data.get("task", options.task), **read_tools(data))


def _request(options: argparse.Namespace, model: str, turns: tuple[Turn, ...]) -> Request:
    role = whole_characters(options.role) if options.role else None
    return Request("explain", "chat", model, turns, now=time.time(), task=options.task, caller_role=role)


def _lines(decision: Decision) -> list[str]:
    lines = [f"stage    {decision.stage}", f"reason   {decision.reason}"]
    if decision.rule:
        lines.append(f"rule     {decision.rule} → {decision.action}")
    lines += [f"matched  {m.group}: {m.text} ({m.start}–{m.end})" for m in decision.matched]
    if decision.parameters:
        lines += [f"{key:<8} {value}" for key, value in decision.parameters.items() if key != "refused"]
    lines += [f"target   {choice.target} ({choice.why})" for choice in decision.targets]
    lines += [f"left out {choice.target} ({choice.why})" for choice in decision.left_out]
    if decision.error:
        lines.append(f"error    {decision.error}")
    if decision.features:
        f = decision.features
        exact = "" if f.exact else "about "
        task = f"{f.task_type} ({f.task_source})" if f.task_type else "none"
        lines.append(f"features {exact}{f.input_tokens} tokens, {f.language}, turn {f.turns}, task {task}")
    lines.append(f"policy   {decision.policy}")
    return lines
