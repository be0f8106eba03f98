"""Detail that a render lacks, and holes: exact where the answer is known."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from diagnostics.measures.detail import detail_of
from render.raster.picture import Picture
from runs.arrays import F32, Array

RNG = np.random.default_rng(0)
SIZE = (64, 96)
PHOTO = RNG.uniform(0, 1, (*SIZE, 3)).astype(np.float32)


def picture(rgb: F32, *, alpha: Array | None = None, rulers: Array | None = None) -> Picture:
    """A render with these pixels; opaque, and one splat for each pixel, where nothing else is told."""
    shown = np.ones(SIZE, np.float32) if alpha is None else alpha.astype(np.float32)
    splats = np.arange(SIZE[0] * SIZE[1], dtype=np.int32).reshape(SIZE) if rulers is None else rulers.astype(np.int32)
    return Picture(rgb, shown, shown, shown, splats, None)


def soft() -> F32:
    return np.asarray(gaussian_filter(PHOTO, (3, 3, 0)), np.float32)


def test_a_render_that_is_its_photo_keeps_everything() -> None:
    found = detail_of(picture(PHOTO), PHOTO)
    assert (found.kept, found.lost_under_large, found.large) == (1, 0, 0)
    assert not found.holes.any()
    assert not len(found.too_large)


def test_detail_is_missing_only_under_the_large() -> None:
    """Softness that small splats show is not theirs to split away."""
    halves = np.arange(SIZE[0] * SIZE[1]).reshape(SIZE)
    halves[:, :48] = 0
    found = detail_of(picture(soft(), rulers=halves), PHOTO)
    assert found.kept < 0.1
    assert found.large == 0.5
    assert found.lost_under_large == pytest.approx(0.5, abs=0.05)
    assert found.too_large.tolist() == [0]


def test_a_soft_photo_lacks_nothing() -> None:
    assert detail_of(picture(soft(), rulers=np.zeros(SIZE)), soft()).lost_under_large == 0


def test_a_flat_photo_tells_nothing() -> None:
    """No detail, no share of it."""
    flat = np.full((*SIZE, 3), 0.5, np.float32)
    assert np.isnan(detail_of(picture(flat), flat).kept)


def test_holes_are_patches_that_differ_from_the_photo() -> None:
    """What is empty and black before a black photo is as it should be; a rim of a pixel is no patch."""
    alpha = np.ones(SIZE)
    alpha[10:30, 20:50], alpha[:, 80] = 0, 0
    bright = np.full((*SIZE, 3), 0.5, np.float32)
    found = detail_of(picture(np.asarray(bright * alpha[..., None], np.float32), alpha=alpha), bright)
    assert found.holes[10:30, 20:50].all()
    assert found.holes.sum() == 20 * 30
    dark = np.asarray(bright * alpha[..., None], np.float32)
    assert not detail_of(picture(dark, alpha=alpha), dark).holes.any()


def test_what_a_photo_leaves_transparent_is_nobodys() -> None:
    """A cut-out object before nothing: the empty part of its photo asks for nothing."""
    alpha = np.ones(SIZE)
    alpha[:, 40:] = 0
    cut_out = np.concatenate([np.ones((*SIZE, 3)), alpha[..., None]], axis=2).astype(np.float32)
    assert not detail_of(picture(np.asarray(cut_out[..., :3] * alpha[..., None], np.float32), alpha=alpha), cut_out).holes.any()
