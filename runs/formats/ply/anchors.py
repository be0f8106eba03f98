"""Anchors of Scaffold-GS and its kin in a PLY: each makes several Gaussians, by networks that are stored beside and never run."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.advice import FOREIGN
from runs.arrays import F32
from runs.errors import UnreadableFile
from runs.formats.ply.body import Rows, locate, read_properties
from runs.formats.ply.header import read_header
from runs.formats.splat_file import SplatFile
from runs.gaussians import COLUMNS, Gaussians

SIGNS = (b"property float f_offset_", b"property float f_anchor_feat_", b"property float32 f_offset_")
MEANS = ("x", "y", "z")
BASE_SCALES = ("scale_3", "scale_4", "scale_5")  # log; 0..2 scale the offsets
SHOWN_LOGIT = 2.0  # ours, so that anchors can be seen: what is stored as their opacity is never drawn
SAYS = (
    "holds anchors, of which networks make the Gaussians for each view; the networks are not run, so the anchors themselves are "
    "shown, in grey, at their stored base size; render the Gaussians with the trainer to judge the picture"
)


def is_anchors(path: Path, head: bytes) -> bool:
    """Whether the first bytes are those of a PLY of anchors."""
    return path.suffix.lower() == ".ply" and head.startswith(b"ply") and any(sign in head for sign in SIGNS)


def look(path: Path) -> SplatFile:
    """What the header tells. Raises UnreadableFile or RefusedFile."""
    rows = locate(read_header(path), "vertex")
    lacking = ", ".join(name for name in (*MEANS, *BASE_SCALES) if name not in rows.element.names)
    if lacking:
        raise UnreadableFile(f"this PLY of anchors lacks {lacking}; {FOREIGN}", path)
    offsets = sum(bool(re.fullmatch(r"f_offset_\d+", name)) for name in rows.element.names) // 3
    each = f"; each anchor makes up to {offsets} Gaussians" if offsets else ""
    header = rows.header
    return SplatFile(
        path, "anchor PLY", rows.element.count, 0, header.stamp, ReadAnchors(rows), header.comments, (SAYS + each,),
        holds="anchors",
    )


@dataclass(frozen=True)
class ReadAnchors:
    """Reads the anchors of one file; equal to another one that would read the same unchanged file."""

    rows: Rows

    def __call__(self) -> Gaussians:
        """Positions are the trainer's, base scales too; all else is filler for drawing. Columns raise UnreadableFile."""
        count = self.rows.element.count
        kept: dict[str, F32] = {}

        def load(name: str) -> F32:
            if name not in kept:
                kept[name] = self._column(name, count)
            return kept[name]

        return Gaussians(count, 0, load)

    def _column(self, name: str, count: int) -> F32:
        if name == "means":
            return np.asarray(read_properties(self.rows, MEANS), np.float32)
        if name == "log_scales":
            return np.asarray(read_properties(self.rows, BASE_SCALES), np.float32)
        if name == "quats_wxyz":
            return np.tile(np.array([1, 0, 0, 0], np.float32), (count, 1))
        if name == "sh_rest":
            return np.zeros((count, 0, 3), np.float32)
        return np.full((count, *COLUMNS[name]), SHOWN_LOGIT if name == "logit_opacities" else 0, np.float32)
