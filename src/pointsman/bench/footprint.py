"""What compiled rules hold of memory, and how long compiling takes: in a process of its own, so that nothing else is in the
figure. `python -m pointsman.bench.footprint COUNT` prints JSON."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from collections.abc import Sequence

import psutil

from pointsman.bench.policies import as_rules, random_rules
from pointsman.rules import compile_rules


def footprint(count: int) -> dict[str, float]:
    """`compile_s`, and `added_bytes` of resident memory, the rules as they were read among them."""
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "pointsman.bench.footprint", str(count)], capture_output=True, text=True, check=True
    )
    told: dict[str, float] = json.loads(done.stdout)
    return told


def _measured(count: int) -> dict[str, float]:
    compile_rules(as_rules(random_rules(3)[0]))  # what is loaded once is not the rules'
    before = _resident()
    rules = as_rules(random_rules(count)[0])
    began = time.perf_counter()
    compiled = compile_rules(rules)
    took = time.perf_counter() - began
    gc.collect()
    assert len(compiled.rules) == count
    return {"compile_s": took, "added_bytes": float(_resident() - before)}


def _resident() -> int:
    return int(psutil.Process().memory_info().rss)


def main(arguments: Sequence[str]) -> None:
    print(json.dumps(_measured(int(arguments[0]))))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
