"""`files.store` is read as a person writes it, and what is wrong is named."""

from __future__ import annotations

import pytest

from pointsman.domain.said import Said
from pointsman.store.files.s3_place import S3Place, place_of


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("s3://bucket", S3Place("bucket")),
        ("s3://my.bucket-1/a/b/?region=eu-west-1", S3Place("my.bucket-1", "a/b", None, "eu-west-1")),
        ("s3://bucket?endpoint=http://127.0.0.1:9000/", S3Place("bucket", "", "http://127.0.0.1:9000", None, True)),
        (
            "s3://bucket/p?endpoint=https://oss.example&path_style=false",
            S3Place("bucket", "p", "https://oss.example", None, False),
        ),
        ("s3://bucket?endpoint=http%3A%2F%2Fs3.local", S3Place("bucket", "", "http://s3.local", None, True)),
    ],
)
def test_places(url: str, place: S3Place) -> None:
    assert place_of(url) == place


def test_where_urls_begin() -> None:
    assert place_of("s3://bucket").base is None
    assert place_of("s3://bucket?endpoint=http://h:1").base == "http://h:1"
    assert place_of("s3://bucket?endpoint=https://h&path_style=false").base == "https://bucket.h"


@pytest.mark.parametrize(
    ("url", "en", "zh"),
    [
        ("files", "this is no place for files", "这不是存放文件的位置"),
        ("http://bucket", "this is no place for files", "这不是存放文件的位置"),
        ("s3://", "'' is no name of a bucket", "不是存储桶的名字"),
        ("s3://key:SECRET@bucket", "'bucket' is no name of a bucket", "不是存储桶的名字"),
        ("s3://BUCKET", "'BUCKET' is no name", "不是存储桶的名字"),
        ("s3://bucket/a//b", "'a//b' is no prefix", "不能作为键的前缀"),
        (
            "s3://bucket?regoin=x",
            "unknown setting 'regoin', did you mean \"region\"?",
            "没有设置项 'regoin'，是不是“region”？",
        ),
        ("s3://bucket?endpoint=host:9000", "endpoint is no address", "endpoint 不是服务器的地址"),
        ("s3://bucket?endpoint=http://user:SECRET@host", "endpoint is no address", "endpoint 不是服务器的地址"),
        ("s3://bucket?endpoint=http://host/path", "endpoint is no address", "endpoint 不是服务器的地址"),
        ("s3://bucket?endpoint=http://host:99999", "endpoint is no address", "endpoint 不是服务器的地址"),
        ("s3://bucket?path_style=yes", "path_style is true or false, not 'yes'", "path_style 只能是 true 或 false"),
        ("s3://bucket?region=a/b", "'a/b' is no region", "'a/b' 不是区域名"),
    ],
)
def test_mistakes(url: str, en: str, zh: str) -> None:
    with pytest.raises(ValueError) as caught:
        place_of(url)
    message = caught.value.args[0]
    assert isinstance(message, Said) and en in message and zh in message.zh
    assert "SECRET" not in message and "SECRET" not in message.zh
