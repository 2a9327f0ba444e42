"""What is wrong with `files.store` is found before anything starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pointsman.app.file_store import links_of, open_files, wrong_files
from pointsman.config.schema import Config, Files, Server
from pointsman.domain.links import Linked
from pointsman.domain.said import Said
from pointsman.store.files.local import LocalFiles
from pointsman.store.files.s3 import S3Files


def config(folder: Path, **files: Any) -> Config:
    return Config(server=Server(data_dir=str(folder)), files=Files(**files))


def test_the_data_folder_unless_said(tmp_path: Path) -> None:
    assert isinstance(open_files(config(tmp_path)), LocalFiles)
    assert isinstance(open_files(config(tmp_path, store="s3://bucket/prefix")), S3Files)
    assert list(wrong_files(config(tmp_path))) == []
    assert list(wrong_files(config(tmp_path, store="s3://bucket", s3_key="k", s3_secret="s"))) == []


@pytest.mark.parametrize(
    ("files", "path", "en", "zh"),
    [
        ({"store": "redis://x"}, "files.store", "this is no place for files", "这不是存放文件的位置"),
        ({"store": "s3://bucket?endpiont=x"}, "files.store", 'did you mean "endpoint"', "是不是“endpoint”"),
        ({"store": "s3://bucket", "s3_key": "k"}, "files.s3_secret", "missing, beside files.s3_key", "缺少"),
        ({"store": "s3://bucket", "s3_secret": "s"}, "files.s3_key", "missing, beside files.s3_secret", "缺少"),
    ],
)
def test_mistakes(files: dict[str, str], path: str, en: str, zh: str, tmp_path: Path) -> None:
    [problem] = wrong_files(config(tmp_path, **files))
    assert problem.path == path and en in problem.message
    assert isinstance(problem.message, Said) and zh in problem.message.zh


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "obstore", None)
    [problem] = wrong_files(config(tmp_path, store="s3://bucket"))
    assert problem.path == "files.store" and "pip install 'pointsman[s3]'" in problem.message


def test_links_of_one_key_open_everywhere(tmp_path: Path) -> None:
    linked = Linked("reports/a.pdf", "a.pdf", 10)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    one, two = (links_of(config(tmp_path / name, link_key="k" * 16)) for name in ("a", "b"))
    assert two.open(one.sign(linked), 0.0) == linked and list((tmp_path / "a").iterdir()) == []
    own = links_of(config(tmp_path / "a"))
    assert (tmp_path / "a/links.key").stat().st_size == 32
    assert links_of(config(tmp_path / "a")).open(own.sign(linked), 0.0) == linked
