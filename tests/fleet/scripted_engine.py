"""`python scripted_engine.py --port N …`: an engine that only plays one, as a command line starts it. What it does wrong is
said by its flags."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--model", default="some")
parser.add_argument("--no-health", action="store_true")
parser.add_argument("--say", action="append", default=[])
parser.add_argument("--exit", type=int)
parser.add_argument("--hang", action="store_true")
parser.add_argument("--deaf", action="store_true")
parser.add_argument("--child", choices=["group", "session"], help="another process, that is deaf, and is left behind")
parser.add_argument("--pids", help="a file for the ids of the processes")
parser.add_argument("--slow", type=float, default=0.0, help="seconds of /health 503")
options = parser.parse_args()

for line in options.say:
    print(line, file=sys.stderr, flush=True)
if options.deaf:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
pids = [os.getpid()]
if options.child:
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
    command = [sys.executable, "-I", "-S", "-c", deaf]
    apart = subprocess.Popen(command, start_new_session=options.child == "session", stdout=subprocess.PIPE)
    apart.stdout.readline()
    pids.append(apart.pid)
if options.pids:
    new = Path(options.pids + ".new")
    new.write_text(" ".join(map(str, pids)))
    new.replace(options.pids)
if options.exit is not None:
    os._exit(options.exit)
if options.hang:
    time.sleep(600)
began = time.monotonic()
FILES = sorted(int(entry.name) for entry in Path("/proc/self/fd").iterdir() if entry.exists())


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        facts = {
            "pid": os.getpid(),
            "cwd": str(Path.cwd()),
            "env": os.environ.get("SCRIPTED"),
            "stdin": str(Path("/proc/self/fd/0").readlink()),
            "files": FILES,
        }
        answers = {
            "/v1/models": {"object": "list", "data": [{"id": options.model, "object": "model"}]},
            "/facts": facts,
        }
        status = 200 if self.path in answers else 404
        if self.path == "/health" and not options.no_health:
            status = 503 if time.monotonic() - began < options.slow else 200
        body = json.dumps(answers.get(self.path, {})).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        """A chat's reply, as a stream: the name of the model and the process that serves it."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        delta = {"role": "assistant", "content": f"{options.model} {os.getpid()}"}
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": asked["model"]}
        events = [
            {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
            {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        ]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for event in events:
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *words: object) -> None:
        pass


HTTPServer(("127.0.0.1", options.port), Handler).serve_forever()
