from __future__ import annotations

import io
import os
import struct
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleet.gguf_writer import ARRAY, I32, LLAMA, SMALL, STRING, TENSORS, U32, gguf, text
from pointsman.fleet.builtin import find_builtin
from pointsman.fleet.gguf import GgufError, GgufMetadata, parse_gguf, read_gguf
from thorough import tries


def parse(data: bytes) -> GgufMetadata:
    return parse_gguf(io.BytesIO(data), len(data))


def test_smollm2_facts_in_time() -> None:
    path = find_builtin("builtin:smollm2-135m")
    read_gguf(path)
    began = time.thread_time()
    metadata = read_gguf(path)
    assert time.thread_time() - began < 0.1
    facts = metadata.facts
    assert (facts.trained_context, facts.layers, facts.heads, facts.kv_heads) == (8192, 30, 9, 3)
    assert (facts.head_size, facts.embedding_size, facts.architecture) == (64, 576, "llama")
    assert facts.parameters == 134_515_008  # llama.cpp's n_params
    assert facts.context_length is None
    assert metadata.tensors == 272
    assert "im_start" in str(metadata.scalars["tokenizer.chat_template"])
    assert "tokenizer.ggml.tokens" not in metadata.scalars


@pytest.mark.parametrize("version", [2, 3])
def test_every_type_is_read(version: int) -> None:
    metadata = parse(gguf(LLAMA, TENSORS, version=version))
    facts = metadata.facts
    assert (facts.kv_heads, facts.head_size, facts.parameters) == (2, 16, 64 * 4 + 64)
    assert metadata.arrays == {"llama.attention.head_count_kv": [2, 0, 1], "some.flags": [True, False]}
    kept = {key: content for key, kind, content in LLAMA if kind != ARRAY}
    assert metadata.scalars == kept
    assert metadata.scalars["some.flag"] is True


def test_facts_of_odd_files() -> None:
    assert parse(gguf([])).facts.architecture is None
    odd = parse(gguf([("general.architecture", U32, 5), (".context_length", STRING, "many")])).facts
    assert (odd.architecture, odd.trained_context, odd.parameters) == (None, None, None)
    sized = parse(gguf([*LLAMA, ("llama.attention.key_length", U32, 128)])).facts
    assert sized.head_size == 128
    declared = parse(gguf([*LLAMA, ("general.parameter_count", U32, 7)], TENSORS)).facts
    assert declared.parameters == 7
    plain = parse(gguf([("general.architecture", STRING, "x"), ("x.attention.head_count", ARRAY, (I32, [8, 4]))])).facts
    assert (plain.heads, plain.kv_heads) == (8, 8)


def header(tensors: int, pairs: int) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, tensors, pairs)


HUGE = 2**64 - 1
HOSTILE = {
    "empty": (b"", "ends inside the magic number"),
    "wrong magic": (b"PK\3\4" + bytes(40), "not a GGUF file"),
    "version 1": (b"GGUF" + struct.pack("<I", 1) + bytes(40), "GGUF version 1 is not supported"),
    "big-endian": (b"GGUF" + struct.pack(">I", 3) + bytes(40), "big-endian"),
    "tensors": (header(HUGE, 0), "absurd counts"),
    "pairs": (header(0, HUGE), "absurd counts"),
    "key": (header(0, 1) + struct.pack("<Q", HUGE), "ends inside a key"),
    "long key": (header(0, 1) + text("k" * 70_000), "70,000 bytes long"),
    "type": (header(0, 1) + text("k") + struct.pack("<I", 99), '"k" has unknown type 99'),
    "twice": (gguf([("k", U32, 1), ("k", U32, 2)]), "stands twice"),
    "string": (header(0, 1) + text("k") + struct.pack("<IQ", STRING, HUGE), "ends inside"),
    "array": (header(0, 1) + text("k") + struct.pack("<IIQ", ARRAY, U32, HUGE), "ends inside"),
    "strings": (header(0, 1) + text("k") + struct.pack("<IIQ", ARRAY, STRING, HUGE), "ends inside"),
    "a string": (header(0, 1) + text("k") + struct.pack("<IIQQ", ARRAY, STRING, 1, HUGE) + bytes(9), "ends inside"),
    "nested": (header(0, 1) + text("k") + struct.pack("<IIQ", ARRAY, ARRAY, 1), "array of unknown type 9"),
    "dimensions": (header(1, 0) + text("t") + struct.pack("<I", HUGE >> 32), "dimensions"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_name_the_place(name: str) -> None:
    data, words = HOSTILE[name]
    tracemalloc.start()
    try:
        with pytest.raises(GgufError, match=words) as caught:
            parse(data)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert 0 <= caught.value.offset <= len(data)
    assert f"(at byte {caught.value.offset:,})" in str(caught.value)
    assert caught.value.damaged == (name not in ("version 1", "big-endian", "type", "nested"))


def test_sparse_giants_end_soon(tmp_path: Path) -> None:
    """Zeros are empty strings: a sparse file of 1 TB holds any number of them."""
    giant = tmp_path / "giant.gguf"

    def strings(count: int) -> bytes:
        return header(0, 1) + text("k") + struct.pack("<IIQ", ARRAY, STRING, count)

    giant.write_bytes(strings(2**36))
    os.truncate(giant, 1 << 40)
    with pytest.raises(GgufError, match="too long"):
        read_gguf(giant)
    giant.write_bytes(strings(7_000_000))
    os.truncate(giant, 1 << 40)
    began = time.thread_time()
    assert read_gguf(giant).scalars == {}
    assert time.thread_time() - began < 10
    giant.write_bytes(header(200_000, 0))
    os.truncate(giant, 1 << 40)
    assert read_gguf(giant).facts.parameters == 200_000  # of no dimensions, one element each
    with giant.open("wb") as file:
        file.write(strings(400))
        for _ in range(400):
            file.write(struct.pack("<Q", 2 << 20))
            file.seek(2 << 20, os.SEEK_CUR)
        file.truncate()
    with pytest.raises(GgufError, match="more metadata than any model has"):
        read_gguf(giant)


def test_text_beyond_the_budget_is_refused() -> None:
    data = gguf([(f"k{i}", STRING, "x" * (1 << 20)) for i in range(20)])
    with pytest.raises(GgufError, match="bytes long"):
        parse(data)


def test_not_a_regular_file(tmp_path: Path) -> None:
    fifo = tmp_path / "model.gguf"
    os.mkfifo(fifo)
    for path in (fifo, tmp_path):
        with pytest.raises(GgufError, match="not a regular file"):
            read_gguf(path)
    with pytest.raises(FileNotFoundError):
        read_gguf(tmp_path / "none.gguf")


def test_truncated_at_every_byte() -> None:
    small = gguf([pair for pair in LLAMA if pair[0] != "tokenizer.ggml.scores"], TENSORS)
    for length in range(len(small)):
        with pytest.raises(GgufError, match="ends inside"):
            parse(small[:length])
    parse(small)


flips = st.lists(st.tuples(st.integers(0, len(SMALL) - 1), st.integers(0, 255)), min_size=1, max_size=8)


@settings(max_examples=tries(180, 600), deadline=None)
@given(flips, st.integers(0, len(SMALL)))
def test_damaged_files_give_an_error_or_a_result(flips: list[tuple[int, int]], length: int) -> None:
    data = bytearray(SMALL)
    for at, byte in flips:
        data[at if at % 2 else at % 600] = byte
    for damaged in (bytes(data), bytes(data[:length])):
        try:
            metadata = parse(damaged)
        except GgufError as error:
            assert 0 <= error.offset <= len(SMALL)
        else:
            assert isinstance(metadata, GgufMetadata)


@settings(max_examples=tries(90, 300), deadline=None)
@given(st.binary(max_size=400))
def test_noise_behind_the_magic(noise: bytes) -> None:
    for data in (noise, b"GGUF\3\0\0\0" + noise, header(1, 3) + noise):
        try:
            parse(data)
        except GgufError as error:
            assert 0 <= error.offset <= len(data)
