"""The weights of the config, and what its author should know of what scores are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pointsman.config.policy_schema import SHIPPED, Weighting, weights_of
from pointsman.config.schema import Config
from pointsman.domain.policy import Weights
from pointsman.domain.quality import Quality
from pointsman.domain.said import said
from pointsman.domain.target import Target


def weights_by_name(config: Config) -> dict[str, Weights]:
    """Those that entries name."""
    named = dict.fromkeys(entry.policy for entry in config.entries.values() if entry.policy is not None)
    found = {}
    for name in named:
        given = config.policy.get(name, Weighting())
        found[name] = Weights(*weights_of(name, given), stay=given.stay)
    return found


def notes_on_scores(config: Config, targets: Iterable[Target], quality: Iterable[Quality]) -> Iterator[str]:
    """Where scores are used: models without figures, units of cost that not all have, weights that nobody uses."""
    used = {entry.policy for entry in config.entries.values() if entry.policy is not None}
    for name in config.policy:
        if name not in used and name not in SHIPPED:
            yield said("policy.{name}: no entry names it", "policy.{name}：没有入口使用它", name=name)
    if not used:
        return
    chat = [target for target in targets if not target.embedding]
    known = {each.model for each in quality}
    without = sorted({target.model for target in chat if target.model not in known})
    if known and without:
        yield said(
            "quality.file has no figures for {models}: what models of that size reach is taken for them",
            "quality.file 里没有 {models} 的数值：按同等规模模型的水平估计",
            models=", ".join(without),
        )
    strange = sorted(known - {target.model for target in targets})
    if strange:
        yield said(
            "quality.file: no backend has the model {models}",
            "quality.file：没有后端使用模型 {models}",
            models=", ".join(strange),
        )
    for unit in ("money_per_hour", "watts"):
        lacking = [target.name for target in chat if getattr(target, unit) is None]
        if lacking and len(lacking) < len(chat):
            yield said(
                "cost.{unit} is missing for {targets}: where these are among the targets, cost is compared otherwise",
                "{targets} 没有设置 cost.{unit}：它们参与比较时，成本按别的单位计算",
                unit=unit,
                targets=", ".join(lacking),
            )
