"""The GL picture is what users judge a training by: in every mode and both layouts it must be the CPU rasteriser's picture."""

import ctypes.util
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from render.colouring import colour_map
from render.covariance import covariances
from render.raster.cpu import rasterise
from render.raster.reference import rasterise as reference
from render.viewport.appearance import Marks, splat_colours
from render.viewport.gl_upload import covariance_triangles, pack
from render.viewport.software import picture
from runs.arrays import Array
from tests.render.viewport import gl_cases
from tests.support.data import REPOSITORY

# Float frame buffer against float64: 137 to 141 dB were reached on Mesa's llvmpipe; a few pixels may differ by one
# splat whose alpha is within rounding of 1/255, which costs at most 1/255 there.
FLOAT_DB, FLIP = 90.0, 1.05 / 255
HALF_DB = 50.0  # half floats, as in the window; 56 dB reached
BYTE_DB = 48.0  # 8-bit pictures of the two back-ends: 53.7 dB reached in the worst mode

MARKS = Marks(gl_cases.SCALAR, colour_map("viridis"), gl_cases.SCALE, gl_cases.TINT, gl_cases.TINT_RGB)
REQUESTS = gl_cases.requests()


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Array]:
    """The worker's arrays. Only a machine without libEGL may skip: any other failure to draw is a failure."""
    if sys.platform != "linux" or ctypes.util.find_library("EGL") is None:
        pytest.skip("libEGL is not installed (Debian: libegl1), so GL cannot be drawn off screen")
    target = tmp_path_factory.mktemp("gl") / "drawn.npz"
    environment = {**os.environ, "EGL_PLATFORM": "surfaceless", "PYOPENGL_PLATFORM": "egl"}
    command = [sys.executable, "-m", "tests.render.viewport.egl_worker", str(target)]
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    no_screen = "could not determine DPI"  # vispy, where neither xrandr nor xdpyinfo is installed
    assert [line for line in done.stderr.splitlines() if "WARNING" in line and no_screen not in line] == []
    with np.load(target) as stored:
        return dict(stored)


def psnr(one: Array, other: Array) -> float:
    """dB for values of 0..1."""
    return float(-10 * np.log10(max(np.square(one.astype(np.float64) - other).mean(), 1e-20)))


@pytest.mark.parametrize("layout", gl_cases.LAYOUTS)
@pytest.mark.parametrize("where", ["outside", "inside"])
def test_sums_equal_the_float64_reference(drawn: Mapping[str, Array], layout: str, where: str) -> None:
    """Projection, SH, blending and depth against the slow twin: the only differences are roundings."""
    request = REQUESTS[f"rgb {where}"]
    truth = reference(gl_cases.SPLATS, request.camera, t_stop=0)
    sums = drawn[f"{layout}/rgb {where}/sums"]
    for got, wanted in ((sums[..., :3], truth.rgb), (sums[..., 3], truth.alpha)):
        error = np.abs(got - wanted)
        assert psnr(got, wanted) > FLOAT_DB
        assert error.max() < FLIP
        assert (error > 1e-4).mean() < 0.002
    with np.errstate(invalid="ignore", divide="ignore"):
        of_depth = drawn[f"{layout}/depth {where}/sums"]
        depth = of_depth[..., 0] / of_depth[..., 3] * pack(gl_cases.SPLATS).depth_unit
    hit = truth.alpha > 0.05
    assert hit.mean() > 0.3
    np.testing.assert_allclose(depth[hit], truth.depth[hit], rtol=2e-2)
    assert np.median(np.abs(depth[hit] / truth.depth[hit] - 1)) < 1e-5


@pytest.mark.parametrize("layout", gl_cases.LAYOUTS)
@pytest.mark.parametrize("name", REQUESTS)
def test_every_mode_is_the_software_picture(drawn: Mapping[str, Array], layout: str, name: str) -> None:
    """Whoever moves from a laptop without a GPU to one with a GPU must see the same run."""
    ours = picture(gl_cases.SPLATS, MARKS, REQUESTS[name])
    theirs = drawn[f"{layout}/{name}/picture"]
    assert theirs.shape == ours.shape
    assert theirs.std() > 5  # not a blank picture
    # Dots have hard edges and colour maps have 256 steps: single pixels may fall to the other side of one.
    far = np.abs(theirs.astype(int) - ours).max(axis=-1) > 4
    assert far.mean() < 0.01
    assert psnr(theirs[~far] / 255, ours[~far] / 255) > BYTE_DB


@pytest.mark.parametrize("layout", gl_cases.LAYOUTS)
def test_half_floats_keep_the_promised_decibels(drawn: Mapping[str, Array], layout: str) -> None:
    """The window blends in half floats to save memory; eight bits would lose 15 dB more."""
    truth = rasterise(gl_cases.SPLATS, gl_cases.OUTSIDE, t_stop=0)
    assert psnr(drawn[f"{layout}/half/sums"][..., :3], truth.rgb) > HALF_DB


@pytest.mark.parametrize("layout", gl_cases.LAYOUTS)
@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_every_stored_degree_is_read_from_its_texture(drawn: Mapping[str, Array], layout: str, degree: int) -> None:
    """Coefficients are packed four to three texels, padded below degree 3: a shifted read turns colours wild."""
    ours = rasterise(gl_cases.BY_DEGREE[degree], gl_cases.OUTSIDE).rgb
    assert psnr(drawn[f"{layout}/degree {degree}/picture"] / 255, np.clip(ours, 0, 1)) > BYTE_DB


@pytest.mark.parametrize("layout", gl_cases.LAYOUTS)
def test_nothing_to_draw_shows_the_background(drawn: Mapping[str, Array], layout: str) -> None:
    """gloo draws an empty instance buffer once; and a run may have no drawable Gaussian at all."""
    for name in ("empty order", "none"):
        assert (drawn[f"{layout}/{name}"] == [0, 0, 255]).all()
    small = drawn[f"{layout}/few, small"]
    wanted = rasterise(gl_cases.SPLATS_FEW, gl_cases.OUTSIDE.resized((48, 40)), background=(0, 0, 1)).rgb
    assert small.shape == (40, 48, 3)
    assert psnr(small / 255, np.clip(wanted, 0, 1)) > BYTE_DB


def test_layouts_agree_to_the_bit_of_a_byte(drawn: Mapping[str, Array]) -> None:
    """The fall-back layout exists for drivers, not for another look."""
    for name in REQUESTS:
        one, other = (drawn[f"{layout}/{name}/picture"].astype(int) for layout in gl_cases.LAYOUTS)
        assert (np.abs(one - other) > 1).mean() < 0.002


def test_fast_covariances_are_those_of_the_reference() -> None:
    """The packer has its own kernel for speed."""
    splats = gl_cases.SPLATS
    truth = covariances(splats.scales, splats.quats)
    packed = covariance_triangles(splats.scales, splats.quats)
    upper = truth[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    assert np.abs(packed - upper).max() <= 1e-6 * np.abs(upper).max()


def test_tint_greys_what_is_not_tinted() -> None:
    """A red floater on a red wall is only seen if the wall steps back."""
    colours = splat_colours(gl_cases.SPLATS, MARKS, replace(REQUESTS["tint outside"], tint_strength=1.0))
    np.testing.assert_allclose(colours[gl_cases.TINT], np.tile(gl_cases.TINT_RGB, (gl_cases.TINT.sum(), 1)), atol=1e-6)
    rest = colours[~gl_cases.TINT]
    np.testing.assert_allclose(rest, rest[:, :1].repeat(3, axis=1), atol=1e-6)


def test_tint_never_changes_what_a_legend_explains() -> None:
    """A suspect painted red while the legend says yellow would be a lie; the others turn into the grey scene."""
    plain, tinted = (splat_colours(gl_cases.SPLATS, MARKS, REQUESTS[f"{name} outside"]) for name in ("scalar", "tinted scalar"))
    np.testing.assert_array_equal(tinted[gl_cases.TINT], plain[gl_cases.TINT])
    rest = tinted[~gl_cases.TINT]
    np.testing.assert_allclose(rest, rest[:, :1].repeat(3, axis=1), atol=1e-6)
