"""Links to files that anyone who has them may open, until they expire: signed, so that none can be made up."""

from __future__ import annotations

import base64
import hashlib
import hmac

import msgspec

_SIZE = 16  # bytes of the signature that the link carries


class Linked(msgspec.Struct, frozen=True, array_like=True):
    """`path` is the key of the file, `title` the name under which a browser saves it, `expires` seconds since the epoch."""

    path: str
    title: str
    expires: int


class LinkError(Exception):
    """`expired` tells an old link from one that was never ours."""

    def __init__(self, *, expired: bool) -> None:
        super().__init__("expired" if expired else "not signed here")
        self.expired = expired


class Links:
    """HMAC-SHA256 over the whole content of the link."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def sign(self, linked: Linked) -> str:
        """The token that stands after `/files/`."""
        body = msgspec.msgpack.encode(linked)
        return base64.urlsafe_b64encode(self._signature(body) + body).rstrip(b"=").decode()

    def open(self, token: str, now: float) -> Linked:
        """Raises LinkError."""
        try:
            data = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
            body = data[_SIZE:]
            if not hmac.compare_digest(data[:_SIZE], self._signature(body)):
                raise LinkError(expired=False)
            linked = msgspec.msgpack.decode(body, type=Linked)
        except (ValueError, msgspec.DecodeError):
            raise LinkError(expired=False) from None
        if linked.expires < now:
            raise LinkError(expired=True)
        return linked

    def _signature(self, body: bytes) -> bytes:
        return hmac.new(self._key, body, hashlib.sha256).digest()[:_SIZE]
