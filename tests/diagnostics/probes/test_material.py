"""What probes work on: the run's own views and start, smaller; a wrong size or background would answer another question."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from diagnostics.probes.ask import bench_at
from diagnostics.probes.bench import OutOfReach, Wish
from diagnostics.probes.material import (
    background_of,
    checkpoint_of,
    parameters_of,
    source_of,
    start_points,
    training_data,
    views,
)
from runs.open_run import open_run
from tests.lab.opened import opened
from tests.support.runs import made_run

HEALTHY = "usual-court-0_court-0_mini"


def test_pictures_keep_their_shape_and_the_cameras_their_view() -> None:
    """The longer side is bounded; a camera and its photo stay of one size."""
    bench = bench_at(opened(HEALTHY))
    source = source_of(bench, 32)
    full = source_of(bench, 10_000)
    assert {max(camera.size_px) for camera in source.train} == {32}
    for small, large in zip(source.train, full.train, strict=True):
        assert small.fx / small.size_px[0] == pytest.approx(large.fx / large.size_px[0])
    found = views(bench, source.train, source.background, 5)
    assert len(found) == 5
    assert [view.name for view in found][::4] == [source.train[0].name, source.train[-1].name]
    assert all(view.photo.shape == (*view.camera.size_px[::-1], 3) for view in found)


def test_training_data_is_what_the_trainer_had() -> None:
    """Held-out views stay out of training, and the start is the run's own cloud."""
    bench = bench_at(opened(HEALTHY))
    data = training_data(bench, source_of(bench, 64))
    for split, taken in (("train", data.train), ("test", data.test)):
        assert {view.name for view in taken} == {camera.name for camera in bench.evidence.run.cameras if camera.split == split}
    assert bench.evidence.run.input_points is not None
    np.testing.assert_array_equal(data.points.xyz, bench.evidence.run.input_points.xyz)


def test_points_are_thinned_evenly_and_keep_their_colours() -> None:
    bench = bench_at(opened(HEALTHY))
    every, some = start_points(bench), start_points(bench, 300)
    assert 0 < len(some) <= 300
    assert every.rgb is not None
    assert some.rgb is not None
    step = -(-len(every) // 300)
    np.testing.assert_array_equal(some.xyz, every.xyz[::step])
    np.testing.assert_array_equal(some.rgb, every.rgb[::step])


def test_the_save_that_was_asked_for_is_taken() -> None:
    run = opened(HEALTHY)
    assert checkpoint_of(bench_at(run)).iteration == run.iterations[-1]
    chosen = checkpoint_of(bench_at(run, wish=Wish(iteration=310)))
    assert chosen.iteration == 300
    assert parameters_of(chosen).count == chosen.count


def test_the_background_is_the_one_that_training_used() -> None:
    """Black is assumed, and said to be, where the run does not tell."""
    source = source_of(bench_at(opened(HEALTHY)), 64)
    assert (source.background, source.assumed_background) == ("black", False)
    assert background_of("white") == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(("ask", "missing"), [
    (lambda bench: source_of(bench, 64), "cameras"), (start_points, "points that training started from"),
    (checkpoint_of, "saved point cloud"),
])
def test_what_is_missing_is_named(ask: object, missing: str) -> None:
    assert callable(ask)
    with pytest.raises(OutOfReach, match=missing):
        ask(bench_at(made_run()))


def test_without_photos_the_question_stays_open(tmp_path: Path) -> None:
    """The folder is there, the photos are not."""
    run = opened(HEALTHY)
    assert run.data is not None
    shutil.copytree(run.data / "sparse", tmp_path / "sparse")
    with pytest.raises(OutOfReach, match="the photos"):
        source_of(bench_at(open_run(run.path, tmp_path)), 64)


def test_a_photo_that_cannot_be_read_is_left_out_and_noted(tmp_path: Path) -> None:
    """One damaged photo of a hundred must not end the probe."""
    run = opened(HEALTHY)
    assert run.data is not None
    shutil.copytree(run.data, tmp_path / "data")
    bench = bench_at(open_run(run.path, tmp_path / "data"))
    source = source_of(bench, 64)
    broken = next(tmp_path.rglob(source.train[0].name))
    broken.write_bytes(b"no picture")
    found = views(bench, source.train, "black")
    assert [view.name for view in found] == [camera.name for camera in source.train[1:]]
    assert any(str(broken) in note.file for note in bench.evidence.run.notes)
