"""Debian's nginx on a free loopback port, in front of an upstream."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/bin")
WHY_NOT = "there is no nginx here to compare with (Debian: apt-get install nginx-light)"

_CONFIG = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log info;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  lingering_close off;
  client_max_body_size 1m;
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://127.0.0.1:{upstream};
      proxy_http_version 1.1;
    }}
  }}
}}
"""


@contextlib.contextmanager
def nginx(upstream: int, folder: Path) -> Iterator[int]:
    """The port of an nginx that hands on to the port `upstream`, with Debian's defaults otherwise."""
    assert NGINX is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    path = folder / "nginx.conf"
    path.write_text(_CONFIG.format(folder=folder, port=port, upstream=upstream))
    log = folder / "error.log"
    server = subprocess.Popen([NGINX, "-p", folder, "-c", path, "-e", log], stderr=subprocess.DEVNULL)
    try:
        for _ in range(3_000):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            assert server.poll() is None, log.read_text()
            time.sleep(0.01)
        yield port
    finally:
        server.terminate()
        server.wait()
