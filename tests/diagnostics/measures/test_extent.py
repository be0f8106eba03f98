"""Camera spread: the number that scales the learning rate of the means, and its robust twin."""

import numpy as np
import pytest

from diagnostics.measures.extent import camera_spread


def ring(count: int = 200) -> np.ndarray:
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return np.stack([np.cos(angles), np.zeros(count), np.sin(angles)], axis=1)


def test_on_a_ring_both_extents_agree() -> None:
    """A healthy orbit must not look inflated."""
    spread = camera_spread(ring())
    assert spread.extent == pytest.approx(1.1)
    assert spread.inflation == 1
    assert spread.reach == pytest.approx(1, abs=0.01)


def test_four_far_cameras_inflate_one_extent_only() -> None:
    """The public case brush #119: 200 cameras on a unit ring and 4 at 500 units; the rate is off by hundreds."""
    spread = camera_spread(np.concatenate([ring(), 500 * ring(200)[:4]]))
    assert spread.extent == pytest.approx(540, rel=0.02)
    assert spread.robust_extent == pytest.approx(1.1, rel=0.02)
    assert spread.inflation == pytest.approx(490, rel=0.02)
    assert np.flatnonzero(spread.far).tolist() == [200, 201, 202, 203]


def test_cameras_on_one_spot_have_no_ratio() -> None:
    """A pure rotation must answer "not available", not a division by zero."""
    spread = camera_spread(np.ones((5, 3)))
    assert spread.extent == 0
    assert np.isnan(spread.inflation)
    assert np.isnan(spread.reach)
