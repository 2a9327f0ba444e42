"""`pointsman train --scores`: a model of difficulties from questions that several models answered."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pointsman.cli.output import print_json, print_line
from pointsman.config.others_words import why
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said, told
from pointsman.offline.training.card import Row, told_from, write_card
from pointsman.routing.classifier.difficulty import Difficulty


def declare_scores(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scores",
        metavar="FILE",
        type=Path,
        help='learn difficulties: JSON lines of {"question", "scores": {model: quality}}, optionally task; .gz too',
    )
    parser.add_argument(
        "--light",
        metavar="MODEL",
        action="append",
        help="of --scores; repeatable; default: the one of lowest cost or quality",
    )
    parser.add_argument(
        "--heavy",
        metavar="MODEL",
        action="append",
        help="of --scores; repeatable; default: the one of highest cost or quality",
    )
    parser.add_argument(
        "--labelled",
        metavar="FILE",
        type=Path,
        action="append",
        help='beside --scores: JSON lines of {"text", "difficulty": easy, medium or hard}, which tell of any text;'
        " repeatable; default: as the model that ships has it",
    )


def train_scores(options: argparse.Namespace) -> int:
    """Writes `options.out`. Raises PointsmanError."""
    try:
        import numpy

        from pointsman.bench.route.measure import Asked, split_name, validated
        from pointsman.bench.route.pair import chosen_pair
        from pointsman.bench.route.tables import interval, signed
        from pointsman.offline.training.difficulty import asked_of, check_asked, general_model, pull_for, trained
        from pointsman.offline.training.difficulty_meaning import floats_of, with_meaning
        from pointsman.offline.training.vectors import vectors_of
    except ImportError as error:
        raise PointsmanError(needs("train --scores", error)) from None
    from pointsman.bench.route.scored import read_scored
    from pointsman.offline.training.leveled import read_leveled
    from pointsman.routing.classifier.difficulty import difficulty_of, shipped_difficulty

    rows = read_scored(options.scores)
    first = chosen_pair(rows, *((names[0] if names else None) for names in (options.light, options.heavy)))
    light, heavy = options.light or [first.light], options.heavy or [first.heavy]
    for name in (*light, *heavy):
        chosen_pair(rows, name, None)  # is there such a model?
    rows = tuple(row for row in rows if all(name in row.scores for name in (*light, *heavy)))
    asked = asked_of([(row.question, row.scores) for row in rows], light, heavy) if rows else []
    check_asked(asked)
    general = shipped_difficulty()
    if options.labelled:
        labelled = [each for path in options.labelled for each in read_leveled(path)]
        general = general_model(labelled, [row.question for row in rows])
    pull = pull_for(len(light) * len(heavy))
    about = {"light": ", ".join(light), "heavy": ", ".join(heavy), "questions": str(len(rows))}

    gaps = numpy.array([each.gap for each in asked])

    def progress(text: Said) -> None:
        print(told(text, options.tongue), file=sys.stderr, flush=True)

    vectors = vectors_of([row.question for row in rows], progress) if options.features == "e5" else None
    found = validated(rows, gaps, general, pull, Asked(), None if vectors is None else floats_of(vectors))
    data = trained(asked, general, about, pull)
    if vectors is not None:
        data = with_meaning(data, asked, vectors, general, pull)
    try:
        options.out.write_bytes(data)
    except OSError as error:
        message = said("{path} cannot be written: {why}", "{path} 无法写入：{why}", path=options.out, why=why(error))
        raise PointsmanError(message) from None
    model = difficulty_of(data)
    version = model.version
    card = _card(options.out, model, about, [(split_name(each.split), interval(each.apgr)) for each in found])
    if options.json:
        print_json({**about, "version": version, "card": str(card), "validated": [each._asdict() for each in found]})
        return 0

    def tell(text: Said) -> None:
        print_line(told(text, options.tongue))

    tell(
        said(
            "{questions} questions; light: {light}; heavy: {heavy}",
            "{questions} 个问题；轻：{light}；重：{heavy}",
            **about,
        )
    )
    for each in found:
        tell(
            said(
                "{split}: APGR {ours}; over length {length}; over the model that ships {shipped}",
                "{split}：APGR {ours}；比长度高 {length}；比随附模型高 {shipped}",
                split=split_name(each.split),
                ours=interval(each.apgr),
                length=signed(each.over_length),
                shipped=signed(each.over_shipped),
            )
        )
    tell(
        said(
            "{file}: version {version}, its card {card}; the config names it: classifier: {{difficulty: {file}}}",
            "{file}：版本 {version}，数据卡 {card}；在配置里写 classifier: {{difficulty: {file}}}",
            file=options.out,
            card=card.name,
            version=version,
        )
    )
    return 0


def _card(path: Path, model: Difficulty, about: dict[str, str], reached: list[Row]) -> Path:
    is_rows: list[Row] = [
        (Said("version", "版本"), model.version),
        (Said("looks at", "依据"), told_from(model.learnt_with)),
    ]
    learnt: list[Row] = [
        (Said("graded questions", "有评分的问题"), about["questions"]),
        (Said("light models", "轻模型"), about["light"]),
        (Said("heavy models", "重模型"), about["heavy"]),
    ]
    title = said("Difficulties: the model {file}", "难度模型 {file}", file=path.name)
    parts = [
        (Said("What it is", "它是什么"), is_rows),
        (Said("What it was learnt from", "学自什么"), learnt),
        (Said("What it reaches (APGR, interval of 95 %)", "达到什么（APGR，95% 区间）"), reached),
    ]
    return write_card(path, title, parts)


def needs(what: str, error: ImportError) -> Said:
    return said(
        "{what} needs {name}: pip install 'pointsman[embed]'",
        "{what} 需要 {name}：pip install 'pointsman[embed]'",
        what=what,
        name=error.name or "numpy",
    )
