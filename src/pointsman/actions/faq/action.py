"""The closest entry's answer, or what came near."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pointsman.actions.faq.entry import Entry
from pointsman.actions.faq.shelf import Found, Shelf
from pointsman.actions.tools import Tools
from pointsman.config.action_schema import ActionConfig
from pointsman.config.action_schema.faq import Faq
from pointsman.domain.action import ActionSpec
from pointsman.domain.said import Said, Tongue, told
from pointsman.ports.action import Action, Effect, Occasion

_LONGEST = 2_000
"""Characters of a question that are looked at."""
_LEAST = 0.04
"""An entry below that is not near."""
_NEAR = Said(
    "There is no answer to this in the FAQ. Perhaps you mean one of these:",
    "常见问题里没有这个问题的答案。您是不是想问：",
)
_NONE = Said("There is no answer to this in the FAQ.", "常见问题里没有这个问题的答案。")


def made(spec: ActionSpec, config: ActionConfig, tools: Tools) -> Action:
    assert config.faq is not None
    path = tools.base / config.faq.file
    shelf = tools.residents.get(
        f"faq {spec.name} {path} {_state(path)}",
        lambda: Shelf(path, spec.name, tools.children, tools.embed, tools.data),
        Shelf,
    )
    return FaqAction(spec, config.faq, shelf)


class FaqAction:
    """`values`: `id`, `score`, `question` and `tags` of the entry that answers; `near` ({number, id, score, question}) are
    those that came near; `by` is what they were found by, `words` or `both`, and `words` those that it shares."""

    def __init__(self, spec: ActionSpec, settings: Faq, shelf: Shelf) -> None:
        self._spec = spec
        self._settings = settings
        self._shelf = shelf

    @property
    def spec(self) -> ActionSpec:
        return self._spec

    def check(self, parameters: dict[str, Any]) -> None:
        """The schema says it all."""

    async def run(self, parameters: dict[str, Any], occasion: Occasion) -> Effect:
        settings = self._settings
        found = await self._shelf.closest(parameters["question"][:_LONGEST], settings.near + 1)
        if found.closest and found.closest[0][1] >= settings.threshold:
            entry, score = found.closest[0]
            values = {
                "id": entry.id,
                "score": score,
                "question": entry.title(occasion.tongue),
                "tags": list(entry.tags),
                "near": _shown(found.closest[1:], occasion.tongue),
                "by": found.by,
                "words": found.words,
            }
            return Effect(entry.answer(occasion.tongue), values=values)
        return self._refused(found, occasion.tongue)

    def _refused(self, found: Found, tongue: Tongue) -> Effect:
        near = _shown([one for one in found.closest if one[1] >= _LEAST][: self._settings.near], tongue)
        lines = [told(_NEAR if near else _NONE, tongue), *(f"{one['number']}. {one['question']}" for one in near)]
        values = {"id": None, "score": near[0]["score"] if near else 0.0, "near": near, "by": found.by}
        return Effect("\n".join(lines), "refused", "no_answer", values=values)


def _shown(entries: list[tuple[Entry, float]], tongue: Tongue) -> list[dict[str, Any]]:
    return [
        {"number": number, "id": entry.id, "score": score, "question": entry.title(tongue)}
        for number, (entry, score) in enumerate(entries, 1)
    ]


def _state(path: Path) -> tuple[int, ...]:
    try:
        state = path.stat()
    except OSError:
        return ()
    return state.st_mtime_ns, state.st_size, state.st_ino
