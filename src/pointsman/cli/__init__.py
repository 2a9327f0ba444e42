"""The command line: one file a verb."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from pointsman.cli.output import print_error, print_problems
from pointsman.cli.parser import Parser
from pointsman.cli.tongue import lenient_output, tongue_of
from pointsman.config.others_words import all_of
from pointsman.domain.errors import PointsmanError, Problem, Problems
from pointsman.domain.said import said, told

VERBS = {
    "serve": said("run the gateway", "启动网关"),
    "init": said(
        "look for engines on this machine and write pointsman.yaml", "查找本机正在运行的引擎，写出 pointsman.yaml"
    ),
    "demo": said("walk through examples in the terminal", "在终端里演示一遍例子"),
    "check": said("check config, rules and their cases", "检查配置、规则和用例"),
    "test": said("run the cases of the rules, show what they cover", "运行规则的用例，看看覆盖了多少"),
    "doctor": said("look for what is wrong, and say what to do", "查找哪里有问题，并说明该怎么办"),
    "reload": said("have a running gateway read its config again", "让正在运行的网关重新读取配置"),
    "explain": said("show what would be decided on a text, and why", "说明一段文本将会怎样处理，为什么"),
    "decide": said("ask a running gateway what it would decide on a text", "询问运行中的网关会怎样处理一段文本"),
    "time": said("show which days the time words of a text mean", "说明一段文本里的时间词是指哪几天"),
    "log": said("list the request log, or show one request whole", "列出请求日志，或完整显示一条"),
    "trace": said("show the way of a request or a job, step by step", "逐步查看一个请求或任务的执行轨迹"),
    "jobs": said(
        "look at jobs, retry or cancel them, send batches and follow them",
        "查看、重试、取消任务，提交并跟踪批处理",
    ),
    "schedules": said(
        "what is asked at set times: list it, look, have it done now", "定时提问的计划任务：列出、查看、立即执行"
    ),
    "actions": said(
        "what rules and jobs can have done: list, look, have it done", "规则和任务能调用的动作：列出、查看、执行"
    ),
    "worker": said("do jobs in a process of its own, here or elsewhere", "用单独的进程执行任务，本机或其他机器都行"),
    "node": said("tell gateways of the engine on this machine", "向网关登记本机上的推理引擎"),
    "rules": said(
        "what rules are worth, by the log, and which ones are missing", "从日志看每条规则值多少，还缺哪些规则"
    ),
    "replay": said(
        "decide the logged requests again under another config, and forecast what that comes to",
        "用另一份配置重新决定日志里的请求，并预测影响",
    ),
    "report": said("write a report from the log: weekly, scale", "根据日志写报告：weekly、scale"),
    "quality": said(
        "show how good models are at kinds of tasks, and what feedback moves",
        "查看各模型在各类任务上的质量，以及反馈的修正",
    ),
    "fit": said("show what models take of the GPU, and whether they fit", "计算模型占多少显存，能不能放下"),
    "models": said(
        "see which models are in memory, load and unload them; check and fetch their files",
        "查看并装卸内存中的模型；检查、下载模型文件",
    ),
    "calibrate": said(
        "make the arbiter's confidence mean what it says, from labelled texts", "用带标签的文本校准仲裁器的置信度"
    ),
    "classify": said("tell the task type of texts, and how sure that is", "判定文本的任务类型及其把握"),
    "train": said(
        "learn task types from labelled texts or the log, or difficulties from scores",
        "用带标签的文本或日志训练任务类型模型，或用评分训练难度模型",
    ),
    "keys": said("make API keys", "生成 API 密钥"),
    "mcp": said(
        "give a desktop client the gateway's tools (MCP over stdio)",
        "把网关的工具提供给桌面客户端（MCP，标准输入输出）",
    ),
    "bench": said("measure the gateway beside its peers on this machine", "在本机测量网关，并与同类软件对比"),
    "version": said("print the version", "显示版本号"),
}
BESIDE = {
    ("calibrate", "memory"): "calibrate_memory",
    ("log", "erase"): "log_erase",
    ("log", "export"): "log_export",
    ("log", "rotate-key"): "log_rotate_key",
}
"""Verbs of two words whose first is a verb of its own: (its words) → the file it is in."""
_PURPOSE = said(
    "OpenAI-compatible gateway for local models: hard rules first, models last",
    "给本地模型用的网关，兼容 OpenAI 接口：先过硬规则，最后才用模型",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0: good; 1: what was checked or asked for is not; 2: usage. Only the verb that is called is imported."""
    lenient_output()
    given = list(sys.argv[1:] if arguments is None else arguments)
    tongue = tongue_of()
    parser = Parser(prog="pointsman", description=told(_PURPOSE, tongue))
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    at = next((at for at, word in enumerate(given) if not word.startswith("-")), len(given))
    called = given[at] if at < len(given) else None
    file = BESIDE.get((str(called), given[at + 1])) if at + 1 < len(given) else None
    words = given.pop(at + 1) if file else None
    module = import_module(f"pointsman.cli.{file or called}") if called in VERBS else None
    for name, purpose in VERBS.items():
        described = told(purpose, tongue) if tongue == "zh" else module.__doc__ if module and name == called else None
        shown = f"pointsman {name} {words}" if words and name == called else None
        verb = verbs.add_parser(name, help=told(purpose, tongue), description=described, prog=shown)
        if module and name == called:
            module.declare(verb)
    options = parser.parse_args(given)
    assert module is not None
    options.tongue = tongue_of(options)
    try:
        return int(module.run(options))
    except Problems as error:
        print_problems(error.problems, options.tongue)
    except Problem as error:
        print_error(options.verb, error.said, options.tongue)
    except PointsmanError as error:
        print_error(options.verb, error.message, options.tongue)
    except FileNotFoundError as error:
        print_error(options.verb, all_of(error), options.tongue)
    except BrokenPipeError:
        sys.stderr.close()
    except KeyboardInterrupt:
        return 130
    return 1
