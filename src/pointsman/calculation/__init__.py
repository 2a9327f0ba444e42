"""A calculation that a text asks for, read into a tree: pure, nothing evaluated, never guessing."""

from __future__ import annotations

from pointsman.calculation.read import read, understands
from pointsman.calculation.tree import Node, NotUnderstood, Problem

__all__ = ["Node", "NotUnderstood", "Problem", "read", "understands"]
