"""What browsers keep has a name that changes with it, and comes packed."""

from __future__ import annotations

import gzip
from pathlib import Path

from pointsman.console.static_files import BASE, StaticFiles


def test_a_name_changes_with_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("a {}")
    before = StaticFiles(tmp_path).url("a.css")
    (tmp_path / "a.css").write_text("b {}")
    assert StaticFiles(tmp_path).url("a.css") != before
    assert StaticFiles(tmp_path).serve(before.removeprefix(BASE), "") is None


def test_it_is_packed_for_who_can_read_that() -> None:
    files = StaticFiles()
    name = files.url("console.css").removeprefix(BASE)
    packed, plain = files.serve(name, "gzip, br"), files.serve(name, "identity")
    assert packed is not None and plain is not None
    assert gzip.decompress(packed.body) == plain.body
    assert (b"content-encoding", b"gzip") in packed.headers and packed.content_type.startswith(b"text/css")
    assert any(b"immutable" in value for _, value in packed.headers)


def test_the_first_screen_is_small() -> None:
    """What the page Now loads, packed."""
    files = StaticFiles()
    sizes = 0
    styles, scripts = ("tokens", "console", "now", "uplot"), ("htmx", "console", "live", "chart", "uplot")
    for name in (*(f"{each}.css" for each in styles), *(f"{each}.js" for each in scripts)):
        reply = files.serve(files.url(name).removeprefix(BASE), "gzip")
        assert reply is not None
        sizes += len(reply.body)
    assert sizes < 120_000
