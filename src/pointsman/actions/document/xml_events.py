"""XML as it comes, element by element, without entities of its own and however deep or long it is."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import Any
from xml.parsers import expat

import msgspec

from pointsman.actions.document import wrong

_DEEPEST = 2_000
_SEPARATOR = "\n"  # in no namespace and no name


class Start(msgspec.Struct, frozen=True, gc=False):
    """`name` is the local one; attributes by their local names."""

    name: str
    attributes: dict[str, str]


class End(msgspec.Struct, frozen=True, gc=False):
    name: str


Event = Start | End | str


def events(pieces: Iterable[bytes]) -> Iterator[Event]:
    """Starts, ends and text, text in as many pieces as it comes in. Raises ActionFailed for what is no XML, and for a
    document type: entities could grow without end, and office programs declare none."""
    found: list[Event] = []
    depth = 0
    parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
    parser.buffer_text = True

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise wrong.broken("elements in elements without end")
        found.append(Start(_local(name), {_local(key): value for key, value in attributes.items()}))

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        found.append(End(_local(name)))

    def doctype(*_: Any) -> None:
        raise wrong.entities()

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = found.append
    parser.StartDoctypeDeclHandler = doctype
    try:
        for piece in pieces:
            parser.Parse(piece, False)
            yield from found
            found.clear()
        parser.Parse(b"", True)
        yield from found
    except expat.ExpatError as error:
        raise wrong.broken(f"XML: {expat.ErrorString(error.code)}") from None
    finally:
        if isinstance(pieces, Generator):
            pieces.close()


def _local(name: str) -> str:
    return name.rpartition(_SEPARATOR)[2]
