"""Every error in both languages: which one a client gets, and that the Chinese one is Chinese throughout."""

from __future__ import annotations

import ast
import asyncio
import json
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

import pointsman
from execution.engine import (
    CHAT,
    DONE,
    Door,
    Engine,
    Reply,
    asking,
    config,
    conversation,
    delta,
    door,
    event,
    replied,
    streamed,
)
from pointsman.domain.errors import Problem, Problems, did_you_mean
from pointsman.domain.said import Said, told
from pointsman.http.exchange import tongue_wanted
from running import running

SOURCES = Path(pointsman.__file__).parent
GOOD: dict[str, Any] = {"model": "medium", "messages": [{"role": "user", "content": "Tell me about trains."}]}
CHINESE: dict[str, Any] = GOOD | {"messages": [{"role": "user", "content": "讲讲火车的历史。"}]}
ZH, EN, FR, ANY = "accept-language: zh-CN,zh;q=0.9,en;q=0.8", "accept-language: en-US,zh;q=0.5", "fr", "*"


def is_chinese(text: str) -> bool:
    return bool(re.search(r"[\u4e00-\u9fff]", text))


def english_in(text: str) -> list[str]:
    """Runs of two and more English words outside quotes, code, places and lists of names: what nobody has translated."""
    bare = re.sub(r"“[^”]*”|`[^`]*`|\"[^\"]*\"|'[^']*'|b'[^']*'|（LangChain：[^）]*）", "“”", text)
    commands = r"pointsman(?: [a-z]+)+|pip install\b[^；。]*|ollama pull"
    bare = re.sub(rf"\b(?:base URL|{commands}|--[\w-]+|Authorization: Bearer)", "", bare)
    return re.findall(r"(?<![\w./:-])[A-Za-z][a-z]+ [a-z]+(?: [a-z]+)*(?![\w./:-])", bare)


def post(fields: Any, path: str = CHAT, *headers: str) -> bytes:
    body = fields if isinstance(fields, bytes) else json.dumps(fields).encode()
    lines = "".join(f"{line}\r\n" for line in headers)
    return f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n{lines}".encode() + b"\r\n" + body


def with_header(request: bytes, header: str | None) -> bytes:
    line, rest = request.split(b"\r\n", 1)
    return request if header is None else line + b"\r\n" + header.encode() + b"\r\n" + rest


def answered(gateway: Door, request: bytes, header: str | None = None) -> dict[str, Any]:
    reply: Reply = gateway.raw(with_header(request, header))
    assert reply.status >= 400, reply
    return {"status": reply.status, **reply.json["error"]}


@pytest.fixture(scope="module")
def gateway() -> Iterator[Door]:
    with door(server={"max_body": "1MB"}, fallback={"max_retries": 0}) as opened:
        yield opened


@pytest.fixture(scope="module")
def chinese_gateway() -> Iterator[Door]:
    with door(server={"language": "zh"}, fallback={"max_retries": 0}) as opened:
        yield opened


@pytest.fixture(autouse=True)
def good_engine(gateway: Door) -> None:
    gateway.engine.play = streamed(conversation("x"))


BAD: dict[str, bytes] = {
    "empty": post(b""),
    "cut": post(b'{"model":"medium","messages":['),
    "trailing comma": post(b'{"a":1,}'),
    "no colon": post(b'{"a" 1}'),
    "no comma": post(b'{"a":1 "b":2}'),
    "no quotes": post(b"{a:1}"),
    "extra data": post(b"{}{}"),
    "endless text": post(b'{"a":"b'),
    "control character": post(b'{"a":"\x01"}'),
    "bad escape": post(b'{"a":"\\x"}'),
    "bad unicode escape": post(b'{"a":"\\u12"}'),
    "NaN": post(b'{"a":NaN}'),
    "out of range": post(b'{"a":1e999}'),
    "BOM": post(b"\xef\xbb\xbf{}"),
    "not UTF-8": post(b'{"a":"\xff"}'),
    "surrogate": post(b'{"a":"\\ud800"}'),
    "deep": post(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    "a list": post(b"[]"),
    "twice": post(b'{"a":1,"a":2}'),
    "messages": post(GOOD | {"messages": []}),
    "a message": post(GOOD | {"messages": [1]}),
    "role": post(GOOD | {"messages": [{"role": "robot", "content": "x"}]}),
    "content": post(GOOD | {"messages": [{"role": "user"}]}),
    "part": post(GOOD | {"messages": [{"role": "user", "content": [{"type": 1}]}]}),
    "part's text": post(GOOD | {"messages": [{"role": "user", "content": [{"type": "text", "text": {}}]}]}),
    "model": post(GOOD | {"model": 1}),
    "stream": post(GOOD | {"stream": "yes please"}),
    "stream options": post(GOOD | {"stream_options": []}),
    "max_tokens": post(GOOD | {"max_tokens": True}),
    "tools": post(GOOD | {"tools": "x"}),
    "task": post(GOOD, CHAT, "x-pointsman-task: summarisation"),
    "prompt": post({"model": "medium", "prompt": 1}, "/v1/completions"),
    "input": post({"model": "medium", "input": ""}, "/v1/embeddings"),
    "token ids": post({"model": "medium", "input": [1, 2]}, "/v1/embeddings"),
    "encoding": post({"model": "medium", "input": "x", "encoding_format": "int8"}, "/v1/embeddings"),
    "query": post({"model": "medium", "query": "", "documents": ["x"]}, "/v1/rerank"),
    "documents": post({"model": "medium", "query": "x", "documents": []}, "/v1/rerank"),
    "unknown model": post(GOOD | {"model": "mediun"}),
    "unknown model card": b"GET /v1/models/mediun HTTP/1.1\r\nhost: x\r\n\r\n",
    "no embedding model": post({"model": "auto", "input": "x"}, "/v1/embeddings"),
    "unknown path": post({}, "/v1/chat/completion"),
    "method": b"GET /v1/chat/completions HTTP/1.1\r\nhost: x\r\n\r\n",
    "too large": post(b"a" * 1_100_000),
    "compressed": post(GOOD, CHAT, "content-encoding: gzip"),
    "no key": post(GOOD, CHAT, "x-forwarded-for: 10.0.0.1"),
    "wrong key": post(GOOD, CHAT, "x-forwarded-for: 10.0.0.1", "authorization: Bearer k"),
    "origin": post(GOOD, CHAT, "origin: https://evil.example"),
    "no file": b"GET /files/x HTTP/1.1\r\nhost: x\r\n\r\n",
    "header bomb": b"GET /health HTTP/1.1\r\nhost: x\r\n" + b"x-a: b\r\n" * 300 + b"\r\n",
}


@pytest.mark.parametrize("kind", BAD)
def test_what_is_wrong_with_a_request_is_said_in_both_languages(gateway: Door, kind: str):
    en, zh = answered(gateway, BAD[kind]), answered(gateway, BAD[kind], ZH)
    assert {name: en[name] for name in en if name not in ("message", "request_id")} == {
        name: zh[name] for name in zh if name not in ("message", "request_id")
    }
    assert not is_chinese(en["message"]), en["message"]
    assert is_chinese(zh["message"]) and not english_in(zh["message"]), zh["message"]


FAILURES: dict[str, Any] = {
    "crash": replied(500, {"error": {"message": "CUDA out of memory"}}),
    "crash without a word": replied(500, b""),
    "no stream": replied(200, b"<html>", type="text/html"),
    "nothing": streamed(DONE),
    "broken off": streamed(delta("a"), event({"error": {"message": "CUDA error"}})),
    "cut": streamed(delta("a")),
    "no JSON": streamed(delta("a"), b"data: {x\n\n"),
    "no HTTP": replied(200, b"", "transfer-encoding: odd"),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_what_an_engine_does_is_said_in_both_languages(gateway: Door, kind: str):
    gateway.engine.play = FAILURES[kind]
    en, zh = answered(gateway, post(GOOD)), answered(gateway, post(GOOD), ZH)
    assert (en["status"], en["code"], en["src"]) == (zh["status"], zh["code"], zh["src"])
    assert not is_chinese(en["message"])
    quoted = zh["message"].replace("CUDA out of memory", "").replace("CUDA error", "")
    assert is_chinese(quoted) and not english_in(quoted), zh["message"]


def test_what_the_engine_says_of_the_clients_own_fault_stays_in_its_words(gateway: Door):
    gateway.engine.play = replied(400, {"error": {"message": "top_p must be at most 1"}})
    assert answered(gateway, post(GOOD), ZH)["message"] == "top_p must be at most 1"


@pytest.mark.parametrize(
    ("header", "tongue"),
    [
        (None, None),
        ("", None),
        ("*", None),
        (" , en", "en"),
        ("zh", "zh"),
        ("ZH-hant-TW, en;q=0.9", "zh"),
        ("zh_CN", "zh"),
        ("en, zh", "en"),
        ("ja", "en"),
        ("zha", "en"),
    ],
)
def test_the_header_names_the_language_by_its_beginning(header: str | None, tongue: str | None):
    assert tongue_wanted(header) == tongue


def test_the_header_goes_before_the_question_and_the_question_before_the_config(gateway: Door, chinese_gateway: Door):
    for opened in (gateway, chinese_gateway):
        opened.engine.play = FAILURES["crash"]
    unread = BAD["unknown model"]
    assert not is_chinese(answered(gateway, unread)["message"])
    assert is_chinese(answered(chinese_gateway, unread)["message"])
    assert is_chinese(answered(chinese_gateway, unread, f"accept-language: {ANY}")["message"])
    assert not is_chinese(answered(chinese_gateway, unread, f"accept-language: {FR}")["message"])
    assert not is_chinese(answered(chinese_gateway, unread, EN)["message"])
    for opened in (gateway, chinese_gateway):
        assert is_chinese(answered(opened, post(CHINESE))["message"])
        assert not is_chinese(answered(opened, post(CHINESE), EN)["message"])
        assert not is_chinese(answered(opened, post(GOOD))["message"])
        assert is_chinese(answered(opened, post(GOOD), ZH)["message"])


def test_what_is_no_http_at_all_is_told_in_the_configs_language(gateway: Door, chinese_gateway: Door):
    assert gateway.raw(b"BREW\r\n\r\n").json["error"]["message"] == "this is not a valid HTTP request"
    assert chinese_gateway.raw(b"BREW\r\n\r\n").json["error"]["message"] == "这不是有效的 HTTP 请求"


async def test_an_error_in_the_middle_of_a_stream(tmp_path: Path):
    async with Engine() as engine, running(config(engine), tmp_path) as served:
        for header, begins in ((ZH, "m@b1 中断了回复："), (EN, "m@b1 broke off: ")):
            engine.play = streamed(delta("a"), 0.05)
            async with asking(served, GOOD | {"stream": True}, CHAT, header) as stream:
                assert await stream.head() == 200
                body = await stream.body()
            last = json.loads(body.strip().rpartition(b"data: ")[2])
            assert last["error"]["code"] == "reset" and last["error"]["message"].startswith(begins)


async def test_no_reply_is_said_as_the_header_wants_it(tmp_path: Path):
    long = {"model": "medium", "messages": [{"role": "user", "content": "word " * 400}]}
    async with Engine() as engine:
        sections = config(engine)
        sections["models"]["medium"]["backends"][0]["context"] = 64
        async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base) as client:
            messages = {}
            for language in ("zh", "en"):
                reply = await client.post(CHAT, json=long, headers={"accept-language": language})
                assert reply.status_code == 400
                assert reply.json()["error"]["code"] == "context_length_exceeded"
                messages[language] = reply.json()["error"]["message"]
            plain = (await client.post(CHAT, json=long)).json()["error"]["message"]
    assert is_chinese(messages["zh"]) and not english_in(messages["zh"])
    assert messages["en"] == plain and plain.startswith("about ")


async def test_ready_speaks_both_and_its_codes_stay(tmp_path: Path):
    nowhere = {"engine": "vllm", "model": "m", "name": "v", "base_url": "http://127.0.0.1:9/v1"}
    nofile = {"engine": "embedded", "model": "builtin:smollm2-135n", "name": "e"}
    sections = {"models": {"medium": {"backends": [nowhere, nofile]}}, "rules": {"packs": []}}
    async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base) as client:
        en = (await client.get("/ready")).json()
        zh = (await client.get("/ready", headers={"accept-language": "zh-CN"})).json()
        assert [(t["target"], t["health"]) for t in en["targets"]] == [
            (t["target"], t["health"]) for t in zh["targets"]
        ]
        texts = [*zh["problems"], *(target["problem"] for target in zh["targets"])]
        assert len(texts) == 4
        for text in texts:
            assert is_chinese(text) and not english_in(text), text
        assert not is_chinese(json.dumps(en, ensure_ascii=False))
        assert "connection refused at 127.0.0.1:9" in json.dumps(en)

        served.config.write_text(yaml.safe_dump(sections | {"modles": {}}))
        answers = {}
        for language in ("zh", "en"):
            reply = await client.post("/admin/reload", headers={"accept-language": language})
            assert reply.status_code == 400 and reply.json()["error"]["code"] == "bad_config"
            answers[language] = reply.json()["error"]["message"]
        assert answers["zh"].startswith("重新加载被拒绝") and not english_in(answers["zh"]), answers["zh"]
        assert answers["en"].startswith("reload refused, the old config goes on: ")
        problems = (await client.get("/ready", headers={"accept-language": "zh"})).json()["problems"]
        assert problems[-1].startswith("上一次重新加载被拒绝：")


async def test_a_dead_backend_and_a_slow_one(tmp_path: Path):
    async with Engine() as engine:
        sections = config(engine, fallback={"max_retries": 0})
        sections["models"]["medium"]["backends"][0]["first_byte_timeout"] = 0.3
        async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base) as client:

            async def message(language: str) -> str:
                reply = await client.post(CHAT, json=GOOD, headers={"accept-language": language})
                return str(reply.json()["error"]["message"])

            async def silent(writer: asyncio.StreamWriter) -> None:
                await asyncio.sleep(5)

            engine.play = silent
            assert "no answer from" in await message("en")
            slow = await message("zh")
            assert "没有在 0.3 秒内应答" in slow and not english_in(slow)


def test_problems_and_guesses():
    problem = Problem("a.b", Said("unknown key", "未知的键"), valid="x, y", where="f.yaml:2")
    assert str(problem) == problem.said == "f.yaml:2: a.b: unknown key (valid: x, y)"
    assert told(problem.said, "zh") == "f.yaml:2：a.b：未知的键（合法取值：x, y）"
    plain = Problem("a", "as it was")
    both = Problems([problem, plain])
    assert both.said == str(both) and both.said.zh == f"{problem.said.zh}\na：as it was"
    guess = did_you_mean("mediun", ["medium"])
    assert (guess, guess.zh) == (', did you mean "medium"?', "，是不是“medium”？")
    assert not did_you_mean("x", ["medium"])


# The sources: nothing that reaches a client is in one language only

FOLDERS = ("http", "execution", "pipeline", "admission", "backends", "fleet", "app")
RAISED = {"PointsmanError": 0, "BackendFailure": 1, "Unfit": 1, "Problem": 1, "_wrong": 1, "_gone": 0}


def calls(*folders: str) -> Iterator[tuple[str, ast.Call]]:
    for folder in folders:
        for path in (SOURCES / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call):
                    yield f"{path.relative_to(SOURCES)}:{node.lineno}", node


def test_no_error_is_raised_with_a_text_in_one_language():
    plain = [
        place
        for place, call in calls(*FOLDERS)
        if isinstance(call.func, ast.Name)
        and call.func.id in RAISED
        and len(call.args) > RAISED[call.func.id]
        and isinstance(call.args[RAISED[call.func.id]], (ast.Constant, ast.JoinedStr, ast.BinOp))
    ]
    assert plain == []


def slots(template: str) -> set[str]:
    return {name.split("!")[0] for _, name, _, _ in string.Formatter().parse(template) if name}


def test_both_templates_have_the_same_slots_and_the_chinese_one_is_chinese():
    seen = 0
    for place, call in calls(*FOLDERS, "domain"):
        if isinstance(call.func, ast.Name) and call.func.id in ("said", "Said") and len(call.args) == 2:
            texts = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
            if len(texts) == 2 and all(re.search(r"[a-z]", re.sub(r"{[^}]*}", "", text)) for text in texts[:1]):
                seen += 1
                en, zh = texts
                if call.func.id == "said":
                    assert slots(en) == slots(zh), place
                assert re.search(r"[\u3000-\u9fff\uff00-\uffef]", zh) or en == zh, place
                assert not english_in(zh), (place, english_in(zh))
    assert seen > 100


@pytest.mark.parametrize(
    ("header", "tongue"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("en;q=0.3, zh;q=0.9", "zh"),
        ("en-US,en;q=0.9,zh;q=0.8", "en"),
        ("fr", "en"),
        ("*", None),
        ("zh;q=0", None),
        ("zh;q=nonsense, en", "en"),
        ("", None),
        (None, None),
    ],
)
def test_the_language_that_is_wanted_most(header: str | None, tongue: str | None) -> None:
    from pointsman.http.exchange import tongue_wanted

    assert tongue_wanted(header) == tongue
