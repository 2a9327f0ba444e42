"""A log of any length, as a busy gateway would have written it: real decisions of a real policy, written by LogWriter."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from pipeline.policies import backend, policy_of, tiers
from pointsman.domain.attempt import Attempt
from pointsman.domain.decision import Decision
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import BackendState, ModelFacts, Snapshot
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store.log_writer import LogWriter

FLEET = Snapshot.of(
    [BackendState(f"{name}@{name}", "up", ModelFacts(context_length=8192)) for name in ("small", "middle")]
)
_TOPICS = [
    "vpn", "打印机", "邮箱", "报销", "请假", "工资条", "门禁卡", "会议室", "电脑", "显示器", "wifi", "年假", "体检", "班车",
]  # fmt: skip
_ASKS = ["怎么申请", "坏了怎么办", "在哪里", "什么时候", "密码忘了", "打不开", "how do I get it", "is broken"]
_WORDS = [
    "请", "帮我", "分析", "一下", "这个", "方案", "为什么", "数据", "下降", "客户", "反馈",
    "比较", " the", " report", " explain",
]  # fmt: skip


def rules_text(rules: int) -> str:
    """Rules in the clear form: each for a topic and a way to ask of it; then some for a topic alone, below the others."""
    pairs = [(topic, asked) for topic in _TOPICS for asked in _ASKS]
    lines = []
    for number in range(rules):
        topic, asked = pairs[number % len(pairs)]
        groups, priority = f"{{any: [{topic}, 物品{number}]}}, {{any: ['{asked}', 词{number}]}}", 50
        if number >= len(pairs):
            alone = [*_TOPICS, *[f"东西{number}"] * rules][number - len(pairs)]
            groups, priority = f"{{any: [{alone}, '物品{number} 词{number}']}}", 10
        mode = ", mode: shadow" if number % 10 == 9 else ""
        lines.append(
            f"- {{id: r{number}, when: {{all: [{groups}]}}, answer: '答案 {number}', negation: ignore, "
            f"priority: {priority}{mode}, examples: ['物品{number} 词{number}'], "
            f"counter_examples: [别的话], boundary: [{{text: 物品, takes: false}}]}}"
        )
    return "\n".join(lines)


def policy(folder: Path, rules: int) -> Policy:
    config: dict[str, Any] = {
        "models": tiers(light=[backend("small")], medium=[backend("middle")]),
        "rules": {"files": ["rules.yaml"]},
        "entries": {"auto": {}},
        "routes": [{"name": "short", "match": {"max_tokens": 12}, "target": "light", "priority": 1}],
        "fallback": {"target": "medium"},
    }
    return policy_of(folder, config, {"rules.yaml": rules_text(rules)})


def texts(dice: random.Random, distinct: int) -> list[str]:
    """Questions, somewhat less than half of which rules take."""
    found = []
    for number in range(distinct):
        if dice.random() < 0.45:
            found.append(f"{dice.choice(_TOPICS)} {dice.choice(_ASKS)} {number}")
        else:
            found.append("".join(dice.choices(_WORDS, k=dice.randint(4, 60))) + str(number))
    return found


def records(current: Policy, count: int, distinct: int, start: float, end: float, seed: int = 1) -> Iterator[Record]:
    """`count` requests evenly over the time, of `distinct` questions, of a thousand people in sessions."""
    dice = random.Random(seed)
    pool: list[tuple[Request, Decision]] = []
    for text in texts(dice, distinct):
        request = Request("r", "chat", "auto", (Turn("user", text),))
        pool.append((request, decide(request, current, FLEET)))
    for number in range(count):
        request, decision = pool[number] if number < distinct else dice.choice(pool)
        now = start + (end - start) * number / count
        person = dice.randrange(1000)
        request = msgspec.structs.replace(
            request, id=f"req_{number:08}", now=now, user=f"u{person}", session=f"s{person}.{number // 20_000}",
            caller=f"key{person % 7}",
        )  # fmt: skip
        if decision.stage == "l0":
            yield Record(request, now, "ok", decision, timings=Timings(0.1, None, 0.2))
            continue
        assert decision.features is not None
        target, tokens = decision.targets[0].target, decision.features.input_tokens
        written = dice.randint(20, 400)
        seconds = 0.05 + 0.0004 * tokens + (0.01 if target.startswith("small") else 0.03) * written
        yield Record(
            request, now, "ok", decision, attempts=(Attempt(target, 1.0, 30.0, 200),), target=target,
            timings=Timings(0.2, 60.0, 1.0 + seconds * 1000), input_tokens=tokens, output_tokens=written,
        )  # fmt: skip


def write(folder: Path, document: PolicyDocument, source: Iterator[Record]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    writer = LogWriter(folder, "sealed", 1e9, backlog=1 << 40)
    for record in source:
        writer.put(record, document, FLEET)
    writer.close()
    assert writer.dropped == 0
