"""moto's S3 behind a real HTTP server, one request at a time: moto looks for an object and puts it in two steps, between
which another thread could come; a server that lets one of two through may not do that."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterable
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server

from pointsman.store.files.s3 import S3Files
from pointsman.store.files.s3_place import S3Place

KEY, SECRET = "test-key", "test-Secret/+"
Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


class Quiet(MotoRequestHandler):
    def log(self, *_: Any) -> None: ...


class S3Server:
    """Listens on a free port of 127.0.0.1. `requests` grows with what it was asked: method and path. `around`, where it
    is set, answers in place of moto, which it gets."""

    def __init__(self) -> None:
        self._moto: Application = DomainDispatcherApplication(create_backend_app)
        self._lock = threading.Lock()
        self.requests: list[str] = []
        self.around: Callable[[Application, dict[str, Any], Any], Iterable[bytes]] | None = None
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True, request_handler=Quiet)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"

    def bucket(self) -> str:
        """A new, empty one. What moto keeps is its process's, whichever server it came by."""
        import boto3

        name = f"bucket-{secrets.token_hex(8)}"
        client = boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
        )
        client.create_bucket(Bucket=name)
        client.close()
        return name

    def place(self, bucket: str, prefix: str = "") -> S3Place:
        return S3Place(bucket, prefix, self.endpoint, "us-east-1", path_style=True)

    def files(self, bucket: str, prefix: str = "") -> S3Files:
        return S3Files(self.place(bucket, prefix), KEY, SECRET)

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        self.requests.append(f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}")
        with self._lock:
            around = self.around
            return list(around(self._moto, environ, start_response) if around else self._moto(environ, start_response))
