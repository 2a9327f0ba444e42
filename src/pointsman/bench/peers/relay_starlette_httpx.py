"""A relay as most are written: Starlette under uvicorn, httpx towards the upstream.
`python relay_starlette_httpx.py PORT UPSTREAM_PORT`."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

HOPS = ("transfer-encoding", "connection", "keep-alive", "content-length")


def application(upstream: int) -> Starlette:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    client = httpx.AsyncClient(base_url=f"http://127.0.0.1:{upstream}", limits=limits, timeout=60.0, trust_env=False)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with client:
            yield

    async def relay(request: Request) -> Response:
        headers = {"content-type": "application/json"}
        asked = client.build_request("POST", request.url.path, content=await request.body(), headers=headers)
        reply = await client.send(asked, stream=True)
        kept = {name: value for name, value in reply.headers.items() if name not in HOPS}
        if "content-length" in reply.headers:
            data = await reply.aread()
            return Response(data, reply.status_code, kept)
        return StreamingResponse(reply.aiter_raw(), reply.status_code, kept, background=BackgroundTask(reply.aclose))

    return Starlette(routes=[Route("/{path:path}", relay, methods=["POST"])], lifespan=lifespan)


if __name__ == "__main__":
    uvicorn.run(
        application(int(sys.argv[2])),
        host="127.0.0.1",
        port=int(sys.argv[1]),
        loop="uvloop",
        http="httptools",
        ws="none",
        log_level="error",
        access_log=False,
        backlog=2048,
    )
