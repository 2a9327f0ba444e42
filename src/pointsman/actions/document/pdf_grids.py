"""Lines that touch each other → grids: where the rows and columns of a table are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import msgspec

from pointsman.actions.document.pdf_rulings import Rule, Rulings

_NEAR = 3.0  # points
_MOST_CELLS = 20_000


class Grid(msgspec.Struct):
    """`xs` and `ys` are the lines between columns and rows, ascending. `owner` gives for each cell (row from above, column)
    the cell that it is merged into, itself where it is none."""

    xs: list[float]
    ys: list[float]
    owner: dict[tuple[int, int], tuple[int, int]]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.ys) - 1, len(self.xs) - 1

    def cell(self, x: float, y: float) -> tuple[int, int] | None:
        """The cell at that place, None outside."""
        column, row = bisect_right(self.xs, x) - 1, bisect_right(self.ys, y) - 1
        rows, columns = self.shape
        if not (0 <= column < columns and 0 <= row < rows):
            return None
        return self.owner[rows - 1 - row, column]


class Open(msgspec.Struct):
    """Lines across alone, one under the other: a table whose columns only its text shows."""

    left: float
    right: float
    ys: list[float]


def grids_of(rulings: Rulings) -> tuple[list[Grid], list[Open]]:
    """From the top of the page down."""
    grids: list[Grid] = []
    loose: list[Rule] = []
    for across, down in _together(rulings):
        if not down:
            loose += across
            continue
        xs = _levels([rule.at for rule in down] + _ends(across))
        ys = _levels([rule.at for rule in across] + _ends(down))
        if len(xs) > 1 and len(ys) > 1 and (len(xs) - 1) * (len(ys) - 1) <= _MOST_CELLS:
            grids.append(Grid(xs, ys, _owners(xs, ys, across, down)))
    grids.sort(key=lambda grid: -grid.ys[-1])
    return grids, _open(loose)


def _ends(rules: list[Rule]) -> list[float]:
    return [min(rule.low for rule in rules), max(rule.high for rule in rules)] if rules else []


def _together(rulings: Rulings) -> list[tuple[list[Rule], list[Rule]]]:
    """Lines that cross or touch, as groups."""
    across, down = rulings.across, rulings.down
    parent = list(range(len(across) + len(down)))

    def root(n: int) -> int:
        while parent[n] != n:
            parent[n] = parent[parent[n]]
            n = parent[n]
        return n

    order = sorted(range(len(down)), key=lambda n: down[n].at)
    places = [down[n].at for n in order]
    for i, rule in enumerate(across):
        for k in range(bisect_right(places, rule.low - _NEAR), bisect_right(places, rule.high + _NEAR)):
            other = down[order[k]]
            if other.low - _NEAR <= rule.at <= other.high + _NEAR:
                parent[root(i)] = root(len(across) + order[k])
    groups: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for i, rule in enumerate(across):
        groups.setdefault(root(i), ([], []))[0].append(rule)
    for k, rule in enumerate(down):
        groups.setdefault(root(len(across) + k), ([], []))[1].append(rule)
    return list(groups.values())


def _levels(values: Sequence[float]) -> list[float]:
    """Values that are near each other as one."""
    found: list[list[float]] = []
    for value in sorted(values):
        if found and value - found[-1][-1] <= _NEAR:
            found[-1].append(value)
        else:
            found.append([value])
    return [sum(some) / len(some) for some in found]


def _owners(
    xs: list[float], ys: list[float], across: list[Rule], down: list[Rule]
) -> dict[tuple[int, int], tuple[int, int]]:
    """Cells between which no line is drawn are one."""
    rows, columns = len(ys) - 1, len(xs) - 1
    right_of = _drawn(xs, ys, down)
    above = _drawn(ys, xs, across)
    owner: dict[tuple[int, int], tuple[int, int]] = {}
    for row in range(rows):
        line = rows - 1 - row  # from below
        for column in range(columns):
            cell = row, column
            if row and (line + 1, column) not in above:
                cell = owner[row - 1, column]
            elif column and (column, line) not in right_of:
                cell = owner[row, column - 1]
            owner[row, column] = cell
    return owner


def _drawn(levels: list[float], others: list[float], rules: list[Rule]) -> set[tuple[int, int]]:
    """(level, span between two of the others) along which a line is drawn."""
    found: set[tuple[int, int]] = set()
    for rule in rules:
        level = min(range(len(levels)), key=lambda n: abs(levels[n] - rule.at))
        for span in range(len(others) - 1):
            middle = (others[span] + others[span + 1]) / 2
            if rule.low - _NEAR <= middle <= rule.high + _NEAR:
                found.add((level, span))
    return found


def _open(loose: list[Rule]) -> list[Open]:
    """Lines of the same ends, three or more."""
    tables: list[Open] = []
    for rule in sorted(loose, key=lambda rule: -rule.at):
        last = tables[-1] if tables else None
        if last and abs(last.left - rule.low) <= _NEAR and abs(last.right - rule.high) <= _NEAR:
            last.ys.append(rule.at)
        else:
            tables.append(Open(rule.low, rule.high, [rule.at]))
    return [table for table in tables if len(_levels(table.ys)) >= 3]
