"""The gateway that runs, if one does: is it ready, what does it say itself, which models came and went."""

from __future__ import annotations

import http.client
from typing import Any

from pointsman.app.doctor.facts import GatewayFacts, ModelNow
from pointsman.app.doctor.look.asking import get_json
from pointsman.domain.said import Said

_SECONDS = 3.0


def look_at_gateway(url: str, key: str | None) -> GatewayFacts:
    """Nobody there is a fact, not an error."""
    head = {"authorization": f"Bearer {key}"} if key else {}
    try:
        get_json(f"{url}/metrics", head, _SECONDS)  # it looks for signs, so that /ready tells them
        status, english = get_json(f"{url}/ready", head | {"accept-language": "en"}, _SECONDS)
        _, chinese = get_json(f"{url}/ready", head | {"accept-language": "zh"}, _SECONDS)
    except (OSError, ValueError, http.client.HTTPException):
        return GatewayFacts(url, False)
    if status not in (200, 503) or english is None or "policy" not in english:
        return GatewayFacts(url, False)
    limits = {
        str(target["target"]): limit["sequences"] if isinstance(limit := target.get("limit"), dict) else None
        for target in english.get("targets", [])
        if isinstance(target, dict)
    }
    scale = _signs(english, chinese or {})
    return GatewayFacts(url, True, status == 200, _problems(english, chinese or {}), limits, _models(url, head), scale)


def _problems(english: dict[str, Any], chinese: dict[str, Any]) -> tuple[Said, ...]:
    return _both(english.get("problems", []), chinese.get("problems", []))


def _signs(english: dict[str, Any], chinese: dict[str, Any]) -> tuple[Said, ...]:
    one, other = ([sign["why"] for sign in told.get("scale", [])] for told in (english, chinese))
    return _both(one, other)


def _both(one: list[Any], other: list[Any]) -> tuple[Said, ...]:
    if len(one) != len(other):
        other = one  # it changed between the two questions
    return tuple(Said(str(en), str(zh)) for en, zh in zip(one, other, strict=True))


def _models(url: str, head: dict[str, str]) -> tuple[ModelNow, ...] | None:
    try:
        english, chinese = (_listed(url, head | {"accept-language": tongue}) for tongue in ("en", "zh"))
    except (OSError, ValueError, http.client.HTTPException):
        return None
    if english is None:
        return None
    problems = {each.get("target"): each.get("problem") for each in chinese or []}
    return tuple(_model(each, problems.get(each["target"])) for each in english if each.get("comes_and_goes"))


def _listed(url: str, head: dict[str, str]) -> list[dict[str, Any]] | None:
    status, answer = get_json(f"{url}/admin/models", head, _SECONDS)
    listed = (answer or {}).get("models")
    if status != 200 or not isinstance(listed, list):
        return None
    return [each for each in listed if isinstance(each, dict) and each.get("target")]


def _model(each: dict[str, Any], zh: Any) -> ModelNow:
    problem = each.get("problem")
    return ModelNow(
        target=str(each["target"]),
        stage=str(each.get("stage", "")),
        loads=int(each.get("loads") or 0),
        evictions=int(each.get("evictions") or 0),
        load_seconds=each.get("load_seconds"),
        problem=Said(str(problem), str(zh or problem)) if problem else None,
    )
