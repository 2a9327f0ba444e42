from __future__ import annotations

from pointsman.config.restart import AT_START, restart_needed
from pointsman.config.schema import Config, Files, Log, Server


def test_what_a_reload_changes_needs_no_restart() -> None:
    assert restart_needed(Config(), Config(server=Server(cors=["*"], language="zh"), files=Files(keep="1d"))) == []


def test_what_is_taken_up_at_the_start_is_named() -> None:
    new = Config(
        server=Server(host="127.0.0.2", port=1, workers=2, data_dir="x"),
        log=Log(prompts="off", keep="1d", rollups="1d", store="postgresql://h/d"),
    )
    assert restart_needed(Config(), new) == [name for name in AT_START if name.startswith(("server.", "log."))]
    files = Files(
        timeout=1.0, memory="2GB", concurrency=2, store="s3://bucket", s3_key="k", s3_secret="s", link_key="k" * 16
    )
    assert restart_needed(Config(), Config(files=files)) == [name for name in AT_START if name.startswith("files.")]
