"""What every store does of small values that are forgotten."""

from __future__ import annotations

import asyncio

import pytest

from pointsman.ports.job_store import JobStore
from store.jobs.makes import LONG, SHORT, submission, submitted, until
from store.jobs.stores import SHARED, Grounds


async def test_there_is_nothing(store: JobStore) -> None:
    assert await store.read("k") is None
    assert await store.scan("") == {}
    await store.delete("k")


async def test_a_value_is_kept(store: JobStore) -> None:
    await store.put("k", b"v", LONG)
    assert await store.read("k") == b"v"
    assert await store.scan("") == {"k": b"v"}


async def test_a_value_is_replaced(store: JobStore) -> None:
    await store.put("k", b"1", LONG)
    await store.put("k", b"", LONG)
    assert await store.read("k") == b""
    assert await store.scan("k") == {"k": b""}


async def test_a_value_is_deleted(store: JobStore) -> None:
    await store.put("k", b"v", LONG)
    await store.put("kk", b"w", LONG)
    await store.delete("k")
    await store.delete("k")
    assert await store.read("k") is None
    assert await store.scan("k") == {"kk": b"w"}


async def test_a_value_is_forgotten(store: JobStore) -> None:
    await store.put("short", b"v", SHORT)
    await store.put("long", b"v", LONG)

    async def gone() -> bool:
        return await store.read("short") is None

    await until(gone)
    assert await store.scan("") == {"long": b"v"}


async def test_a_new_value_has_its_own_time(store: JobStore) -> None:
    await store.put("longer", b"1", SHORT)
    await store.put("longer", b"2", LONG)
    await store.put("shorter", b"1", LONG)
    await store.put("shorter", b"2", SHORT)
    await asyncio.sleep(3 * SHORT)
    assert await store.read("longer") == b"2"
    assert await store.read("shorter") is None


async def test_a_value_that_was_forgotten_may_come_again(store: JobStore) -> None:
    await store.put("k", b"1", SHORT)
    await asyncio.sleep(3 * SHORT)
    await store.put("k", b"2", LONG)
    assert await store.read("k") == b"2"


KEYS = [
    "node/a",
    "node/b",
    "node/A",
    "node",
    "nodes/a",
    "node*",
    "node?a",
    "node[ab]",
    "no%",
    "no_e",
    "node\\a",
    "节点/一",
    "node:a",
]


@pytest.mark.parametrize(
    "prefix", ["", "node/", "node", "NODE", "node*", "node?", "node[", "no%", "no_", "node\\", "节点", "z", "ode"]
)
async def test_scan_takes_a_prefix_as_it_is(store: JobStore, prefix: str) -> None:
    for key in KEYS:
        await store.put(key, key.encode(), LONG)
    assert await store.scan(prefix) == {key: key.encode() for key in KEYS if key.startswith(prefix)}


async def test_many_values(store: JobStore) -> None:
    await asyncio.gather(*(store.put(f"a/{number}", b"%d" % number, LONG) for number in range(1200)))
    await asyncio.gather(*(store.put(f"b/{number}", b"", LONG) for number in range(50)))
    assert await store.scan("a/") == {f"a/{number}": b"%d" % number for number in range(1200)}
    assert len(await store.scan("b/")) == 50


@pytest.mark.parametrize("value", [b"", bytes(range(256)), b"x" * 1_000_000], ids=["empty", "bytes", "1 MB"])
async def test_values_survive_byte_for_byte(store: JobStore, value: bytes) -> None:
    await store.put("k", value, LONG)
    assert await store.read("k") == value
    assert await store.scan("") == {"k": value}


@pytest.mark.parametrize("key", ["", "键 🚂", "a\0b", "{x}", "x" * 1000, "job_000001", "job"])
async def test_keys_are_any_text(store: JobStore, key: str) -> None:
    (job,) = await submitted(store, submission())
    await store.put(key, b"v", LONG)
    assert await store.read(key) == b"v"
    assert await store.scan(key[:1]) == {key: b"v"}
    await store.delete(key)
    assert await store.scan("") == {}
    assert await store.get("job_000001") == job


@pytest.mark.parametrize("grounds", SHARED, indirect=True)
async def test_values_are_shared(grounds: Grounds) -> None:
    here, other = await grounds.open(), await grounds.open()
    await here.put("k", b"v", LONG)
    assert await other.read("k") == b"v"
    assert await other.scan("") == {"k": b"v"}
    await other.delete("k")
    assert await here.read("k") is None
