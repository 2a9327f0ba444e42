"""Schemas of tools come from third parties: nothing that they refer to outside of themselves is looked at."""

from __future__ import annotations

import http.server
import threading

from pointsman.actions.parameters import schema_problem
from pointsman.domain.json_schema import validator_of


def test_nothing_is_fetched(tmp_path):
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        file = tmp_path / "schema.json"
        file.write_text('{"type": "string"}')
        for uri in (f"http://127.0.0.1:{server.server_port}/x", file.as_uri()):
            assert "outside" in (schema_problem({"properties": {"a": {"$ref": uri}}}) or "")
            schema_problem({"$schema": uri})
            schema_problem({"$id": uri, "properties": {"a": {"$ref": "#/nowhere"}}})
            schema_problem({"$dynamicRef": uri, "properties": {"a": {"$ref": "other"}}, "$id": uri})
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert asked == []


def test_what_is_nested_without_end_or_grows_is_no_schema_or_takes_no_time():
    deep: dict = {}
    inner = deep
    for _ in range(5000):
        inner["properties"] = {"a": {}}
        inner = inner["properties"]["a"]
    assert schema_problem(deep) is not None
    validator = validator_of({"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}})
    assert not validator.is_valid({"a": "a" * 5000 + "!"})
