"""The examples of the demo, and what it says."""

from __future__ import annotations

from typing import Literal

import msgspec

from pointsman.cli.tongue import Texts
from pointsman.domain.wording import Tongue

Wants = Literal["rule", "file", "model", "advice"]


class Step(msgspec.Struct, frozen=True):
    """A conversation, and what is to come of its last message. With `then` the reply to it is a question, which `then`
    answers. `magic` are the first bytes of the file."""

    title: dict[Tongue, str]
    messages: tuple[tuple[str, str], ...]
    wants: Wants
    then: str | None = None
    magic: bytes = b""
    ending: str = ""
    stream: bool = False
    max_tokens: int = 24


def _user(text: str) -> tuple[tuple[str, str], ...]:
    return (("user", text),)


STEPS = (
    Step({"zh": "打招呼不需要模型", "en": "A greeting needs no model"}, _user("hi"), "rule"),
    Step(
        {"zh": "聊到一半的问候也一样", "en": "Nor does one in the middle of a conversation"},
        (
            ("user", "What is a gateway?"),
            ("assistant", "A gateway stands in front of your models and passes requests on."),
            ("user", "你好"),
        ),
        "rule",
    ),
    Step(
        {
            "zh": "但助手刚提过问，“ok”就是回答，交给模型",
            "en": 'But after a question of the assistant "ok" is an answer',
        },
        (
            ("user", "Tell me about trains."),
            ("assistant", "Trains run on rails. Shall I go on with steam engines?"),
            ("user", "ok"),
        ),
        "model",
    ),
    Step(
        {
            "zh": "一句话变成 PDF 报表：查询、合计、图表都由规则和代码完成",
            "en": "A sentence becomes a PDF, by rule and by query",
        },
        _user("把上周五销售报表导出为PDF"),
        "file",
        magic=b"%PDF-",
        ending="pdf",
    ),
    Step(
        {"zh": "英文照样，导出 Excel", "en": "In English, as a spreadsheet"},
        _user("export last month's sales for East China as Excel"),
        "file",
        magic=b"PK\x03\x04",
        ending="xlsx",
    ),
    Step(
        {"zh": "听不懂就问，绝不猜：没有“华西区”", "en": "It asks and never guesses: there is no 华西区 (West China)"},
        _user("导出上季度华西区销售汇总"),
        "file",
        then="1",
        magic=b"PK\x03\x04",
        ending="xlsx",
    ),
    Step(
        {"zh": "相似但不是导出请求，交给模型", "en": "Close to it, but a question: 怎么导出报表 goes to the model"},
        _user("怎么导出报表"),
        "model",
    ),
    Step(
        {"zh": "常见问题由规则包回答", "en": "A common question, answered by a rule pack"},
        _user("如何重置管理员密码"),
        "rule",
    ),
    Step(
        {"zh": "太长的内容：告诉用户怎么办", "en": "Too long for the model: advice instead of an error"}, (), "advice"
    ),
    Step(
        {"zh": "真正的问题交给模型，流式返回", "en": "A real question goes to the model, streamed"},
        _user("Name three fruits and say why you like them."),
        "model",
        stream=True,
        max_tokens=48,
    ),
)


def too_long(context: int, tongue: Tongue) -> str:
    """A text of clearly more tokens than `context`."""
    ask, line = _LONG[tongue]
    return ask + line * (context // 10 + 1)


_LONG: dict[Tongue, tuple[str, str]] = {  # a line is 14 tokens or more
    "zh": ("请总结下面这份报告。", "敏捷的棕色狐狸跳过河边那只懒洋洋的狗，然后继续向北边的山林里跑去。"),
    "en": (
        "Please summarise this report. ",
        "The quick brown fox jumps over the lazy dog near the river bank. ",
    ),
}


def say(key: str, tongue: Tongue, **slots: object) -> str:
    return _TEXTS[key][tongue].format(**slots)


_TEXTS: Texts = {
    "uses": {"zh": "使用 {url} 上正在运行的网关", "en": "using the gateway that runs at {url}"},
    "starts": {
        "zh": "启动演示网关（内置演示配置，临时数据文件夹）…",
        "en": "starting a gateway (demo config, temporary data) …",
    },
    "started": {
        "zh": "已就绪：{url}（{seconds:.1f} 秒），演示结束后自动关闭",
        "en": "ready at {url} after {seconds:.1f} s; it ends with this demo",
    },
    "not_started": {"zh": "演示网关没有启动起来：\n{why}", "en": "the demo's gateway did not start:\n{why}"},
    "no_model": {
        "zh": "没有可用的模型：该由模型回答的步骤只显示网关的说明。安装内置模型：{install}",
        "en": "no model is set up: steps for a model show what the gateway says instead. To install one: {install}",
    },
    "context_unknown": {
        "zh": "跳过：有模型没说明上下文长度，无法确定多长才算太长",
        "en": "skipped: a model here does not tell its context, so nothing is known to be too long",
    },
    "context_none": {"zh": "跳过：没有模型，也就无所谓太长", "en": "skipped: without a model nothing is too long"},
    "try_own": {
        "zh": "{url} 上的网关用的是自己的配置；用演示配置再看一遍：pointsman demo --own",
        "en": "the gateway at {url} has a config of its own; to see the demo's: pointsman demo --own",
    },
    "bad_url": {
        "zh": "{url!r} 不是网关地址（例如 http://127.0.0.1:8900）",
        "en": "{url!r} is no address of a gateway (valid: http://127.0.0.1:8900)",
    },
    "no_save": {"zh": "无法使用文件夹 {path}：{why}", "en": "the folder {path} cannot be used: {why}"},
    "model": {"zh": "模型", "en": "model"},
    "total": {"zh": "总计", "en": "total"},
    "file": {"zh": "已下载 {ending}，{size:,} 字节", "en": "downloaded {ending}, {size:,} bytes"},
    "step": {"zh": "第 {number} 步：", "en": "step {number}: "},
    "wrong.status": {"zh": "状态 {status}：{text}", "en": "status {status}: {text}"},
    "wrong.stage": {
        "zh": "应由 {wanted} 处理，实际是 {stage}：{reason}",
        "en": "was to be taken by {wanted}, and was by {stage}: {reason}",
    },
    "wrong.empty": {"zh": "回复是空的", "en": "the reply is empty"},
    "wrong.no_link": {"zh": "回复里没有下载链接：{text}", "en": "the reply holds no link to a file: {text}"},
    "wrong.no_question": {
        "zh": "应当反问并列出选项，实际没有",
        "en": "it was to ask with numbered choices, and did not",
    },
    "wrong.file": {
        "zh": "下载到的不是 {ending} 文件（状态 {status}）",
        "en": "what the link gives is no {ending} file (status {status})",
    },
    "summary": {"zh": "小结", "en": "Summary"},
    "share": {"zh": "没有用到模型：", "en": "needed no model:"},
    "by.rules": {"zh": "规则回答（中位数）", "en": "rules (median)"},
    "by.reports": {"zh": "生成报表（中位数）", "en": "reports (median)"},
    "by.models": {"zh": "模型回答（中位数）", "en": "models (median)"},
    "log": {"zh": "请求日志的最后几行（pointsman log）", "en": "Last lines of the request log (pointsman log)"},
    "log.elsewhere": {
        "zh": "日志不在这里；在网关那台机器上运行 pointsman log",
        "en": "it is elsewhere: run pointsman log there",
    },
    "next": {
        "zh": "接下来：pointsman init 查找本机的引擎并写好 pointsman.yaml，pointsman serve 启动网关。\n"
        "想留下这些报表：pointsman demo --save 文件夹",
        "en": "Next: `pointsman init` finds your engines and writes pointsman.yaml, `pointsman serve` runs the gateway.\n"
        "To keep the reports: pointsman demo --save DIR",
    },
}
