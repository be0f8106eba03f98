"""The PLY that the lab writes is read by every tool in the field: the header and each column must be exact."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plyfile import PlyData

from runs.formats.ply import read_gaussians, read_points
from runs.gaussians import Gaussians
from runs.points import PointCloud
from runs.writers.ply import write_points, write_splats
from tests.support.files import inria_columns, random_gaussians
from tests.support.written import assert_same_gaussians

ODD = np.array([0, -0.0, 1e-45, 3.4e38, np.inf, -np.inf, np.nan], np.float32)


@settings(max_examples=40, deadline=None)
@given(count=st.integers(0, 9), degree=st.integers(0, 4), seed=st.integers(0, 99), normals=st.booleans())
def test_any_gaussians_come_back(
    count: int, degree: int, seed: int, normals: bool, tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Bit for bit through our reader and, with the same values under the same names, through plyfile."""
    path = tmp_path_factory.mktemp("ply") / "splats.ply"
    gaussians = random_gaussians(count, degree=degree, seed=seed)
    write_splats(path, gaussians, normals=normals)
    assert_same_gaussians(read_gaussians(path), gaussians)
    vertex = PlyData.read(str(path))["vertex"]
    columns = inria_columns(gaussians, normals=normals)
    assert [p.name for p in vertex.properties] == list(columns)
    for name, values in columns.items():
        np.testing.assert_array_equal(vertex[name], values)


def test_odd_numbers_and_extra_columns_survive(tmp_path: Path) -> None:
    """NaN and infinity are evidence; a fork's own column comes last."""
    count = len(ODD)
    some = random_gaussians(count, degree=1)
    gaussians = Gaussians.from_arrays(
        means=np.tile(ODD[:, None], 3), log_scales=some.log_scales, quats_wxyz=some.quats_wxyz, logit_opacities=ODD,
        sh0=some.sh0, sh_rest=some.sh_rest, extra={"filter_3D": ODD[::-1]},
    )
    write_splats(tmp_path / "odd.ply", gaussians)
    found = read_gaussians(tmp_path / "odd.ply")
    assert_same_gaussians(found, gaussians)
    np.testing.assert_array_equal(found.extra("filter_3D"), ODD[::-1])


@pytest.mark.parametrize("coloured", [True, False])
def test_points_come_back(coloured: bool, tmp_path: Path) -> None:
    """Positions as float32; a cloud without colours gets none invented."""
    rng = np.random.default_rng(0)
    rgb = rng.integers(0, 256, (7, 3), np.uint8) if coloured else None
    points = PointCloud(rng.normal(size=(7, 3)), rgb, "made")
    write_points(tmp_path / "input.ply", points)
    found = read_points(tmp_path / "input.ply")
    np.testing.assert_array_equal(found.xyz, points.xyz.astype(np.float32))
    np.testing.assert_array_equal(found.rgb, rgb) if coloured else np.testing.assert_equal(found.rgb, None)
