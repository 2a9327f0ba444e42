"""Show what would be decided on a text, and why, without serving it. No model is called."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import Any

import msgspec

from pointsman.app.build import build
from pointsman.cli.output import print_json
from pointsman.cli.source import declare_config, load_config
from pointsman.domain.decision import Decision
from pointsman.domain.errors import PointsmanError
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import Snapshot
from pointsman.domain.task_types import TASK_TYPES
from pointsman.http.openai.read import read_messages
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("text", metavar="TEXT", help="what a user would write; - reads one text a line, or JSON lines")
    parser.add_argument("--json", action="store_true", help="print JSON, one object a text")
    parser.add_argument("--model", help="entry, tier, alias or model that the client names; default: the first entry")
    parser.add_argument("--task", choices=TASK_TYPES, help="declared task type", metavar="TYPE")
    parser.add_argument("--role", help="the caller's role")


def run(options: argparse.Namespace) -> int:
    policy = build(load_config(options)).policy
    model = options.model or next(iter(policy.entries), "auto")
    snapshot = Snapshot.of(())
    if options.text != "-":
        decision = decide(_request(options, model, (Turn("user", options.text),)), policy, snapshot)
        if options.json:
            print_json(decision)
        else:
            print("\n".join(_lines(decision)))
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
    """A line that begins with { is JSON of {"text"} or {"messages"}, and may name model, task and tools; any other is a
    text. Raises PointsmanError."""
    try:
        line.decode()
    except UnicodeDecodeError as error:
        raise PointsmanError(f"not valid UTF-8 (byte {error.start})") from None
    if not line.lstrip().startswith(b"{"):
        return _request(options, model, (Turn("user", line.decode()),))
    try:
        data = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return _request(options, model, (Turn("user", line.decode()),))
    if "messages" in data:
        turns: Iterable[Turn] = read_messages(data["messages"])
    elif isinstance(data.get("text"), str):
        turns = (Turn("user", data["text"]),)
    else:
        raise PointsmanError('a JSON line holds "text" (a string) or "messages" (a list)')
    request = _request(options, model, tuple(turns))
    changes: dict[str, Any] = {}
    if isinstance(data.get("model"), str):
        changes["model"] = data["model"]
    if data.get("tools"):
        changes["tools"] = True
    return msgspec.structs.replace(request, **changes)


def _request(options: argparse.Namespace, model: str, turns: tuple[Turn, ...]) -> Request:
    return Request("explain", "chat", model, turns, task=options.task, caller_role=options.role)


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
