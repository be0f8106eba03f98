"""Gaussians in torch checkpoints: parameters told by name and shape, left in the mapped file until they are used."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from runs.advice import FOREIGN, UNFINISHED
from runs.arrays import F32, Array
from runs.errors import UnreadableFile
from runs.formats.ply.columns import DEGREE_OF_REST, FLAT_LOG_SCALE, SH_C0
from runs.formats.small_files import unreadable
from runs.formats.splat_file import SplatFile, Stamp
from runs.formats.torch_file import is_unfinished
from runs.formats.zip_members import numbers_left
from runs.gaussians import Gaussians
from runs.storage import present

Colours = Literal["sh", "logit", "rgb"]  # what is stored in place of sh0: the coefficient, or a colour and its logit
REST = "sh_rest"


@dataclass(frozen=True)
class Parameter:
    """How trainers of one kind store one of our columns."""

    names: tuple[str, ...]  # that versions gave it
    shapes: tuple[tuple[int | None, ...], ...]  # of one row; None: any size


Layout = Mapping[str, Parameter]  # by our column


@dataclass(frozen=True, eq=False)
class Columns:
    """The parameters of one file under our names; without "sh_rest" the colours have no harmonics."""

    stored: Mapping[str, Array]  # means, log_scales, quats_wxyz, logit_opacities, sh0 and [N, K-1, 3] sh_rest
    colours: Colours = "sh"
    real_part_last: bool = False  # quaternions are xyzw
    iteration: int | None = None  # iterations done, where the file itself says it
    notes: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        return len(self.stored["means"])

    @property
    def sh_degree(self) -> int:
        return DEGREE_OF_REST[3 * self.stored[REST].shape[1]] if REST in self.stored else 0

    def values(self, name: str) -> F32:
        """float32 rows of one column, copied from the file, in our shape and meaning."""
        if name == REST and name not in self.stored:
            return np.zeros((self.count, 0, 3), np.float32)
        values = np.array(present(self.stored[name]), np.float32, order="C")
        if name == "sh0":
            return self._base(values.reshape(self.count, 3))
        if name == "quats_wxyz" and self.real_part_last:
            return np.ascontiguousarray(np.roll(values, 1, axis=1))
        if name == "log_scales" and values.shape[1] == 2:  # discs without thickness
            return np.hstack([values, np.full((self.count, 1), FLAT_LOG_SCALE, np.float32)])
        return values.reshape(self.count) if name == "logit_opacities" else values

    def _base(self, values: F32) -> F32:
        if self.colours == "sh":
            return values
        with np.errstate(over="ignore"):
            rgb = values if self.colours == "rgb" else 1 / (1 + np.exp(-values))
        return np.asarray((rgb - 0.5) / SH_C0, np.float32)

    def gaussians(self) -> Gaussians:
        """Columns are copied on first use."""
        kept: dict[str, F32] = {}

        def load(name: str) -> F32:
            if name not in kept:
                kept[name] = self.values(name)
            return kept[name]

        return Gaussians(self.count, self.sh_degree, load)


def find_columns(tensors: Mapping[Any, Any], layout: Layout, path: Path, *, optional: Iterable[str] = ()) -> dict[str, Array]:
    """The tensors that `layout` names, by our columns. Raises UnreadableFile where one is lacking or has other rows."""
    found = {column: values for column in layout if (values := _find(tensors, column, layout[column])) is not None}
    missing = [column for column in layout if column not in found and column not in set(optional)]
    lacking = ", ".join(layout[column].names[0] for column in missing)
    if lacking or len({len(values) for values in found.values()}) != 1:
        raise UnreadableFile(f"this checkpoint lacks {lacking or 'rows'} of the expected shape; {FOREIGN}", path)
    return found


def _find(tensors: Mapping[Any, Any], column: str, parameter: Parameter) -> Array | None:
    stored = next((tensors[name] for name in parameter.names if name in tensors), None)
    if not any(is_rows(stored, shape) for shape in parameter.shapes):
        return None
    rows = np.asarray(stored)
    return rows if column != REST or 3 * rows.shape[1] in DEGREE_OF_REST else None


def is_rows(stored: Any, shape: tuple[int | None, ...]) -> bool:
    """Whether it is an array [N, *shape] of floats; None in the shape stands for any size."""
    if not isinstance(stored, np.ndarray) or stored.dtype.kind != "f" or stored.ndim != 1 + len(shape):
        return False
    return all(want in (None, size) for want, size in zip(shape, stored.shape[1:], strict=True))


ColumnsOf = Callable[[Path], Columns]  # of a path. Raises UnreadableFile or RefusedFile


@dataclass(frozen=True)
class ReadColumns:
    """Reads the Gaussians of one checkpoint; equal to another one that would read the same unchanged file."""

    path: Path
    stamp: Stamp
    columns_of: ColumnsOf

    def __call__(self) -> Gaussians:
        """Raises UnreadableFile or RefusedFile."""
        with numbers_left():
            return self.columns_of(self.path).gaussians()


@dataclass(frozen=True)
class TensorLook:
    """A look at one torch checkpoint: its description is read, none of its numbers."""

    columns_of: ColumnsOf

    def __call__(self, path: Path) -> SplatFile:
        """Raises UnreadableFile or RefusedFile."""
        if is_unfinished(path):
            raise UnreadableFile(f"this checkpoint is not whole; {UNFINISHED}", path)
        try:
            stamp = Stamp.of(path.stat())
        except OSError as error:
            raise unreadable(error, path) from error
        with numbers_left():
            columns = self.columns_of(path)
        return SplatFile(
            path, "torch checkpoint", columns.count, columns.sh_degree, stamp, ReadColumns(path, stamp, self.columns_of),
            notes=columns.notes, iteration=columns.iteration,
        )
