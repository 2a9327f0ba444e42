"""Path and method → the door that answers, or a 404 or 405 that says what there is."""

from __future__ import annotations

import msgspec
import pytest

from pointsman.config.schema import Auth, Key
from pointsman.http.auth import Keys, hash_key
from pointsman.http.cors import Cors
from pointsman.http.exchange import Client
from pointsman.http.gateway import Doors, Gateway
from pointsman.http.paths import Paths

KNOWN = ["/v1/files", "/v1/files/{id}", "/v1/files/{id}/content", "/v1/models/", "/v1/models", "/x/all", "/x/{id}"]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/v1/files", ("/v1/files", "")),
        ("/v1/files/file-1", ("/v1/files/{id}", "file-1")),
        ("/v1/files/file-1/content", ("/v1/files/{id}/content", "file-1")),
        ("/v1/files/content", ("/v1/files/{id}", "content")),
        ("/v1/models/a/b", ("/v1/models/", "a/b")),
        ("/v1/models/", ("/v1/models/", "")),
        ("/v1/models", ("/v1/models", "")),
        ("/x/all", ("/x/all", "")),
        ("/x/one", ("/x/{id}", "one")),
        ("/v1/files/", None),
        ("/v1/files//content", None),
        ("/v1/files/a/b", None),
        ("/v1/files/a/b/content", None),
        ("/v1/files/a/contents", None),
        ("/v1/files/{id}", ("/v1/files/{id}", "{id}")),
        ("/x/", None),
        ("/y", None),
        ("", None),
    ],
)
def test_a_path_is_found_with_the_name_in_it(path: str, found: tuple[str, str] | None):
    assert Paths(KNOWN).find(path) == found


class Line:
    """The wire of one exchange; `sent` is what went out."""

    choked = False

    def __init__(self) -> None:
        self.sent = b""

    def write(self, data: bytes) -> None:
        self.sent += data

    async def drained(self) -> None: ...

    def done(self) -> None: ...


def asked(method: str, path: str, *, loopback: bool = True, **headers: str) -> tuple[int, bytes, bytes]:
    """Status, head and body of the answer."""

    def named(of: str):
        return lambda client, *body: client.json(200, [of, client.named, client.caller.name])

    doors = Doors(
        gets={"/health": named("health"), "/things/{id}": named("get"), "/models/": named("model")},
        posts={"/things": named("make"), "/things/{id}/cancel": named("cancel")},
        deletes={"/things/{id}": named("delete")},
        keys=Keys(Auth(keys=[Key(name="somebody", hash=hash_key("k"))])),
        cors=Cors([]),
        max_body=10,
    )
    line = Line()
    fields = {name.replace("_", "-").encode(): value.encode() for name, value in headers.items()}
    client = Client(
        line, method, path, fields, "req_1", loopback=loopback, keep_alive=True, old=False, limit=10, language="en"
    )
    gateway = Gateway(doors)
    gateway.admit(client)
    assert gateway.begin(client) is None
    head, _, body = line.sent.partition(b"\r\n\r\n")
    return int(head.split()[1]), head, body


@pytest.mark.parametrize(
    ("method", "path", "says"),
    [
        ("GET", "/things/a", ["get", "a"]),
        ("DELETE", "/things/a", ["delete", "a"]),
        ("POST", "/things", ["make", ""]),
        ("POST", "/things/a/cancel", ["cancel", "a"]),
        ("GET", "/models/org/name", ["model", "org/name"]),
    ],
)
def test_the_door_of_a_method_and_a_path_answers(method: str, path: str, says: list[str]):
    status, _, body = asked(method, path)
    assert (status, msgspec.json.decode(body)[:2]) == (200, says)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/things/a", "GET, DELETE"),
        ("PUT", "/things/a", "GET, DELETE"),
        ("DELETE", "/things", "POST"),
        ("GET", "/things/a/cancel", "POST"),
        ("DELETE", "/health", "GET"),
    ],
)
def test_another_method_hears_which_there_are(method: str, path: str, allowed: str):
    status, head, body = asked(method, path)
    assert status == 405 and f"allow: {allowed}\r\n".encode() in head + b"\r\n"
    error = msgspec.json.decode(body)["error"]
    assert error["code"] == "method_not_allowed"
    assert all(name in error["message"] for name in (*allowed.split(", "), method))


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PATCH"])
@pytest.mark.parametrize("path", ["/thing", "/things/a/b", "/things//cancel"])
def test_another_path_hears_which_there_are(method: str, path: str):
    status, head, body = asked(method, path)
    error = msgspec.json.decode(body)["error"]
    assert (status, error["code"]) == (404, "unknown_endpoint") and b"allow:" not in head
    for known in ("/health", "/models/", "/things", "/things/{id}", "/things/{id}/cancel"):
        assert known in error["message"]


@pytest.mark.parametrize(("method", "path"), [("GET", "/things/a"), ("DELETE", "/things/a"), ("POST", "/things")])
def test_every_method_wants_a_key(method: str, path: str):
    assert asked(method, path, loopback=False)[0] == 401
    status, _, body = asked(method, path, loopback=False, authorization="Bearer k")
    assert status == 200 and msgspec.json.decode(body)[2] == "somebody"


@pytest.mark.parametrize(("method", "path"), [("DELETE", "/things/a"), ("POST", "/things")])
def test_a_page_of_elsewhere_may_change_nothing(method: str, path: str):
    status, _, body = asked(method, path, origin="https://evil.example.com")
    assert status == 403 and b"origin_not_allowed" in body


def test_a_body_may_be_as_long_with_a_delete_as_with_a_post():
    assert asked("DELETE", "/things/a", content_length="11")[0] == 413


def test_a_preflight_of_a_delete_is_granted():
    wanted = {"origin": "http://localhost:1", "access_control_request_method": "DELETE"}
    status, head, _ = asked("OPTIONS", "/things/a", **wanted)
    assert status == 204 and b"DELETE" in head
