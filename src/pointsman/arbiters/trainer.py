"""`python -m pointsman.arbiters.trainer`: a lesson from stdin, heads to stdout. A process of its own, so that training
takes nothing from the event loop, and can be ended."""

from __future__ import annotations

import os
import sys

import msgspec

NICE = 10


class Order(msgspec.Struct, frozen=True):
    """A `Lesson` on its way: `vectors` are 32-bit floats of all texts, none without an embedding model; `background` are
    places in what ships."""

    names: tuple[str, ...]
    texts: tuple[str, ...]
    labels: tuple[int, ...]
    may_leave: tuple[bool, ...]
    vectors: bytes | None
    embedding: str | None
    background: tuple[int, ...]


def main() -> None:
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
    if os.name == "posix":
        os.nice(NICE)
    report = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints stays off the report
    report.write(done(sys.stdin.buffer.read()))
    report.flush()


def done(order: bytes) -> bytes:
    import numpy

    from pointsman.arbiter.lesson import Lesson, with_background
    from pointsman.arbiter.ngrams import counted
    from pointsman.arbiter.stored import encoded
    from pointsman.arbiter.training import train
    from pointsman.arbiters.background import background

    read = msgspec.msgpack.decode(order, type=Order)
    vectors = None
    if read.vectors is not None:
        vectors = numpy.frombuffer(read.vectors, numpy.float32).reshape(len(read.texts), -1)
    labels, may_leave = numpy.array(read.labels, numpy.int64), numpy.array(read.may_leave, bool)
    counts = tuple(map(counted, read.texts))
    lesson = Lesson(read.names, read.texts, labels, may_leave, counts, vectors, read.embedding)
    if read.background:
        others = background()
        theirs = others.vectors[list(read.background)]
        lesson = with_background(lesson, [others.counts[place] for place in read.background], theirs)
    return encoded(train(lesson))


if __name__ == "__main__":
    main()
