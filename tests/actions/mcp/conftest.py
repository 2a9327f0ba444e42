"""Every asynchronous test here runs on asyncio's own loop and on uvloop, which the gateway runs on."""

from __future__ import annotations

import asyncio

import uvloop


def pytest_asyncio_loop_factories(config, item):
    return {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}
