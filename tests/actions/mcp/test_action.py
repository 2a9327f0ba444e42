"""Tools as actions: what is checked, what is told, what is never done twice."""

from __future__ import annotations

import asyncio
import json

import msgspec
import pytest

from actions.mcp.given import acting, nothing_left, servers, tool
from actions.workshop import CHINESE, OCCASION, config_of
from pointsman.actions.mcp.spec import TOOL
from pointsman.app.actions import action_specs, surroundings_of
from pointsman.app.mcp_servers import with_tools
from pointsman.ports.action import ActionFailed


async def test_text_and_values(tmp_path):
    async with acting(tmp_path, "add", "json", "echo", "dirty", "write") as made:
        total = await made["add"].run({"a": 2, "b": 3}, OCCASION)
        assert (total.text, total.values, total.outcome) == ("5", {"total": 5}, "ok")
        assert (await made["json"].run({}, OCCASION)).values == {"city": "Lyon", "degrees": 21}
        assert (await made["echo"].run({"text": "你好"}, CHINESE)).values == {}
        dirty = await made["dirty"].run({}, OCCASION)
        assert (dirty.text, dirty.values) == ("aredb\nc", {"a": ["x"]})
        assert (made["write"].spec.effect, made["write"].spec.repeatable) == (True, "no")
        assert (made["add"].spec.effect, made["add"].spec.repeatable) == (False, "yes")
        assert made["echo"].spec.about["en"].startswith("Says the text again.")


async def test_files(tmp_path):
    async with acting(tmp_path, "picture", "files") as made:
        picture = await made["picture"].run({}, CHINESE)
        names = [(file.name, file.media_type) for file in picture.files]
        assert names == [("image-1.png", "image/png"), ("audio-2.wav", "audio/wav")]
        assert picture.text.startswith("A picture:\n\nimage-1.png：http://gateway/files/")
        files = await made["files"].run({}, OCCASION)
        assert [file.name for file in files.files] == ["notes of.md", "resource-2.bin"]
        assert files.files[1].media_type == "application/octet-stream"
        assert files.text.startswith("a link: https://example.com/a\n\nnotes of.md: http://gateway/files/")


WRONG = [
    ("fails", {}, "failed", "tool_error", "no such row", ""),
    ("refuses", {}, "failed", "bad_parameters", "not like this", ""),
    ("input", {}, "failed", "needs_input", "asks something back", "要求补充信息"),
    ("add", {"a": "x", "b": 1}, "refused", "bad_parameters", "must be a whole number", "必须是整数"),
    ("add", {"a": 1}, "refused", "bad_parameters", "parameters.b is missing", "缺失"),
    ("echo", {"text": "x", "txt": "y"}, "refused", "bad_parameters", "txt is not known", "txt 不存在"),
    ("garbage", {}, "failed", "mcp_protocol", "prints something else", "不是协议消息"),
    ("huge", {}, "failed", "mcp_too_large", "16,777,216", "16,777,216"),
    ("die", {}, "failed", "mcp_lost", "ended", "已退出"),
]


@pytest.mark.parametrize(("name", "parameters", "outcome", "code", "en", "zh"), WRONG)
async def test_what_goes_wrong_is_told(tmp_path, name, parameters, outcome, code, en, zh):
    async with acting(tmp_path, name) as made:
        effect = await made[name].run(parameters, OCCASION)
        assert (effect.outcome, effect.error) == (outcome, code) and en in effect.text
        if name not in ("fails", "refuses", "huge"):
            assert zh in (await made[name].run(parameters, CHINESE)).text


async def test_a_call_that_may_have_been_carried_out_is_not_made_again(tmp_path):
    """As a job: what would be tried again is raised, what must not be is an effect that says so."""
    job = msgspec.structs.replace(OCCASION, effect="req_1.0.1")
    actions = {
        "again": {"mcp": tool("write_and_die", repeatable=True)},
        "late": {"mcp": tool("hang", repeatable=False), "timeout": "1s"},
    }
    async with acting(tmp_path, "write_and_die", "die", actions=actions) as made:
        effect = await made["write_and_die"].run({}, job)
        assert (effect.outcome, effect.error) == ("failed", "uncertain") and "not made again" in effect.text
        assert (await made["write_and_die"].run({}, job)) == effect, "the effect is kept"
        other = msgspec.structs.replace(job, effect="req_2.0.1")
        for name in ("again", "die"):
            with pytest.raises(ActionFailed) as caught:
                await made[name].run({}, other)
            assert caught.value.again and caught.value.detail == "the disk is on fire"
        late = await made["late"].run({}, msgspec.structs.replace(job, effect="req_3.0.1"))
        assert late.error == "uncertain"


async def test_fixed_arguments_and_what_the_config_says_of_others(tmp_path):
    actions = {
        "plus_one": {
            "mcp": tool("add", arguments={"b": 1}),
            "parameters": {"a": {"x-about": {"en": "a number", "zh": "一个数"}, "default": 41}},
        }
    }
    async with acting(tmp_path, actions=actions) as made:
        spec = made["plus_one"].spec
        assert list(spec.properties) == ["a"] and spec.required == () and spec.properties["a"]["type"] == "integer"
        assert (await made["plus_one"].run({}, OCCASION)).values == {"total": 42}
        assert (await made["plus_one"].run({"a": 1}, OCCASION)).values == {"total": 2}
        assert (await made["plus_one"].run({"a": 1, "b": 5}, OCCASION)).values == {"total": 2}


async def test_a_tool_that_changed_says_so(tmp_path):
    async with acting(tmp_path, "add", "change") as made:
        await made["change"].run({}, OCCASION)
        effect = await made["add"].run({"a": 1, "b": 2}, OCCASION)
        assert (effect.outcome, effect.error) == ("refused", "bad_parameters")
        assert "numbers is missing" in effect.text and "has changed since" in effect.text


def specs_of(folder, actions, mode="", found=None, **more):
    config = config_of(actions, mcp_servers=servers(mode, **more))
    offered = with_tools(surroundings_of(config, folder, found or {}))
    specs = action_specs(offered.surroundings.config, folder, found or {}, offered.surroundings.asked)
    return specs, offered


def test_mistakes_of_the_config(tmp_path):
    actions = {
        "a": {"mcp": {"server": "scrip", "tool": "add"}},
        "b": {"mcp": tool("ad")},
        "c": {"mcp": tool("task")},
        "d": {"mcp": tool("echo", arguments={"txt": 1})},
        "e": {"mcp": tool("echo"), "parameters": {"x": {}}},
    }
    specs, _ = specs_of(tmp_path, actions)
    told = {problem.path: problem for problem in specs.problems}
    assert set(told) == {
        "actions.a.mcp.server",
        "actions.b.mcp.tool",
        "actions.c.mcp.tool",
        "actions.d.mcp.arguments.txt",
        "actions.e.parameters.x",
    }
    assert 'did you mean "add"' in str(told["actions.b.mcp.tool"]) and "echo" in (
        told["actions.b.mcp.tool"].valid or ""
    )
    assert all(problem.text("zh") != problem.text("en") for problem in specs.problems)


def test_mistakes_of_servers(tmp_path):
    wrong = {
        "none": {},
        "both": {"command": ["x"], "url": "http://x/"},
        "blank": {"command": [" "]},
        "headers": {"command": ["x"], "headers": {"a": "b"}},
        "url": {"url": "ftp://x/"},
        "user": {"url": "http://a:b@x/"},
        "env": {"url": "http://x/", "env": {"A": "b"}},
        "line": {"url": "http://x/", "headers": {"a": "b\r\nc: d"}},
    }
    specs = action_specs(config_of({}, mcp_servers=wrong), tmp_path, {})
    assert {problem.path.split(".")[1] for problem in specs.problems} == set(wrong)


def test_a_schema_that_refers_outside_is_not_followed(tmp_path):
    specs, _ = specs_of(tmp_path, {"odd": {"mcp": tool("odd")}})
    assert not specs.problems and "outside of it" in specs.notes[0]
    assert specs.specs["odd"].properties == {}


def test_a_server_that_does_not_answer_is_a_note(tmp_path):
    specs, _ = specs_of(tmp_path, {"say": {"mcp": tool("echo")}})
    known = specs.specs["say"]
    later, _ = specs_of(tmp_path, {"say": {"mcp": tool("echo")}}, "dies", specs.specs)
    assert later.specs["say"] == known and "No module named" in later.notes[0]
    fresh, _ = specs_of(tmp_path, {"say": {"mcp": tool("echo")}}, "dies")
    assert fresh.specs["say"].properties == {} and fresh.specs["say"].repeatable == "no"


def test_all_tools_of_a_server(tmp_path):
    specs, _ = specs_of(tmp_path, {"script_echo": {"mcp": tool("add")}}, tools="all")
    assert "script_add" in specs.specs and "script_task" not in specs.specs
    assert specs.specs["script_echo"].parameters[TOOL]["tool"] == "add", "the config's own goes before"
    later, _ = specs_of(tmp_path, {}, "dies", specs.specs, tools="all")
    assert set(later.specs) == set(specs.specs) - {"script_echo"}
    some, _ = specs_of(tmp_path, {}, tools=["echo", "add"])
    assert set(some.specs) == {"script_echo", "script_add"}
    _, wrong = specs_of(tmp_path, {}, tools=["ecko"])
    assert "did you mean" in str(wrong.problems[0])


async def test_nothing_is_left_of_listing(tmp_path):
    async with nothing_left():
        for mode in ("", "dies", "garbage"):
            await asyncio.to_thread(specs_of, tmp_path, {"say": {"mcp": tool("echo")}}, mode)


async def test_two_hundred_runs_cancelled(tmp_path):
    async with acting(tmp_path, "hang", "picture") as made:
        for number in range(20):
            tasks = [asyncio.create_task(made[name].run({}, OCCASION)) for name in ("hang", "picture") * 5]
            await asyncio.sleep(number / 100)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        assert json.dumps((await made["picture"].run({}, OCCASION)).text)
    assert not list((tmp_path / "work").iterdir())
