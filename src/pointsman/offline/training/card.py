"""The data card of a model that somebody trained, in both languages: what it is, what it learnt from, what it reaches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pointsman.config.others_words import why
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.routing.classifier.meaning import Embedder

Row = tuple[Said, str | Said]
_TONGUES: tuple[Tongue, Tongue] = ("en", "zh")
_LIMITS = said(
    "Figures are of texts that were left out while it was learnt, near doubles with them; calibration and settings were"
    " found on the same texts, so on others it is somewhat less. Who writes texts against it can move a request to another"
    " target.",
    "数字来自学习时逐份留出的文本（近似重复的一并留出）；校准和设置也在同一批文本上得出，换一批文本会略低。"
    "有人刻意构造文本时，可能让请求去往别的目标。",
)


def told_from(embedder: Embedder | None) -> Said:
    """What such a model looks at."""
    if embedder is None:
        return said("spelling: words, pairs, ideographs, layout (n-grams)", "字面：词、词对、汉字、版式（n-gram）")
    return said(
        "spelling (n-grams) and meaning: vectors of {name}, weights sha256 {digest}; by spelling alone where there is no"
        " vector in time",
        "字面（n-gram）和语义：{name} 的向量，权重 sha256 {digest}；没有及时得到向量时只看字面",
        name=embedder.name,
        digest=embedder.digest,
    )


def write_card(model: Path, title: Said, parts: Sequence[tuple[Said, Sequence[Row]]]) -> Path:
    """Beside the model, by its name and `.card.md`. Raises PointsmanError."""
    path = model.with_name(f"{model.name}.card.md")
    try:
        path.write_text("\n".join(_page(title, parts, tongue) for tongue in _TONGUES), "utf-8")
    except OSError as error:
        message = said("{path} cannot be written: {why}", "{path} 无法写入：{why}", path=path, why=why(error))
        raise PointsmanError(message) from None
    return path


def counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items()))


def _page(title: Said, parts: Sequence[tuple[Said, Sequence[Row]]], tongue: Tongue) -> str:
    lines = [f"# {told(title, tongue)}", ""]
    for heading, rows in parts:
        lines += [f"## {told(heading, tongue)}", "", "| | |", "|---|---|"]
        lines += [f"| {told(name, tongue)} | {_cell(value, tongue)} |" for name, value in rows]
        lines.append("")
    return "\n".join([*lines, told(_LIMITS, tongue), ""])


def _cell(value: str | Said, tongue: Tongue) -> str:
    text = told(value, tongue) if isinstance(value, Said) else value
    return " ".join(text.replace("|", "\\|").split())
