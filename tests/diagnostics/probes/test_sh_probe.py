"""The SH probe: harmonics that held-out views would do better without are found, sound ones are left alone, and what it cannot
know it does not say."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from diagnostics.evidence import Cancelled
from diagnostics.probes.answer import Result
from diagnostics.probes.ask import ask, bench_at, probe_named
from diagnostics.probes.bench import Listener, Wish
from diagnostics.probes.sh_drawn import drawn_at
from diagnostics.probes.sh_views import cut_at
from runs.cameras import Camera
from runs.gaussians import Gaussians
from runs.open_run import open_run
from runs.run import Run
from tests.diagnostics.fixtures.between import SIDEWAYS, swinging
from tests.diagnostics.fixtures.photographed import scene
from tests.lab.opened import opened
from tests.support.data import shared_data
from tests.support.photos import photos_of
from tests.support.runs import changed, ring_cameras
from tests.support.training import LAST, healthy_run

HELD_OUT = (1, 4, 8, 11)
FALLING, BLEEDING = "test-falls-while-train-rises", "colour-bleeding"


def cameras() -> tuple[Camera, ...]:
    return tuple(replace(view, split="test" if i in HELD_OUT else "train") for i, view in enumerate(ring_cameras(14)))


@cache
def half_swinging() -> Gaussians:
    """Every other Gaussian changes its colour with the direction."""
    rest = swinging(SIDEWAYS).sh_rest.copy()
    rest[1::2] = 0
    return changed(scene(), sh_rest=rest)


def run_with(trained: Gaussians, held_out: Gaussians, **changes: object) -> Run:
    """A save that shows its training photos exactly; held-out photos show another model."""
    train = photos_of(trained, [camera for camera in cameras() if camera.split == "train"])
    test = photos_of(held_out, [camera for camera in cameras() if camera.split == "test"])
    return healthy_run(**{"checkpoints": {LAST: trained}, "cameras": cameras(), "photos": {**train, **test}, **changes})


def by_heart() -> Run:
    """The harmonics are right where cameras trained, and held-out photos show the base colours."""
    return run_with(half_swinging(), scene())


def judged(result: Result) -> dict[str, object]:
    return {each.pattern: each.finding or each.missing for each in result.answer.judged}


def test_harmonics_learned_by_heart_are_found_with_their_gaussians() -> None:
    result = ask("sh", by_heart())
    assert result.outcome == "finding"
    finding = result.answer.judged[0].finding
    assert finding is not None
    assert result.answer.judged[1].finding is finding  # a rise that large is seen
    assert finding.gaussians is not None
    assert set(finding.gaussians.rows % 2) == {0}  # the others have no bands
    assert set(finding.cameras) == {camera.name for camera in cameras() if camera.split == "test"}
    assert (finding.fixes[0].setting, finding.fixes[0].proposed) == ("sh_degree", 0)
    assert "Cut to degree 0 of 1" in result.answer.says
    assert {curve.name: curve.steps for curve in result.curves} == {
        "PSNR of held-out views by degree": (0, 1), "PSNR of training views by degree": (0, 1)}


def test_shine_that_held_out_views_show_is_left_alone() -> None:
    """And clears nothing else: their fall may have another reason, and bleeding shows elsewhere."""
    result = ask("sh", run_with(half_swinging(), half_swinging()))
    assert result.outcome == "clear"
    assert "no other cut is better" in result.answer.says
    assert all(each.finding is None and each.missing for each in result.answer.judged)


def test_a_sound_training_is_left_alone_and_a_fall_without_harmonics_is_not_claimed() -> None:
    """Three views fall on held-out ones by geometry, whatever their harmonics do."""
    assert ask("sh", opened("usual-shelf-0_shelf-0_mini")).outcome == "clear"
    few = ask("sh", opened("three-views-at-3_shelf-0_mini"))
    assert few.outcome == "open"
    assert "more held-out views than 4" in few.answer.missing[0]


def test_a_real_training_with_three_views_gains_a_little_by_the_cut() -> None:
    """The rise is measured in each of four views, and too small to be seen: a remark, and no bleeding."""
    run = open_run(shared_data("runs", "synth-b"), shared_data("scenes", "synth0"))
    told = judged(ask("sh", run))
    finding = told[FALLING]
    assert getattr(finding, "severity", None) == "info"
    assert "can be seen" in str(told[BLEEDING])


def test_without_held_out_views_or_harmonics_it_stays_open() -> None:
    """Training views cannot tell, and the answer says why."""
    trained = tuple(replace(camera, split="train") for camera in cameras())
    photos = photos_of(scene(), trained)
    blind = ask("sh", healthy_run(checkpoints={LAST: scene()}, cameras=trained, photos=photos))
    assert "training views cannot tell" in blind.answer.missing[0]
    flat = changed(scene(), sh_rest=np.zeros((len(scene().means), 0, 3), np.float32))
    assert "harmonics of degree 1" in ask("sh", run_with(flat, flat)).answer.missing[0]
    assert "photos" in ask("sh", healthy_run(photos={})).answer.missing[0]


def test_halves_that_were_trained_on_do_not_count_as_held_out() -> None:
    """INRIA's train_test_exp trains on the left half of each held-out photo."""
    bench = bench_at(run_with(half_swinging(), scene(), settings={"train_test_exp": True}))
    drawn = drawn_at(bench, 64)
    for view in cut_at(bench, drawn).shown:
        width = view.photo.shape[1]
        assert not drawn.counted(view)[:, : width // 2].any()
        assert drawn.counted(view)[:, width // 2:].all()


def test_it_can_be_stopped_and_tells_its_work() -> None:
    run = by_heart()
    work = probe_named("sh").workload(bench_at(run, wish=Wish(longest_px=40)))
    assert (work.steps, work.draws, max(work.size_px)) == (4, 16, 40)

    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        ask("sh", run, listener=Listener(wait=stop))
