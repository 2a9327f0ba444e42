"""What a text means is asked within its time, a few at once, and logged, so that it is decided again without asking."""

from __future__ import annotations

import asyncio
import random
from array import array
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from pipeline.policies import CONFIG, FILES, fleet, policy_of
from pointsman.domain.decision import Decision
from pointsman.domain.meaning import SCALE, Meaning, coordinates
from pointsman.domain.policy import ClassifierRule
from pointsman.domain.request import Request, Turn
from pointsman.learning.dense import stored_dense
from pointsman.learning.linear import decompressed
from pointsman.offline.replay.again import Again
from pointsman.pipeline.decide import decide
from pointsman.pipeline.explained import considered
from pointsman.pipeline.hearing import Hearings
from pointsman.pipeline.meanings import MOST, Meanings
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.recomputed import recomputed
from pointsman.ports.action import ActionFailed
from pointsman.ports.embed import Vector
from pointsman.routing.classifier.difficulty import (
    DifficultyByMeaning,
    DifficultyFile,
    difficulty_bytes,
    difficulty_of,
    shipped_difficulty,
)
from pointsman.routing.classifier.meaning import Embedder, StoredMeaning
from pointsman.routing.classifier.tasks import (
    FORMAT_MEANING,
    WHOLE,
    Tasks,
    TasksByMeaning,
    TasksFile,
    encoded_tasks,
    shipped_bytes,
    shipped_tasks,
    tasks_of,
)

FLEET = fleet(small=None, middle=None, big=None, spare=None)
SIZE = 8
E5 = Embedder("e5/test", "digest")
POEM, SUMS = [1.0, *[0.0] * 7], [0.0, 1.0, *[0.0] * 6]
QUESTION = "写一首关于秋天的诗"


def tasks() -> Tasks:
    """One that takes what points along the first coordinate for creative, along the second for math."""
    told = msgspec.msgpack.decode(decompressed(shipped_bytes()), type=TasksFile)
    names = told.linear.heads
    weights = [[0] * len(names) for _ in range(SIZE)]
    weights[0][names.index("creative")] = weights[1][names.index("math")] = 20_000
    heads = StoredMeaning(E5, stored_dense(weights, [0] * len(names)), 3)
    meaning = TasksByMeaning(heads, 0, ((0, 0), (WHOLE, WHOLE)), 3000)
    return tasks_of(encoded_tasks(msgspec.structs.replace(told, format=FORMAT_MEANING, meaning=meaning)))


TASKS = tasks()
_MADE: list[Policy] = []


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    if not _MADE:
        _MADE.append(policy_of(tmp_path, CONFIG, FILES))
    rule = ClassifierRule(TASKS.version, TASKS.least, None, E5.name)
    return Policy(msgspec.structs.replace(_MADE[0].document, classifier=rule), own_tasks=TASKS)


def ask(text: str = QUESTION, **changes: object) -> Request:
    return Request("r", "chat", "auto", (Turn("user", text),), **changes)  # type: ignore[arg-type]


class Scripted:
    """`ports.Embed` that gives one vector, after so many seconds; or breaks off."""

    def __init__(self, vector: Sequence[float] = SUMS, after: float = 0.0, model: str | None = E5.name) -> None:
        self.model = model
        self.vector = vector
        self.after = after
        self.broken = False
        self.gate = asyncio.Event()
        self.gate.set()
        self.texts: list[str] = []

    async def __call__(self, texts: list[str], *, query: bool = False, tokens: int | None = None) -> list[Vector]:
        assert query and tokens
        self.texts += texts
        await asyncio.sleep(self.after)
        await self.gate.wait()
        if self.broken:
            raise ActionFailed("embedding", "broken")
        return [array("f", self.vector) for _ in texts]


def asking(embed: Scripted | None, timeout: float = 5.0) -> Meanings:
    meanings = Meanings()
    meanings.install(embed, timeout)
    return meanings


async def decided(policy: Policy, meanings: Meanings, request: Request | None = None) -> Decision:
    return await considered(request or ask(), policy, FLEET, Hearings(), meanings)


async def test_a_vector_tells_the_task_and_the_log_tells_it_again(policy: Policy) -> None:
    embed = Scripted(SUMS)
    first = decide(ask(), policy, FLEET)
    assert first.wants == "meaning" and first.features is not None and first.features.task_type == "creative"
    decision = await decided(policy, asking(embed))
    assert embed.texts == [QUESTION] and decision.wants is None
    assert decision.features is not None and decision.features.task_type == "math"
    assert decision.meaning is not None and decision.meaning.vector == coordinates(array("f", SUMS))
    kept = msgspec.json.decode(msgspec.json.encode(decision), type=Decision)
    assert kept == decision
    assert recomputed(ask(), kept, policy, FLEET, None) == kept
    bare = Policy(policy.document)  # the model is gone, what it told is not
    assert recomputed(ask(), kept, bare, FLEET, None) == kept


@pytest.mark.parametrize(
    ("embed", "why"),
    [
        (None, "unavailable"),
        (Scripted(model=None), "unavailable"),
        (Scripted(model="e5/other"), "invalid"),
        (Scripted(after=30.0), "timeout"),
    ],
)
async def test_without_a_vector_it_goes_by_spelling_and_says_why(
    policy: Policy, embed: Scripted | None, why: str
) -> None:
    meanings = asking(embed, timeout=0.05)
    decision = await decided(policy, meanings)
    assert decision.meaning is not None and decision.meaning.failure == why and not decision.meaning.vector
    assert decision.features is not None and decision.features.task_type == "creative"
    assert decision.reason.endswith("任务和难度按字面判断")
    assert recomputed(ask(), decision, policy, FLEET, None) == decision
    english = await decided(policy, meanings, ask("Write a poem about autumn"))
    assert english.reason.endswith("task and difficulty go by spelling")


async def test_what_was_given_up_is_still_done_and_more_does_not_pile_up(policy: Policy) -> None:
    embed = Scripted()
    embed.gate.clear()
    meanings = asking(embed, timeout=0.01)
    found = [await meanings.ask(ask(), policy) for _ in range(MOST + 3)]
    assert [each.failure for each in found] == ["timeout"] * MOST + ["shed"] * 3 and len(embed.texts) == MOST
    embed.gate.set()
    while meanings._under_way:
        await asyncio.sleep(0.01)
    meanings.install(embed, 5.0)
    assert (await meanings.ask(ask(), policy)).failure is None


async def test_one_that_breaks_off_is_left_alone_for_a_while(policy: Policy) -> None:
    embed = Scripted()
    embed.broken = True
    meanings = asking(embed)
    assert [(await meanings.ask(ask(), policy)).failure for _ in range(3)] == ["unavailable"] * 3
    assert len(embed.texts) == 1
    embed.broken = False
    meanings.install(embed, 5.0)  # a reload
    assert (await meanings.ask(ask(), policy)).failure is None


async def test_nobody_is_asked_where_nothing_depends_on_it(policy: Policy) -> None:
    embed = Scripted()
    meanings = asking(embed)
    assert (await decided(policy, meanings, ask(task="math"))).meaning is None
    assert (await decided(policy, meanings, ask("hello"))).meaning is None
    named = msgspec.structs.replace(ask(), model="light")
    assert (await decided(policy, meanings, named)).meaning is None
    assert not embed.texts


async def test_replay_takes_vectors_as_logged_and_says_where_there_are_none(policy: Policy) -> None:
    logged = await decided(policy, asking(Scripted(POEM)))
    again = Again(policy, True, None, {}).decided(ask(), logged, FLEET, None)
    assert again == logged
    plain = decide(ask(), Policy(msgspec.structs.replace(policy.document, classifier=None)), FLEET)
    assert Again(policy, True, None, {}).decided(ask(), plain, FLEET, None) == "meaning"


async def test_difficulty_by_meaning_too(policy: Policy) -> None:
    told = msgspec.msgpack.decode(decompressed(shipped_difficulty().data), type=DifficultyFile)
    heads = StoredMeaning(E5, stored_dense([[100], *[[0]] * (SIZE - 1)], [0]), 0)
    meaning = DifficultyByMeaning(heads, 0, ((0, 1000), (100 * 127, 9000)))
    made = difficulty_of(difficulty_bytes(msgspec.structs.replace(told, format=2, meaning=meaning)))
    rule = ClassifierRule(TASKS.version, TASKS.least, made.version, E5.name)
    document = msgspec.structs.replace(policy.document, classifier=rule)
    both = Policy(document, own_tasks=TASKS, own_difficulty=made)
    both._by_difficulty = True
    easy, hard = [(await decided(both, asking(Scripted(v)))).features for v in (SUMS, POEM)]
    assert easy is not None and hard is not None and (easy.difficulty, hard.difficulty) == (0.1, 0.9)
    unheard = (await decided(both, asking(None))).features
    assert unheard is not None and unheard.difficulty not in (0.1, 0.9)


def test_coordinates() -> None:
    vector = array("f", [0.0, 1.0, -1.0, 0.1, -0.001])
    assert list(memoryview(coordinates(vector)).cast("b")) == [0, 127, -127, round(0.1 * SCALE), -1]


@pytest.mark.parametrize("size", [1, 7, 512])
def test_sums_are_those_of_plain_arithmetic(size: int) -> None:
    from pointsman.learning.dense import Dense

    chance = random.Random(size)
    weights = [[chance.choice([-32767, 32767, chance.randint(-99, 99)]) for _ in range(14)] for _ in range(size)]
    starts = [chance.randint(-(10**9), 10**9) for _ in range(14)]
    vector = array("b", [chance.choice([-127, 127, 3]) for _ in range(size)])
    wanted = [s + sum(w[h] * v for w, v in zip(weights, vector, strict=True)) for h, s in enumerate(starts)]
    dense = Dense(stored_dense(weights, starts))
    assert dense.sums(vector.tobytes()) == wanted
    with pytest.raises(ValueError):
        dense.sums(b"\0" * (size + 1))


def test_a_file_of_two_halves_that_do_not_fit_is_refused() -> None:
    told = msgspec.msgpack.decode(decompressed(encoded_tasks_of(TASKS)), type=TasksFile)
    assert told.meaning is not None
    for wrong in (
        msgspec.structs.replace(told, format=1),
        msgspec.structs.replace(told, meaning=None),
        msgspec.structs.replace(told, meaning=msgspec.structs.replace(told.meaning, knots=())),
    ):
        with pytest.raises(ValueError):
            tasks_of(encoded_tasks(wrong))
    assert shipped_tasks().embedder is None and TASKS.embedder == E5.name


def encoded_tasks_of(model: Tasks) -> bytes:
    return model.data


def test_a_vector_of_another_model_is_not_looked_at(policy: Policy) -> None:
    other = Meaning(embedder="e5/other", vector=coordinates(array("f", SUMS)))
    found = decide(ask(), policy, FLEET, meaning=other).features
    assert found is not None and found.task_type == "creative"
