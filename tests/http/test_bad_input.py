"""What is wrong with a request is told in the one error shape: what, where, what is valid; and never by a 500."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from execution.engine import CHAT, Door, Reply, assert_error, conversation, door, replied, streamed
from thorough import tries

MESSAGES = [{"role": "user", "content": "Tell me about trains."}]
GOOD: dict[str, Any] = {"model": "medium", "messages": MESSAGES}
POSTS = (CHAT, "/v1/completions", "/v1/embeddings", "/v1/rerank", "/rerank", "/v1/reranking")


@pytest.fixture(scope="module")
def gateway() -> Iterator[Door]:
    with door(server={"max_body": "2MB"}) as opened:
        yield opened


@pytest.fixture(autouse=True)
def good_engine(gateway: Door) -> None:
    gateway.engine.play = streamed(conversation("x"))


def refused(reply: Reply, status: int = 400, *words: str, code: str | None = None) -> dict[str, Any]:
    assert reply.status == status, reply
    assert reply.headers["content-type"] == "application/json"
    assert_error(reply.json, code=code)
    error = reply.json["error"]
    assert error["request_id"] and error["request_id"] == reply.headers["x-pointsman-request-id"]
    for word in words:
        assert word in error["message"], (word, error["message"])
    return error


MALFORMED: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "empty": (b"", ("empty",)),
    "blank": (b" \n\t ", ("empty",)),
    "cut": (b'{"model":"medium","messages":[', ("line 1", "column")),
    "two objects": (b"{}{}", ("line 1",)),
    "trailing comma": (b'{"model":"medium",\n"messages":[],}', ("line 2",)),
    "single quotes": (b"{'model':'medium'}", ("line 1", "column 2")),
    "a comment": (b'{"model":"medium"/*x*/}', ("line 1",)),
    "a list": (b"[1]", ("object",)),
    "a string": (b'"x"', ("object",)),
    "null": (b"null", ("object",)),
    "form": (b"model=medium&stream=1", ("line 1",)),
    "control character": (b'{"model":"a\x01b"}', ("line 1",)),
    "a BOM": (b"\xef\xbb\xbf" + json.dumps(GOOD).encode(), ()),
    "UTF-16": (json.dumps(GOOD).encode("utf-16"), ()),
    "NaN": (b'{"model":"medium","temperature":NaN,"messages":[]}', ("JSON",)),
    "Infinity": (b'{"model":"medium","temperature":-Infinity,"messages":[]}', ("JSON",)),
    "leading zero": (b'{"model":"medium","n":01}', ()),
    "hex": (b'{"model":"medium","n":0x10}', ()),
    "a number out of range": (b'{"model":"medium","messages":[],"temperature":1e999}', ()),
    "a NUL at the end": (json.dumps(GOOD).encode() + b"\0", ()),
}


@pytest.mark.parametrize("path", [CHAT, "/v1/embeddings", "/v1/rerank", "/v1/completions"])
@pytest.mark.parametrize("kind", MALFORMED)
def test_what_is_no_json_object_is_refused_with_its_place(gateway: Door, kind: str, path: str):
    body, words = MALFORMED[kind]
    refused(gateway.post(path, body), 400, *words, code="invalid_json")


# Duplicate keys: they could smuggle another prompt past the rules

HIDDEN = '[{"role":"user","content":"secret"}]'
TWICE: dict[str, str] = {
    "plain": '{"model":"medium","messages":[],"messages":%s}',
    "white space before the colon": '{"model":"medium","messages" :[],"messages"\t: %s}',
    "a line break before the colon": '{"model":"medium","messages"\n:[],"messages"\r\n:\n%s}',
    "one escaped": '{"model":"medium","messages":[],"\\u006dessages":%s}',
    "both escaped": '{"model":"medium","\\u006Dessages":[],"m\\u0065ssages":%s}',
    "escaped beyond the BMP": '{"model":"medium","\\ud83d\\ude82":1,"🚂":2,"messages":%s}',
    "an escaped slash": '{"model":"medium","a\\/b":1,"a/b":2,"messages":%s}',
    "model": '{"model":"medium","messages":%s,"model":"auto"}',
    "in a message": '{"model":"medium","messages":[{"role":"user","content":"hi","content":%s}]}',
    "role in a message": '{"model":"medium","messages":[{"role":"user","content":"hi","role" : "system","x":%s}]}',
    "deep": '{"model":"medium","messages":[],"x":[{"y":[[{"z":{"k":1,"\\u006b" :2}}]]}],"q":%s}',
    "in a part": '{"model":"medium","messages":[{"role":"user","content":[{"type":"text","text":"a","text":"b"}]}],"x":%s}',
    "in a tool": '{"model":"medium","messages":[],"tools":[{"function":{"name":"a","name":"b"}}],"x":%s}',
    "an empty key": '{"model":"medium","":1,"":2,"messages":%s}',
    "beside texts that look like keys": '{"model":"medium","a":"\\":\\":","messages":[],"messages":%s}',
    "fewer colons elsewhere": '{"model":"medium","a":"x","messages":[],"messages":%s}',
}


@pytest.mark.parametrize("kind", TWICE)
def test_a_key_given_twice_is_refused_wherever_it_stands(gateway: Door, kind: str):
    asked = len(gateway.engine.asked)
    error = refused(gateway.post(CHAT, (TWICE[kind] % HIDDEN).encode()), 400, "twice", code="duplicate_key")
    assert error["param"] is not None
    assert len(gateway.engine.asked) == asked


json_text = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4)


@st.composite
def spelled(draw: st.DrawFn, key: str) -> str:
    """A key in one of its spellings."""
    return '"' + "".join(f"\\u{ord(c):04x}" if draw(st.booleans()) else c for c in key) + '"'


@settings(max_examples=tries(45, 150), deadline=None)
@given(st.data())
def test_no_spelling_of_a_duplicate_gets_through_and_unique_keys_do(gateway: Door, data: st.DataObject):
    keys = data.draw(st.lists(st.sampled_from(["a", "b", "messages2", 'q":', ":", "a:"]), min_size=1, max_size=4))
    space = st.sampled_from(["", " ", "\t", "\n", "\r\n", "  "])
    members = []
    for key in keys:
        escaped = key.replace('"', "\\u0022")
        name = data.draw(spelled(key)) if '"' not in key else f'"{escaped}"'
        members.append(f"{name}{data.draw(space)}:{data.draw(space)}1")
    text = json.dumps(GOOD)[:-1] + ',"meta":[{' + ",".join(members) + "}]}"
    reply = gateway.post(CHAT, text.encode())
    if len(set(keys)) < len(keys):
        refused(reply, 400, "twice", code="duplicate_key")
    else:
        assert reply.status == 200, reply.body


# Text that is no text


@pytest.mark.parametrize("bad", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf", b"\x80"])
@pytest.mark.parametrize("where", ["content", "unknown field", "key"])
def test_invalid_utf8_is_refused_with_its_byte(gateway: Door, bad: bytes, where: str):
    body = {
        "content": b'{"model":"medium","messages":[{"role":"user","content":"a%bb"}]}',
        "unknown field": json.dumps(GOOD)[:-1].encode() + b',"x":{"y":["a%bb"]}}',
        "key": json.dumps(GOOD)[:-1].encode() + b',"x":{"a%bb":1}}',
    }[where] % bad
    refused(gateway.post(CHAT, body), 400, "UTF-8", str(body.index(bad)), code="invalid_json")


@pytest.mark.parametrize(
    "bad", ["\\ud800", "\\udc00", "\\ud83d\\u0041", "\\uDE82\\ud83d", "x\\udfff", "\\ud83d\\ud83d\\ude82"]
)
@pytest.mark.parametrize("where", ["content", "unknown field", "key"])
def test_a_lone_surrogate_is_refused(gateway: Door, bad: str, where: str):
    body = {
        "content": '{"model":"medium","messages":[{"role":"user","content":"%s"}]}',
        "unknown field": json.dumps(GOOD)[:-1] + ',"x":{"y":["%s"]}}',
        "key": json.dumps(GOOD)[:-1] + ',"x":{"%s":1}}',
    }[where] % bad
    refused(gateway.post(CHAT, body.encode()), 400, "surrogate", code="invalid_json")


@pytest.mark.parametrize("depth", [10, 100, 200, 300, 400, 480, 500, 600, 900, 1000, 2000, 10_000, 100_000])
@pytest.mark.parametrize("kind", ["lists", "objects", "tools", "messages", "input"])
def test_deep_nesting_is_served_or_refused(gateway: Door, depth: int, kind: str):
    path = "/v1/embeddings" if kind == "input" else CHAT
    lists, objects = "[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth
    text = json.dumps(GOOD)[:-1]
    body = {
        "lists": text + f',"x":{lists}}}',
        "objects": text + f',"x":{objects}}}',
        "tools": text + f',"tools":[{objects}]}}',
        "messages": f'{{"model":"medium","messages":{lists}}}',
        "input": f'{{"model":"medium","input":{lists}}}',
    }[kind]
    reply = gateway.post(path, body.encode())
    assert reply.status in (200, 400), reply.body[:300]
    if reply.status == 400:
        refused(reply)


# Wrong types

WRONG: list[tuple[str, Any, str]] = [
    *(("model", value, "model") for value in (1, None, True, ["medium"], {}, "")),
    *(("messages", value, "messages") for value in (1, None, "hi", {}, [], [1], ["hi"], [None], [[]])),
    ("messages", [{"content": "hi"}], "messages[0].role"),
    ("messages", [{"role": "robot", "content": "hi"}], "messages[0].role"),
    ("messages", [{"role": 1, "content": "hi"}], "messages[0].role"),
    ("messages", [{"role": "user"}], "messages[0].content"),
    ("messages", [*MESSAGES, {"role": "user", "content": 5}], "messages[1].content"),
    ("messages", [{"role": "user", "content": {"text": "hi"}}], "messages[0].content"),
    ("messages", [{"role": "user", "content": [5]}], "messages[0].content[0]"),
    ("messages", [{"role": "user", "content": [{"type": "text", "text": 5}]}], "messages[0].content[0].text"),
    ("messages", [{"role": "user", "content": [{"text": "hi"}]}], "messages[0].content[0].type"),
    *(("stream", value, "stream") for value in (1, "true", [], {})),
    *(("stream_options", value, "stream_options") for value in (1, "x", [])),
    *(("max_tokens", value, "max_tokens") for value in ("5", 1.5, True, [])),
    *(("max_completion_tokens", value, "max_completion_tokens") for value in ("5", {})),
    *(("tools", value, "tools") for value in (1, "x", {"a": 1})),
    *(("functions", value, "functions") for value in ({"a": 1}, "x")),
]


@pytest.mark.parametrize(("field", "value", "param"), WRONG, ids=str)
def test_a_wrong_type_is_named_with_its_place_and_what_is_valid(gateway: Door, field: str, value: Any, param: str):
    error = refused(gateway.post(CHAT, json.dumps(GOOD | {field: value}).encode()))
    assert error["param"] is not None and error["param"].startswith(param), error
    assert param in error["message"] and error["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("path", "fields", "param"),
    [
        *(("/v1/completions", {"prompt": value}, "prompt") for value in (None, 1, {}, True)),
        ("/v1/completions", {}, "prompt"),
        *(("/v1/embeddings", {"input": value}, "input") for value in (None, 1, {}, "", [], [None], [{}], ["a", 1])),
        ("/v1/embeddings", {"input": "a", "encoding_format": "int8"}, "encoding_format"),
        ("/v1/embeddings", {"input": "a", "model": None}, "model"),
        *(("/v1/rerank", {"query": value, "documents": ["a"]}, "query") for value in (None, 1, "", [])),
        *(("/v1/rerank", {"query": "q", "documents": value}, "documents") for value in (None, 1, [], {}, "a")),
    ],
    ids=str,
)
def test_wrong_types_of_the_other_endpoints(gateway: Door, path: str, fields: dict[str, Any], param: str):
    error = refused(gateway.post(path, json.dumps({"model": "medium"} | fields).encode()))
    assert error["param"] == param


def test_embeddings_and_rerank_need_a_model(gateway: Door):
    assert refused(gateway.post("/v1/embeddings", b'{"input":"a"}'))["param"] == "model"
    assert refused(gateway.post("/v1/rerank", b'{"query":"a","documents":["b"]}'))["param"] == "model"


# Names


@pytest.mark.parametrize("path", [CHAT, "/v1/completions", "/v1/embeddings", "/v1/rerank"])
def test_an_unknown_model_lists_the_valid_ones_and_the_close_one(gateway: Door, path: str):
    fields = {"model": "mediun", "messages": MESSAGES, "prompt": "x", "input": "x", "query": "x", "documents": ["x"]}
    reply = gateway.post(path, json.dumps(fields).encode())
    error = refused(reply, 404, "mediun", 'did you mean "medium"', "auto", "model-medium", code="model_not_found")
    assert error["param"] == "model" and error["type"] == "not_found_error"


def test_an_entry_without_an_embedding_model_says_so(gateway: Door):
    reply = gateway.post("/v1/embeddings", b'{"model":"auto","input":"x"}')
    assert reply.status in (400, 404, 503)
    assert_error(reply.json)
    message = reply.json["error"]["message"]
    assert "embedding" in message and "No model is set up" not in message, message


@pytest.mark.parametrize("name", ["x" * 100_000, "名" * 500, "a\nb\r\nset-cookie: x", "%00", "../../etc", "\u202e"])
def test_an_odd_model_name_is_no_trouble(gateway: Door, name: str):
    reply = gateway.post(CHAT, json.dumps(GOOD | {"model": name}).encode())
    error = refused(reply, 404, code="model_not_found")
    assert len(error["message"]) < 2000 and "set-cookie" not in reply.headers


def test_an_unknown_task_type_lists_the_valid_ones(gateway: Door):
    reply = gateway.post(CHAT, json.dumps(GOOD).encode(), "x-pointsman-task: summarisation")
    refused(reply, 400, "summarisation", "summarization", "code_review")


def test_an_unknown_path_lists_the_endpoints_and_the_close_one(gateway: Door):
    reply = gateway.post("/v1/chat/completion", b"{}")
    refused(
        reply, 404, "/v1/chat/completion", 'did you mean "/v1/chat/completions"', "/v1/models", code="unknown_endpoint"
    )
    reply = gateway.raw(b"GET /favicon.ico HTTP/1.1\r\nhost: x\r\n\r\n")
    refused(reply, 404, code="unknown_endpoint")


@pytest.mark.parametrize(
    "path", ["/v1//models", "/v1/chat/completions/", "//v1/models", "/v1/models%2f", "/%ff", "/é", "/a%00"]
)
def test_an_odd_path_is_no_trouble(gateway: Door, path: str):
    reply = gateway.raw(b"GET " + path.encode() + b" HTTP/1.1\r\nhost: x\r\n\r\n")
    assert reply.status in (400, 404, 405), reply
    assert_error(reply.json)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", CHAT, "POST"),
        ("PUT", CHAT, "POST"),
        ("DELETE", "/v1/models", "GET"),
        ("POST", "/v1/models", "GET"),
        ("POST", "/health", "GET"),
        ("PATCH", "/admin/reload", "POST"),
        ("OPTIONS", CHAT, "POST"),
        ("BREW", CHAT, "POST"),
    ],
)
def test_a_wrong_method_names_the_right_one(gateway: Door, method: str, path: str, allowed: str):
    reply = gateway.raw(f"{method} {path} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n".encode())
    if method == "BREW":  # the HTTP parser knows no such method
        assert reply.status in (400, 405)
        assert_error(reply.json)
        return
    refused(reply, 405, allowed, method, code="method_not_allowed")


def test_a_405_has_the_allow_header_of_rfc_9110(gateway: Door):
    reply = gateway.raw(f"GET {CHAT} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
    assert reply.status == 405 and "POST" in reply.headers.get("allow", "")


@pytest.mark.parametrize("path", ["/health", "/v1/models"])
def test_head_is_get_without_a_body(gateway: Door, path: str):
    with gateway.connect() as sock:
        sock.sendall(f"HEAD {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".encode())
        data = b""
        while part := sock.recv(65536):
            data += part
    assert data.startswith(b"HTTP/1.1 200") and data.endswith(b"\r\n\r\n")


# Large bodies

BIG = 50 << 20


@pytest.mark.parametrize("path", [CHAT, "/v1/embeddings", "/v1/rerank", "/admin/reload"])
def test_50_mb_are_refused_and_a_client_that_writes_all_first_reads_why(gateway: Door, path: str):
    body = b'{"model":"medium","x":"' + b"a" * BIG + b'"}'
    reply = gateway.post(path, body)
    refused(reply, 413, str(2 << 20), "max_body", code="body_too_large")


def test_50_mb_in_chunks_are_refused_too(gateway: Door):
    def body() -> Iterator[bytes]:
        for _ in range(50):
            yield b"a" * (1 << 20)

    with httpx.Client(base_url=gateway.base, timeout=60) as client:
        reply = client.post(CHAT, content=body(), headers={"content-type": "application/json"})
        assert reply.status_code == 413
        assert_error(reply.json(), code="body_too_large")
        reply = client.post(CHAT, content=b"a" * BIG)
        assert reply.status_code == 413 and str(BIG) in reply.json()["error"]["message"]
        assert client.get("/health").status_code == 200


def test_a_client_that_expects_100_continue_need_not_send_it(gateway: Door):
    with gateway.connect() as sock:
        sock.sendall(
            f"POST {CHAT} HTTP/1.1\r\nhost: x\r\ncontent-length: {BIG}\r\nexpect: 100-continue\r\n\r\n".encode()
        )
        first = sock.recv(65536)
    assert first.startswith(b"HTTP/1.1 413 "), first


@pytest.mark.parametrize(
    ("path", "headers", "status", "size"),
    [
        (CHAT, ("content-encoding: gzip",), 415, 2_000_000),
        (CHAT, ("x-forwarded-for: 10.0.0.1",), 401, 16 << 20),
        ("/v1/nowhere", (), 404, 16 << 20),
        ("/v1/models", (), 405, 16 << 20),
    ],
)
def test_an_early_refusal_reaches_a_client_that_writes_a_large_body_first(
    gateway: Door, path: str, headers: tuple[str, ...], status: int, size: int
):
    for _ in range(3):
        refused(gateway.post(path, b"a" * size, *headers), status)


def test_a_body_up_to_the_limit_is_served(gateway: Door):
    filler = (2 << 20) - len(json.dumps(GOOD | {"x": ""}))
    body = json.dumps(GOOD | {"x": "a" * filler}).encode()
    assert len(body) == 2 << 20
    assert gateway.post(CHAT, body).status == 200
    refused(gateway.post(CHAT, body + b" "), 413)
    assert gateway.post(CHAT, body, chunked=True).status == 200
    refused(gateway.post(CHAT, body + b" ", chunked=True), 413)


# Anything at all

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | json_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(json_text, inner, max_size=3),
    max_leaves=8,
)
FIELDS = ("model", "messages", "stream", "stream_options", "tools", "max_tokens", "metadata", "n", "logprobs")
OTHERS = ("prompt", "input", "query", "documents", "top_n", "encoding_format", "response_format", "functions", "suffix")
parts = st.lists(
    st.fixed_dictionaries({"type": st.sampled_from(["text", "image_url"]) | values}, optional={"text": values})
)
message = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system", "tool"]) | values, "content": json_text | parts | values},
    optional={"tool_calls": values, "function_call": values, "name": values},
)
bodies = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys((*FIELDS, *OTHERS), values),
) | st.fixed_dictionaries(
    {"model": st.sampled_from(["auto", "medium"]), "messages": st.lists(message, min_size=1, max_size=3)},
    optional=dict.fromkeys((*FIELDS[2:], *OTHERS), values),
)


def never_500(reply: Reply) -> None:
    assert reply.status in (200, 400, 404), reply
    if reply.status != 200:
        assert_error(reply.json)


@settings(max_examples=tries(45, 150), deadline=None)
@given(st.sampled_from(POSTS), st.binary(max_size=80))
def test_random_bytes_are_never_a_500(gateway: Door, path: str, body: bytes):
    never_500(gateway.post(path, body))


@settings(max_examples=tries(90, 300), deadline=None)
@given(st.sampled_from(POSTS), bodies)
def test_random_json_is_never_a_500(gateway: Door, path: str, body: dict[str, Any]):
    gateway.engine.play = streamed(conversation("x")) if "completions" in path else replied(200, {"data": []})
    never_500(gateway.post(path, json.dumps(body).encode()))


@settings(max_examples=tries(30, 100), deadline=None)
@given(st.integers(0, 200), st.binary(min_size=1, max_size=3))
def test_a_good_body_with_some_bytes_changed_is_never_a_500(gateway: Door, at: int, junk: bytes):
    body = json.dumps(GOOD | {"stream": False, "tools": [{"type": "function", "function": {"name": "f"}}]}).encode()
    at %= len(body)
    never_500(gateway.post(CHAT, body[:at] + junk + body[at + len(junk) :]))


header_value = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=20)


@settings(max_examples=tries(30, 100), deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            [
                *(
                    "x-pointsman-trace",
                    "x-pointsman-task",
                    "x-pointsman-priority",
                    "x-pointsman-session",
                    "authorization",
                ),
                *(
                    "accept-language",
                    "traceparent",
                    "tracestate",
                    "origin",
                    "x-openwebui-chat-id",
                    "content-type",
                    "accept",
                ),
            ]
        ),
        header_value,
    )
)
def test_random_headers_are_never_a_500(gateway: Door, headers: dict[str, str]):
    reply = gateway.post(CHAT, json.dumps(GOOD).encode(), *(f"{name}: {value}" for name, value in headers.items()))
    if "origin" in headers and reply.status == 403:
        assert reply.json["error"]["code"] == "origin_not_allowed"
        return
    never_500(reply)
