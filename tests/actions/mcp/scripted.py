"""An MCP server over stdio that does what it is told, well-behaved or not: `python scripted.py [MODE]`. The standard library
alone; no code of the gateway's."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
import time
from typing import Any

MODE = sys.argv[1] if len(sys.argv) > 1 else ""
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
TEXT = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}
NOTHING = {"type": "object", "properties": {}}
READS = {"readOnlyHint": True}
changed = False
lock = threading.Lock()
replies: dict[Any, dict[str, Any]] = {}
cancelled: list[Any] = []
arrived = threading.Condition()


def tools() -> list[dict[str, Any]]:
    add = {
        "type": "object",
        "properties": {"a": {"type": "integer", "title": "first number"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    }
    if changed:
        add = {"type": "object", "properties": {"numbers": {"type": "array"}}, "required": ["numbers"]}
    odd = {"type": "object", "properties": {"x": {"$ref": "http://127.0.0.1:1/schema.json"}}}
    return [
        {"name": "echo", "description": "Says the text again.\nWord by word.", "inputSchema": TEXT, "annotations": READS},
        {"name": "add", "title": "Sum", "description": "Adds.", "inputSchema": add, "annotations": READS},
        *(
            {"name": name, "description": name, "inputSchema": NOTHING, "annotations": READS}
            for name in ("pid", "env", "hang", "die", "garbage", "huge", "endless", "noise", "picture", "fails", "refuses",
                         "asks", "forks", "escapes", "change", "vanish", "cancelled", "files", "json", "dirty", "input")
        ),
        {"name": "late", "inputSchema": {"type": "object", "properties": {"seconds": {"type": "number"}}},
         "annotations": READS},
        {"name": "write", "description": "Changes something.", "inputSchema": NOTHING},
        {"name": "write_and_die", "description": "Changes something, then dies.", "inputSchema": NOTHING},
        {"name": "set", "description": "The same twice.", "inputSchema": NOTHING, "annotations": {"idempotentHint": True}},
        {"name": "task", "inputSchema": NOTHING, "execution": {"taskSupport": "required"}},
        {"name": "odd", "inputSchema": odd},
        "not a tool",
    ]  # fmt: skip


def say(message: Any) -> None:
    line = json.dumps(message)
    with lock:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def text(*parts: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": part} for part in parts], **more}


def call(number: Any, name: str, given: dict[str, Any]) -> dict[str, Any] | None:
    global changed
    match name:
        case "echo":
            return text(given["text"])
        case "add":
            total = sum(given["numbers"]) if changed else given["a"] + given["b"]
            return text(str(total), structuredContent={"total": total})
        case "pid":
            return text(str(os.getpid()))
        case "env":
            return text(json.dumps(dict(os.environ)))
        case "hang":
            return None
        case "die" | "write_and_die":
            sys.stderr.write("the disk is on fire\n")
            sys.stderr.flush()
            os._exit(3)
        case "garbage":
            for _ in range(200):
                sys.stdout.write("Traceback (most recent call last): \x1b[31moops\n")
            sys.stdout.flush()
            return None
        case "huge":
            part = "x" * (1 << 20)
            head = {"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "text", "text": ""}]}}
            sys.stdout.write(json.dumps(head).removesuffix('"}]}}'))
            for _ in range(1024):
                sys.stdout.write(part)
            sys.stdout.write('"}]}}\n')
            sys.stdout.flush()
            return None
        case "endless":
            while True:
                sys.stdout.write("x" * (1 << 16))
        case "noise":
            while True:
                say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x" * 10_000}})
        case "picture":
            data = base64.b64encode(PNG).decode()
            return {"content": [
                {"type": "text", "text": "A picture:"},
                {"type": "image", "data": data, "mimeType": "image/png"},
                {"type": "audio", "data": data, "mimeType": "audio/wav"},
            ]}  # fmt: skip
        case "files":
            blob = base64.b64encode(b"\0\1").decode()
            return {"content": [
                {"type": "resource", "resource": {"uri": "file:///a/../notes%20of.md", "text": "# Notes"}},
                {"type": "resource", "resource": {"uri": "x://y/?", "blob": blob, "mimeType": "in valid"}},
                {"type": "resource_link", "uri": "https://example.com/a", "name": "a\nlink"},
                {"type": "of the future", "secret": 1},
            ]}  # fmt: skip
        case "json":
            return text('{"city": "Lyon", "degrees": 21}')
        case "dirty":
            return text("a\x1b[31mred\x1b[0m\x00\u202eb\r\nc", structuredContent={"a\x07": ["\x1b]0;title\x07x"]})
        case "fails":
            return text("no such row\x1b[0m", isError=True)
        case "input":
            return {"resultType": "input_required", "inputRequests": {}}
        case "asks":
            say({"jsonrpc": "2.0", "id": "s1", "method": "sampling/createMessage", "params": {"messages": []}})
            say({"jsonrpc": "2.0", "id": "p1", "method": "ping"})
            with arrived:
                arrived.wait_for(lambda: {"s1", "p1"} <= set(replies), 20)
            return text(json.dumps([replies["s1"]["error"]["code"], replies["p1"]["result"]]))
        case "forks" | "escapes":
            away = name == "escapes"
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"], start_new_session=away)
            return text(str(child.pid))
        case "change":
            changed = True
            say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
            return text("changed")
        case "cancelled":
            return text(str(len(cancelled)))
        case "late":
            time.sleep(given["seconds"])
            return text(str(given["seconds"]))
        case _:
            return text("done: " + name)


def answer(message: dict[str, Any]) -> None:
    number, method = message["id"], message["method"]
    params = message.get("params") or {}
    meta = params.get("_meta") or {}
    stateless = meta.get("io.modelcontextprotocol/protocolVersion")
    if MODE == "stateless" and stateless != "2026-07-28":
        return say({"jsonrpc": "2.0", "id": number, "error": {"code": -32022, "message": "Unsupported protocol version",
                                                               "data": {"supported": ["2026-07-28"]}}})  # fmt: skip
    if method == "server/discover" and MODE == "stateless":
        result: Any = {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
    elif method == "initialize":
        version = "1999-01-01" if MODE == "old" else params["protocolVersion"]
        result = {
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "x", "version": "1"},
        }
    elif method == "tools/list":
        start = int(params.get("cursor", 0))
        every = tools()
        result = {"tools": every[start : start + 10]}
        if start + 10 < len(every):
            result["nextCursor"] = str(start + 10)
        if MODE == "pages":
            result = {"tools": [{"name": f"t{start}", "inputSchema": NOTHING}], "nextCursor": str(start + 1)}
    elif method == "tools/call" and params["name"] == "refuses":
        return say({"jsonrpc": "2.0", "id": number, "error": {"code": -32602, "message": "not\nlike this"}})
    elif method == "tools/call":
        result = call(number, params["name"], params.get("arguments") or {})
        if result is None:
            return None
        if MODE == "stateless":
            result["resultType"] = result.get("resultType", "complete")
    else:
        return say({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "what?"}})
    return say({"jsonrpc": "2.0", "id": number, "result": result})


def main() -> None:
    if MODE == "dies":
        sys.exit("ModuleNotFoundError: No module named 'everything'")
    if MODE == "hangs":
        time.sleep(1000)
    if MODE == "garbage":
        while True:
            sys.stdout.write("Welcome to the server!\n")
    if MODE == "stderr":
        threading.Thread(target=flood, daemon=True).start()
    if MODE == "chatty":
        sys.stdout.write("Starting up...\n\n[1, 2]\n")
    if MODE == "deaf":
        time.sleep(1000)
    for line in sys.stdin:
        message = json.loads(line)
        if "method" not in message:
            with arrived:
                replies[message["id"]] = message
                arrived.notify_all()
        elif "id" in message:
            threading.Thread(target=answer, args=(message,), daemon=True).start()
        elif message["method"] == "notifications/cancelled":
            cancelled.append(message["params"]["requestId"])
    if MODE == "stays":
        time.sleep(1000)


def flood() -> None:
    while True:
        sys.stderr.write("E" * 65536)


main()
