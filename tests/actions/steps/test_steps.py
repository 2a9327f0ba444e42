"""Chains of actions: what is wrong with them, what they pass on, what is not done twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from actions.workshop import CHINESE, OCCASION, Asked, config_of, workshop
from pointsman.app.actions import action_specs
from pointsman.ports.action import ActionFailed

CHAIN: dict[str, Any] = {
    "summarise": {"generate": {"prompt": "Summarise: {text}", "model": "light"}},
    "translate": {"generate": {"prompt": "Into {language}: {text}"}},
    "brief": {
        "steps": [
            {"action": "summarise", "parameters": {"text": "{text}"}},
            {"action": "translate", "parameters": {"text": "{summarise.text}", "language": "French"}},
        ]
    },
}


async def test_outputs_feed_the_next(tmp_path: Path) -> None:
    model = Asked("short", "court")
    told: list[tuple[int, int]] = []

    async def tell(done: int, of: int) -> None:
        told.append((done, of))

    async with workshop(tmp_path, CHAIN, model) as actions:
        spec = actions["brief"].spec
        assert spec.required == ("text",) and spec.path == ("summarise", "translate")
        effect = await actions["brief"].run({"text": "long"}, msgspec.structs.replace(OCCASION, tell=tell))
    assert effect.text == "court" and effect.outcome == "ok" and told == [(0, 2), (1, 2), (2, 2)]
    assert [(name, messages[0]["content"]) for name, messages in model.asked] == [
        ("light", "Summarise: long"),
        ("auto", "Into French: short"),
    ]


async def test_the_first_that_is_not_done_ends_it(tmp_path: Path) -> None:
    model = Asked(ActionFailed("busy", "too much at once"))
    async with workshop(tmp_path, CHAIN, model) as actions:
        effect = await actions["brief"].run({"text": "long"}, OCCASION)
    assert (effect.outcome, effect.error, effect.text) == ("failed", "busy", "too much at once")


async def test_a_step_that_was_done_is_not_done_again(tmp_path: Path) -> None:
    """The second try of a job: the first step's effect is there already."""
    model = Asked("short", ActionFailed("busy", "later", again=True), "court")
    named = msgspec.structs.replace(OCCASION, effect="job_1.0")
    async with workshop(tmp_path, CHAIN, model) as actions:
        with pytest.raises(ActionFailed):
            await actions["brief"].run({"text": "long"}, named)
        effect = await actions["brief"].run({"text": "long"}, named)
        again = await actions["brief"].run({"text": "long"}, named)
    assert effect.text == again.text == "court"
    assert [messages[0]["content"] for _, messages in model.asked] == [
        "Summarise: long",
        "Into French: short",
        "Into French: short",
    ]


async def test_parameters_that_lack_are_refused(tmp_path: Path) -> None:
    async with workshop(tmp_path, CHAIN) as actions:
        effect = await actions["brief"].run({}, CHINESE)
    assert effect.outcome == "refused" and effect.error == "bad_parameters" and "缺失" in effect.text


@pytest.mark.parametrize(
    ("steps", "path", "words"),
    [
        ([{"action": "sumarise"}], "actions.x.steps[0].action", "summarise"),
        ([{"action": "summarise", "parameters": {"txt": "a"}}], "actions.x.steps[0].parameters.txt", "text"),
        ([{"action": "summarise", "parameters": {"text": "{y.z}"}}], "actions.x.steps[0].parameters", "{y.z}"),
        (
            [
                {"action": "summarise", "parameters": {"text": "a"}},
                {"action": "summarise", "parameters": {"text": "b"}},
            ],
            "actions.x.steps[1]",
            "name",
        ),
    ],
)
def test_what_is_wrong_with_a_chain(tmp_path: Path, steps: list[Any], path: str, words: str) -> None:
    found = action_specs(config_of({**CHAIN, "x": {"steps": steps}}), tmp_path, {})
    [problem] = found.problems
    assert problem.path == path and words in str(problem)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"x": {}}, "says nothing"),
        ({"x": {"answer": "a", "generate": {"prompt": "b"}}}, "answer and generate"),
        ({"report": {"generate": {"prompt": "b"}}}, "taken"),
        ({"x": {"generate": {"prompt": "{a}"}, "redact": ["b"]}}, "no parameter"),
        ({"x": {"generate": {"prompt": "{a}"}, "parameters": {"b": {"type": "string"}}}}, "no parameter 'a'"),
        ({"x": {"generate": {"prompt": "{a}"}, "parameters": {"a": {"type": "strng"}}}}, "no JSON Schema"),
        ({"x": {"generate": {"prompt": "{a}", "schema": {"type": 3}}}}, "no JSON Schema"),
    ],
)
def test_what_is_wrong_with_an_action(tmp_path: Path, given: dict[str, Any], words: str) -> None:
    problems = action_specs(config_of(given), tmp_path, {}).problems
    assert any(words in str(problem) for problem in problems), problems


async def test_a_reply_of_a_form_has_values(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    model = Asked('{"n": 3}', "three", '{"n": "3"}')
    async with workshop(tmp_path, {"count": {"generate": {"prompt": "{what}", "schema": schema}}}, model) as actions:
        effects = [await actions["count"].run({"what": "x"}, OCCASION) for _ in range(3)]
    assert effects[0].values == {"n": 3}
    assert [effect.error for effect in effects] == [None, "bad_reply", "bad_reply"]


async def test_output_is_bounded(tmp_path: Path) -> None:
    async with workshop(
        tmp_path, {"say": {"generate": {"prompt": "{x}"}, "output": "1KB"}}, Asked("长" * 5000)
    ) as actions:
        effect = await actions["say"].run({"x": "y"}, CHINESE)
    assert len(effect.text.encode()) < 1200 and effect.text.endswith("已截断）")


async def test_an_action_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    class Slow(Asked):
        async def __call__(self, *given: Any, **more: Any) -> str:
            await asyncio.sleep(60)
            return ""

    monkeypatch.setattr("pointsman.actions.bound.GRACE", 0.0)
    async with workshop(tmp_path, {"say": {"generate": {"prompt": "{x}"}, "timeout": "1s"}}, Slow()) as actions:
        effect = await actions["say"].run({"x": "y"}, OCCASION)
    assert (effect.outcome, effect.error) == ("failed", "timeout") and "1 s" in effect.text
