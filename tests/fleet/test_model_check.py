"""Files that are whole, and files that are not: which byte, in which words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fleet.gguf_writer import LLAMA, gguf
from fleet.test_safetensors import HEADER, written
from pointsman.fleet.model_check import BadModel, check_file, check_model, no_model

TENSORS: list[tuple[str, tuple[int, ...]]] = [("token_embd.weight", (64, 4)), ("blk.0.norm", (64,))]


def whole_gguf(size: int = 64 * 4 * 4) -> bytes:
    """Two tensors at the same place, which a check of ends does not mind; the longer has 1024 bytes."""
    head = gguf(LLAMA, TENSORS)
    return head + bytes(-len(head) % 32) + bytes(size)


def refused(model: str | Path) -> BadModel:
    with pytest.raises(BadModel) as caught:
        check_model(str(model))
    assert caught.value.said.zh != caught.value.said
    return caught.value


def test_the_builtin_model_is_whole() -> None:
    found = check_model("builtin:smollm2-135m")
    assert found.kind == "gguf" and found.tensors == 272 and found.notes == ()


def test_a_gguf_cut_at_any_byte(tmp_path: Path) -> None:
    whole, path = whole_gguf(), tmp_path / "m.gguf"
    path.write_bytes(whole)
    assert check_model(str(path)).tensors == 2
    for size in (*range(0, len(whole), 97), len(whole) - 1):
        path.write_bytes(whole[:size])
        error = refused(path)
        assert error.fault == "damaged" and error.offset is not None and error.offset <= size, size
    assert f"ends at {len(whole) - 1:,} bytes" in error.said


def test_the_sentence_about_a_cut_file(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(whole_gguf(1000))
    error = refused(path)
    assert error.offset == path.stat().st_size
    assert (
        "24 bytes are missing" in error.said and '"token_embd.weight"' in error.said and "缺 24 字节" in error.said.zh
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "a PNG picture"),
        (b"\n<!DOCTYPE html><title>Sign in</title>", "a web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00", "Git LFS"),
        (b"PK\x03\x04" + bytes(50), "ZIP archive"),
        (b"", "empty"),
        (b"nothing that is known", "starts with"),
    ],
)
def test_what_is_no_model(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(content)
    assert words in refused(tmp_path / "m.gguf").said
    (tmp_path / "m.safetensors").write_bytes(content)
    with pytest.raises(BadModel):
        check_file(tmp_path / "m.safetensors")


def test_what_is_not_there(tmp_path: Path) -> None:
    assert refused(tmp_path / "m.gguf").fault == "missing"
    assert refused(tmp_path).fault == "missing"
    (tmp_path / "big-00001-of-00002.gguf").write_bytes(whole_gguf())
    assert "big-00002-of-00002.gguf is missing" in refused(tmp_path / "big-00001-of-00002.gguf").said


def test_shards_one_by_one(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"big-0000{number}-of-00002.gguf").write_bytes(whole_gguf(1024 if number == 1 else 1023))
    error = refused(tmp_path)
    assert "big-00002-of-00002.gguf" in error.said and "1 bytes are missing" in error.said


def test_no_tensors(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(gguf(LLAMA))
    assert "holds no tensors" in refused(tmp_path / "m.gguf").said


def test_a_version_that_is_not_known_is_left_to_the_engine(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(gguf(LLAMA, TENSORS, version=4))
    found = check_model(str(tmp_path / "m.gguf"))
    assert found.notes and "not checked" in found.notes[0]


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    assert "no .safetensors" in refused(tmp_path).said
    (tmp_path / "model-1.safetensors").write_bytes(written(HEADER))
    assert check_model(str(tmp_path)).tensors == 2
    (tmp_path / "model.safetensors.index.json").write_text(
        json.dumps({"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}})
    )
    assert "model-2.safetensors is missing" in refused(tmp_path).said
    (tmp_path / "model-2.safetensors").write_bytes(written(HEADER, 23))
    assert "ends at" in refused(tmp_path).said
    (tmp_path / "model-2.safetensors").write_bytes(written(HEADER, 25))
    assert "lie behind the header" in refused(tmp_path).said


def test_words_of_heads() -> None:
    assert no_model(b"GGUF\x03") is None and no_model(b"\x10\0\0\0\0\0\0\0{}") is None
    assert no_model(b"\xef\xbb\xbf <HTML>") == "a web page"
