"""An entry as somebody wrote it → `Entry`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pointsman.actions.faq.entry import Entry
from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.said import Said, said

_ASKED = (
    "question",
    "question_zh",
    "question_en",
    "questions",
    "questions_zh",
    "questions_en",
    "variants",
    "variants_zh",
    "variants_en",
)
_ANSWERED = ("answer", "answer_zh", "answer_en")
KEYS = ("id", *_ASKED, *_ANSWERED, "keywords", "tags")
"""What an entry may say. `question`, `questions`, `variants` and `answer` may be mappings by language as well."""
_TONGUES = ("zh", "en")
_MOST_QUESTIONS, _LONGEST = 200, 1_000
_LONGEST_ANSWER = 20_000
_PARTS = re.compile(r"[\n|]+")
_LISTED = re.compile(r"[\n|,，、;；]+")


def entry_of(
    data: dict[str, Any], number: int, path: str, where: Callable[[str], str], problems: list[Problem]
) -> Entry | None:
    """None where it says too little. `number` is its id where it names none."""
    wrong = len(problems)
    for key in data:
        if key not in KEYS:
            en, zh = "unknown key {key!r}{hint}", "未知的键 {key!r}{hint}"
            why = said(en, zh, key=key, hint=did_you_mean(key, list(KEYS)))
            problems.append(Problem(f"{path}.{key}", why, valid=", ".join(KEYS), where=where(key)))
    reader = _Reader(data, path, where, problems)
    questions: list[str] = []
    titles: dict[str, str] = {}
    for key in _ASKED:
        for tongue, texts in reader.by_tongue(key):
            questions += texts
            if texts:
                titles.setdefault(tongue, texts[0])
    answers: dict[str, str] = {}
    for key in _ANSWERED:
        for tongue, text in reader.answers(key):
            answers.setdefault(tongue, text)
    questions = list(dict.fromkeys(questions))
    for missing, given in (("question", questions), ("answer", answers)):
        if not given and len(problems) == wrong:
            problems.append(Problem(f"{path}.{missing}", Said("is missing", "缺失"), where=where("")))
    if len(questions) > _MOST_QUESTIONS:
        en, zh = "has {count} questions, more than {most}", "有 {count} 个问法，超过 {most} 个"
        why = said(en, zh, count=len(questions), most=_MOST_QUESTIONS)
        problems.append(Problem(f"{path}.questions", why, where=where("questions")))
    if len(problems) > wrong:
        return None
    return Entry(
        id=reader.id(number),
        questions=tuple(questions),
        titles=titles,
        answers=answers,
        keywords=tuple(reader.several("keywords")),
        tags=tuple(reader.several("tags")),
    )


class _Reader:
    def __init__(self, data: dict[str, Any], path: str, where: Callable[[str], str], problems: list[Problem]) -> None:
        self._data = data
        self._path = path
        self._where = where
        self._problems = problems

    def id(self, number: int) -> str:
        value = self._data.get("id")
        return str(number) if value in (None, "") else str(value).strip()

    def by_tongue(self, key: str) -> list[tuple[str, list[str]]]:
        """Questions under that key, with their language where it is known."""
        value = self._data.get(key)
        tongue = key.rpartition("_")[2] if key.endswith(("_zh", "_en")) else ""
        if isinstance(value, dict):
            found = []
            for word, texts in value.items():
                if word in _TONGUES:
                    found.append((str(word), self._texts(f"{key}.{word}", texts, _PARTS)))
                else:
                    self._no_tongue(f"{key}.{word}")
            return found
        texts = self._texts(key, value, _PARTS)
        if tongue:
            return [(tongue, texts)]
        return [(_tongue_of(text), [text]) for text in texts]

    def answers(self, key: str) -> list[tuple[str, str]]:
        value = self._data.get(key)
        if isinstance(value, dict):
            for word in value:
                if word not in _TONGUES:
                    self._no_tongue(f"{key}.{word}")
            given = [(word, value[word]) for word in _TONGUES if word in value]
        else:
            given = [(key.removeprefix("answer").removeprefix("_"), value)]
        found = []
        for word, text in given:
            if isinstance(text, (int, float)) and not isinstance(text, bool):
                text = str(text)
            if text is None:
                continue
            if not isinstance(text, str):
                self._wrong(key, Said("must be a text", "必须是文本"))
            elif len(text) > _LONGEST_ANSWER:
                en, zh = "has more than {most:,} characters", "超过 {most:,} 个字符"
                self._wrong(key, said(en, zh, most=_LONGEST_ANSWER))
            elif text.strip():
                found.append((word, text.strip()))
        return found

    def several(self, key: str) -> list[str]:
        """Of all languages, where they are apart."""
        value = self._data.get(key)
        if not isinstance(value, dict):
            return self._texts(key, value, _LISTED)
        found: list[str] = []
        for word, texts in value.items():
            if word in _TONGUES:
                found += self._texts(f"{key}.{word}", texts, _LISTED)
            else:
                self._no_tongue(f"{key}.{word}")
        return list(dict.fromkeys(found))

    def _texts(self, key: str, value: Any, parted: re.Pattern[str]) -> list[str]:
        """A text is one, or several in lines or between bars; a list is several."""
        if value is None:
            return []
        if isinstance(value, str):
            value = parted.split(value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            value = [value]
        if not isinstance(value, list) or any(isinstance(text, (dict, list, bool)) or text is None for text in value):
            self._wrong(key, Said("must be a text or a list of texts", "必须是文本或文本列表"))
            return []
        texts = [" ".join(str(text).split()) for text in value]
        if any(len(text) > _LONGEST for text in texts):
            en, zh = "has a text of more than {most:,} characters", "有文本超过 {most:,} 个字符"
            self._wrong(key, said(en, zh, most=_LONGEST))
            return []
        return [text for text in texts if text]

    def _no_tongue(self, key: str) -> None:
        en, zh = "is no language that is spoken here", "不是这里使用的语言"
        where = self._where(key)
        self._problems.append(Problem(f"{self._path}.{key}", Said(en, zh), valid=", ".join(_TONGUES), where=where))

    def _wrong(self, key: str, why: Said) -> None:
        self._problems.append(Problem(f"{self._path}.{key}", why, where=self._where(key)))


def _tongue_of(text: str) -> str:
    return "zh" if any("㐀" <= character <= "鿿" for character in text) else "en"
