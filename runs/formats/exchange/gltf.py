"""Splats in glTF files: the extension KHR_gaussian_splatting on POINTS primitives, in .glb and .gltf.

glTF has x left, y up, z forward; a half turn about z takes that to the axes of training PLYs. Formulas: the extension's text.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.advice import EXPORT_SPLATS
from runs.arrays import F32
from runs.errors import UnreadableFile
from runs.formats.exchange.axes import turn_quats, turn_sh
from runs.formats.exchange.decoded import decoded_gaussians
from runs.formats.exchange.gltf_file import MAGIC, Accessor, Document, accessor, read_document
from runs.formats.exchange.gltf_nodes import Placed, Placement, placed_primitives, placement
from runs.formats.exchange.quantised import logits_of_opacities, logs_of_scales
from runs.formats.splat_file import SplatFile, Stamp
from runs.gaussians import Gaussians

EXTENSION = "KHR_gaussian_splatting"
LARGEST_DEGREE = 4
LINEAR_LIGHT = "stores colours in linear light, which are shown as they are; export it with sRGB colours to compare renderings"


@dataclass(frozen=True)
class Primitive:
    """Where the values of one cloud of splats lie, and how the scene places it."""

    means: Accessor
    quats: Accessor
    scales: Accessor
    opacities: Accessor
    sh: tuple[Accessor, ...]  # by coefficient, DC first
    placed: Placement

    @property
    def sh_degree(self) -> int:
        return math.isqrt(len(self.sh)) - 1

    def splats(self) -> dict[str, F32]:
        """Sizes are linear; where one is negative they are logarithms, as an early draft had them."""
        matrix = self.placed.matrix
        sizes = self.scales.values()
        logs = sizes if bool((sizes < 0).any()) else logs_of_scales(sizes)
        rotation = self.placed.turn if np.linalg.det(self.placed.turn) > 0 else -self.placed.turn
        return {
            "means": np.asarray(self.means.values() @ matrix[:, :3].T + matrix[:, 3], np.float32),
            "log_scales": np.asarray(logs + np.log(self.placed.scale), np.float32),
            "quats_wxyz": turn_quats(self.quats.values()[:, [3, 0, 1, 2]], rotation),
            "logit_opacities": logits_of_opacities(self.opacities.values()[:, 0], *self.opacities.half_steps),
            "sh0": self.sh[0].values(),
        }

    def sh_rest(self, degree: int) -> F32:
        """float32 [N, K-1, 3] of `degree`; coefficients that this cloud lacks are zero."""
        out = np.zeros((self.means.count, (degree + 1) ** 2 - 1, 3), np.float32)
        for place, found in enumerate(self.sh[1:]):
            out[:, place] = found.values()
        return turn_sh(out, self.placed.turn)


@dataclass(frozen=True)
class ReadGltf:
    """Reads the Gaussians of one glTF file; equal to another one if that would read the same unchanged files."""

    path: Path
    stamp: Stamp
    primitives: tuple[Primitive, ...]

    @property
    def count(self) -> int:
        return sum(primitive.means.count for primitive in self.primitives)

    @property
    def sh_degree(self) -> int:
        return max(primitive.sh_degree for primitive in self.primitives)

    def __call__(self) -> Gaussians:
        return decoded_gaussians(self.count, self.sh_degree, self._decode)

    def _decode(self, name: str) -> Mapping[str, F32]:
        if name == "sh_rest":
            return {name: np.concatenate([primitive.sh_rest(self.sh_degree) for primitive in self.primitives])}
        parts = [primitive.splats() for primitive in self.primitives]
        return {column: np.concatenate([part[column] for part in parts]) for column in parts[0]}


def recognise(path: Path, head: bytes) -> bool:
    return head.startswith(MAGIC) or path.suffix.lower() in (".glb", ".gltf")


def look(path: Path) -> SplatFile:
    """What the description tells, and that the buffers hold all rows. Raises UnreadableFile or RefusedFile."""
    document = read_document(path)
    clouds = [placed for placed in placed_primitives(document) if EXTENSION in placed.extensions]
    if not clouds:
        raise UnreadableFile(f"this glTF file holds no Gaussian splats ({EXTENSION}); {EXPORT_SPLATS}", path)
    read = ReadGltf(path, document.stamp, tuple(_primitive(document, cloud) for cloud in clouds))
    linear = any(cloud.extensions[EXTENSION].get("colorSpace") == "lin_rec709_display" for cloud in clouds)
    return SplatFile(
        path, "glTF", read.count, read.sh_degree, document.stamp, read, notes=(LINEAR_LIGHT,) if linear else (), keeps_rows=False,
    )


def _primitive(document: Document, cloud: Placed) -> Primitive:
    if "extensions" in cloud.extensions[EXTENSION]:
        kinds = ", ".join(cloud.extensions[EXTENSION]["extensions"])[:60]
        raise UnreadableFile(f"this glTF file packs its splats by {kinds}; {EXPORT_SPLATS} without compression", document.path)
    found = {name: accessor(document, index) for name, index in cloud.attributes.items() if _is_ours(name)}
    terms = tuple(_terms(found, document.path))
    wanted = {"POSITION": 3, f"{EXTENSION}:ROTATION": 4, f"{EXTENSION}:SCALE": 3, f"{EXTENSION}:OPACITY": 1}
    missing = [name for name, width in wanted.items() if name not in found or found[name].width != width]
    if missing:
        raise UnreadableFile(f"this glTF file has no proper {missing[0]}; {EXPORT_SPLATS}", document.path)
    four = [found[name] for name in wanted]
    if len({part.count for part in (*four, *terms)}) > 1 or any(term.width != 3 for term in terms):
        raise UnreadableFile(f"the attributes of this glTF file differ in length; {EXPORT_SPLATS}", document.path)
    return Primitive(four[0], four[1], four[2], four[3], terms, placement(cloud.matrix, document.path))


def _is_ours(name: str) -> bool:
    return name == "POSITION" or name.startswith(f"{EXTENSION}:")


def _terms(found: Mapping[str, Accessor], path: Path) -> Iterator[Accessor]:
    """SH coefficients, DC first, of each band that is there; a band must be whole and follow the one below."""
    held = {name for name in found if name.startswith(f"{EXTENSION}:SH_DEGREE_")}
    for band in range(LARGEST_DEGREE + 1):
        names = [f"{EXTENSION}:SH_DEGREE_{band}_COEF_{n}" for n in range(2 * band + 1)]
        if band and not held:
            return
        if not held.issuperset(names):
            raise UnreadableFile(f"this glTF file lacks colour of SH degree {band}; {EXPORT_SPLATS}", path)
        held -= set(names)
        yield from (found[name] for name in names)
