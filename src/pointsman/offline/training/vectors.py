"""Vectors of the texts that are learnt from, as requests get them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said
from pointsman.embedding import installed_digest, installed_model
from pointsman.embedding.many import Tell, embedded
from pointsman.routing.classifier.meaning import TOKENS, Embedder, read

Coordinates: TypeAlias = "numpy.ndarray[Any, numpy.dtype[numpy.int8]]"


class Vectors(NamedTuple):
    """A row a text; `embedder` is the model that they are of."""

    embedder: Embedder
    rows: Coordinates


def vectors_of(texts: Sequence[str], tell: Tell | None = None) -> Vectors:
    """`tell` hears how far it is. Raises PointsmanError where no model is installed, or it breaks off."""
    rows = embedded([read(text) for text in texts], TOKENS, tell)
    name, digest = installed_model(), installed_digest()
    if name is None or digest is None:
        raise PointsmanError(said("the embedding model has no weights", "向量模型没有权重文件"))
    return Vectors(Embedder(name, digest), numpy.frombuffer(b"".join(rows), numpy.int8).reshape(len(texts), -1))
