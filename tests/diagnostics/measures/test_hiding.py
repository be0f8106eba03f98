"""Floaters that hide each other come to light once all suspects are left out; what the scene needs is not accused."""

from collections.abc import Iterator

import numpy as np

from diagnostics.measures.hiding import Seen, look_behind
from diagnostics.measures.rejection import Strengths
from render.raster.cpu import rasterise
from render.splats import prepare
from runs.arrays import F32, F64, Mask
from runs.cameras import Camera
from runs.gaussians import Gaussians
from tests.diagnostics.fixtures.photographed import cameras, joined, scene
from tests.support.runs import changed, cloud

CLUMP = 25


def with_a_clump() -> Gaussians:
    """Opaque ones close together before the ball, in no photo."""
    clump = cloud(CLUMP, seed=11, spread=0.05, size=0.08, opacity=0.9)
    return joined(scene(), changed(clump, means=clump.means + np.array([1.6, 0.0, 0.0])))


def shots() -> Iterator[tuple[Camera, F32]]:
    """Photos of the ball, slightly noisy, as no photo is without error."""
    true, rng = prepare(scene()), np.random.default_rng(12)
    for camera in cameras():
        photo = rasterise(true, camera).rgb
        yield camera, np.asarray(photo + rng.normal(0, 0.02, photo.shape), np.float32)


def seen_without(suspects: Mask) -> tuple[Seen, F64]:
    """What is seen, and its rejection of each alone."""
    seen = look_behind(prepare(with_a_clump()), suspects, shots())
    assert isinstance(seen.rejection, Strengths)
    return seen, seen.rejection.own


def rows(*parts: slice) -> Mask:
    """The ball's rows come first, then the clump's."""
    mask = np.zeros(scene().count + CLUMP, bool)
    for part in parts:
        mask[part] = True
    return mask


def test_each_of_a_clump_is_plain_once_the_others_are_gone() -> None:
    """With all of it in the picture, taking one away changes little: those behind it show the same wrong thing."""
    clump = rows(slice(scene().count, None))
    crowded, alone = (seen_without(suspects)[1][clump] for suspects in (rows(), clump))
    assert np.median(alone) > 3 * np.median(np.abs(crowded))
    assert alone.min() > 10
    assert (crowded < 0).any()  # some even look needed


def test_half_of_a_clump_found_uncovers_the_other_half() -> None:
    """A second look is worth its price where the first one made more suspects."""
    start, hidden = scene().count, rows(slice(scene().count + CLUMP // 2, None))
    before, after = (seen_without(suspects)[1][hidden] for suspects in (rows(), rows(slice(start, start + CLUMP // 2))))
    assert np.median(after) > np.median(before)


def test_what_the_scene_needs_is_not_accused() -> None:
    """Suspicion alone must not convict: without them the photos lack what they show."""
    true, suspects = prepare(scene()), np.arange(scene().count) % 30 == 0
    seen = look_behind(true, suspects, shots())
    assert seen.rejection is not None
    found = seen.rejection.own[suspects]
    assert np.nanmin(found) < -5  # some are plainly missed
    assert np.nanmax(found) < 5  # none is plainly too much: the rest is the noise of the photos


def test_the_surface_behind_is_the_one_that_counts() -> None:
    """A clump is its own surface for as long as it stands in the picture."""
    clump = rows(slice(scene().count, None))
    with_it, without_it = (seen_without(suspects)[0].front[clump] for suspects in (rows(), clump))
    assert without_it.mean() > with_it.mean()
    assert 0 <= without_it.min() <= without_it.max() <= 1


def test_without_a_photo_nothing_is_said() -> None:
    """No picture, no weight, no strength; and no division by nought."""
    seen = look_behind(prepare(scene()), np.zeros(scene().count, bool), ())
    assert seen.rejection is None
    assert not seen.front.any()
