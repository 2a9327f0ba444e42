"""The ASGI middleware by itself: what it answers, and that everything else reaches the application as it came."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from library.asgi_driver import Heard, Seen, drive, parts, scope_of
from library.office import office
from pointsman import Outcome, Reply, Rules
from pointsman.library.asgi import APART, RulesMiddleware

RULES = office()
TAKEN = {"message": "her salary"}
PASSED = {"message": "a mutex?"}


async def post(
    body: Any, *, app: Heard | None = None, path: str = "/chat", headers: Any = None, **settings: Any
) -> Seen:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    middleware = RulesMiddleware(app or Heard(), settings.pop("rules", RULES), **settings)
    return await drive(middleware, scope_of(path, headers=headers), parts(data))


async def test_a_rule_answers_and_the_application_is_not_called() -> None:
    app = Heard()
    seen = await post(TAKEN, app=app)
    assert not app.calls and seen.status == 200 and seen.body == b"Salaries are private. Ask HR."
    assert seen.headers["content-type"] == "text/plain; charset=utf-8"
    assert seen.headers["content-length"] == str(len(seen.body))
    assert seen.headers["x-pointsman-stage"] == "l0" and seen.headers["x-pointsman-rule"] == "salary"
    assert seen.headers["x-pointsman-reason"] == "rule salary took it: salary"
    assert seen.headers["x-pointsman-policy"] == RULES.hash


@pytest.mark.parametrize("field", ["message", "text", "question", "query", "prompt", "input"])
async def test_the_usual_fields(field: str) -> None:
    seen = await post({field: "他的工资"})
    assert seen.body.decode() == "工资保密。请问人事。" and seen.headers["content-length"] == str(len(seen.body))


async def test_a_completion_for_bodies_in_openais_form() -> None:
    body = {"model": "gpt-x", "messages": [{"role": "user", "content": [{"type": "text", "text": "her salary"}]}]}
    seen = await post(body, path="/v1/chat/completions")
    assert seen.headers["content-type"] == "application/json"
    assert seen.json["object"] == "chat.completion" and seen.json["model"] == "gpt-x"
    assert seen.json["id"].startswith("chatcmpl-") and seen.json["created"] > 1_700_000_000
    [choice] = seen.json["choices"]
    assert choice["message"] == {"role": "assistant", "content": "Salaries are private. Ask HR."}
    assert choice["finish_reason"] == "stop" and seen.json["usage"]["total_tokens"] > 5
    legacy = await post({"model": "m", "prompt": "her salary"})
    assert legacy.json["object"] == "text_completion" and legacy.json["choices"][0]["text"].startswith("Salaries")


async def test_a_stream_of_events_where_the_body_asks_for_it() -> None:
    body: dict[str, Any] = {"messages": [{"role": "user", "content": "her salary"}], "stream": True}
    seen = await post(body)
    assert seen.headers["content-type"].startswith("text/event-stream") and seen.headers["x-pointsman-rule"] == "salary"
    events = seen.body.decode().split("\n\n")
    assert events[-2:] == ["data: [DONE]", ""]
    chunks = [json.loads(event.removeprefix("data: ")) for event in events[:-2]]
    assert (
        "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks) == "Salaries are private. Ask HR."
    )
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop" and len({chunk["id"] for chunk in chunks}) == 1
    with_usage = await post({**body, "stream_options": {"include_usage": True}})
    last = json.loads(with_usage.body.decode().split("\n\n")[-3].removeprefix("data: "))
    assert last["choices"] == [] and last["usage"]["completion_tokens"] > 2


async def test_the_form_of_the_reply_can_be_set() -> None:
    seen = await post(TAKEN, reply="openai")
    assert seen.json["choices"][0]["message"]["content"].startswith("Salaries")
    assert (await post({**TAKEN, "stream": True}, reply="openai")).body.endswith(b"data: [DONE]\n\n")
    chat = {"messages": [{"role": "user", "content": "her salary"}], "stream": True}
    assert (await post(chat, reply="plain")).body.startswith(b"Salaries")

    def mine(reply: Reply, body: dict[str, Any]) -> dict[str, Any]:
        return {"say": reply.text, "of": body["message"], "rule": reply.outcome.rule}

    seen = await post({"message": "他的工资"}, reply=mine)
    assert seen.json == {"say": "工资保密。请问人事。", "of": "他的工资", "rule": "salary"}
    assert seen.headers["content-type"] == "application/json" and "工资" in seen.body.decode()
    with pytest.raises(ValueError, match="openai, plain"):
        RulesMiddleware(Heard(), RULES, reply="yaml")  # type: ignore[arg-type]


async def test_where_the_text_is() -> None:
    assert (await post({"a/b": [{"x": "her salary"}]}, text="/a~1b/0/x")).headers["x-pointsman-rule"] == "salary"
    assert (await post({"m": "her salary"}, text=lambda body: body.get("m"))).headers["x-pointsman-rule"] == "salary"
    for body in ({"a": ["x"]}, {"a": "x"}, {}, {"a": {"1": 3}}, {"a": None}):
        app = Heard()
        assert (await post(body, app=app, text="/a/1")).status == 201 and len(app.calls) == 1
    assert (await post({"m": 3}, text=lambda body: body.get("m"))).status == 201
    with pytest.raises(ValueError, match="JSON pointer"):
        RulesMiddleware(Heard(), RULES, text="message")


async def test_where_the_pointer_leads_counts_and_no_other_field() -> None:
    assert (await post({"message": "her salary", "m": "a mutex?"}, text="/m")).status == 201


async def test_the_circumstances_of_a_request() -> None:
    def about(scope: Any, body: Any) -> Any:
        return {"role": scope["user"], "language": body.get("lang")}

    async def asked(user: str | None, **body: Any) -> Seen:
        middleware = RulesMiddleware(Heard(), RULES, about=about)
        data = json.dumps({"message": "the menu", **body}).encode()
        return await drive(middleware, scope_of(user=user), parts(data))

    assert (await asked("staff")).body == b"Noodles today."
    assert (await asked("staff", lang="zh")).body.decode() == "今天有面条。"
    assert (await asked(None)).status == 201
    chat = Rules.load("builtin:smalltalk")
    history = [("user", "clean up"), ("assistant", "Shall I delete all of it?")]
    assert (await post({"message": "ok"}, rules=chat)).status == 200
    assert (await post({"message": "ok"}, rules=chat, about=lambda scope, body: {"history": history})).status == 201
    assert (await post({"message": "her salary"}, about=lambda scope, body: {"history": history})).status == 200
    assert (await post({"message": "hi"}, rules=chat, about=lambda scope, body: {"images": 1})).status == 201
    with pytest.raises(TypeError, match="no circumstance 'rol'"):
        await post(TAKEN, about=lambda scope, body: {"rol": "x"})  # type: ignore[typeddict-unknown-key]


async def test_what_openais_form_says_of_a_request_counts() -> None:
    chat = Rules.load("builtin:smalltalk")
    turns = [{"role": "user", "content": "clean up"}, {"role": "assistant", "content": "Shall I delete all of it?"}]
    ok = {"role": "user", "content": "ok"}
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    assert (await post({"messages": [ok]}, rules=chat)).status == 200
    assert (await post({"messages": [*turns, ok]}, rules=chat)).status == 201
    assert (await post({"messages": [ok], "tools": [tool]}, rules=chat)).status == 201
    assert (await post({"messages": [ok], "response_format": {"type": "json_object"}}, rules=chat)).status == 201
    loop = [ok, {"role": "assistant", "content": "", "tool_calls": [{}]}, {"role": "tool", "content": "her salary"}]
    assert (await post({"messages": loop})).status == 201, "no rule fires on what a tool said"


async def test_what_a_client_names_as_its_model_is_no_entry() -> None:
    rules = Rules.parse([{"id": "a", "when": {"any": ["x"], "entry": ["kiosk"]}, "answer": "A"}], cases="skip")
    body = {"model": "kiosk", "messages": [{"role": "user", "content": "x"}]}
    assert (await post(body, rules=rules)).status == 201
    assert (await post(body, rules=rules, about=lambda scope, body: {"entry": "kiosk"})).status == 200


async def test_the_application_finds_the_outcome() -> None:
    app = Heard()
    await post({"message": "a password for python"}, app=app)
    outcome = app.calls[0][0]["pointsman"]
    assert isinstance(outcome, Outcome) and outcome.risk == "high" and outcome.parameters == {"task": "code_completion"}
    await post(b"[1]", app=app)
    assert "pointsman" not in app.calls[1][0]


@pytest.mark.parametrize(
    "body",
    [
        *[
            b"",
            b"{",
            b"[1]",
            b'"her salary"',
            b"\xff\xfe",
            b"{}",
            b'{"message": 3}',
            b'{"messages": 3}',
            b"[" * 100_000,
        ],
        b'{"messages": [{"role": "x", "content": "her salary"}]}',
        b"message=her+salary",
    ],
)
async def test_what_is_not_understood_is_the_applications_matter(body: bytes) -> None:
    app = Heard()
    seen = await post(body, app=app)
    assert seen.status == 201 and app.body == body and "x-pointsman-stage" not in seen.headers


@pytest.mark.parametrize(
    "scope",
    [
        scope_of("/other"),
        scope_of("/chat/"),
        scope_of(method="GET"),
        scope_of(method="OPTIONS"),
        scope_of(headers={"content-encoding": "gzip"}),
        scope_of(headers={"content-length": "2000000"}),
        scope_of(headers={"content-length": "9" * 5000}),
        {**scope_of(), "type": "websocket"},
        {"type": "lifespan"},
    ],
)
async def test_what_is_not_ours_is_not_even_listened_to(scope: Any) -> None:
    heard: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        heard.append((scope, receive, send))

    async def receive() -> Any:
        raise AssertionError("the middleware must not receive")

    async def send(message: Any) -> None:
        raise AssertionError("the middleware must not send")

    await RulesMiddleware(app, RULES)(scope, receive, send)
    assert heard == [(scope, receive, send)] and heard[0][0] is scope


async def test_a_claimed_type_or_encoding_does_not_get_past_the_rules() -> None:
    for headers in ({"content-type": "text/plain"}, {"content-type": "application/x-octets"}, {"content-encoding": ""}):
        assert (await post(TAKEN, headers=headers)).status == 200


@pytest.mark.parametrize(
    "odd",
    [
        {"stream": "yes"},
        {"tools": {}},
        {"max_tokens": "many"},
        {"model": 3},
        {"metadata": {"task_type": "nonsense"}},
        {"messages": [{"role": "x"}, 3, None, {"role": "user", "content": [{"type": 3}, {"text": "her salary"}, 4]}]},
        {"messages": [{"content": "x"}, {"role": "user", "content": "her salary"}]},
    ],
)
async def test_a_field_that_openai_would_refuse_does_not_get_past_the_rules(odd: dict[str, Any]) -> None:
    seen = await post({"messages": [{"role": "user", "content": "her salary"}], **odd})
    assert seen.json["choices"][0]["message"]["content"] == "Salaries are private. Ask HR."
    odd = {**odd, "messages": [{"role": "user", "content": "vpn broken"}], "stream": "yes"}
    assert (await post(odd)).status == 201, "but no canned text answers what nobody understood"


async def test_a_header_does_not_get_past_the_rules() -> None:
    chat = {"messages": [{"role": "user", "content": "her salary"}]}
    assert (await post(chat, headers={"x-pointsman-task": "nonsense"})).status == 200
    assert (await post({"model": "m", "prompt": "her salary", "stream": 3})).status == 200


async def test_of_two_equal_keys_the_last_counts_as_in_the_application() -> None:
    assert (await post(b'{"message": "a mutex?", "message": "her salary"}')).status == 200
    assert (await post(b'{"message": "her salary", "message": "a mutex?"}')).status == 201


async def test_mounted_below_a_path() -> None:
    middleware = RulesMiddleware(Heard(), RULES)
    seen = await drive(middleware, scope_of("/api/chat", root_path="/api"), parts(json.dumps(TAKEN).encode()))
    assert seen.status == 200
    assert (await drive(middleware, scope_of("/api/chat"), parts(json.dumps(TAKEN).encode()))).status == 201


@given(st.lists(st.binary(max_size=8), min_size=1, max_size=6), st.booleans(), st.integers(0, 40))
def test_an_application_hears_just_what_came(pieces: list[bytes], gone: bool, limit: int) -> None:
    app = Heard()
    messages = parts(*pieces, gone=gone)
    asyncio.run(drive(RulesMiddleware(app, RULES, limit=limit), scope_of(), messages))
    assert app.calls[0][1] == messages


@given(st.integers(1, 7), st.sampled_from([TAKEN, PASSED, {"message": "他的工资"}]))
def test_a_body_in_pieces_is_one_body(size: int, body: dict[str, Any]) -> None:
    data = json.dumps(body, ensure_ascii=False).encode()
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    app = Heard()
    seen = asyncio.run(drive(RulesMiddleware(app, RULES), scope_of(), parts(*pieces)))
    assert (seen.status == 201) is (body is PASSED) and (not app.calls or app.body == data)


async def test_a_body_beyond_the_limit_reaches_the_application_whole() -> None:
    app = Heard()
    data = json.dumps({"message": "her salary " * 50}).encode()
    middleware = RulesMiddleware(app, RULES, limit=len(data) - 1)
    seen = await drive(middleware, scope_of(), parts(data[:300], data[300:], b""))
    assert seen.status == 201 and app.body == data
    assert (await drive(RulesMiddleware(app, RULES, limit=len(data)), scope_of(), parts(data))).status == 200


async def test_a_client_that_goes_while_it_sends() -> None:
    app = Heard()
    await drive(RulesMiddleware(app, RULES), scope_of(), parts(b'{"message": ', gone=True))
    assert [message["type"] for message in app.calls[0][1]] == ["http.request", "http.disconnect"]


async def test_a_large_body_is_decided_on_apart() -> None:
    body = {"message": "her salary", "filler": "x" * APART}
    assert (await post(body)).headers["x-pointsman-rule"] == "salary"


async def test_half_a_surrogate_pair() -> None:
    seen = await post(b'{"message": "my vpn is broken \\ud800"}')
    assert seen.status == 200 and seen.body.decode().endswith("my vpn is broken \ufffd")
    chat = b'{"messages": [{"role": "user", "content": "my vpn is broken \\ud800"}]}'
    assert (await post(chat)).json["choices"][0]["message"]["content"].endswith("broken \ufffd")


async def test_a_rules_name_in_chinese_fits_into_a_header() -> None:
    rules = Rules.parse([{"id": "工资", "when": {"any": ["工资"]}, "answer": "不说"}], cases="skip")
    seen = await post({"message": "工资"}, rules=rules)
    assert seen.headers["x-pointsman-rule"] == "%E5%B7%A5%E8%B5%84"


async def test_an_action_that_fails_is_the_servers_matter() -> None:
    async def fails(outcome: Outcome) -> str:
        raise LookupError("no queue")

    with pytest.raises(LookupError):
        await post({"message": "open a ticket"}, rules=office(actions={"open_ticket": fails}))


async def test_many_at_once_do_not_wait_for_each_other() -> None:
    """Two actions that each wait for the other to have begun."""
    begun = asyncio.Barrier(2)

    async def waits(outcome: Outcome) -> str:
        await begun.wait()
        return outcome.slots["question"]

    rules = office(actions={"open_ticket": waits})
    texts = [f"open a ticket {number}" for number in range(2)]
    async with asyncio.timeout(10):
        seen = await asyncio.gather(*(post({"message": text}, rules=rules) for text in texts))
    assert [each.body.decode() for each in seen] == texts
