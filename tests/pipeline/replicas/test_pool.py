"""A pool of scripted nodes: who gets what, who gets nothing, what is said of all together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from pipeline.replicas.scripted import Engine, House, report
from pointsman.balancing.affinity import ranked
from pointsman.domain.attempt import Attempt
from pointsman.domain.node import NodeModel
from pointsman.domain.said import Said
from pointsman.ports.backend import BackendFailure, Call, EngineLoad, Stream

CALL = Call("/chat/completions", b"{}")


@pytest.fixture
async def house() -> AsyncIterator[House]:
    found = House("a", "b", "c")
    await found.pool.probe()
    yield found
    await found.pool.close()


def failed(node: str, failure: str = "http", status: int | None = 500) -> Attempt:
    return Attempt("m@nodes", 0.0, 1.0, status, failure, "out of order", node=node)


async def test_all_together(house: House) -> None:
    state = await house.pool.probe()
    assert (state.health, state.facts.slots, state.facts.context_length, state.problem) == ("up", 6, 1000, None)
    assert [(node.name, node.health, node.slots) for node in state.nodes] == [
        ("a", "up", 2),
        ("b", "up", 2),
        ("c", "up", 2),
    ]
    house.set_health("b", "down", Said("no answer", "没有应答"))
    await house.look("b")
    state = await house.pool.probe()
    assert state.health == "up" and state.facts.slots == 4
    assert state.problem == "2 of 3 nodes serve; b: no answer"
    assert isinstance(state.problem, Said) and state.problem.zh == "3 个节点中有 2 个可用；b：没有应答"
    assert house.changes >= 2
    assert await house.pool.count_tokens("four") == 4
    house.engines["a"].told, house.engines["c"].told = EngineLoad(2, 1, 0, 0.5), EngineLoad(1, 0, 3, 0.9)
    await house.look()
    assert await house.pool.load() == EngineLoad(3, 1, 3, 0.9)


async def test_who_holds_a_slot_is_served_there_and_who_has_no_turn_is_counted(house: House) -> None:
    choices = [await house.pool.take((), ()) for _ in range(6)]
    assert sorted(choice.node for choice in choices if choice) == ["a", "a", "b", "b", "c", "c"]
    stream = await house.pool.open(Call("/chat/completions", b"{}", node="b"))
    assert house.engines["b"].calls and house.pool.line.held["b"] == 2
    stream.close()
    assert house.pool.line.held["b"] == 2, "the slot is its holder's to give back"
    other = await house.pool.open(CALL)
    assert sum(house.pool.line.held.values()) == 7
    other.close()
    other.close()
    assert sum(house.pool.line.held.values()) == 6
    waiting = asyncio.ensure_future(house.pool.take((), ()))
    await asyncio.sleep(0)
    assert house.pool.line.waiting == 1
    house.pool.give("c")
    choice = await waiting
    assert choice is not None and choice.node == "c"


async def test_one_that_gives_up_waiting_takes_nothing_along(house: House) -> None:
    for _ in range(6):
        await house.pool.take((), ())
    waiting = [asyncio.ensure_future(house.pool.take((), ())) for _ in range(2)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    house.pool.give("a")
    assert (await waiting[1]) is not None
    late = asyncio.ensure_future(house.pool.take((), ()))
    await asyncio.sleep(0)
    house.pool.give("a")  # it has its slot, and is cancelled before it hears of it
    late.cancel()
    await asyncio.gather(late, return_exceptions=True)
    assert house.pool.line.held.get("a") == 1 and not house.pool.line.waiting


async def test_the_same_beginning_goes_to_the_same_node(house: House) -> None:
    turns = [("system", "You help."), ("user", "Hello")]
    first = await house.pool.take(turns, ())
    assert first is not None and first.why == "prefix"
    house.pool.give(first.node)
    again = await house.pool.take([*turns, ("assistant", "Hi"), ("user", "More")], ())
    assert again is not None and again.node == first.node
    elsewhere = await house.pool.take(turns, [first.node])
    assert elsewhere is not None and elsewhere.node != first.node, "it has failed this request"


async def test_a_node_that_cannot_be_reached_gets_nothing_until_a_probe_found_it(house: House) -> None:
    house.engines["a"].fails = "connect"
    with pytest.raises(BackendFailure) as caught:
        await house.pool.open(Call("/chat/completions", b"{}", node="a"))
    assert caught.value.elsewhere and caught.value.message == "node a: out of order"
    assert not house.pool.members["a"].ready
    assert {(await house.pool.take((), ())).node for _ in range(4)} == {"b", "c"}  # type: ignore[union-attr]
    await house.look("a")
    assert house.pool.members["a"].ready


async def test_a_node_that_only_fails_gets_the_own_calls_alone(house: House) -> None:
    told: list[tuple[str, str, int, float]] = []
    house.pool.ejected = lambda pool, node, trips, seconds: told.append((pool, node, trips, seconds))
    engine = house.engines["a"]
    engine.status = 500
    assert house.pool.told(failed("a")), "the target is not to blame"
    assert house.pool.members["a"].health == "ejected" and not told, "it is doubted: a moment later its own call tells"
    assert "a request failed there" in str((await house.pool.probe()).problem)
    await until(lambda: told == [("m@nodes", "a", 1, 5.0)])
    assert len(engine.calls) == 1 and b'"max_tokens":1' in engine.calls[-1].body
    assert "it is left alone for 5 s" in str((await house.pool.probe()).problem)
    for _ in range(4):
        assert (await house.pool.take((), ())).node != "a"  # type: ignore[union-attr]
    await house.look("a")
    assert len(engine.calls) == 1, "it is too early"
    house.clock.now += 5.0
    await house.look("a")
    assert len(engine.calls) == 2 and house.pool.members["a"].health == "ejected"
    house.clock.now += 10.0
    engine.status = 200
    await house.look("a")
    assert house.pool.members["a"].health == "up"
    for _ in range(4):
        house.pool.give(next(iter(house.pool.line.held)))
    assert [(await house.pool.take((), ())).node for _ in range(5)].count("a") == 1, "one at a time"  # type: ignore[union-attr]
    house.pool.told(Attempt("m@nodes", 0.0, 1.0, 200, node="a"))
    assert (await house.pool.take((), ())).node == "a"  # type: ignore[union-attr]


async def test_a_doubt_that_was_wrong_is_over_at_once(house: House) -> None:
    house.pool.told(failed("a"))
    assert not house.pool.members["a"].ready
    await until(lambda: house.pool.members["a"].ready)
    assert len(house.engines["a"].calls) == 1


async def test_the_last_node_is_not_left_alone_and_the_target_is_to_blame(house: House) -> None:
    for name in ("a", "b"):
        house.engines[name].status = 500
        assert house.pool.told(failed(name))
    for _ in range(10):
        assert not house.pool.told(failed("c"))
    assert house.pool.members["c"].ready
    house.pool.ejected_elsewhere("c", 1)
    assert house.pool.members["c"].ready
    assert not house.pool.told(Attempt("m@nodes", 0.0, 1.0, 429, "http", node="c"))


class _Silent(Engine):
    """Takes each call and never answers."""

    async def open(self, call: Call) -> Stream:
        if call.path == "/models":
            return await super().open(call)
        self.calls.append(call)
        await asyncio.Event().wait()
        raise AssertionError


async def test_what_waits_at_a_machine_that_is_cut_off_is_given_up(house: House) -> None:
    engine = house.engines["a"]
    flowing = await house.pool.open(Call("/chat/completions", b"{}", node="a"))
    pouring = asyncio.ensure_future(flowing.pour(lambda data: True, _room))
    kept = await house.pool.open(Call("/chat/completions", b"{}", node="a", held_back=True))
    reading = asyncio.ensure_future(kept.pour(lambda data: True, _room))
    opened = await house.pool.open(Call("/chat/completions", b"{}", node="a"))
    engine.__class__ = _Silent
    waiting = asyncio.ensure_future(house.pool.open(Call("/chat/completions", b"{}", node="a")))
    await asyncio.sleep(0)
    house.set_health("a", "down", Said("no answer", "没有应答"))
    await house.look("a")
    await asyncio.sleep(0.01)
    assert not waiting.done(), "its machine is there: it may be busy"
    engine.there = False
    house.pool._wake["a"].set()
    with pytest.raises(BackendFailure, match="node a: its machine does not answer any more") as caught:
        await waiting
    assert caught.value.kind == "reset" and caught.value.elsewhere
    with pytest.raises(BackendFailure, match="its machine does not answer any more"):
        await reading
    assert [reply.closed for reply in engine.replies] == [False, True, True], (
        "what the client has begun to read goes on"
    )
    engine.replies[0].over.set()
    await pouring
    opened.close()


async def test_an_engine_that_is_silent_for_long_is_given_up_and_a_slow_one_never(house: House) -> None:
    house.engines["a"].__class__ = house.engines["b"].__class__ = _Silent
    slow, dead = (
        asyncio.ensure_future(house.pool.open(Call("/chat/completions", b"{}", node=name))) for name in ("a", "b")
    )
    house.set_health("b", "down", Said("no answer", "没有应答"))
    for _ in range(29):
        house.clock.now += 1.0
        await house.look("a", "b")
    house.pool._wake["b"].set()
    await asyncio.sleep(0.01)
    assert not dead.done()
    house.clock.now += 1.0
    for name in ("a", "b"):
        house.pool._wake[name].set()
    with pytest.raises(BackendFailure, match="its engine has answered nothing for 30 s"):
        await dead
    house.clock.now += 600.0
    house.pool._wake["a"].set()
    await asyncio.sleep(0.01)
    assert not slow.done(), "its probes are answered"
    slow.cancel()
    await asyncio.gather(slow, return_exceptions=True)


async def test_where_there_is_no_other_node_nothing_is_given_up(house: House) -> None:
    house.pool.install([report("a")])
    house.engines["a"].__class__ = _Silent
    waiting = asyncio.ensure_future(house.pool.open(Call("/chat/completions", b"{}", node="a")))
    await asyncio.sleep(0)
    house.set_health("a", "down")
    house.engines["a"].there = False
    house.pool._wake["a"].set()
    await asyncio.sleep(0.01)
    assert house.pool.members["a"].lost and not waiting.done()
    house.pool.install([report("a"), report("b")])
    await until(lambda: house.pool.members["b"].ready)
    house.pool._wake["a"].set()
    with pytest.raises(BackendFailure):
        await waiting


async def _room() -> None:
    pass


async def until(there: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not there():
            await asyncio.sleep(0.005)


async def test_another_gateway_ejected_it(house: House) -> None:
    house.pool.ejected_elsewhere("a", 2)
    house.pool.ejected_elsewhere("nobody", 2)
    assert house.pool.members["a"].health == "ejected" and house.pool.members["a"].standing.trips == 2


async def test_a_node_that_leaves_finishes_what_it_has(house: House) -> None:
    stream = await house.pool.open(Call("/chat/completions", b"{}", node="a"))
    house.pool.install([report("a", draining=True), report("b"), report("c")])
    assert house.pool.members["a"].health == "draining"
    assert {(await house.pool.take((), ())).node for _ in range(4)} == {"b", "c"}  # type: ignore[union-attr]
    house.pool.install([report("b"), report("c")])
    await asyncio.sleep(0.01)
    assert house.engines["a"].closed and not house.engines["a"].replies[0].closed
    assert await stream.read() == b"{}"
    assert house.pool.upstream["requests"] == 1, "what it did is not forgotten"
    with pytest.raises(BackendFailure, match="node a has left"):
        await house.pool.open(Call("/chat/completions", b"{}", node="a"))


async def test_one_that_begins_anew_is_another_node(house: House) -> None:
    old = house.engines["a"]
    house.pool.told(failed("a"))
    house.pool.install([report("a", incarnation="i2"), report("b", beat=7, cpu=0.5), report("c")])
    await asyncio.sleep(0.01)
    assert old.closed and house.engines["a"] is not old and house.pool.members["a"].standing.row == 0
    assert not house.engines["b"].closed and house.pool.members["b"].report.beat == 7


async def test_where_no_node_is_ready_nobody_waits(house: House) -> None:
    taken = [await house.pool.take((), ()) for _ in range(6)]
    waiting = asyncio.ensure_future(house.pool.take((), ()))
    await asyncio.sleep(0)
    for name in ("a", "b", "c"):
        house.set_health(name, "down", "gone")
    await house.look()
    assert await waiting is None and await house.pool.take((), ()) is None and taken
    with pytest.raises(BackendFailure, match=r"0 of 3 nodes serve; a: gone; b: gone; c: gone"):
        await house.pool.open(CALL)
    assert (await house.pool.probe()).health == "down"
    house.pool.install([])
    assert (await house.pool.probe()).problem == "no node is known yet"


class TestLies:
    async def test_about_its_model(self, house: House) -> None:
        house.pool.install([report("a", models=(NodeModel("m"),)), report("b"), report("c")])
        house.engines["a"].listed = b'{"data":[{"id":"other"}]}'
        await house.look()
        assert house.pool.members["a"].health == "refused"
        problem = (await house.pool.probe()).problem
        assert problem is not None and 'a: it says that it serves "m", and its engine lists other' in problem
        assert {(await house.pool.take((), ())).node for _ in range(4)} == {"b", "c"}  # type: ignore[union-attr]
        house.engines["a"].listed = b'{"data":[{"id":"m"}]}'
        await house.look("a")
        assert house.pool.members["a"].ready

    async def test_its_engine_may_have_another_name_for_it(self, house: House) -> None:
        house.pool.install([report("a", models=(NodeModel("m", id="/models/m.gguf"),))])
        house.engines["a"].listed = b'{"data":[{"id":"/models/m.gguf"}]}'
        await house.look()
        assert house.pool.members["a"].ready

    async def test_about_its_slots(self, house: House) -> None:
        house.pool.install([report("a", slots=100), report("b", slots=1), report("c")])
        await house.look()
        assert [node.slots for node in (await house.pool.probe()).nodes] == [2, 1, 2], "the engine's own count"

    async def test_slots_that_its_engine_does_not_tell(self) -> None:
        house = House(slots=None)
        house.pool.install([report("a", slots=8)])
        await house.pool.probe()
        house.engines["a"].told = EngineLoad(running=3, waiting=5)
        await house.look()
        state = await house.pool.probe()
        assert state.facts.slots == 3 and "says that it has 8 slots, and worked on 3" in str(state.problem)
        assert "自称有 8 个槽位" in state.problem.zh  # type: ignore[union-attr]
        house.engines["a"].told = EngineLoad(running=8, waiting=0)
        await house.look()
        assert (await house.pool.probe()).facts.slots == 8
        await house.pool.close()

    async def test_another_engine(self, house: House) -> None:
        house.pool.install([report("a"), report("z", engine="ollama")])
        assert "z runs ollama" in str((await house.pool.probe()).problem)
        assert house.pool.members.keys() == {"a"}


async def test_a_limit_of_the_config_holds_for_each_node() -> None:
    house = House("a", "b", slots=None, limit=1)
    await house.pool.probe()
    assert {(await house.pool.take((), ())).node for _ in range(2)} == {"a", "b"}  # type: ignore[union-attr]
    waiting = asyncio.ensure_future(house.pool.take((), ()))
    await asyncio.sleep(0)
    assert not waiting.done()
    await house.pool.close()
    assert await waiting is None


async def test_a_slow_start() -> None:
    house = House("a", slots=8, slow_start=10.0)
    await house.pool.probe()
    house.pool.install([report("a"), report("new")])
    await house.look()
    assert house.pool.members["a"].view().age > 10 and house.pool.members["new"].view().age == 0.0
    nodes = [(await house.pool.take((), ())).node for _ in range(9)]  # type: ignore[union-attr]
    assert nodes.count("new") == 1 and nodes.count("a") == 8
    await house.pool.close()


def test_the_order_of_nodes_is_the_hash_s_own() -> None:
    assert ranked("k", "abc") == ranked("k", "cba")
