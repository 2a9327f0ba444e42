"""wrk: whole replies at full speed over keep-alive connections."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Collection
from pathlib import Path

from pointsman.bench.load import Load
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said

_SCRIPT = """\
local file = io.open(os.getenv("BENCH_BODY"), "rb")
wrk.method = "POST"
wrk.body = file:read("*a")
wrk.headers["content-type"] = "application/json"
if os.getenv("BENCH_KEY") then wrk.headers["authorization"] = "Bearer " .. os.getenv("BENCH_KEY") end
done = function(summary, latency, requests)
  local e = summary.errors
  io.stderr:write(string.format(
    '{"requests":%d,"seconds":%f,"status":%d,"socket":%d,"p50":%f,"p99":%f,"worst":%f}',
    summary.requests, summary.duration / 1e6, e.status, e.connect + e.read + e.write + e.timeout,
    latency:percentile(50), latency:percentile(99), latency.max))
end
"""


def find_wrk() -> str:
    """Raises PointsmanError that says how to get it."""
    path = shutil.which("wrk")
    if path is None:
        raise PointsmanError(
            said(
                "the program wrk is not installed; on Debian and Ubuntu: apt install wrk",
                "没有安装 wrk；在 Debian 和 Ubuntu 上执行：apt install wrk",
            )
        )
    return path


class Wrk:
    """Writes its script and bodies into `folder`; runs on `cores`."""

    def __init__(self, folder: Path, cores: Collection[int] = ()) -> None:
        self._program = find_wrk()
        self._folder = folder
        self._cores = cores
        self._script = folder / "post.lua"
        self._script.write_text(_SCRIPT)
        self._bodies: dict[bytes, Path] = {}

    def run(self, port: int, path: str, body: bytes, connections: int, seconds: float, key: str | None = None) -> Load:
        """wrk counts whole seconds: `seconds` is rounded up. Raises PointsmanError."""
        file = self._bodies.get(body)
        if file is None:
            file = self._bodies[body] = self._folder / f"body-{len(self._bodies)}.json"
            file.write_bytes(body)
        env = os.environ | {"BENCH_BODY": str(file)} | ({"BENCH_KEY": key} if key else {})
        command = [self._program, "-t1", f"-c{connections}", f"-d{max(1, round(seconds + 0.499))}s", "--timeout", "20s"]
        command += ["-s", str(self._script), f"http://127.0.0.1:{port}{path}"]
        cores = self._cores
        done = subprocess.run(  # noqa: S603
            command,
            env=env,
            capture_output=True,
            text=True,
            timeout=seconds + 60,
            preexec_fn=(lambda: os.sched_setaffinity(0, cores)) if cores else None,
        )
        try:
            told = json.loads(done.stderr)
        except ValueError:
            message = said("wrk failed: {output}", "wrk 出错：{output}", output=(done.stderr or done.stdout)[-500:])
            raise PointsmanError(message) from None
        errors = int(told["status"]) + int(told["socket"])
        trouble = ""
        if errors:
            trouble = said(
                "{status} replies with another status than 200, {socket} failed connections",
                "{status} 个回复的状态码不是 200，{socket} 次连接失败",
                status=int(told["status"]),
                socket=int(told["socket"]),
            )
        answered = int(told["requests"]) - int(told["status"])
        return Load(answered, told["seconds"], errors, told["p50"], told["p99"], told["worst"], trouble)
