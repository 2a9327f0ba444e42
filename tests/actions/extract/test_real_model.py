"""A real, weak model: what it says that no chunk says never comes out."""

from __future__ import annotations

import asyncio
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

from actions.extract.sets import QUESTIONS, SETS
from running import running

SCHEMA: dict[str, Any] = {
    "steps": {
        "type": "array",
        "items": {"type": "string", "maxLength": 60},
        "maxItems": 3,
        "description": {"zh": "要做的步骤", "en": "what to do"},
    },
    "time": {"type": "string", "maxLength": 60, "description": {"zh": "所需时间", "en": "how long it takes"}},
}
LINES = {
    "zh": {"要做的步骤：", "依据：", "所需时间："},
    "en": {"what to do:", "Source:", "how long it takes:"},
}


def plain(text: str) -> str:
    """Letters as they are read, without anything between them."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


@pytest.mark.slow
@pytest.mark.timeout(3600)
async def test_two_hundred_answers_hold_nothing_that_no_chunk_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each value is a piece of the chunk that it cites, letter by letter, and the answer is the template with these."""
    config = {
        "models": {
            "light": {
                "backends": [{"engine": "embedded", "model": "builtin:smollm2-135m", "context": 4096, "slots": 2}]
            }
        },
        "fallback": {"target": "light"},
        "rules": {"packs": []},
        "actions": {
            "answer": {
                "extract": {"schema": SCHEMA, "required": [], "model": "light", "max_tokens": 120},
                "timeout": "5m",
            }
        },
    }
    seen: Counter[str] = Counter()
    places = asyncio.Semaphore(2)

    async with (
        running(config, tmp_path, settle=60) as served,
        httpx.AsyncClient(base_url=served.base, timeout=400) as client,
    ):

        async def one(number: int, question: str) -> None:
            tongue = "zh" if number < 10 else "en"
            chunks = [{"id": f"c{n}", "text": text} for n, text in enumerate(SETS[number], 1)]
            asked = {"action": "answer", "parameters": {"question": question, "chunks": chunks}}
            async with places:
                sent = await client.post("/v1/jobs", json=asked, headers={"accept-language": tongue})
                job = sent.json()
                while job["state"] not in ("completed", "failed"):
                    await asyncio.sleep(0.2)
                    job = (await client.get(f"/v1/jobs/{job['id']}")).json()
            body = job["result"]["body"]
            seen[body["outcome"]] += 1
            values = body["values"]
            seen["dropped"] += values["dropped"]
            assert body["outcome"] in ("ok", "refused"), body
            texts = {chunk["id"]: plain(chunk["text"]) for chunk in chunks}
            assert set(values["fields"]) <= set(SCHEMA), values
            shown = []
            for name, value in values["fields"].items():
                given = value if isinstance(value, list) else [value]
                seen["values"] += len(given)
                seen[f"by {values['by'][name]}"] += len(given)
                cited = values["chunks"][name]
                for each in given:
                    assert any(plain(each) in texts[chunk] for chunk in cited), (each, cited, chunks)
                    shown.append(each)
            if body["outcome"] == "refused":
                assert not shown and body["text"].startswith(("资料中没有写明：", "The passages do not say: ")), body
                return
            left = body["text"]
            for each in sorted(shown, key=len, reverse=True):
                left = left.replace(each, "", 1)
            rest = {word for line in left.split("\n") for word in [line.strip(" 123456789.;；[]c")] if word}
            assert rest <= LINES["zh"] | LINES["en"] | {"依据", "Source"}, (left, body["text"])

        await asyncio.gather(
            *(one(number, question) for number in range(20) for question in QUESTIONS["zh" if number < 10 else "en"])
        )
    with capsys.disabled():
        print(f"\n200 answers of SmolLM2: {dict(seen)}")
    assert seen["ok"] + seen["refused"] == 200, seen
    assert seen["by model"] > 0 and seen["dropped"] > 0, seen
