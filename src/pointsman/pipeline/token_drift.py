"""Targets whose engines count prompts otherwise than we estimate them, for long: said once, shown while it is so."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.said import Said, said
from pointsman.domain.target import Snapshot
from pointsman.recording.token_ratio import TokenRatio, ratio_of

log = logging.getLogger("pointsman")


class TokenDrift:
    """A recorder."""

    def __init__(self) -> None:
        self._ratios: dict[str, TokenRatio] = {}

    def put(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None:
        ratio = ratio_of(record)
        if ratio is None or record.target is None:
            return
        kept = self._ratios.setdefault(record.target, TokenRatio())
        if kept.take(ratio):
            if kept.off:
                log.warning(_problem(record.target, kept.median or 0.0))
            else:
                en, zh = "%s counts prompts as they are estimated again", "%s 的 token 计数与估算恢复一致"
                log.info(Said(en, zh), record.target)

    def keep(self, targets: Collection[str]) -> None:
        """Forgets all others."""
        self._ratios = {name: ratio for name, ratio in self._ratios.items() if name in targets}

    @property
    def problems(self) -> Iterator[Said]:
        """Of those that are off now."""
        for name, ratio in sorted(self._ratios.items()):
            if ratio.off:
                yield _problem(name, ratio.median or 0.0)

    @property
    def medians(self) -> dict[str, float]:
        """Target → engine's count / estimate, where enough is known."""
        return {name: ratio.median for name, ratio in self._ratios.items() if ratio.median is not None}


def _problem(target: str, median: float) -> Said:
    return said(
        "{target} counts {ratio:.2f} times the tokens that prompts are estimated to have; limits and costs of routing are "
        "off by as much",
        "{target} 数出的提示词 token 数是估算值的 {ratio:.2f} 倍；路由的长度限制和成本估算也偏差这么多",
        target=target,
        ratio=median,
    )
