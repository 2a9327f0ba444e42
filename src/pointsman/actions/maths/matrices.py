"""Arithmetic of matrices, and what is asked of one."""

from __future__ import annotations

from typing import Any

import sympy as sp

from pointsman.actions.maths import trouble

_NOT_SQUARE = "A square matrix is needed.", "需要方阵。"
_EXACT = 6  # rows up to which eigenvalues are exact; beyond they are numbers


def of_matrices(op: str, values: list[Any]) -> Any:
    """Raises ActionFailed where sizes do not fit."""
    match op, values:
        case (("add" | "sub"), [sp.MatrixBase() as a, sp.MatrixBase() as b]):
            if a.shape != b.shape:
                raise trouble.wrong_kind("The matrices are not of the same size.", "两个矩阵大小不同。")
            return a + b if op == "add" else a - b
        case "mul", [a, b]:
            if isinstance(a, sp.MatrixBase) and isinstance(b, sp.MatrixBase) and a.cols != b.rows:
                raise trouble.wrong_kind(
                    "The first matrix needs as many columns as the second has rows.",
                    "前一个矩阵的列数必须等于后一个的行数。",
                )
            return a * b
        case "div", [sp.MatrixBase() as a, b] if not isinstance(b, sp.MatrixBase):
            if b.is_zero:
                raise trouble.undefined()
            return a / b
        case "neg", [a]:
            return -a
        case "pow", [sp.MatrixBase() as a, b]:
            _square(a)
            if not getattr(b, "is_Integer", False):
                raise trouble.wrong_kind("A matrix is raised to whole numbers only.", "矩阵只能求整数次幂。")
            return (_inverse(a) if b < 0 else a) ** abs(int(b))
        case "det", [sp.MatrixBase() as a]:
            return _square(a).det()
        case "trace", [sp.MatrixBase() as a]:
            return _square(a).trace()
        case "rank", [sp.MatrixBase() as a]:
            return sp.Integer(a.rank())
        case "transpose", [sp.MatrixBase() as a]:
            return a.T
        case "inverse", [sp.MatrixBase() as a]:
            return _inverse(_square(a))
        case "adjugate", [sp.MatrixBase() as a]:
            return _square(a).adjugate()
        case "eigenvalues", [sp.MatrixBase() as a]:
            return _eigenvalues(_square(a))
        case "eigenvectors", [sp.MatrixBase() as a]:
            _square(a)
            if a.rows > 4:
                raise trouble.wrong_kind("Eigenvectors are found up to 4 × 4.", "特征向量最多求 4 × 4 的矩阵。")
            return [vector for _, _, vectors in a.eigenvects() for vector in vectors]
        case _:
            raise trouble.wrong_kind("This is not defined for matrices.", "矩阵没有这种运算。")


def _square(a: Any) -> Any:
    if a.rows != a.cols:
        raise trouble.wrong_kind(*_NOT_SQUARE)
    return a


def _inverse(a: Any) -> Any:
    if sp.simplify(a.det()) == 0:
        raise trouble.wrong_kind("The matrix has no inverse: its determinant is 0.", "矩阵不可逆：行列式为 0。")
    return a.inv().applyfunc(sp.simplify)


def _eigenvalues(a: Any) -> list[Any]:
    """Each as often as it counts."""
    if a.free_symbols and a.rows > 3:
        raise trouble.wrong_kind(
            "Eigenvalues with letters are found up to 3 × 3.", "含字母的矩阵最多求 3 × 3 的特征值。"
        )
    if a.rows <= _EXACT:
        found = a.eigenvals(multiple=True, rational=True) if not a.free_symbols else a.eigenvals(multiple=True)
        if len(found) == a.rows:
            return sorted((sp.simplify(value) for value in found), key=sp.default_sort_key)
    values = sp.Poly(a.charpoly().as_expr()).nroots(n=15, maxsteps=200)
    return [sp.Float(value, 10) if value.is_real else value for value in values]
