"""What feedback is about, and what callers did, in the log: summed up by day, and gone with the rest."""

from __future__ import annotations

from pathlib import Path

import apsw

from pointsman.domain.feedback import Feedback, Served, Signs, Word
from pointsman.store.content_files import ContentFiles
from pointsman.store.log_file import open_log
from pointsman.store.log_reader import LogReader
from pointsman.store.log_schema import NAME
from pointsman.store.log_writer import LogWriter
from pointsman.store.retention import Retention

DAY = 86_400.0
TODAY = 20_000


def opinion(name: str, *, day: int = TODAY, adopted: bool | None = None, rating: int | None = None) -> Feedback:
    return Feedback(request_id=name, received=day * DAY + 5.0, caller="app", adopted=adopted, rating=rating)


def written(folder: Path, *told: tuple[Feedback, Served | None], signs: tuple[Signs, ...] = ()) -> LogReader:
    writer = LogWriter(folder, "off", 1e12, linger=0.0)
    for feedback, served in told:
        writer.put_feedback(feedback, feedback.received, served)
    writer.put_signs(signs)
    writer.close()
    return LogReader(folder)


def test_words_are_summed_up_by_day_and_model(tmp_path: Path) -> None:
    math, chat = Served("small", "math"), Served("small", None)
    reader = written(
        tmp_path,
        (opinion("r1", adopted=False), math),
        (opinion("r2", adopted=False), math),
        (opinion("r3", rating=5), chat),
        (opinion("r4", day=TODAY - 40, rating=5), chat),
        (opinion("r5", adopted=True), None),
    )
    assert sorted(reader.words(TODAY - 30, TODAY), key=lambda word: word.count) == [
        Word(TODAY, "app", "small", None, 5, None, False, False, 1),
        Word(TODAY, "app", "small", "math", None, False, False, False, 2),
    ]
    reader.close()


def test_a_later_word_replaces_an_earlier_one(tmp_path: Path) -> None:
    math = Served("small", "math")
    reader = written(tmp_path, (opinion("r1", adopted=False), math), (opinion("r1", adopted=True), math))
    assert [(word.adopted, word.count) for word in reader.words(TODAY, TODAY)] == [(True, 1)]
    reader.close()


def test_signs_add_up_whoever_writes_them(tmp_path: Path) -> None:
    one = Signs(TODAY, "app", "small", None, 3, 1, 0)
    for _ in range(2):
        written(tmp_path, signs=(one, Signs(TODAY - 1, "app", "small", "faq", 1, 0, 1))).close()
    reader = LogReader(tmp_path)
    assert reader.signs(TODAY, TODAY) == [Signs(TODAY, "app", "small", None, 6, 2, 0)]
    assert len(reader.signs(TODAY - 1, TODAY)) == 2
    reader.close()


def test_a_log_that_was_begun_without_them_has_none_and_gets_them(tmp_path: Path) -> None:
    written(tmp_path).close()
    connection = apsw.Connection(str(tmp_path / NAME))
    connection.execute("drop table signs; drop table feedback_on")
    connection.close()
    reader = LogReader(tmp_path)
    assert (reader.words(0, TODAY), reader.signs(0, TODAY)) == ([], [])
    reader.close()
    reader = written(tmp_path, (opinion("r1", adopted=True), Served("small", None)))
    assert len(reader.words(TODAY, TODAY)) == 1
    reader.close()


def test_they_go_when_they_are_old(tmp_path: Path) -> None:
    old = opinion("r1", day=TODAY - 40, adopted=True), Served("small", None)
    new = opinion("r2", adopted=True), Served("small", None)
    signs = Signs(TODAY - 40, "app", "small", None, 1), Signs(TODAY, "app", "small", None, 1)
    written(tmp_path, old, new, signs=signs).close()
    connection = open_log(tmp_path / NAME)
    contents = ContentFiles(tmp_path, "none")
    Retention(30 * DAY).purge(connection, contents, TODAY * DAY)
    assert connection.execute("select request_id from feedback_on").fetchall() == [("r2",)]
    assert connection.execute("select day from signs").fetchall() == [(TODAY,)]
    contents.close()
    connection.close()
