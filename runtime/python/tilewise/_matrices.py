"""What a matrix is to the library: rows that lie one after the other at a stride, perhaps of the transpose.

Strides of arrays say it, so that ``b.T`` costs nothing and nothing is copied.
"""

from __future__ import annotations

from typing import NamedTuple

from tilewise._errors import InvalidError, invalid
from tilewise._views import View


class Matrix(NamedTuple):
    """A matrix, or a batch of them at a stride."""

    rows: int
    columns: int
    transposed: bool
    """Its transpose is what lies in memory row by row."""
    stride: int
    """From one row as it is stored to the next, in elements; 0: they lie one after the other."""
    batch: int
    """0: it is one matrix."""
    batch_stride: int

    @property
    def turned(self) -> Matrix:
        """Its transpose."""
        return self._replace(rows=self.columns, columns=self.rows, transposed=not self.transposed)

    @property
    def distance(self) -> int:
        """Elements from one row as it is stored to the next."""
        return self.stride or (self.rows if self.transposed else self.columns)

    @property
    def is_flat(self) -> bool:
        """Whether a batch's rows are those of one matrix."""
        return self.batch <= 1 or not self.transposed and self.batch_stride == self.rows * self.distance

    @property
    def flat(self) -> Matrix:
        """A batch as one matrix of all its rows."""
        return self._replace(rows=max(self.batch, 1) * self.rows, batch=0, batch_stride=0)


def _collapse(view: View, name: str) -> tuple[int, int]:
    """All dimensions but the last two as one: how many matrices, and their distance."""
    count, distance = 0, 0
    for size, stride in zip(reversed(view.shape[:-2]), reversed(view.strides[:-2])):
        if size == 1:
            count = count or 1
        elif count <= 1:
            count, distance = size, stride
        elif stride == count * distance:
            count *= size
        else:
            raise invalid(f"{name} has leading dimensions {view.shape[:-2]} that do not lie at one stride; copy it")
    if count > 1 and distance <= 0:
        raise invalid(f"{name} is a batch whose matrices overlap (a stride of {distance}); multiply one matrix instead")
    return count, distance if count > 1 else 0


def _bad_strides(view: View, name: str) -> InvalidError:
    return invalid(
        f"{name} has strides {view.strides} (in elements); along rows or columns of a matrix elements must lie one "
        "after the other, and rows must not overlap: copy it"
    )


def matrix(view: View, name: str) -> Matrix:
    """A view as a matrix, or a batch of them; `name` is for messages."""
    if len(view.shape) < 2:
        raise invalid(f"{name} has the shape {view.shape}; it must be a matrix or a batch of matrices")
    batch, batch_stride = _collapse(view, name)
    (rows, columns), (down, across) = view.shape[-2:], view.strides[-2:]
    if rows == 0 or columns == 0:
        return Matrix(rows, columns, False, 0, batch, batch_stride)
    if (across == 1 or columns == 1) and (down >= columns or rows == 1):
        return Matrix(rows, columns, False, down if rows > 1 else 0, batch, batch_stride)
    if (down == 1 or rows == 1) and (across >= rows or columns == 1):
        return Matrix(rows, columns, True, across if columns > 1 else 0, batch, batch_stride)
    raise _bad_strides(view, name)


def row_major(view: View, name: str) -> Matrix:
    """A view as a matrix whose rows are stored as they are."""
    found = matrix(view, name)
    if found.transposed:
        raise invalid(f"{name} has strides {view.strides} (in elements); its rows must lie one after the other here, and "
                      "not its columns: copy it")  # fmt: skip
    return found
