"""What browsers keep: scripts and styles that ship in the package, each under a name that changes with what it holds."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

from pointsman.console.visit import Headers, Reply

BASE = "/ui/static/"
_FOLDER = Path(__file__).parent / "static"
_KINDS = {
    ".css": b"text/css; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".svg": b"image/svg+xml",
}
_KEPT: Headers = (
    (b"cache-control", b"public, max-age=31536000, immutable"),
    (b"vary", b"Accept-Encoding"),
)


class StaticFiles:
    """Reads and packs all of them once, when it is made."""

    def __init__(self, folder: Path = _FOLDER) -> None:
        self._urls: dict[str, str] = {}
        self._files: dict[str, tuple[bytes, bytes, bytes]] = {}
        for path in sorted(folder.iterdir()):
            if path.suffix in _KINDS:
                data = path.read_bytes()
                name = f"{path.stem}.{hashlib.sha256(data).hexdigest()[:10]}{path.suffix}"
                self._urls[path.name] = BASE + name
                self._files[name] = _KINDS[path.suffix], data, gzip.compress(data, 9, mtime=0)

    def url(self, name: str) -> str:
        """Where the file of that name is. Raises KeyError where there is none."""
        return self._urls[name]

    def serve(self, name: str, accepts: str) -> Reply | None:
        """`name` has the hash in it; `accepts` is the browser's Accept-Encoding."""
        found = self._files.get(name)
        if found is None:
            return None
        kind, data, packed = found
        if "gzip" in accepts:
            return Reply(packed, 200, kind, (*_KEPT, (b"content-encoding", b"gzip")))
        return Reply(data, 200, kind, _KEPT)
