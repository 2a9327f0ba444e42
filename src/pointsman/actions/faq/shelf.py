"""An FAQ that is read and at hand: its words at once, its meanings when they are known."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

import msgspec

from pointsman.actions.child import Children, Limits, Work
from pointsman.actions.faq.child import Asked, Book
from pointsman.actions.faq.entry import Entry
from pointsman.actions.faq.fused import Meaning, Scored, scored
from pointsman.actions.faq.keywords import Keywords
from pointsman.actions.faq.vectors import digest_of, keep, kept, vector_file
from pointsman.apart import apart
from pointsman.domain.said import Said
from pointsman.ports.action import ActionFailed
from pointsman.ports.embed import Embed, Vector

log = logging.getLogger("pointsman")
READ = Work("pointsman.actions.faq.child:read", Asked, Book, extra="pointsman[document]")
LIMITS = Limits(seconds=60.0, memory=1 << 30, answer=128 << 20)
_SAVED = 256  # texts after which what is known is kept
_WORDS_ONLY = Said(
    "FAQ %s: no embedding model is installed, so entries are found by their words alone",
    "问答 %s：没有安装向量模型，只按关键词查找",
)
_LATER = Said("FAQ %s: meanings are not known, only words: %s", "问答 %s：暂时只按关键词查找，没有向量：%s")


class Found(msgspec.Struct, frozen=True):
    """The closest entries, the closest first. `by`: what they were found by, `words` or `both`."""

    closest: list[tuple[Entry, float]]
    by: str
    words: list[str]


class Shelf:
    """A resident: it outlives runs and reloads as long as its file stays as it is. `close` ends what is under way."""

    def __init__(self, path: Path, name: str, children: Children, embed: Embed, data: Path) -> None:
        self._path = path
        self._name = name
        self._children = children
        self._embed = embed
        self._file = vector_file(data, str(path))
        self._reading: asyncio.Task[tuple[list[Entry], Keywords]] | None = None
        self._meaning: asyncio.Task[None] | None = None
        self._meanings: object | None = None

    async def closest(self, question: str, most: int) -> Found:
        """Raises ActionFailed."""
        entries, keywords = await self.ready()
        near = keywords.near(question)
        meanings = await self._likenesses(question)
        best: list[Scored] = scored(near, meanings, most)
        top = entries[best[0].place] if best else None
        return Found(
            [(entries[one.place], one.score) for one in best],
            "words" if meanings is None else "both",
            [] if top is None else keywords.shared(question, top),
        )

    async def ready(self) -> tuple[list[Entry], Keywords]:
        """Its entries; whoever comes first has them read."""
        if self._reading is None or (self._reading.done() and self._reading.exception() is not None):
            self._reading = asyncio.create_task(self._read())
        return await asyncio.shield(self._reading)

    async def understood(self) -> None:
        """Waits until meanings are known, or will not be."""
        await self.ready()
        if self._meaning is not None:
            await asyncio.shield(self._meaning)

    async def retire(self) -> None:
        await self.close()

    async def close(self) -> None:
        tasks = [task for task in (self._reading, self._meaning) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self) -> tuple[list[Entry], Keywords]:
        async with self._children.folder() as folder:
            book = await self._children.run(READ, Asked(str(self._path.absolute())), folder, LIMITS)
        keywords = await apart(Keywords, book.entries)
        if self._embed.model is None:
            log.info(_WORDS_ONLY, self._name)
        else:
            self._meaning = asyncio.create_task(self._understand(book.entries, self._embed.model))
        return book.entries, keywords

    async def _understand(self, entries: Sequence[Entry], model: str) -> None:
        asked = [(text, place) for place, entry in enumerate(entries) for text in entry.questions]
        told = [(text, place) for place, entry in enumerate(entries) for text in entry.answers.values()]
        known = await asyncio.to_thread(kept, self._file, model)
        try:
            questions = await self._vectors(model, known, [text for text, _ in asked], query=True)
            answers = await self._vectors(model, known, [text for text, _ in told], query=False)
            owners = [place for _, place in asked], [place for _, place in told]
            self._meanings = await apart(_meanings, questions, owners[0], answers, owners[1])
        except (ActionFailed, ImportError) as error:
            log.warning(_LATER, self._name, error)
            return
        now = {_digest(text, query=True) for text, _ in asked} | {_digest(text, query=False) for text, _ in told}
        if len(known) > len(now):
            await asyncio.to_thread(keep, self._file, model, {digest: known[digest] for digest in now})

    async def _vectors(self, model: str, known: dict[bytes, Vector], texts: list[str], *, query: bool) -> list[Vector]:
        """Of all of them; those that are not known are asked for, and kept."""
        digests = [_digest(text, query=query) for text in texts]
        new = [n for n, digest in enumerate(digests) if digest not in known]
        for at in range(0, len(new), _SAVED):
            some = new[at : at + _SAVED]
            vectors = await self._embed([texts[n] for n in some], query=query)
            known.update(zip((digests[n] for n in some), vectors, strict=True))
            await asyncio.to_thread(keep, self._file, model, dict(known))
        return [known[digest] for digest in digests]

    async def _likenesses(self, question: str) -> list[Meaning] | None:
        from_all = self._meanings
        if from_all is None:
            return None
        try:
            [vector] = await self._embed([question], query=True)
        except ActionFailed as error:
            log.warning(_LATER, self._name, error)
            return None
        near: list[Meaning] = from_all.near(vector)  # type: ignore[attr-defined]
        return near


def _digest(text: str, *, query: bool) -> bytes:
    return digest_of(text if query else f"answer: {text}")


def _meanings(asked: list[Vector], askers: list[int], told: list[Vector], tellers: list[int]) -> object:
    from pointsman.actions.faq.meanings import Meanings

    return Meanings(asked, askers, told, tellers)
