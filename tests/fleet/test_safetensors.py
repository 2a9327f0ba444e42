"""Headers of safetensors files, sound and hostile."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.fleet.safetensors import SafetensorsError, read_safetensors

HEADER: dict[str, Any] = {
    "__metadata__": {"format": "pt"},
    "model.embed_tokens.weight": {"dtype": "BF16", "shape": [4, 2], "data_offsets": [0, 16]},
    "model.layers.0.mlp.up_proj.weight": {"dtype": "F32", "shape": [2], "data_offsets": [16, 24]},
}


def written(header: object, data: int = 24) -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(data)


def test_names_and_sizes(tmp_path: Path) -> None:
    (tmp_path / "m.safetensors").write_bytes(written(HEADER))
    found = read_safetensors(tmp_path / "m.safetensors")
    assert found == {"model.embed_tokens.weight": 16, "model.layers.0.mlp.up_proj.weight": 8}


HOSTILE = {
    "empty": (b"", "ends after 0 bytes"),
    "short": (b"\x01\x02", "ends after 2 bytes"),
    "huge header": (b"\xff" * 8 + b"{}", "a header of 18,446,744,073,709,551,615 bytes"),
    "truncated": (written(HEADER)[:60], "ends inside its header at 60 bytes"),
    "no json": (struct.pack("<Q", 4) + b"nope", "the header is not what it should be"),
    "a list": (struct.pack("<Q", 2) + b"[]", "the header is not what it should be"),
    "deep": (struct.pack("<Q", 200_000) + b"[" * 200_000, "the header is not what it should be"),
    "no offsets": (written({"a": {"shape": [1]}}), "data_offsets"),
    "beyond the end": (written(HEADER, 10), "its tensors (the last is"),
    "backwards": (written({"a": {"data_offsets": [8, 4]}}), "lies at 8 to 4"),
    "negative": (written({"a": {"data_offsets": [-8, 4]}}), "lies at -8 to 4"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_name_the_place(name: str, tmp_path: Path) -> None:
    data, words = HOSTILE[name]
    (tmp_path / "m.safetensors").write_bytes(data)
    with pytest.raises(SafetensorsError) as caught:
        read_safetensors(tmp_path / "m.safetensors")
    assert words in caught.value.message and "字节处" in caught.value.message.zh
    assert 0 <= caught.value.offset <= len(data)


def test_not_a_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m.safetensors")
    with pytest.raises(SafetensorsError, match="not a regular file"):
        read_safetensors(tmp_path / "m.safetensors")


@given(noise=st.binary(max_size=80), at=st.integers(0, 120))
def test_damaged_files_give_an_error_or_a_result(
    noise: bytes, at: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.safetensors"
    whole = written(HEADER)
    path.write_bytes(whole[:at] + noise + whole[at + len(noise) :])
    try:
        found = read_safetensors(path)
    except SafetensorsError as error:
        assert error.message and error.offset >= 0
    else:
        assert all(size >= 0 for size in found.values())
