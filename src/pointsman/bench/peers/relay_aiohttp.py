"""A relay with aiohttp on both sides: `python relay_aiohttp.py PORT UPSTREAM_PORT`."""

import asyncio
import sys
from collections.abc import AsyncIterator

import aiohttp
import uvloop
from aiohttp import web

HOPS = ("transfer-encoding", "connection", "keep-alive", "content-length")
SESSION = web.AppKey("session", aiohttp.ClientSession)


def application(upstream: int) -> web.Application:
    base = f"http://127.0.0.1:{upstream}"

    async def session(app: web.Application) -> AsyncIterator[None]:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector, auto_decompress=False) as opened:
            app[SESSION] = opened
            yield

    async def relay(request: web.Request) -> web.StreamResponse:
        headers = {"content-type": "application/json"}
        body = await request.read()
        async with request.app[SESSION].post(base + request.path, data=body, headers=headers) as reply:
            kept = {name: value for name, value in reply.headers.items() if name.lower() not in HOPS}
            if "content-length" in reply.headers:
                return web.Response(status=reply.status, headers=kept, body=await reply.read())
            response = web.StreamResponse(status=reply.status, headers=kept)
            await response.prepare(request)
            async for data in reply.content.iter_any():
                await response.write(data)
            await response.write_eof()
            return response

    app = web.Application(client_max_size=64 << 20)
    app.router.add_post("/{path:.*}", relay)
    app.cleanup_ctx.append(session)
    return app


async def main(port: int, upstream: int) -> None:
    runner = web.AppRunner(application(upstream), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port, backlog=2048).start()
    await asyncio.Event().wait()


uvloop.run(main(int(sys.argv[1]), int(sys.argv[2])))
