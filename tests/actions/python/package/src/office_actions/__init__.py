"""Actions as an integrator writes them."""

import asyncio
import os
import subprocess
from pathlib import Path
from typing import Annotated, Any

import msgspec

from pointsman import Context, Result

File = Annotated[str, msgspec.Meta(extra_json_schema={"format": "file"})]


def add_vat(net: float, rate: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.13) -> str:
    """Adds value added tax to a net amount."""
    return f"{net * (1 + rate):.2f}"


async def badge(name: str, context: Context, title: str = "Ms") -> Result:
    """Makes a badge."""
    await asyncio.sleep(0)
    (context.folder / "badge.txt").write_text(f"{title} {name}", encoding="utf-8")
    words = f"{name} 的胸牌已生成。" if context.language == "zh" else f"A badge for {name}."
    return Result(text=words, values={"name": name, "for": context.caller}, files=("badge.txt",))


def count_lines(file: File) -> dict[str, int]:
    """Counts the lines of a file."""
    return {"lines": len(Path(file).read_text(encoding="utf-8").splitlines())}


def late(seconds: float) -> None:
    """Takes its time."""
    asyncio.run(asyncio.sleep(seconds))


def forks(folder: str) -> None:
    """Leaves a process behind, if it can."""
    child = subprocess.Popen(["sleep", "60"])
    (Path(folder) / "pid").write_text(f"{os.getpid()} {child.pid}")
    child.wait()


def untyped(anything) -> Any:  # type: ignore[no-untyped-def]
    """Nobody knows what it takes."""
    return anything
