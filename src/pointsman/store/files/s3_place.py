"""Where an S3 store is, as `files.store` says it: `s3://bucket/prefix?endpoint=http://…&region=…&path_style=true`."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

import msgspec

from pointsman.domain.errors import did_you_mean
from pointsman.domain.said import Said, said
from pointsman.store.files.keys import is_key

VALID = "s3://BUCKET[/PREFIX][?endpoint=https://HOST[:PORT]&region=NAME&path_style=true]"
_BUCKET = re.compile(r"[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]")
_SETTINGS = ["endpoint", "region", "path_style"]


class S3Place(msgspec.Struct, frozen=True):
    """`endpoint` is a URL without a path; None: Amazon's of the region. `region` None: AWS_REGION, else us-east-1.
    `path_style`: the bucket stands in the path of URLs, else before the host's name."""

    bucket: str
    prefix: str = ""
    endpoint: str | None = None
    region: str | None = None
    path_style: bool = False

    @property
    def base(self) -> str | None:
        """What URLs begin with, as far as that is said."""
        if self.endpoint is None or self.path_style:
            return self.endpoint
        scheme, _, host = self.endpoint.partition("://")
        return f"{scheme}://{self.bucket}.{host}"


def place_of(url: str) -> S3Place:
    """Raises ValueError, in both languages."""
    parts = urlsplit(url)
    if parts.scheme != "s3" or parts.fragment:
        raise ValueError(Said("this is no place for files", "这不是存放文件的位置"))
    if not _BUCKET.fullmatch(parts.netloc):
        message = said(
            "{name!r} is no name of a bucket", "{name!r} 不是存储桶的名字", name=parts.netloc.rpartition("@")[2]
        )
        raise ValueError(message)
    prefix = parts.path.strip("/")
    if prefix and not is_key(prefix):
        raise ValueError(said("{prefix!r} is no prefix of keys", "{prefix!r} 不能作为键的前缀", prefix=prefix))
    settings = dict(parse_qsl(parts.query, keep_blank_values=True))
    for name in settings:
        if name not in _SETTINGS:
            hint = did_you_mean(name, _SETTINGS)
            raise ValueError(said("unknown setting {name!r}{hint}", "没有设置项 {name!r}{hint}", name=name, hint=hint))
    endpoint = settings.get("endpoint")
    style = settings.get("path_style", "true" if endpoint else "false")
    if style not in ("true", "false"):
        raise ValueError(
            said(
                "path_style is true or false, not {style!r}",
                "path_style 只能是 true 或 false，不能是 {style!r}",
                style=style,
            )
        )
    if "region" in settings and not re.fullmatch(r"[A-Za-z0-9-]{1,60}", settings["region"]):
        raise ValueError(said("{name!r} is no region", "{name!r} 不是区域名", name=settings["region"]))
    return S3Place(parts.netloc, prefix, _server(endpoint), settings.get("region"), style == "true")


def _server(endpoint: str | None) -> str | None:
    if endpoint is None:
        return None
    try:
        parts = urlsplit(endpoint)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound or "@" in parts.netloc or parts.path not in ("", "/") or parts.query or parts.fragment:
        what = Said("the endpoint", "endpoint")
        raise ValueError(said("{what} is no address of a server", "{what} 不是服务器的地址", what=what))
    return endpoint.rstrip("/")
