"""What every store of ephemeral values does."""

from __future__ import annotations

import asyncio

import pytest

from pointsman.ports.ephemeral import Ephemeral
from pointsman.ports.job_store import StoreError
from store.ephemeral.conftest import Opener
from store.jobs.makes import LONG, SHORT, until


async def test_there_is_nothing(store: Ephemeral) -> None:
    assert await store.get("k") is None
    assert await store.scan("") == {}
    await store.delete("k")


async def test_a_value_is_kept_and_replaced(store: Ephemeral) -> None:
    await store.put("k", b"1", LONG)
    assert await store.get("k") == b"1"
    await store.put("k", b"", LONG)
    assert await store.get("k") == b""
    assert await store.scan("") == {"k": b""}


async def test_a_value_is_deleted(store: Ephemeral) -> None:
    await store.put("k", b"v", LONG)
    await store.put("kk", b"w", LONG)
    await store.delete("k")
    await store.delete("k")
    assert await store.get("k") is None
    assert await store.scan("k") == {"kk": b"w"}


async def test_what_is_written_last_says_how_long(store: Ephemeral) -> None:
    await store.put("short", b"v", LONG)
    await store.put("short", b"v", SHORT)
    await store.put("long", b"v", SHORT)
    await store.put("long", b"w", LONG)

    async def gone() -> bool:
        return await store.get("short") is None

    await until(gone)
    assert await store.scan("") == {"long": b"w"}


async def test_a_scan_takes_its_prefix_as_it_is(store: Ephemeral) -> None:
    keys = ["a/1", "a/2", "a", "A/1", "a*", "a?1", "a[1]", "a%", "a_1", "节点/一", "节点/二", "a\0b"]
    for key in keys:
        await store.put(key, key.encode(), LONG)
    for prefix in ["", "a/", "a", "A", "a*", "a?", "a[", "a%", "a_", "节点", "z", "/1"]:
        assert await store.scan(prefix) == {key: key.encode() for key in keys if key.startswith(prefix)}


@pytest.mark.parametrize("value", [b"", bytes(range(256)), b"x" * 100_000], ids=["empty", "bytes", "100 kB"])
async def test_values_survive_byte_for_byte(store: Ephemeral, value: bytes) -> None:
    await store.put("k", value, LONG)
    assert await store.get("k") == value
    assert await store.swap("k", value, b"other", LONG)


async def test_a_counter(store: Ephemeral) -> None:
    assert await store.add("n", 3, LONG) == 3
    assert await store.add("n", -5, LONG) == -2
    assert await store.get("n") == b"-2"
    assert await store.add("n", 2**40, LONG) == 2**40 - 2
    await store.delete("n")
    assert await store.add("n", 1, LONG) == 1


async def test_a_counter_is_forgotten(store: Ephemeral) -> None:
    await store.add("n", 3, SHORT)

    async def gone() -> bool:
        return await store.get("n") is None

    await until(gone)
    assert await store.add("n", 1, LONG) == 1


async def test_what_is_no_counter_is_not_added_to(store: Ephemeral) -> None:
    await store.put("k", b"v", LONG)
    with pytest.raises(StoreError):
        await store.add("k", 1, LONG)
    assert await store.get("k") == b"v"


async def test_a_value_is_swapped_for_what_is_expected(store: Ephemeral) -> None:
    assert not await store.swap("k", b"1", b"2", LONG)
    assert await store.swap("k", None, b"1", LONG)
    assert not await store.swap("k", None, b"2", LONG)
    assert not await store.swap("k", b"", b"2", LONG)
    assert await store.get("k") == b"1"
    assert await store.swap("k", b"1", b"2", LONG)
    assert await store.get("k") == b"2"


async def test_what_was_forgotten_is_swapped_for_nothing(store: Ephemeral) -> None:
    await store.put("k", b"1", SHORT)

    async def swapped() -> bool:
        return await store.swap("k", None, b"2", LONG)

    await until(swapped)
    assert await store.get("k") == b"2"


async def test_all_instances_see_the_same(opener: Opener) -> None:
    here, other = await opener(), await opener()
    await here.put("k", b"v", LONG)
    assert await other.get("k") == b"v"
    assert await other.scan("") == {"k": b"v"}
    await other.delete("k")
    assert await here.get("k") is None


async def test_nothing_that_is_added_at_once_is_lost(opener: Opener) -> None:
    stores = [await opener() for _ in range(3)]
    totals = await asyncio.gather(*(stores[number % 3].add("n", 1, LONG) for number in range(90)))
    assert sorted(totals) == list(range(1, 91))


async def test_one_of_many_swaps_wins(opener: Opener) -> None:
    stores = [await opener() for _ in range(3)]
    won = await asyncio.gather(*(stores[n % 3].swap("k", None, b"%d" % n, LONG) for n in range(30)))
    assert won.count(True) == 1
    assert await stores[0].get("k") == b"%d" % won.index(True)


async def test_many_values_come_and_go(store: Ephemeral) -> None:
    await asyncio.gather(*(store.put(f"s/{number}", b"v", SHORT) for number in range(200)))
    await asyncio.gather(*(store.put(f"l/{number}", b"v", LONG) for number in range(200)))

    async def gone() -> bool:
        return not await store.scan("s/")

    await until(gone)
    assert len(await store.scan("l/")) == 200


async def test_a_closed_store_says_so(store: Ephemeral) -> None:
    await store.put("k", b"v", LONG)
    await store.close()
    with pytest.raises(StoreError):
        await store.get("k")
    with pytest.raises(StoreError):
        await store.add("n", 1, LONG)
