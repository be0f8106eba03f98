"""SOG scenes of PlayCanvas, versions 1 and 2, and the PNG folders of gsplat's PngCompression that they came from.

Layout and formulas: splat-transform (read-sog, read-sog-v1, write-sog) and gsplat (compression/png_compression.py).
Splats stay in the axes of the PLY they were made from, as splat-transform writes and reads them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.arrays import F32
from runs.formats.exchange.decoded import decoded_gaussians
from runs.formats.exchange.quantised import LOSSY, SATURATED
from runs.formats.exchange.sog_layouts import VERSION_2, layout_of
from runs.formats.exchange.sog_parts import META, Parts, open_parts, read_meta
from runs.formats.exchange.unpacking import check_claim
from runs.formats.splat_file import SplatFile
from runs.gaussians import Gaussians

RGBA_BYTES = 4
FIRST_IMAGES = ("means_l.webp", "means_l.png")


@dataclass(frozen=True)
class ReadSog:
    """Reads the Gaussians of one scene; equal to another one if that would read the same unchanged files."""

    parts: Parts
    count: int
    sh_degree: int

    def __call__(self) -> Gaussians:
        return decoded_gaussians(self.count, self.sh_degree, self._decode)

    def _decode(self, name: str) -> Mapping[str, F32]:
        if name == "sh_rest" and not self.sh_degree:
            return {name: np.zeros((self.count, 0, 3), np.float32)}
        meta = read_meta(self.parts)
        layout = layout_of(meta, self.parts.path)
        if name == "sh_rest":
            return {name: layout.sh_rest(self.parts, meta, self.count)}
        return layout.splats(self.parts, meta, self.count)


def is_scene(path: Path) -> bool:
    """Whether this is a meta.json beside the first image of a SOG scene; many other folders have a meta.json."""
    return path.name == META and any(path.with_name(name).is_file() for name in FIRST_IMAGES)


def recognise(path: Path, _head: bytes) -> bool:
    """By name: the first bytes of a zip or of a JSON do not say SOG; `look` checks what is in it."""
    return path.name == META or path.suffix.lower() == ".sog"


def look(path: Path) -> SplatFile:
    """What meta.json tells, and that all parts are there. Raises UnreadableFile or RefusedFile."""
    found = open_parts(path)
    meta = read_meta(found)
    layout = layout_of(meta, path)
    names = layout.parts(meta, path)
    parts, count = found.with_parts(names), layout.count(meta, path)
    check_claim(RGBA_BYTES * count * len(names), parts.stamp.size_bytes, path)
    degree, told = layout.sh_degree(parts, meta), meta.get("antialias")
    return SplatFile(
        path, layout.name, count, degree, parts.stamp, ReadSog(parts, count, degree), keeps_rows=False,
        notes=(SATURATED if layout is VERSION_2 else LOSSY,), antialiased=told if isinstance(told, bool) else None,
    )
