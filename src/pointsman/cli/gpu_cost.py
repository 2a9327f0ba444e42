"""What the action of each rule takes on the GPU: an example of the rule goes through a running gateway, and the driver is
asked meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from pointsman.cli.gateway_client import ChatReply, Unreachable
from pointsman.domain.rule import Rule
from pointsman.domain.said import Said, said
from pointsman.fleet.gpu import Gpus

EVERY = 0.02  # seconds between two looks at the GPUs
REST = 0.2  # seconds of looking before each request
TOKENS = 64
_MB = 1 << 20

Ask = Callable[[str], ChatReply]


class GpuCost(msgspec.Struct, frozen=True):
    """`megabytes`: how much more was in use at the worst moment of the request than before it; None where it could not be
    measured, `why` says the reason. `declared` is the rule's own `gpu_memory`."""

    rule: str
    declared: int | None
    megabytes: int | None
    why: Said | None = None

    @property
    def holds(self) -> bool:
        """Whether it takes no more than the rule says."""
        return self.declared is None or self.megabytes is None or self.megabytes <= self.declared


def gpu_costs(rules: Sequence[Rule], gpus: Gpus, ask: Ask) -> Iterator[GpuCost]:
    """One after the other; nobody else should use the GPUs meanwhile. `ask` sends a question to the gateway. Raises NoGpu
    where the driver stops answering."""
    for rule in rules:
        if rule.mode == "enforce" and rule.action != "mark":
            yield _cost(rule, gpus, ask)


def _cost(rule: Rule, gpus: Gpus, ask: Ask) -> GpuCost:
    text = next((case.text for case in rule.cases if case.takes and not case.given), None)
    if text is None:
        why = said("it has no example that comes without circumstances", "没有不带情境的例子")
        return GpuCost(rule.id, rule.gpu_memory, None, why)
    with _watched(gpus) as before:
        threading.Event().wait(REST)
    with _watched(gpus) as during:
        try:
            reply = ask(text)
        except Unreachable as error:
            return GpuCost(rule.id, rule.gpu_memory, None, error.args[0])
    if reply.status != 200:
        return GpuCost(rule.id, rule.gpu_memory, None, Said(reply.text, reply.text))
    if reply.rule != rule.id:
        why = said(
            "the gateway gave its example to {taker}",
            "网关把它的例子交给了{taker}",
            taker=reply.rule or Said("no rule", "别处（没有规则命中）"),
        )
        return GpuCost(rule.id, rule.gpu_memory, None, why)
    return GpuCost(rule.id, rule.gpu_memory, -(-max(0, max(during) - min(before)) // _MB))


@contextmanager
def _watched(gpus: Gpus) -> Iterator[list[int]]:
    """Bytes in use, looked at from before the beginning to after the end."""
    seen = [gpus.used]
    over = threading.Event()

    def look() -> None:
        while not over.wait(EVERY):
            seen.append(gpus.used)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()
        seen.append(gpus.used)
