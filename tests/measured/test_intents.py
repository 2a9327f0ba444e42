"""The embedded arbiter on labelled texts: floors a little below what was reached (docs/arbiter/training.md)."""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from pointsman.arbiter.shipped_intents import shipped_intents
from pointsman.arbiter.shipped_outside import shipped_outside
from pointsman.arbiters.embedded import embedded
from pointsman.arbiters.spelling import SpellingOnly
from pointsman.bench.intents import IntentResults, run_intents
from pointsman.bench.labelled import Labelled, read_labelled
from pointsman.domain.intent import OPEN_ENDED, Intent, Query
from pointsman.embedding import E5, installed_model

SETS = Path(__file__).parents[1] / "sets" / "intents_zh"
SHARED = Path(__file__).parents[3] / "shared" / "data"
NOWHERE = Path("no-peer")


def chinese(*parts: str) -> list[Labelled]:
    """Training texts: of files of examples, with their descriptions, and the texts outside."""
    rows: list[Labelled] = []
    for part in parts:
        for name, given in yaml.safe_load((SETS / part).read_text(encoding="utf-8")).items():
            texts = given if isinstance(given, list) else [*given["examples"], *given["about"].values()]
            rows += [Labelled(text, name) for text in texts]
    lines = (SETS / "outside.jsonl").read_text(encoding="utf-8").splitlines()
    return rows + [Labelled(json.loads(line)["text"], "oos") for line in lines]


def shared(name: str) -> Path:
    path = SHARED / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"{path.name} is not there")
    return path


def shown(results: IntentResults) -> None:
    for subject in results.subjects:
        print(subject.name, subject.figures, subject.short, subject.all)


def needs_model() -> None:
    if installed_model() is None:
        pytest.skip("no embedding model is installed")


async def test_chinese_by_spelling_alone(tmp_path: Path) -> None:
    train, test = chinese("intents.yaml", "more.yaml"), read_labelled(SETS / "validation.jsonl")
    results = await run_intents(train, test, None, tmp_path, NOWHERE, print, embedding=False)
    shown(results)
    ours = results.subjects[0].figures
    assert ours.accuracy >= 0.86 and ours.recall_at_5 is not None and ours.recall_at_5 >= 0.35
    assert ours.ece < ours.ece_raw / 2


@pytest.mark.slow
@pytest.mark.timeout(1800)
async def test_chinese(tmp_path: Path) -> None:
    """The test half was written blind, and run once before these floors were set: 95.2 %; 93.8 % with the 18 examples of
    intents.yaml alone."""
    needs_model()
    train = [*chinese("intents.yaml", "more.yaml"), *read_labelled(SETS / "validation.jsonl")]
    results = await run_intents(train, read_labelled(SETS / "test.jsonl"), None, tmp_path, NOWHERE, print)
    shown(results)
    ours = results.subjects[0]
    assert ours.figures.accuracy >= 0.94 and ours.figures.ece_named <= 0.05
    for peer in results.subjects[1:]:
        assert ours.figures.accuracy > peer.figures.accuracy


@pytest.mark.slow
@pytest.mark.timeout(3600)
async def test_clinc(tmp_path: Path) -> None:
    """Forty examples of each intent, and ten of its validation split: the whole is measured by `bench intents`."""
    needs_model()
    rows = [json.loads(line) for line in unpacked(shared("clinc150_train"))]
    counts: dict[tuple[str, str], int] = defaultdict(int)
    parts: dict[str, list[Labelled]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: zlib.crc32(row["text"].encode())):
        part = "val" if row["split"].endswith("val") else "train"
        key = row["intent"], part
        counts[key] += 1
        if row["intent"] == "oos" or counts[key] <= {"train": 40, "val": 10}[part]:
            parts[part].append(Labelled(row["text"], row["intent"]))
    results = await run_intents(parts["train"], parts["val"], None, tmp_path, NOWHERE, print)
    shown(results)
    ours = results.subjects[0].figures
    assert ours.accuracy >= 0.94 and ours.recall_at_5 is not None and ours.recall_at_5 >= 0.88
    assert ours.ece_named <= 0.02 and ours.ece <= 0.02


def unpacked(path: Path) -> list[str]:
    import gzip

    return gzip.decompress(path.read_bytes()).decode().splitlines()


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("names", [("export_report",), tuple(shipped_intents())])
async def test_general_talk_is_left_alone(names: Sequence[str], tmp_path: Path) -> None:
    """Of public prompts that are not in the background: few are acted on at the gate of 0.7."""
    needs_model()
    texts = []
    for name, field, most in (("arena_hard_v01", "prompt", 250), ("self_instruct_seed_tasks", "instruction", 100)):
        found = [json.loads(line)[field] for line in unpacked(shared(name))]
        texts += [text for text in found if zlib.crc32(text.encode()) % 2][:most]
    intents = [shipped_intents()[name] for name in names]
    e5 = E5(str(installed_model()))
    arbiter = embedded(intents, e5, tmp_path, shipped_outside())
    try:
        await arbiter.start()
        heard = [await arbiter.hear(Query(text=text)) for text in texts]
        own = [(each.name, text) for each in intents for text in each.examples[:10]]
        known = [(name, await arbiter.hear(Query(text=text))) for name, text in own]
    finally:
        await arbiter.aclose()
        await e5.close()
    acted = sum(each.intent != OPEN_ENDED and each.confidence >= 0.7 for each in heard) / len(heard)
    print(len(names), "intents: acted on", acted, "of", len(heard))
    assert acted <= (0.01 if len(names) == 1 else 0.04)
    assert sum(each.intent == name and each.confidence >= 0.7 for name, each in known) / len(known) >= 0.8


async def test_without_a_model_it_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    arbiter = embedded([Intent("a", examples=("draw a cat", "paint a dog"))], SpellingOnly(), tmp_path, ("hello",))
    await arbiter.start()
    assert await arbiter.ready() and (await arbiter.hear(Query(text="draw a cat"))).scores[0][0] == "a"
    assert "by spelling alone" in caplog.text
    await arbiter.aclose()
    assert not await arbiter.ready() and (await arbiter.hear(Query(text="x"))).failure == "unavailable"
