"""Files that come with a message."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from pointsman.domain.errors import PointsmanError
from pointsman.http.openai.attached import attached_in, refs_in

PDF = base64.b64encode(b"%PDF-1.7 x").decode()


def messages(*parts: Any) -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": [{"type": "file", "file": {"file_id": "file-old"}}]},
        {"role": "assistant", "content": "ok"},
        {"role": "user", "content": [{"type": "text", "text": "read it"}, *parts]},
    ]


def test_names_are_in_order_and_of_the_last_message() -> None:
    parts = messages(
        {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PDF}"}},
        {"type": "file", "file": {"file_id": "file-123"}},
        {"type": "input_audio", "input_audio": {"data": PDF, "format": "mp3"}},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PDF}"}},
        {"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}},
        {"type": "file", "file": {"filename": "bare.bin", "file_data": PDF}},
    )
    assert refs_in(parts) == ("attached:0", "file-123", "attached:1", "attached:2", "attached:3")
    found = attached_in(parts)
    assert [(ref, a.name, a.media_type) for ref, a in found.items()] == [
        ("attached:0", "a.pdf", "application/pdf"),
        ("attached:1", "audio.mp3", "audio/mpeg"),
        ("attached:2", "image.png", "image/png"),
        ("attached:3", "bare.bin", "application/octet-stream"),
    ]
    assert {a.content for a in found.values()} == {b"%PDF-1.7 x"}


@pytest.mark.parametrize(
    "part",
    [
        {"type": "file", "file": None},
        {"type": "file", "file": {"file_id": 3}},
        {"type": "file", "file": {"file_id": "../etc/passwd"}},
        {"type": "image_url", "image_url": 7},
        {"type": "input_audio", "input_audio": {"data": None}},
        {"type": 3},
        "text",
        None,
    ],
)
def test_what_is_no_file_is_none(part: Any) -> None:
    assert refs_in(messages(part)) == () and attached_in(messages(part)) == {}


def test_what_is_no_base64_is_refused() -> None:
    with pytest.raises(PointsmanError) as caught:
        attached_in(messages({"type": "file", "file": {"file_data": "data:text/plain;base64,§"}}))
    assert caught.value.code == "bad_file" and caught.value.param == "attached:0"
