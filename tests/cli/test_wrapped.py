"""Long lines in a terminal: within its width, under where they began; nothing is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pointsman.cli.table import columns
from pointsman.cli.wrapped import lines_of, wrapped


def test_under_where_it_began() -> None:
    line = "           saw    " + "one two three four " * 6
    first, second, *_ = lines_of(line, 79)
    assert first.startswith("           saw    one two") and second.startswith(" " * 18 + "t")
    assert all(columns(each) <= 79 for each in lines_of(line, 79))


def test_ideographs_and_their_commas() -> None:
    line = "  异常   模型文件                " + "文件已损坏，没有下载完整。" * 6
    found = lines_of(line, 79)
    assert len(found) > 2 and all(columns(each) <= 79 + 2 for each in found)
    assert not any(each.strip().startswith(("，", "。")) for each in found)
    bracket = lines_of("那里的服务（Ollama）启动了吗？" * 4, 60)
    assert not any(each.endswith("（") or each.startswith("）") for each in bracket)


def test_no_room_and_no_terminal() -> None:
    assert lines_of("a" * 30 + "  " + "b c " * 50, 60) == ["a" * 30 + "  " + "b c " * 50]
    assert wrapped("x " * 500) == ["x " * 500]
    assert lines_of("", 79) == [""]


@given(st.text(alphabet="ab 好，。-", max_size=300), st.integers(40, 120))
def test_nothing_is_lost(text: str, width: int) -> None:
    found = lines_of(text, width)
    assert "".join("".join(found).split()) == "".join(text.split())
