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
from pointsman.cli.tongue import declare_tongue
from pointsman.config.others_words import in_both
from pointsman.domain.characters import whole_characters
from pointsman.domain.decision import Decision, TargetChoice
from pointsman.domain.errors import PointsmanError
from pointsman.domain.features import Features
from pointsman.domain.request import Request, Turn
from pointsman.domain.said import Said, Tongue, said, told
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
    parser.add_argument("--key", help="the name of the caller's key")
    parser.add_argument("--group", help="the group of that key")
    parser.add_argument("--source", help="the program that asks, such as open-webui")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    policy = build(load_config(options)).policy
    model = whole_characters(options.model or next(iter(policy.entries), "auto"))
    snapshot = Snapshot.of(())
    if options.text != "-":
        decision = decide(_request(options, model, (Turn("user", whole_characters(options.text)),)), policy, snapshot)
        if options.json:
            print_json(decision)
        else:
            for line in _lines(decision, options.tongue):
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


def _lines(decision: Decision, tongue: Tongue) -> list[str]:
    def line(label: Said, text: str) -> str:
        return f"{told(label, tongue)}{' ' * (9 - _columns(told(label, tongue)))}{text}"

    lines = [line(_STAGE, decision.stage), line(_REASON, decision.reason)]
    if decision.rule:
        lines.append(line(_RULE, f"{decision.rule} → {decision.action}"))
    lines += [line(_MATCHED, f"{m.group}: {m.text} ({m.start}–{m.end})") for m in decision.matched]
    if decision.framed:
        lines.append(line(_FRAMED, f"{decision.framed.frame} ({decision.framed.start}–{decision.framed.end})"))
    for mark in decision.marks:
        lines.append(line(_MARK, f"{mark.label} ({mark.risk}): {', '.join(m.text for m in mark.matched)}"))
    lines += [line(_SHADOW, rule) for rule in decision.shadow]
    if decision.parameters:
        lines += [f"{key:<8} {value}" for key, value in decision.parameters.items() if key != "refused"]
    lines += [line(_TARGET, told(_chosen(choice), tongue)) for choice in decision.targets]
    lines += [line(_LEFT_OUT, told(_chosen(choice), tongue)) for choice in decision.left_out]
    if decision.error:
        lines.append(line(_ERROR, decision.error))
    if decision.features:
        lines.append(line(_FEATURES, told(_shown(decision.features), tongue)))
    lines.append(line(_POLICY, decision.policy))
    return lines


_STAGE = Said("stage", "阶段")
_REASON = Said("reason", "原因")
_RULE = Said("rule", "规则")
_MATCHED = Said("matched", "命中")
_FRAMED = Said("frame", "模板")
_MARK = Said("mark", "标记")
_SHADOW = Said("shadow", "影子")
_TARGET = Said("target", "目标")
_LEFT_OUT = Said("left out", "排除")
_ERROR = Said("error", "错误")
_FEATURES = Said("features", "特征")
_POLICY = Said("policy", "策略")
_SOURCES = {"declared": "声明", "inferred": "推测"}
_WHYS = (
    (r"fallback", "默认"),
    (r"route (.*)", r"路由 \1"),
    (r"rule (.*)", r"规则 \1"),
    (r"named as (.*)", r"指定了 \1"),
    (r"embedding model", "嵌入模型"),
    (r"holds the prompt", "装得下这段提示词"),
    (r"external, and this entry keeps requests local", "外部后端，而这个入口的请求必须留在本网内"),
    (r"holds (\d+) tokens, the prompt has (\d+)", r"最多 \1 个 token，提示词有 \2 个"),
)


def _columns(text: str) -> int:
    """How wide a label is on a terminal: an ideograph takes two columns."""
    return sum(1 if character.isascii() else 2 for character in text)


def _chosen(choice: TargetChoice) -> Said:
    return said("{target} ({why})", "{target}（{why}）", target=choice.target, why=_why(choice.why))


def _why(text: str) -> Said:
    """Why a target was chosen or left out, which decisions say in English."""
    for pattern, zh in _WHYS:
        if found := re.fullmatch(pattern, text):
            return Said(text, found.expand(zh))
    return Said(text, text)


def _shown(features: Features) -> Said:
    task: str = said("none", "无")
    if features.task_type:
        source = Said(features.task_source, _SOURCES.get(features.task_source, features.task_source))
        task = said("{task} ({source})", "{task}（{source}）", task=features.task_type, source=source)
    return said(
        "{about}{tokens} tokens, {language}, turn {turn}, task {task}",
        "{about}{tokens} 个 token，{language}，第 {turn} 轮，任务：{task}",
        about="" if features.exact else said("about ", "约 "),
        tokens=features.input_tokens,
        language=features.language,
        turn=features.turns,
        task=task,
    )
