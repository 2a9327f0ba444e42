"""Does what a real handler does, by a plan: decides step by step, executes, publishes one effect, ends."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
from pathlib import Path

from faults.plans import WAYS, Plan, children, plan_of
from pointsman.pipeline.passage import Finished, Passage, Waiting
from pointsman.ports.file_store import FileStore

EFFECTS = "effects/"


class Broken(Exception):
    """As planned."""


class Doing:
    """The effect of a job's last step says who made it; a job's result is the effect that is there in the end."""

    def __init__(self, files: FileStore, folder: Path, name: str) -> None:
        self._files = files
        self._folder = folder
        self._name = name

    async def handle(self, passage: Passage) -> Finished | Waiting:
        plan = plan_of(passage.job)
        if plan.gate is not None:
            while not (self._folder / plan.gate).exists():
                await asyncio.sleep(0.01)
        if passage.job.lost < plan.kills:
            await asyncio.sleep(plan.hurts)
            os.kill(os.getpid(), signal.SIGKILL)
        await _begin(passage, plan)
        for number in range(plan.steps):
            await asyncio.sleep(plan.pause)
            await passage.go("stepped", about={"step": str(number)})
        if passage.job.failures < plan.fails:
            raise Broken
        if plan.again and passage.job.data != b"again":
            await passage.go("sent_again", data=b"again")
            await passage.go("dispatched")
        if plan.children and passage.job.data != b"spread":
            await passage.go("stepped", data=b"spread", left=plan.children, spawn=children(passage.job))
        if plan.children and passage.job.left:
            return Waiting()
        return Finished(result=await self._effect(f"{EFFECTS}{passage.effect}.{plan.steps}", passage))

    async def _effect(self, key: str, passage: Passage) -> bytes:
        made = f"{self._name} {passage.job.token} {secrets.token_hex(4)}".encode()
        if await self._files.publish(key, made):
            return made
        there = await self._files.read(key)
        assert there is not None
        return there


async def _begin(passage: Passage, plan: Plan) -> None:
    if passage.place.state == "execution":
        await passage.go("resumed")
        return
    way = WAYS[plan.way]
    if passage.place.state != "received":
        await passage.go("restarted")
        way = way[1:]
        if passage.place.asked:  # the user need not be asked once more
            way = ("matched", "dispatched")
    for event in way:
        await passage.go(event)
