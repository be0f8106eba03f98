"""Contradictions: a splat is only wrong where it rules pixels, in most views, and more than the picture around it."""

import numpy as np
import pytest

from diagnostics.measures.contradictions import Contradictions
from render.raster.picture import Picture
from runs.arrays import F32

RULERS = np.repeat(np.arange(4), 25).reshape(10, 10)  # four splats, 25 pixels each


def picture(alpha: float = 1.0, *, grey: float = 0.5) -> Picture:
    """Every pixel grey, ruled by one of four splats."""
    flat = np.full((10, 10), 1, np.float32)
    rgb = np.full((10, 10, 3), grey * alpha, np.float32)
    return Picture(rgb, alpha * flat, flat, flat, RULERS.astype(np.int32), None)


def photo(*others: int, by: float = 0.3) -> F32:
    """The same, but different where these splats rule; as bright as the render on the whole."""
    colours = np.full((10, 10, 3), 0.5, np.float32)
    colours[np.isin(RULERS, others)] += np.float32(by)
    return colours - colours.mean() + np.float32(0.5)


def told(*photos: F32, shown: Picture | None = None) -> Contradictions:
    sums = Contradictions.empty(5)
    for one in photos:
        sums.add(shown or picture(), one)
    return sums


def test_a_splat_that_most_photos_contradict_is_wrong() -> None:
    """Three of four views are most; the fifth splat rules nothing and is never wrong."""
    sums = told(photo(2), photo(2), photo(2), photo())
    assert sums.wrong().tolist() == [False, False, True, False, False]
    assert sums.share_of(sums.wrong()) == pytest.approx(0.25)


@pytest.mark.parametrize("photos", [
    (photo(2), photo(2)), (photo(2), photo(2), photo(), photo()), (photo(2, by=0.05),) * 4, (photo(1, 2, 3),) * 4,
], ids=["two views", "half of the views", "a small difference", "wrong almost everywhere"])
def test_what_does_not_suffice(photos: tuple[F32, ...]) -> None:
    """Few witnesses, witnesses that disagree, small differences, and pictures that fit nowhere blame no single splat."""
    assert not told(*photos).wrong().any()


def test_exposure_and_the_background_blame_no_splat() -> None:
    """A brighter photo, and a half-covered pixel whose photo was taken on white."""
    brighter = photo() + np.float32(0.3)
    assert not told(*[brighter] * 4).wrong().any()
    half = picture(0.6)
    assert not told(*[half.rgb + np.float32(0.4)] * 4, shown=half).wrong().any()
    assert told(*[photo(2)] * 4, shown=picture(0.4)).views.tolist() == [0] * 5
