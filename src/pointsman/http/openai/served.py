"""What there is to say of how a model served a request: masked values, and replies that had been kept."""

from __future__ import annotations

from typing import Any

from pointsman.http.decision_headers import header_text
from pointsman.http.header_lines import header_lines
from pointsman.pipeline.handle import Run

SHORT = 0.001
"""Seconds at the gate that nobody needs to know of."""


def served_lines(run: Run) -> bytes:
    """Response headers; mostly none."""
    waited, allowance = run.waited, run.allowance
    if run.cache is None and not run.masked and waited < SHORT and allowance is None:
        return b""
    pairs = [] if allowance is None else [*allowance.headers]
    if waited >= SHORT:
        loaded = b"" if run.loaded is None else b"; loaded=" + header_text(run.loaded)
        pairs.append((b"x-pointsman-waited", b"%.3f%b" % (waited, loaded)))
    if run.masked:
        pairs.append(
            (b"x-pointsman-masked", ", ".join(f"{kind}={count}" for kind, count in run.masked.items()).encode())
        )
    if run.age is not None:
        pairs.append((b"x-pointsman-cache", b"hit; age=%d" % run.age))
    elif run.cache is not None:
        pairs.append((b"x-pointsman-cache", run.cache.encode()))
    return header_lines(*pairs)


def served_trace(run: Run) -> dict[str, Any]:
    """Members of the `pointsman` object; mostly none."""
    trace: dict[str, Any] = {}
    if run.waited >= SHORT:
        trace["waited"] = round(run.waited, 3)
        if run.loaded is not None:
            trace["loaded"] = run.loaded
    if run.masked:
        trace["masked"] = run.masked
    if run.cache is not None:
        trace["cache"] = {"outcome": run.cache, "age": None if run.age is None else int(run.age)}
    return trace
