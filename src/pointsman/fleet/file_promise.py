"""Whether a model's file is the one that was meant: its SHA-256 is what the config says, or the file beside it that was
fetched with it. Where neither says anything nothing is hashed: there would be nothing to compare with."""

from __future__ import annotations

import threading
from pathlib import Path

from pointsman.config.others_words import why
from pointsman.domain.said import Said, said
from pointsman.fleet.file_hash import Changed, expected_hash, hash_file
from pointsman.ports.model_driver import LoadFailure


class _GivenUp(Exception):
    pass


def check_hash(path: Path, told_so: str | None, memory: Path | None, given_up: threading.Event) -> None:
    """`told_so` (`sha256:…`) is the config's. Blocking: 0.5 to 2 s a GB, unless the hash of this very file is
    remembered; ends early once `given_up` is set. Raises LoadFailure."""
    expected = told_so.removeprefix("sha256:") if told_so else expected_hash(path)
    if expected is None:
        return

    def told(done: int, size: int) -> None:
        if given_up.is_set():
            raise _GivenUp

    try:
        found = hash_file(path, memory, told).sha256
    except _GivenUp:
        raise LoadFailure("refused", Said("the load was called off", "加载已取消")) from None
    except Changed as error:
        raise LoadFailure("damaged", error.said) from None
    except OSError as error:
        unread = said("{path} cannot be read: {why}", "无法读取 {path}：“{why}”", path=path, why=why(error))
        raise LoadFailure("missing", unread) from None
    if found != expected:
        other = said(
            "{path} is not the file that was meant: its SHA-256 is sha256:{found}, and {expected} was expected. Fetch it "
            "again, or correct sha256",
            "{path} 不是指定的那个文件：它的 SHA-256 是 sha256:{found}，应当是 {expected}。请重新下载，或更正 sha256",
            path=path,
            found=found,
            expected=f"sha256:{expected}",
        )
        raise LoadFailure("damaged", other)
