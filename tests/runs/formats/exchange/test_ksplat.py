""".ksplat in its three levels, as GaussianSplats3D writes it, must give the splats that were put in."""

from pathlib import Path

import numpy as np
import pytest

from runs.arrays import Array
from runs.errors import RefusedFile, UnreadableFile
from runs.formats.splat_formats import look_at
from runs.gaussians import Gaussians
from tests.support.exchange import FOREIGN, assert_within, clipped, foreign, partners, source

SH_C0 = 0.28209479177387814
STEP = 2.0**-10  # a step of float16, relative: three.js cuts off instead of rounding
TINY = 2.0**-24  # a step of the smallest ones
BUCKET = 5.0  # world units


def bounds(level: int, found: Gaussians) -> dict[str, Array | float]:
    """Colours lose up to a step; level 1 has 16-bit places in a bucket and half floats, level 2 also 8 bits of SH."""
    if level == 0:
        exact = {"means": 0.0, "log_scales": 1e-6, "quats_wxyz": 1e-6, "sh_rest": 0.0}
        return {**exact, "opacities": 1 / 255, "sh0": 1 / 255 / SH_C0}
    span = float(found.sh_rest.max() - found.sh_rest.min()) if found.sh_degree else 0.0
    return {
        "means": BUCKET / 2 / 32767, "log_scales": np.maximum(STEP, TINY / found.scales), "quats_wxyz": STEP / 2,
        "opacities": 1 / 255, "sh0": 1 / 255 / SH_C0, "sh_rest": STEP / 2 if level == 1 else span / 255,
    }


@pytest.mark.parametrize(("level", "degree"), [(0, 0), (0, 2), (1, 0), (1, 1), (1, 2), (2, 1), (2, 2)])
def test_values_of_every_level(level: int, degree: int) -> None:
    """Buckets, section headers and the order of SH differ from every other format."""
    found = foreign(f"splats3d_level{level}_sh{degree}.ksplat")
    expected = clipped(source(degree), sh0=(-0.5 / SH_C0, 0.5 / SH_C0))
    assert found.count == expected.count
    assert_within(found, expected, bounds(level, expected.take(partners(found, expected))))


def test_what_the_header_tells() -> None:
    file = look_at(FOREIGN / "splats3d_level1_sh2.ksplat")
    assert (file.format, file.count, file.sh_degree, file.keeps_rows) == ("ksplat", 300, 2, False)
    assert file == look_at(file.path)


@pytest.mark.parametrize(("at", "value", "kind", "says"), [
    (0, 1, UnreadableFile, "version 0.1"), (20, 3, UnreadableFile, "compression level 3"), (4, 200, UnreadableFile, "section"),
    (4096 + 40, 9, RefusedFile, "contradicts itself"), (4096 + 4 + 3, 255, UnreadableFile, "bytes"),
    (4096 + 0, 1, UnreadableFile, "do not hold"),
])
def test_wrong_headers(at: int, value: int, kind: type[Exception], says: str, tmp_path: Path) -> None:
    """Counts in the headers are checked against the file before anything is read."""
    content = bytearray((FOREIGN / "splats3d_level1_sh2.ksplat").read_bytes())
    content[at] = value
    path = tmp_path / "a.ksplat"
    path.write_bytes(content)
    with pytest.raises(kind, match=says):
        look_at(path)


def test_a_file_cut_off_is_told_when_it_is_looked_at(tmp_path: Path) -> None:
    content = (FOREIGN / "splats3d_level0_sh2.ksplat").read_bytes()
    path = tmp_path / "a.ksplat"
    for size in (0, 10, 4096, 5000, 6000, len(content) - 1):
        path.write_bytes(content[:size])
        with pytest.raises(UnreadableFile):
            look_at(path)
    path.write_bytes(content)
    assert np.isfinite(look_at(path).read().sh_rest).all()
