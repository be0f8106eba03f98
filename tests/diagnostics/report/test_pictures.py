"""A picture that tints the wrong Gaussians or looks from a camera that does not see them accuses the wrong thing."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image

from diagnostics.report.pictures import Gallery, composited, guilty_weight, tint
from diagnostics.report.viewpoint import best_camera, fitted, framed, framing_camera, splat_weights
from diagnostics.verdict import GaussianPlace
from render.raster.cpu import rasterise
from render.splats import prepare
from runs.errors import UnreadableFile
from runs.gaussians import Gaussians
from runs.photos import Photo
from tests.diagnostics.report.support import COUNT, diagnosis, reported, training_run
from tests.support.runs import changed, cloud, ring_cameras


def test_tint_is_orange_where_the_guilty_are_and_grey_elsewhere() -> None:
    """Read from the pixels: the guilty blending weight decides how orange a pixel is, and no other pixel has a colour."""
    splats = prepare(cloud(200, seed=1, opacity=0.9))
    guilty = np.arange(len(splats)) < 40
    camera = ring_cameras(1)[0]
    picture = rasterise(splats, camera, contributions=True)
    weight = guilty_weight(splats, camera, guilty)
    assert picture.contributions is not None
    np.testing.assert_allclose(weight.sum(), picture.contributions.weight_sum[guilty].sum(), rtol=1e-4)
    assert weight.max() <= 1 + 1e-6
    tinted = tint(picture.rgb, weight)
    redness = tinted[..., 0] - tinted[..., 2]
    np.testing.assert_allclose(redness, np.sqrt(weight), atol=1e-5)
    np.testing.assert_allclose(tinted[weight == 0][:, 0], tinted[weight == 0][:, 1], atol=1e-6)


def test_the_best_camera_sees_the_guilty_and_not_their_back() -> None:
    """Guilty Gaussians on one side of an opaque ball are shown from that side, although every camera frames them."""
    ball = cloud(2000, seed=2, opacity=0.99)
    splats = prepare(ball)
    cameras = ring_cameras(8)
    guilty = splats.means @ (cameras[3].centre / np.linalg.norm(cameras[3].centre)) > 0.9
    chosen = best_camera(cameras, splats, np.asarray(guilty), partial(splat_weights, splats))
    assert chosen.name in {cameras[index].name for index in (2, 3, 4)}


def test_cameras_behind_or_beside_frame_nothing() -> None:
    """A point behind the camera projects into the picture too, mirrored; it must not count."""
    camera = ring_cameras(1)[0]
    assert framed(camera, np.zeros((1, 3))) == 1
    assert framed(camera, 2 * camera.centre[None]) == 0


def test_the_framing_camera_is_not_wrecked_by_outliers() -> None:
    """One Gaussian at a million units must not shrink the scene to a dot."""
    ball = cloud(300, seed=4)
    means = ball.means.copy()
    means[:3] = 1e6
    splats = prepare(changed(ball, means=means))
    camera = framing_camera(splats, np.zeros(len(splats), bool))
    assert framed(camera, splats.means) >= 290
    assert rasterise(splats, camera).alpha.mean() > 0.05


def test_a_named_guilty_camera_is_taken() -> None:
    """Where the finding names a camera, that view is the evidence."""
    found = reported(cameras=("view_007.png",))
    strip = Gallery(diagnosis(found)).strip(found)
    assert "camera view_007.png" in strip.caption
    several = reported(cameras=("gone.png", "view_003.png"))
    assert "camera view_003.png" in Gallery(diagnosis(several)).strip(several).caption
    assert [picture.label for picture in strip.pictures] == ["Guilty Gaussians tinted", "Rendering"]


def test_photos_are_shown_and_a_broken_one_is_noted(tmp_path: Path) -> None:
    """The photo is the truth beside the rendering; without it the other pictures still come."""
    Image.new("RGBA", (96, 96), (255, 0, 0, 0)).save(tmp_path / "good.png")
    (tmp_path / "bad.png").write_bytes(b"no picture")
    files = {"view_001.png": "good.png", "view_002.png": "bad.png"}
    photos = {name: Photo(name, tmp_path / file) for name, file in files.items()}
    run = training_run(photos=photos)
    good, bad = reported(cameras=("view_001.png",)), reported(cameras=("view_002.png",))
    gallery = Gallery(diagnosis(good, bad, run=run))
    photo = gallery.strip(good).pictures[-1]
    assert photo.label == "Photo"
    assert photo.pixels.max() == 0  # fully transparent, so the black background shows
    assert [picture.label for picture in gallery.strip(bad).pictures] == ["Guilty Gaussians tinted", "Rendering"]
    assert any("bad.png" in note.file for note in run.notes)


def test_the_caption_tells_rows_that_cannot_be_drawn() -> None:
    """NaN rows are guilty and invisible; a picture without them must say so."""
    broken = cloud(COUNT, seed=3)
    means = broken.means.copy()
    means[:5] = np.nan
    run = training_run(checkpoints={1500: changed(broken, means=means)})
    hidden, mixed = (reported(gaussians=GaussianPlace(np.arange(n), 1500, COUNT)) for n in (5, 8))
    gallery = Gallery(diagnosis(hidden, mixed, run=run))
    assert gallery.strip(hidden).caption.endswith("5\N{NO-BREAK SPACE}of them are not drawn, for invalid values.")
    assert [picture.label for picture in gallery.strip(hidden).pictures] == ["Rendering"]
    assert [picture.label for picture in gallery.strip(mixed).pictures] == ["Guilty Gaussians tinted", "Rendering"]


def test_overflowing_colours_are_drawn_and_not_a_crash() -> None:
    """Colour coefficients of 1e38 are finite, so the rows are drawn; the picture must survive what they add up to."""
    wild = np.random.default_rng(0).choice([-3.3e38, 3.3e38], (COUNT, 15, 3))
    run = training_run(checkpoints={1500: changed(cloud(COUNT, seed=3, sh_degree=3), sh0=wild[:, 0], sh_rest=wild)})
    strip = Gallery(diagnosis(reported(), run=run)).strip(reported())
    assert [picture.pixels.dtype for picture in strip.pictures] == [np.uint8, np.uint8]


def test_what_cannot_be_drawn_says_why() -> None:
    """A report of a run without usable checkpoints is still a report."""
    found = reported(gaussians=None)
    assert "no saved Gaussians" in Gallery(diagnosis(found, run=training_run(checkpoints={}))).strip(found).caption
    run = training_run()

    def gone() -> Gaussians:
        raise UnreadableFile("this file vanished", Path("point_cloud.ply"))

    lost = replace(run, checkpoints=(replace(run.checkpoints[0], read=gone),))
    assert "this file vanished: point_cloud.ply" in Gallery(diagnosis(found, run=lost)).strip(found).caption


def test_the_checkpoint_is_the_last_one_that_the_finding_saw() -> None:
    """A finding that ends at 1,200 must not be shown with the state of 1,500."""
    found = reported(gaussians=None, iterations=(600, 1200))
    assert "Iteration 1,000," in Gallery(diagnosis(found)).strip(found).caption
    early = reported(gaussians=None, iterations=(10, 20))
    assert "Iteration 500," in Gallery(diagnosis(early)).strip(early).caption


def test_sizes_keep_their_proportions() -> None:
    """A squeezed picture misleads about shapes."""
    assert fitted((1600, 900), 640) == (640, 360)
    assert fitted((96, 64), 640) == (96, 64)
    assert composited(np.ones((2, 2, 3), np.float32), (0, 0, 0)).shape == (2, 2, 3)
