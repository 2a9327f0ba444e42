"""How a file that was made is handed to a person: a link, or a picture where clients show one."""

from __future__ import annotations

from pointsman.actions.tools import Tools
from pointsman.domain.said import Said, said
from pointsman.ports.action import MadeFile, Occasion

LONGEST_NAME = 80
_UNITS = ((86_400, "天", "day"), (3600, "小时", "hour"), (60, "分钟", "minute"), (1, "秒", "second"))


def download(file: MadeFile, occasion: Occasion, tools: Tools) -> Said:
    """A line with the link, and how long it holds."""
    size, zh, en = next((unit for unit in _UNITS if tools.keep >= unit[0]), _UNITS[-1])
    number = f"{tools.keep / size:.3g}"
    keep = Said(f"{number} {en}{'' if number == '1' else 's'}", f"{number} {zh}")
    line = "Download (valid for {keep}): {url}", "下载（{keep}内有效）：{url}"
    return said(*line, keep=keep, url=tools.link(file, occasion))


def picture(file: MadeFile, occasion: Occasion, tools: Tools, about: str) -> str:
    """Markdown that shows it."""
    return f"![{shown_name(about)}]({tools.link(file, occasion)})"


def shown_name(name: str) -> str:
    """A name as it may stand in a text: one line, without Markdown's marks, not too long."""
    plain = "".join(c for c in name if c.isprintable() and c not in '[]()<>`*|\\"').strip()
    return plain if len(plain) <= LONGEST_NAME else plain[: LONGEST_NAME - 1] + "…"


def stem_of(name: str) -> str:
    """What a new file's name begins with: the old one's, without folders and ending; `file` where nothing is left of it."""
    last = name.replace("\\", "/").rpartition("/")[2]
    stem = last.rpartition(".")[0] or last
    kept = "".join(c for c in stem if c.isprintable() and c not in '<>:"|?*[]()`').strip(" .")[:60]
    return kept.strip(" .") or "file"
