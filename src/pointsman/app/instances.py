"""Models of a config that would be in memory twice."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from pointsman.app.started import runs_here
from pointsman.app.targets import targets_of
from pointsman.config.schema import Config
from pointsman.domain.said import Said, said


def same_model_twice(config: Config) -> Iterator[Said]:
    """A note for each model that several targets have the gateway load, set up alike. One backend under several tiers is one
    target, and loaded once."""
    alike: dict[bytes, list[str]] = {}
    seen: set[str] = set()
    for pairs in targets_of(config).values():
        for target, backend in pairs:
            if runs_here(backend) and target.name not in seen:
                seen.add(target.name)
                how = (
                    backend.engine,
                    backend.model,
                    backend.command,
                    backend.context,
                    backend.slots,
                    backend.gpu_layers,
                )
                alike.setdefault(msgspec.json.encode(how), []).append(target.name)
    for names in alike.values():
        if len(names) > 1:
            yield said(
                "{names} load the same model with the same settings, so its memory is taken {count} times: where one is "
                "enough, let their tiers have the very same backend",
                "{names} 以相同的设置加载同一个模型，内存会占 {count} 份：如果一份就够，请让这些档位使用完全相同的后端",
                names=Said(", ".join(names), "、".join(names)),
                count=len(names),
            )
