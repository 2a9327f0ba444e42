"""One collector over HTTP, from a thread that may wait."""

from __future__ import annotations

import gzip
import http.client
import ssl
from urllib.parse import urlsplit

_LATER = (408, 429, 502, 503, 504)
_LONGEST_ANSWER = 64 * 1024
_LONGEST_WAIT = 300.0
_REFUSED = -1.0


class Collector:
    """`endpoint` is http(s)://host:port, perhaps with a path in front of `/v1/…`. Redirects are not followed, and what it
    answers is read no further than it has to be."""

    def __init__(self, endpoint: str, headers: dict[str, str], timeout: float) -> None:
        parts = urlsplit(endpoint)
        self._secure = parts.scheme == "https"
        self._host, self._port = parts.hostname or "", parts.port
        self._path = parts.path.rstrip("/")
        self._headers = {
            **headers,
            "content-type": "application/x-protobuf",
            "content-encoding": "gzip",
            "user-agent": "pointsman-otlp",
        }
        self._timeout = timeout
        self._connection: http.client.HTTPConnection | None = None

    def post(self, path: str, data: bytes) -> float | None:
        """None: it is taken. Below 0: it never will be. Else the seconds after which it is worth another try, at least.
        Raises nothing."""
        try:
            connection = self._connection or self._connect()
            self._connection = connection
            connection.request("POST", self._path + path, gzip.compress(data, 1), self._headers)
            answer = connection.getresponse()
            if len(answer.read(_LONGEST_ANSWER)) == _LONGEST_ANSWER or answer.will_close:
                self.close()
        except (OSError, http.client.HTTPException, ValueError):
            self.close()
            return 0.0
        if 200 <= answer.status < 300:
            return None
        return _seconds(answer.getheader("retry-after")) if answer.status in _LATER else _REFUSED

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _connect(self) -> http.client.HTTPConnection:
        if self._secure:
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=context)
        return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)


def _seconds(header: str | None) -> float:
    """A date, or no number, is none."""
    try:
        return min(max(float(header or 0), 0.0), _LONGEST_WAIT)
    except ValueError:
        return 0.0
