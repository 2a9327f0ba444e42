"""What is true of files in an S3 store alone: pointers, lost answers, servers that do less, and what is said of failures."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from pointsman.domain.said import Said
from pointsman.ports.file_store import FileStoreError
from pointsman.store.files import s3 as s3_module
from pointsman.store.files.s3 import S3Files
from pointsman.store.files.s3_pointer import POINTER, Pointer
from store.files.s3_server import KEY, SECRET, Application, S3Server

BIG = b"x" * (9 << 20)
Environ = dict[str, Any]


@pytest.fixture
def bucket(s3: S3Server) -> str:
    return s3.bucket()


@pytest.fixture
def files(s3: S3Server, bucket: str) -> S3Files:
    return s3.files(bucket)


def names(files: S3Files) -> list[str]:
    """Of all objects there are."""
    return sorted(stored.key for batch in files._objects.ls("") for stored in batch)


def once(s3: S3Server, wanted: str, answer: Callable[[Application, Environ, Any], Iterable[bytes]]) -> None:
    """The next request whose method and path end so gets that answer."""

    def around(app: Application, environ: Environ, start_response: Any) -> Iterable[bytes]:
        if f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}".endswith(wanted):
            s3.around = None
            return answer(app, environ, start_response)
        return app(environ, start_response)

    s3.around = around


async def test_a_large_file_is_content_and_a_pointer(files: S3Files) -> None:
    await files.publish("a/b", BIG)
    pointer, content = names(files)[1], names(files)[0]
    assert pointer == "a/b" and content.startswith("!large/a/b/") and len(content) == len("!large/a/b/") + 32
    await files.delete("a/b")
    assert names(files) == []


async def test_a_loser_leaves_no_content(files: S3Files, s3: S3Server, bucket: str) -> None:
    """The winner comes while the loser sends its content."""
    upload, winner = files._objects.upload, s3.files(bucket)

    def overtaken(path: str, content: Any) -> None:
        upload(path, content)
        assert asyncio.run(winner.publish("a/b", b"theirs"))

    files._objects.upload = overtaken  # type: ignore[method-assign]
    assert await files.publish("a/b", BIG) is False
    assert await files.read("a/b") == b"theirs" and names(files) == ["a/b"]


async def test_a_small_file_that_looks_like_a_pointer_is_none(files: S3Files) -> None:
    content = Pointer("0" * 32, 5).encode()
    assert len(content) == POINTER
    await files.publish("a", content)
    await files.publish("b", b"y" * POINTER)
    assert await files.read("a") == content and await files.read("b") == b"y" * POINTER
    assert [stored.size for stored in await files.ls("")] == [POINTER, POINTER]
    assert b"".join([piece async for piece in files.pieces("a")]) == content
    assert await files.purge("", time.time() + 60) == 2 and names(files) == []


async def test_a_lost_answer_is_no_loss(files: S3Files, s3: S3Server) -> None:
    await files.publish("first", b"")

    def lost(app: Application, environ: Environ, start_response: Any) -> Iterable[bytes]:
        list(app(environ, lambda *_: None))
        start_response("503 Slow Down", [])
        return [b"<Error><Code>SlowDown</Code></Error>"]

    once(s3, "/lost", lost)
    assert await files.publish("lost", b"ours") is True
    assert await files.read("lost") == b"ours" and await files.publish("lost", b"ours") is False


async def test_a_conflict_of_two_is_tried_again(files: S3Files, s3: S3Server) -> None:
    """As Amazon answers one of two that come at the same moment: there may be no object yet, or never."""
    await files.publish("first", b"")

    def conflict(app: Application, environ: Environ, start_response: Any) -> Iterable[bytes]:
        start_response("409 Conflict", [])
        return [b"<Error><Code>ConditionalRequestConflict</Code></Error>"]

    once(s3, "/a", conflict)
    assert await files.publish("a", b"x") is True


async def test_a_server_that_ignores_the_condition_is_refused(files: S3Files, s3: S3Server) -> None:
    def ignoring(app: Application, environ: Environ, start_response: Any) -> Iterable[bytes]:
        environ.pop("HTTP_IF_NONE_MATCH", None)
        return app(environ, start_response)

    s3.around = ignoring
    with pytest.raises(FileStoreError, match="does not honour If-None-Match") as caught:
        await files.publish("a", b"x")
    assert "不支持 If-None-Match" in caught.value.args[0].zh
    assert names(files) == []
    s3.around = None
    assert await files.publish("a", b"x") is True


async def test_content_to_which_nothing_points_goes_after_a_day(
    files: S3Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    await files.publish("a/kept", BIG)
    files._objects.upload("!large/a/b/" + "0" * 32, BIG)
    files._objects.upload("!large/a/kept/" + "0" * 32, BIG)
    assert await files.purge("", time.time() - 60) == 0 and len(names(files)) == 4
    assert await files.read("a/b") is None
    monkeypatch.setattr(s3_module, "ORPHANS", -60.0)
    files._purge_data("a", time.time() + 60)
    left = names(files)
    assert len(left) == 2 and left[1] == "a/kept" and await files.read("a/kept") == BIG


async def test_a_session_token_of_another_account_is_not_sent(
    s3: S3Server, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = []

    def seen(app: Application, environ: Environ, start_response: Any) -> Iterable[bytes]:
        tokens.append(environ.get("HTTP_X_AMZ_SECURITY_TOKEN"))
        return app(environ, start_response)

    s3.around = seen
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "theirs")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "theirs")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "theirs")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9")
    assert await s3.files(bucket).publish("a", b"x")
    assert set(tokens) == {None}
    tokens.clear()
    assert await S3Files(s3.place(bucket)).publish("b", b"x")
    assert set(tokens) == {"theirs"}


async def test_what_people_are_told(files: S3Files, s3: S3Server) -> None:
    told: dict[str, FileStoreError] = {}

    def refused(app: Application, environ: Environ, start_response: Any) -> Iterable[bytes]:
        start_response("403 Forbidden", [])
        return [f"<Error><Code>SignatureDoesNotMatch</Code><AWSAccessKeyId>{KEY}</AWSAccessKeyId></Error>".encode()]

    def full(app: Application, environ: Environ, start_response: Any) -> Iterable[bytes]:
        start_response("507 Insufficient Storage", [])
        return [b"<Error><Code>XMinioStorageFull</Code></Error>"]

    async def failing(name: str, store: S3Files) -> None:
        for act in (store.publish("a", b"x"), store.read("a"), store.ls("a/"), store.purge("a/", 1.0)):
            with pytest.raises(FileStoreError) as caught:
                await act
            told[name] = caught.value

    s3.around = refused
    await failing("refused", files)
    s3.around = None
    await failing("no bucket", s3.files("no-such-bucket"))
    s3.around = full
    with pytest.raises(FileStoreError) as caught:
        await files.publish("a", b"x")
    told["full"] = caught.value
    s3.around = None
    assert await files.stat("a") is None

    assert {name: str(error).partition(" be kept or read: ")[2] for name, error in told.items()} == {
        "refused": "it refuses this account (SignatureDoesNotMatch)",
        "no bucket": "there is no such bucket",
        "full": "it answered XMinioStorageFull",
    }
    for error in told.values():
        assert isinstance(error.args[0], Said) and KEY not in str(error) and SECRET not in str(error)
        assert error.args[0].zh.startswith("s3://") and error.__cause__ is None and error.__suppress_context__


async def test_a_server_that_is_not_there(s3: S3Server) -> None:
    gone = S3Server()
    files = gone.files("bucket")
    gone.close()
    with pytest.raises(FileStoreError, match="s3://bucket: the file a cannot be kept or read: it cannot be reached"):
        await files.publish("a", b"x")


def test_without_the_extra() -> None:
    program = (
        "import sys; sys.modules['obstore'] = None\n"
        "from pointsman.store.files.s3 import S3Files, S3Place\n"
        "from pointsman.ports.file_store import FileStoreError\n"
        "try: S3Files(S3Place('bucket'))\n"
        "except FileStoreError as error: print(error, error.args[0].zh, sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (
        all("pip install 'pointsman[s3]'" in line for line in done.stdout.splitlines()) and done.stdout.count("\n") == 2
    )


def test_a_process_ends_well_right_after_a_call(s3: S3Server, bucket: str) -> None:
    program = f"""
import asyncio
from pointsman.store.files.s3 import S3Files, S3Place
files = S3Files({s3.place(bucket)!r}, {KEY!r}, {SECRET!r})
asyncio.run(files.publish("a", b"x"))
"""
    for _ in range(5):
        assert subprocess.run([sys.executable, "-c", program]).returncode == 0
