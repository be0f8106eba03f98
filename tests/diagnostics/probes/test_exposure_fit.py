"""The colour correction of one photo: it must be the one that was made, and nothing else may pass for one."""

import numpy as np
import pytest

from diagnostics.probes.exposure_fit import IDENTITY, Pixels, affine, comparable, correction, mapped, robust_spread, shared
from diagnostics.probes.sh_pictures import beside
from runs.arrays import F64, Mask

SIDE = 60
LEFT: Mask = np.arange(SIDE * SIDE) % SIDE < SIDE // 2
UPPER: Mask = np.arange(SIDE * SIDE) < SIDE * SIDE // 2


def colours(seed: int = 0) -> F64:
    return np.random.default_rng(seed).uniform(0.1, 0.6, (SIDE * SIDE, 3))


def pixels(wanted: F64, shown: F64 | None = None) -> Pixels:
    return Pixels("one", colours() if shown is None else shown, wanted, LEFT, UPPER, 1.0)


def test_a_correction_is_found_though_a_fifth_of_the_picture_shows_something_else() -> None:
    made = np.array([[1.2, 0.02, 0], [0, 1.1, 0.03], [0.01, 0, 0.9], [0.01, -0.02, 0.0]])
    wanted = mapped(made, colours())
    wanted[::5] = 0.9
    assert np.abs(affine(colours(), wanted) - made).max() < 0.05
    plain = np.linalg.lstsq(np.column_stack([colours(), np.ones(len(wanted))]), wanted, rcond=None)[0]
    assert np.abs(plain - made).max() > 0.05  # what least squares alone makes of it


def test_gains_are_those_beyond_what_all_photos_share() -> None:
    """A model that is too dark in every view is another fault."""
    common = np.vstack([np.eye(3) * 1.3, np.zeros((1, 3))])
    found = correction(pixels(colours() * 1.3 * [1.1, 1.0, 0.9]), common)
    assert found.gains == pytest.approx([1.1, 1.0, 0.9], abs=0.01)
    assert found.explained > 0.95
    assert found.gained_db > 10


def test_what_only_one_half_asks_for_explains_nothing() -> None:
    """A shadow or a passer-by is no exposure, however well a correction would fit it."""
    wanted = colours() * np.where(LEFT, 1.3, 1.0)[:, None]
    assert correction(pixels(wanted), IDENTITY).explained < 0.05


def test_noise_explains_nothing() -> None:
    noise = np.random.default_rng(1).normal(0, 0.05, (SIDE * SIDE, 3))
    found = correction(pixels(colours() + noise), IDENTITY)
    assert abs(found.explained) < 0.02
    assert found.gains == pytest.approx([1, 1, 1], abs=0.01)


def test_a_photo_that_equals_its_render_has_nothing_to_gain() -> None:
    found = correction(pixels(colours()), IDENTITY)
    assert (found.explained, found.gained_db) == (0.0, 0.0)


def test_saturated_pixels_tell_no_gain() -> None:
    """Cut off at white, a photo looks less bright than it was taken."""
    rgb = np.random.default_rng(2).uniform(0.2, 1.0, (SIDE, SIDE, 3)).astype(np.float32)
    photo = np.clip(rgb * 1.4, 0, 1)
    found = comparable("one", rgb, np.ones((SIDE, SIDE), np.float32), photo)
    assert found is not None
    assert found.share < 0.5
    assert correction(found, IDENTITY).gains == pytest.approx([1.4] * 3, rel=0.02)
    assert photo.mean() / rgb.mean() < 1.3


def test_the_background_is_not_compared() -> None:
    rgb = np.full((SIDE, SIDE, 3), 0.5, np.float32)
    assert comparable("one", rgb, np.full((SIDE, SIDE), 0.5, np.float32), rgb) is None
    assert comparable("one", rgb, np.eye(SIDE, dtype=np.float32), rgb) is None  # and neither are a few pixels


def test_what_all_photos_share_is_one_correction() -> None:
    views = [pixels(colours(seed) * 0.8, colours(seed)) for seed in range(3)]
    assert mapped(shared(views), np.array([[0.3, 0.4, 0.5]]))[0] == pytest.approx([0.24, 0.32, 0.4], abs=0.01)


def test_the_spread_of_a_normal_distribution_is_its_standard_deviation() -> None:
    assert robust_spread(np.random.default_rng(3).normal(5, 0.1, (4000, 3))) == pytest.approx(0.1, rel=0.05)


def test_pictures_side_by_side_stay_what_they_are() -> None:
    white, black = np.ones((4, 3, 3)), np.zeros((4, 2, 3))
    joined = beside(white, black)
    assert joined.shape == (4, 9, 3)
    assert (joined[:, :3] == 255).all()
    assert (joined[:, -2:] == 0).all()
