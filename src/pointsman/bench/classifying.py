"""What task types cost: the decision on a request that goes to a model, with the model of task types and without."""

from __future__ import annotations

import gc
import time

import msgspec

from pointsman import __version__
from pointsman.domain.policy import ClassifierRule, EntryRule, PolicyDocument, RouteRule
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import BackendState, ModelFacts, Snapshot, Target
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.routing.classifier.tasks import shipped_least, shipped_version

_TEXTS = {
    "zh": (
        "请帮我把下面这封给供应商的邮件改得客气一些，同时提醒他们上个月的发票还没有寄到，财务那边催得比较紧。"
        "王经理您好，我们三月份下的那批货已经收到了，但是发票一直没有看到，麻烦您尽快安排一下，谢谢。"
        "另外四月份的订单能不能提前到十号之前交货，仓库这边已经没有库存了，客户一直在催我们发货，"
        "再拖下去我们就要赔钱了，请一定重视，收到请回复。如果有困难也请今天之内告诉我们，谢谢您了。"
    ),
    "en": (
        "Please rewrite the following email to our supplier so that it sounds more polite, and remind them that last "
        "month's invoice has not arrived yet because accounting keeps asking for it every day, thanks a lot."
    ),
}
SIZES = (20, 200)


def classified_rows() -> tuple[str, ...]:
    return tuple(f"{language}, {size} characters" for language in _TEXTS for size in SIZES)


def classified_micros(row: str, seconds: float) -> tuple[list[float], list[float]]:
    """µs of decisions with and without the model, in turn, until the time is over. Each text is new to the process."""
    language, _, rest = row.partition(", ")
    text = _TEXTS[language][: int(rest.split()[0])]
    rule = ClassifierRule(shipped_version(), shipped_least())
    plain = Policy(_document())
    policies = (Policy(msgspec.structs.replace(plain.document, classifier=rule)), plain)
    found: tuple[list[float], list[float]] = ([], [])
    _decided(policies[0], text)  # reads the model
    gc.collect()
    end = time.perf_counter() + seconds
    number = 0
    while time.perf_counter() < end:
        number += 1
        fresh = f"{text[:-1]}{chr(0x4E00 + number % 20_000)}"
        for policy, micros in zip(policies, found, strict=True):
            began = time.perf_counter()
            _decided(policy, fresh)
            micros.append((time.perf_counter() - began) * 1e6)
    return found


def _decided(policy: Policy, text: str) -> None:
    decide(Request("r", "chat", "auto", (Turn("user", text),)), policy, _FLEET)


_TARGET = Target("m@m", "medium", "m", "m", "vllm")
_FLEET = Snapshot.of((BackendState("m@m", "up", ModelFacts(32_768)),))


def _document() -> PolicyDocument:
    return PolicyDocument(
        version=__version__,
        targets=(_TARGET,),
        names={"medium": ("m@m",)},
        entries=(EntryRule("auto"),),
        guard_packs=(),
        rules=(),
        routes=(RouteRule("vision", "medium", 1, task_types=("vision",)),),  # asks for the task, takes nothing here
        fallback="medium",
        max_retries=2,
    )
