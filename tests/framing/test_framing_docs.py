"""What docs/questions.md and its Chinese twin show works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
import yaml

from pointsman.config.question_schema import Questions
from pointsman.framing import Frame, compile_frames, with_shipped

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ["questions.md", "questions.zh-CN.md"]


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_find_their_question(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    message = re.findall(r"```\n(.*?)```", text, re.S)[0]
    examples = [
        msgspec.convert(yaml.safe_load(block)["questions"], Questions)
        for block in re.findall(r"```yaml\n(.*?)```", text, re.S)
    ]
    frames = compile_frames(
        with_shipped([Frame(f.name, f.template, f.regex) for each in examples for f in each.frames])
    )
    span = frames.question_span(message)
    assert span is not None
    assert (span.frame, message[span.start : span.end]) == ("helpdesk", "How long do refunds take?")
    ticket = "Ticket 12\nnotes\nCustomer asks: why?"
    span = frames.question_span(ticket)
    assert span is not None
    assert (span.frame, ticket[span.start : span.end]) == ("tickets", "why?")


def test_both_pages_have_the_same_parts() -> None:
    shapes = []
    for page in PAGES:
        lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
        shapes.append([re.match(r"#+ |\||```\w*", line)[0] for line in lines if re.match(r"#+ |\||```", line)])  # type: ignore[index]
    assert shapes[0] == shapes[1]
