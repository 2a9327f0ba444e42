"""Work on long texts, beside the event loop."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_THREAD = ThreadPoolExecutor(1, thread_name_prefix="apart")
"""One, because threads share the interpreter's lock: several finish no sooner, and the loop waits for them all."""


async def apart(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `work` returns or raises, in the caller's context. Pieces of work are done in turn; one that is cancelled
    before its turn is not begun. For what computes; what waits for a disk belongs into `asyncio.to_thread`."""
    context = contextvars.copy_context()
    call = partial(context.run, work, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_THREAD, call)
