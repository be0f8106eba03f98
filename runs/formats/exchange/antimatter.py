"""`.splat` files of antimatter15's viewer: 32 bytes per splat, no header, no view-dependent colour.

Layout: antimatter15/splat convert.py and gsplat's exporter: three float32 positions, three float32 linear scales,
four bytes of colour and opacity, four bytes of a quaternion wxyz.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.advice import EXPORT_SPLATS, UNFINISHED
from runs.arrays import F32, Array
from runs.errors import UnreadableFile
from runs.formats.exchange.decoded import decoded_gaussians, map_unchanged, stamp_of
from runs.formats.exchange.quantised import BYTE_SH0, SATURATED, logits_of_bytes, logs_of_scales
from runs.formats.splat_file import SplatFile, Stamp
from runs.gaussians import Gaussians

ROW = np.dtype([("xyz", "<f4", 3), ("scale", "<f4", 3), ("rgba", "u1", 4), ("quat", "u1", 4)])
LOOKED_AT = 128  # rows; the first few tell whether these are splats, for nothing else does


@dataclass(frozen=True)
class ReadSplat:
    """Reads the Gaussians of one .splat; equal to another one if that would read the same unchanged file."""

    path: Path
    stamp: Stamp

    def __call__(self) -> Gaussians:
        return decoded_gaussians(self.stamp.size_bytes // ROW.itemsize, 0, self._decode)

    def _decode(self, name: str) -> Mapping[str, F32]:
        """Opacity by `logits_of_bytes`, scale 0 by `logs_of_scales`."""
        table = self._rows()
        if name == "sh_rest":
            return {name: np.zeros((len(table), 0, 3), np.float32)}
        return {
            "means": np.ascontiguousarray(table["xyz"], np.float32), "log_scales": logs_of_scales(table["scale"]),
            "quats_wxyz": np.asarray((table["quat"].astype(np.float32) - 128) / 128, np.float32),
            "logit_opacities": logits_of_bytes(table["rgba"][:, 3]), "sh0": BYTE_SH0[table["rgba"][:, :3]],
        }

    def _rows(self) -> Array:
        if not self.stamp.size_bytes:
            return np.empty(0, ROW)
        return map_unchanged(self.path, self.stamp, "splat file").view(ROW)


def recognise(path: Path, _head: bytes) -> bool:
    return path.suffix.lower() == ".splat"


def look(path: Path) -> SplatFile:
    """What the size tells; the first rows must be splats. Raises UnreadableFile."""
    stamp = stamp_of(path)
    if not stamp.size_bytes:
        raise UnreadableFile(f"this file is empty; {UNFINISHED}", path)
    if stamp.size_bytes % ROW.itemsize:
        raise UnreadableFile(f"this .splat file ends inside a row of {ROW.itemsize} bytes; {UNFINISHED}", path)
    first = map_unchanged(path, stamp, "splat file", LOOKED_AT * ROW.itemsize)[:LOOKED_AT * ROW.itemsize].view(ROW)
    if not _plausible(first):
        raise UnreadableFile(f"this .splat file does not begin with splats (no finite sizes and places); {EXPORT_SPLATS}", path)
    return SplatFile(
        path, "splat", stamp.size_bytes // ROW.itemsize, 0, stamp, ReadSplat(path, stamp), notes=(SATURATED,), keeps_rows=False,
    )


def _plausible(rows: Array) -> bool:
    """Whether any row could be a splat; a few may be damaged."""
    sizes, places = rows["scale"], rows["xyz"]
    good = np.isfinite(places).all(axis=1) & np.isfinite(sizes).all(axis=1) & (sizes >= 0).all(axis=1)
    return bool(good.mean() > 0.5)
