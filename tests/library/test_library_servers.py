"""The middleware in real FastAPI and Starlette applications, under a real server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, Request, WebSocket
from fastapi.responses import StreamingResponse
from openai import OpenAI
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route

from library.office import office
from pointsman.library.asgi import RulesMiddleware

RULES = office()


class Chat(BaseModel):
    message: str
    more: dict[str, Any] = {}


def _risk(request: Request) -> str | None:
    outcome = request.scope.get("pointsman")
    return outcome.risk if outcome else None


def fastapi_app() -> FastAPI:
    started: list[str] = []

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        started.append("up")
        yield

    app = FastAPI(lifespan=lifespan)
    app.add_middleware(RulesMiddleware, rules=RULES)
    app.state.gone = threading.Event()

    @app.post("/chat")
    async def chat(body: Chat, request: Request) -> dict[str, Any]:
        return {"model": body.message, "risk": _risk(request), "more": len(str(body.more))}

    @app.post("/v1/chat/completions")
    async def completions(request: Request) -> StreamingResponse:
        body = await request.json()

        async def pieces() -> AsyncIterator[str]:
            try:
                for word in ("one", "two"):
                    yield f"data: {word} {body['model']}\n\n"
                    await asyncio.sleep(30 if body["model"] == "slow" else 0)
            except asyncio.CancelledError:
                app.state.gone.set()
                raise

        return StreamingResponse(pieces(), media_type="text/event-stream")

    @app.get("/chat")
    async def page() -> list[str]:
        return started

    @app.websocket("/chat")
    async def socket_(websocket: WebSocket) -> None:
        await websocket.accept()
        await websocket.send_text(f"echo {await websocket.receive_text()}")
        await websocket.close()

    return app


def starlette_app() -> Starlette:
    async def chat(request: Any) -> JSONResponse:
        try:
            body = await request.body()
        except ClientDisconnect:
            return JSONResponse({"gone": True})
        return JSONResponse({"model": len(body)})

    inner = Starlette(
        routes=[Route("/chat", chat, methods=["POST"])], middleware=[Middleware(RulesMiddleware, rules=RULES)]
    )
    return Starlette(routes=[Mount("/api", inner)])


@contextlib.contextmanager
def served(app: Any) -> Iterator[str]:
    """The application under uvicorn, in a thread; gives its URL."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="websockets-sansio"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return fastapi_app()


@pytest.fixture(scope="module")
def base(app: FastAPI) -> Iterator[str]:
    with served(app) as url:
        yield url


def test_fastapi_rules_and_routes(base: str) -> None:
    with httpx.Client(base_url=base) as client:
        taken = client.post("/chat", json={"message": "他的工资"})
        assert taken.text == "工资保密。请问人事。" and taken.headers["x-pointsman-rule"] == "salary"
        passed = client.post("/chat", json={"message": "my password"})
        assert passed.json() == {"model": "my password", "risk": "high", "more": 2}
        assert "x-pointsman-stage" not in passed.headers
        assert client.post("/chat", json={"mesage": "x"}).status_code == 422, "FastAPI's own validation"
        assert client.post("/chat", content=b"{").status_code == 422
        assert client.get("/chat").json() == ["up"]


def test_a_body_in_chunks_and_a_large_one(base: str) -> None:
    data = json.dumps({"message": "a mutex?", "more": {"x": "y" * 300_000}}).encode()
    with httpx.Client(base_url=base) as client:
        headers = {"content-type": "application/json"}
        chunks = (data[start : start + 1000] for start in range(0, len(data), 1000))
        assert client.post("/chat", content=chunks, headers=headers).json()["more"] > 300_000
        large = json.dumps({"message": "her salary", "more": {"x": "y" * 2_000_000}}).encode()
        chunks = (large[start : start + 100_000] for start in range(0, len(large), 100_000))
        assert client.post("/chat", content=chunks, headers=headers).json()["model"] == "her salary", "beyond the limit"


def test_the_openai_client_whole_and_streamed(base: str) -> None:
    with httpx.Client() as http, OpenAI(base_url=f"{base}/v1", api_key="x", http_client=http) as client:
        ask: Any = {"model": "m", "messages": [{"role": "user", "content": "my vpn is broken"}]}
        said = "Restart the vpn (broken); you wrote: my vpn is broken"
        assert client.chat.completions.create(**ask).choices[0].message.content == said
        with client.chat.completions.create(**ask, stream=True) as stream:
            assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == said


def test_the_applications_own_stream_and_a_client_that_leaves_it(app: FastAPI, base: str) -> None:
    with httpx.Client(base_url=base) as client:
        ask = {"messages": [{"role": "user", "content": "a mutex?"}], "model": "m"}
        assert client.post("/v1/chat/completions", json=ask).text == "data: one m\n\ndata: two m\n\n"
        with client.stream("POST", "/v1/chat/completions", json={**ask, "model": "slow"}) as reply:
            assert next(reply.iter_text()) == "data: one slow\n\n"
        assert app.state.gone.wait(10), "the application learns that its client is gone"


async def test_many_at_once(base: str) -> None:
    async with httpx.AsyncClient(base_url=base, timeout=30) as client:
        texts = [("her salary" if number % 3 else "a mutex?") + f" {number}" for number in range(60)]
        replies = await asyncio.gather(*(client.post("/chat", json={"message": text}) for text in texts))
    for text, reply in zip(texts, replies, strict=True):
        assert reply.text.startswith("Salaries") if "salary" in text else reply.json()["model"] == text


def test_websockets_pass(base: str) -> None:
    from websockets.sync.client import connect

    with connect(f"{base.replace('http', 'ws')}/chat", proxy=None) as websocket:
        websocket.send("her salary")
        assert websocket.recv() == "echo her salary"


def test_starlette_mounted(base: str) -> None:
    with served(starlette_app()) as url, httpx.Client(base_url=url) as client:
        assert client.post("/api/chat", json={"message": "her salary"}).text.startswith("Salaries")
        assert client.post("/api/chat", content=b"x" * 5000).json() == {"model": 5000}
        with socket.create_connection(("127.0.0.1", httpx.URL(url).port or 0)) as half:
            half.sendall(b'POST /api/chat HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"message": ')
        assert client.post("/api/chat", json={"message": "a"}).status_code == 200, "the server is as well as before"
