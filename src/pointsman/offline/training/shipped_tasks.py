"""`python -m pointsman.offline.training.shipped_tasks FILE` (`make classifier`): the model of task types that ships, made of
the lessons that ship; the same bytes on every machine."""

from __future__ import annotations

import sys
from pathlib import Path

from pointsman.offline.training.lessons import lessons
from pointsman.offline.training.tasks import Labelled, train_tasks
from pointsman.routing.classifier.tasks import encoded_tasks


def shipped_lessons() -> tuple[Labelled, ...]:
    return tuple(Labelled(lesson.text, lesson.task) for lesson in (*lessons("zh"), *lessons("en")))


def made() -> bytes:
    texts = shipped_lessons()
    return encoded_tasks(train_tasks(texts, {"made of": f"{len(texts)} texts, Chinese and English, that ship"}).file)


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(made())
