"""Splats that the photos would do without are told from those they need; in a run that is wrong throughout none is to blame."""

import numpy as np

from diagnostics.measures.coincident import coincident
from diagnostics.measures.rejection import Rejection, Strengths, fitting
from render.raster.cpu import rasterise
from render.raster.measures import capped
from render.raster.removal import Removal, removal
from render.splats import prepare
from runs.arrays import F32
from tests.diagnostics.fixtures.photographed import cameras, scene, with_specks

APART = 100 * np.arange(15, dtype=np.float32).reshape(5, 3)


def strengths(along: list[float], effect: list[float], means: F32 = APART) -> Strengths:
    rejection = Rejection.empty(len(along))
    rejection.add(Removal(*np.zeros((2, len(along))), np.array(along), np.array(effect)))
    found = rejection.strengths(means)
    assert found is not None
    return found


def test_errors_that_look_like_the_splat_speak_against_it() -> None:
    """The units of the pictures cancel, and a splat without any effect is not judged."""
    along, effect = [0.01, -0.01, 0.01, 4.0, 0.0], [1.0, 1.0, 1.0, 4.0, 0.0]
    np.testing.assert_allclose(strengths(along, effect).own, [1, -1, 1, 200, np.nan])
    np.testing.assert_allclose(strengths([9 * a for a in along], [9 * e for e in effect]).own[:4], [1, -1, 1, 200])


def test_in_a_clump_they_are_judged_together() -> None:
    """Each of seven hides what the others do: what is barely seen in one is plain in all."""
    clump = np.random.default_rng(0).normal(size=(7, 3))
    means = np.concatenate([clump, 100 + 0.1 * clump, 200 + 0.1 * clump]).astype(np.float32)
    along, effect = [1.0] * 7 + [1.0, -1.0] * 3 + [0.0] + [-1.0, 1.0] * 3 + [0.0], [1.0] * 21
    found = strengths(along, effect, means)
    np.testing.assert_allclose(found.own[:7], 1)
    np.testing.assert_allclose(found.joint[:7], np.sqrt(7))
    np.testing.assert_allclose(found.joint[7:], 0, atol=1e-9)


def test_without_photos_or_errors_nothing_is_said() -> None:
    """Nought divided by nought is no number to show."""
    assert Rejection.empty(5).strengths(APART) is None


def test_specks_are_rejected_and_what_they_hide_is_not() -> None:
    """Both lie in the same wrong pixels: only the sign of what they do tells them apart."""
    clean, dirty = prepare(scene()), prepare(with_specks().checkpoints[-1].gaussians)
    rejection = Rejection.empty(len(dirty))
    for camera in cameras():
        small = capped(camera)
        photo, picture = rasterise(clean, small).rgb, rasterise(dirty, small)
        shown, wanted = fitting(picture, photo)
        rejection.add(removal(dirty, small, shown, wanted, picture.mode_depth))
    found = rejection.strengths(dirty.means)
    assert found is not None
    known, specks = rejection.effect > 1e-3, np.arange(len(dirty)) >= len(clean)
    assert np.median(found.own[known & specks]) > 20 * np.quantile(found.own[known & ~specks], 0.9)


def test_the_background_that_fits_is_taken() -> None:
    """A run trained before white, rendered on black, would be wrong wherever it lets light through."""
    splats, camera = prepare(scene()), capped(cameras()[0])
    picture, on_white = rasterise(splats, camera), rasterise(splats, camera, background=(1.0, 1.0, 1.0)).rgb
    shown, wanted = fitting(picture, on_white)
    np.testing.assert_allclose(shown, wanted, atol=1e-3)


def test_coincident_rows_are_exact_copies() -> None:
    """Neighbours are no copies, however near."""
    means = np.array([[0, 1, 2], [0, 1, 2], [0, 1, np.nextafter(np.float32(2), np.float32(3))], [5, 1, 2]], np.float32)
    np.testing.assert_array_equal(coincident(means), [True, True, False, False])
