"""Verbs that only look at the config start no MCP server; what one said before is known."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pointsman.actions.mcp.listed_before import keep_tools, tools_before
from pointsman.actions.mcp.tool import Tool
from pointsman.app.build import NOBODY, build
from pointsman.app.mcp_servers import servers_of
from pointsman.cli import main
from pointsman.config.action_schema import McpServer
from pointsman.config.load import load

from .given import SCRIPTED

RULE = {
    "id": "sum", "when": {"template": "{a} plus {b}", "slots": {"a": ["1", "2"], "b": ["1", "2"]}}, "action": "script_add",
    "examples": ["1 plus 2"], "counter_examples": ["one plus two"], "boundary": [{"text": "1 plus 2 now", "takes": False}],
}  # fmt: skip


@pytest.fixture
def own(tmp_path: Path) -> Callable[..., Path]:
    """A config whose server notes each start in a file."""
    started = tmp_path / "started"
    script = f"open({str(started)!r}, 'a').write('x'); import runpy; runpy.run_path({SCRIPTED!r}, run_name='__main__')"

    def written(**more: Any) -> Path:
        server = {"command": [sys.executable, "-c", script], "tools": "all"}
        config = {
            "server": {"data_dir": str(tmp_path / "data")},
            "rules": {"packs": [], "files": ["rules.yaml"]},
            "models": {
                "medium": {"backends": [{"engine": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}]}
            },
            "mcp_servers": {"script": server},
        } | more
        (tmp_path / "rules.yaml").write_text(json.dumps({"rules": [RULE]}), encoding="utf-8")
        path = tmp_path / "pointsman.yaml"
        path.write_text(json.dumps(config), encoding="utf-8")
        return path

    return written


def starts(path: Path) -> int:
    started = path.parent / "started"
    return len(started.read_text()) if started.exists() else 0


def test_looking_starts_nothing(own: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    path = own()
    assert main(["explain", "1 plus 2", "--config", str(path)]) == 0
    assert "script_add" in capsys.readouterr().out and starts(path) == 0
    assert main(["rules", "ls", "--config", str(path)]) == 0
    assert main(["test", "--config", str(path)]) == 0
    assert starts(path) == 0
    assert main(["check", "--config", str(path)]) == 0
    assert starts(path) == 1


def test_what_it_said_before_is_known(own: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    path = own()
    (path.parent / "data").mkdir()
    spec = build(load(path), may_ask=NOBODY).policy.document.actions["script_add"].spec
    assert spec is not None and spec.properties == {}, "nobody knows what it takes"
    assert main(["actions", "ls", "--config", str(path)]) == 0
    assert starts(path) == 1
    built = build(load(path), may_ask=NOBODY)
    spec = built.policy.document.actions["script_add"].spec
    assert spec is not None and spec.properties["a"]["type"] == "integer" and starts(path) == 1
    capsys.readouterr()
    assert main(["explain", "1 plus 2", "--json", "--config", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["parameters"] == {"a": 1, "b": 2}


def test_one_that_does_not_answer_is_as_it_was(own: Callable[..., Path], tmp_path: Path) -> None:
    path = own()
    (tmp_path / "data").mkdir()
    build(load(path))
    server = McpServer(command=json.loads(path.read_text())["mcp_servers"]["script"]["command"])
    assert "add" in tools_before(tmp_path / "data", {"script": server})["script"]
    broken = [sys.executable, "-c", "import sys; sys.exit(3)"]
    keep_tools(tmp_path / "data", {"script": McpServer(command=broken)}, {"script": {"add": Tool("add")}})
    built = build(load(own(mcp_servers={"script": {"command": broken, "tools": "all"}})))
    assert built.policy.document.actions["script_add"].spec is not None
    assert any("script" in note for note in built.unread)


def test_only_the_server_of_that_action_is_asked(own: Callable[..., Path]) -> None:
    path = own()
    other = {"command": [sys.executable, "-c", "import time; time.sleep(100)"], "tools": "all"}
    servers = json.loads(path.read_text())["mcp_servers"] | {"other": other}
    actions = {"chain": {"steps": [{"action": "script_add"}]}, "own": {"mcp": {"server": "other", "tool": "x"}}}
    config = load(own(mcp_servers=servers, actions=actions)).draft
    assert servers_of("script_add", config) == {"script"} and servers_of("chain", config) == {"script"}
    assert servers_of("own", config) == {"other"} and servers_of("report", config) == frozenset()


def test_another_server_of_that_name_is_another(tmp_path: Path) -> None:
    then, now = McpServer(command=["a"]), McpServer(command=["b"])
    keep_tools(tmp_path, {"x": then, "y": then}, {"x": {"t": Tool("t")}, "y": {}})
    assert tools_before(tmp_path, {"x": then}) == {"x": {"t": Tool("t")}}
    assert tools_before(tmp_path, {"x": now}) == {}
    keep_tools(tmp_path, {"x": now}, {"x": {"u": Tool("u")}})
    assert tools_before(tmp_path, {"x": now, "y": then}) == {"x": {"u": Tool("u")}}, "servers that are gone go"
    (tmp_path / "mcp-tools.json").write_text("garbage")
    assert tools_before(tmp_path, {"x": now}) == {}
    keep_tools(tmp_path / "none", {"x": now}, {"x": {}})
    assert not (tmp_path / "none").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["mcp-tools.json"]
