"""A download that breaks off at any byte ends as the file it should be, or as none."""

from __future__ import annotations

import hashlib
import http.server
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fleet.test_model_check import whole_gguf
from pointsman.domain.errors import Problem
from pointsman.fleet import pull as pull_module
from pointsman.fleet import pull_sources
from pointsman.fleet.file_hash import expected_hash, hash_file, memory_of
from pointsman.fleet.model_check import BadModel
from pointsman.fleet.pull import Pulled, PullFailed, pull
from pointsman.fleet.pull_sources import WebSource, sources_of

MODEL = whole_gguf()
DIGEST = hashlib.sha256(MODEL).hexdigest()


class Server:
    """Serves `content`; each of `cuts` breaks one answer off after so many bytes. `ranges` False: it knows no parts."""

    def __init__(self) -> None:
        self.content = MODEL
        self.tag: str | None = '"one"'
        self.cuts: list[int] = []
        self.ranges = True
        self.length = True
        self.kind = "application/octet-stream"
        self.statuses: list[int] = []
        self.redirect: str | None = None
        self.asked: list[dict[str, str]] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.answer(self)

            def log_message(self, *words: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def answer(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        self.asked.append({name.lower(): value for name, value in handler.headers.items()})
        if self.redirect is not None and handler.path.startswith("/org"):
            handler.send_response(302)
            handler.send_header("Location", self.redirect)
            handler.send_header("X-Linked-ETag", f'"{DIGEST}"')
            handler.end_headers()
            return
        if self.statuses and (status := self.statuses.pop(0)) != 200:
            handler.send_error(status)
            return
        start = 0
        ranged = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range", ""))
        same = handler.headers.get("If-Range") == self.tag
        if ranged and self.ranges and same:
            start = int(ranged[1])
        if ranged and self.ranges and same and start >= len(self.content):
            handler.send_response(416)
            handler.send_header("Content-Range", f"bytes */{len(self.content)}")
            handler.end_headers()
            return
        body = self.content[start:]
        handler.send_response(206 if start else 200)
        if start:
            handler.send_header("Content-Range", f"bytes {start}-{len(self.content) - 1}/{len(self.content)}")
        if self.length:
            handler.send_header("Content-Length", str(len(body)))
        if self.tag:
            handler.send_header("ETag", self.tag)
        handler.send_header("Content-Type", self.kind)
        handler.end_headers()
        handler.wfile.write(body[: self.cuts.pop(0)] if self.cuts else body)
        handler.close_connection = True

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    running = Server()
    yield running
    running.close()


def fetch(server: Server, folder: Path, name: str = "m.gguf", **more: Any) -> Pulled:
    return pull(WebSource(f"{server.base}/{name}"), folder, lambda *_: None, sleep=lambda _: None, **more)


def test_a_file_that_breaks_off_at_any_byte(server: Server, tmp_path: Path) -> None:
    for cut in (0, 1, 63, 64, 65, 1000, len(MODEL) // 2, len(MODEL) - 1):
        folder = tmp_path / str(cut)
        server.cuts, server.asked = [cut], []
        found = fetch(server, folder)
        assert (folder / "m.gguf").read_bytes() == MODEL and found.sha256 == DIGEST and found.size == len(MODEL)
        assert [asked.get("range") for asked in server.asked] == [None, f"bytes={cut}-" if cut >= 64 else None]
        assert sorted(path.name for path in folder.iterdir()) == ["m.gguf", "m.gguf.sha256"]


def test_it_breaks_off_often(server: Server, tmp_path: Path) -> None:
    server.cuts = [997] * 20
    assert fetch(server, tmp_path).sha256 == DIGEST and len(server.asked) == 21


def test_a_process_later(server: Server, tmp_path: Path) -> None:
    """What another process left goes on, if the server still has the same."""
    server.cuts, server.statuses = [5000], [200, 404]
    with pytest.raises(PullFailed, match="404"):
        fetch(server, tmp_path)
    assert (tmp_path / "m.gguf.part").stat().st_size == 5000 and not (tmp_path / "m.gguf").exists()
    found = fetch(server, tmp_path)
    assert (found.begun, found.fetched) == (5000, len(MODEL) - 5000) and found.sha256 == DIGEST


def test_other_content_meanwhile(server: Server, tmp_path: Path) -> None:
    server.cuts, server.statuses = [5000], [200, 404]
    with pytest.raises(PullFailed):
        fetch(server, tmp_path)
    server.content, server.tag = whole_gguf(2048), '"two"'
    found = fetch(server, tmp_path)
    assert found.begun == 0 and (tmp_path / "m.gguf").read_bytes() == server.content


@pytest.mark.parametrize("tag", [None, 'W/"weak"'])
def test_without_a_mark_it_begins_anew(tag: str | None, server: Server, tmp_path: Path) -> None:
    server.tag, server.cuts = tag, [5000]
    assert fetch(server, tmp_path).sha256 == DIGEST
    assert all("range" not in asked for asked in server.asked)


def test_a_server_that_knows_no_parts(server: Server, tmp_path: Path) -> None:
    server.ranges, server.cuts = False, [5000]
    assert fetch(server, tmp_path).sha256 == DIGEST


def test_no_length_is_told(server: Server, tmp_path: Path) -> None:
    server.length = False
    assert fetch(server, tmp_path).sha256 == DIGEST
    server.cuts = [5000]
    with pytest.raises(BadModel, match="the file ends"):
        fetch(server, tmp_path, "n.gguf")
    assert not (tmp_path / "n.gguf").exists()


def test_a_part_that_is_whole_already(server: Server, tmp_path: Path) -> None:
    server.cuts = [5000]
    server.statuses = [200, 404]
    with pytest.raises(PullFailed):
        fetch(server, tmp_path)
    (tmp_path / "m.gguf.part").write_bytes(MODEL)
    assert fetch(server, tmp_path).begun == len(MODEL)


def test_a_server_in_trouble(server: Server, tmp_path: Path) -> None:
    server.statuses = [503, 429, 502]
    assert fetch(server, tmp_path).sha256 == DIGEST
    server.statuses = [503] * 50
    with pytest.raises(PullFailed, match="503"):
        fetch(server, tmp_path, "n.gguf")
    assert len(server.statuses) == 50 - pull_module.TRIES and not (tmp_path / "n.gguf.part").exists()


@pytest.mark.parametrize(
    ("content", "kind", "words"),
    [
        (b"<!doctype html><title>Sign in</title>", "text/html; charset=utf-8", "text/html"),
        (b"<html>" + bytes(500), "application/octet-stream", "a web page"),
        (b"\x89PNG" + bytes(500), "application/octet-stream", "a PNG picture"),
        (b"hello there", "text/plain", "does not begin as a GGUF file"),
    ],
)
def test_what_is_no_model(content: bytes, kind: str, words: str, server: Server, tmp_path: Path) -> None:
    server.content, server.kind = content, kind
    with pytest.raises(PullFailed, match=words) as caught:
        fetch(server, tmp_path)
    assert caught.value.said.zh != caught.value.said and not list(tmp_path.iterdir())


def test_what_is_damaged_where_it_comes_from(server: Server, tmp_path: Path) -> None:
    server.content = MODEL[:-1]
    with pytest.raises(BadModel):
        fetch(server, tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_hash_that_it_must_have(server: Server, tmp_path: Path) -> None:
    with pytest.raises(PullFailed, match="should have 0000"):
        fetch(server, tmp_path, sha256="0" * 64)
    assert not list(tmp_path.iterdir())
    memory = memory_of(tmp_path / "data")
    assert fetch(server, tmp_path, sha256=DIGEST.upper(), memory=memory).fetched == len(MODEL)
    assert hash_file(tmp_path / "m.gguf", memory).kept and expected_hash(tmp_path / "m.gguf") == DIGEST


def test_what_is_there_already(server: Server, tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(MODEL)
    found = fetch(server, tmp_path)
    assert (found.begun, found.fetched, found.sha256) == (0, 0, DIGEST) and not server.asked
    with pytest.raises(PullFailed, match="should have"):
        fetch(server, tmp_path, sha256="0" * 64)
    (tmp_path / "m.gguf").write_bytes(MODEL[:-1])
    with pytest.raises(BadModel):
        fetch(server, tmp_path)


def test_no_room(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pull_module, "KEEP_FREE", 1 << 60)
    with pytest.raises(PullFailed, match="are missing"):
        fetch(server, tmp_path)
    assert not list(tmp_path.iterdir())


def test_two_at_once(server: Server, tmp_path: Path) -> None:
    with pull_module._Part(tmp_path / "m.gguf"), pytest.raises(PullFailed, match="another process"):
        fetch(server, tmp_path)


def test_a_folder_that_cannot_be(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(PullFailed):
        fetch(server, tmp_path / "file")


def test_the_hub(server: Server, tmp_path: Path) -> None:
    """Its token goes to no other host, and the hash that it tells is held against what came."""
    server.redirect = f"{server.base.replace('127.0.0.1', 'localhost')}/cdn"
    [source] = sources_of("hf:org/repo@v1/sub/m.gguf", server.base, "secret")
    assert source.shown == f"{server.base}/org/repo/resolve/v1/sub/m.gguf"
    assert pull(source, tmp_path, lambda *_: None, sleep=lambda _: None).sha256 == DIGEST
    assert [asked.get("authorization") for asked in server.asked] == ["Bearer secret", None]
    server.content = whole_gguf(4096)
    with pytest.raises(PullFailed, match="should have"):
        pull(source, tmp_path / "other", lambda *_: None, sleep=lambda _: None)
    server.asked.clear()
    assert WebSource(f"{server.base}/x.gguf", ("elsewhere", "secret")).open(0, None).total
    assert "authorization" not in server.asked[0]


def test_a_path(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(MODEL)
    [source] = sources_of(str(tmp_path / "m.gguf"))
    found = pull(source, tmp_path / "to", lambda *_: None)
    assert found.path.read_bytes() == MODEL and found.fetched == len(MODEL)
    [source] = sources_of(str(tmp_path / "none.gguf"))
    with pytest.raises(PullFailed, match="No such file"):
        pull(source, tmp_path / "to", lambda *_: None)


def test_nobody_answers(tmp_path: Path) -> None:
    source = WebSource("http://127.0.0.1:9/m.gguf")
    with pytest.raises(PullFailed) as caught:
        pull(source, tmp_path, lambda *_: None, sleep=lambda _: None)
    assert caught.value.again and not list(tmp_path.iterdir())


def test_places() -> None:
    assert [source.name for source in sources_of("http://h/a-00001-of-00003.gguf?x=1")] == [
        f"a-0000{number}-of-00003.gguf" for number in (1, 2, 3)
    ]
    assert sources_of("hf:o/r/m.gguf")[0].shown == f"{pull_sources.HUB}/o/r/resolve/main/m.gguf"
    assert sources_of("https://user:pw@h/m.gguf")[0].shown == "https://h/m.gguf"
    for wrong in ("hf:org", "hf:org/repo", "ftp://h/m.gguf", "http:///m.gguf"):
        with pytest.raises(Problem):
            sources_of(wrong)
    for name in ("m.bin", "", ".gguf"):
        with pytest.raises(PullFailed, match="is no model's file"):
            pull(WebSource(f"http://h/{name}"), Path("/none"), lambda *_: None)


def test_never_from_https_to_http() -> None:
    class Request:
        full_url = "https://h/m"

    with pytest.raises(PullFailed, match="leads from https to http"):
        pull_sources._Redirects().redirect_request(Request(), None, 302, "", {}, "http://h/m")


def test_what_other_programs_wrote_beside_it(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(b"x")
    assert expected_hash(tmp_path / "m.gguf") is None
    (tmp_path / "m.gguf.sha256").write_text(f"{DIGEST.upper()} *m.gguf\n")
    assert expected_hash(tmp_path / "m.gguf") == DIGEST
    (tmp_path / "m.gguf.sha256").write_bytes(os.urandom(9))
    assert expected_hash(tmp_path / "m.gguf") is None
