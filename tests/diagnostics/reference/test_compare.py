"""Comparisons: equal iterations only, differences named, noise measured or told as others' noise."""

from dataclasses import replace
from pathlib import Path

import pytest

from diagnostics.reference.compare import RUN_TO_RUN_DB, compared, noise_db, spread
from diagnostics.reference.peers import Peer, peer_of
from runs.run import Run, Trainer
from tests.support.runs import ring_cameras
from tests.support.training import healthy_run


def peer(psnr: float, name: str = "other") -> Peer:
    return replace(peer_of(healthy_run(series={"test/psnr": {1000: 20.0, 2000: psnr}})), name=name)


def test_the_last_common_iteration_is_compared() -> None:
    """One run was evaluated at 2,000, the other until 1,800: nothing is interpolated."""
    run = peer_of(healthy_run(series={"test/psnr": {1000: 25.0, 1800: 27.0}}))
    other = peer_of(healthy_run(series={"test/psnr": {1000: 24.5, 2000: 28.0}}))
    psnr = compared(run, other).found[0]
    assert (psnr.name, psnr.iteration) == ("test/psnr", 1000)
    assert psnr.change == pytest.approx(0.5)


def test_counts_and_losses_are_compared_too() -> None:
    """A run with half the Gaussians explains its PSNR."""
    names = [one.name for one in compared(peer_of(healthy_run()), peer_of(healthy_run())).found]
    assert names == ["test/psnr", "train/psnr", "num_gaussians", "loss/l1"]


@pytest.mark.parametrize(("other", "says"), [
    (healthy_run(settings={"lambda_dssim": 0.4}), "lambda_dssim 0.2 and 0.4"),
    (healthy_run(cameras=ring_cameras(20)), "other cameras or photo sizes"),
    (healthy_run(trainer=Trainer("taming", 0.9, "made up")), "trainer inria and taming"),
    (healthy_run(cameras=()), "cameras that are not known"),
])
def test_what_keeps_two_runs_from_being_alike(other: Run, says: str) -> None:
    """Scores of other scenes, recipes or trainers say nothing about this one."""
    assert says in compared(peer_of(healthy_run()), peer_of(other)).unlike


def test_seeds_and_places_are_no_difference() -> None:
    """The same recipe in another folder, with another seed, saved at other iterations."""
    other = healthy_run(settings={"seed": 7, "model_path": "/elsewhere", "save_iterations": [1]}, path=Path("/elsewhere"))
    assert compared(peer_of(healthy_run(settings={"seed": 1})), peer_of(other)).unlike == ()


def test_noise_is_measured_from_three_on() -> None:
    """Two runs tell no deviation worth the name; the reports' number stands in."""
    assert noise_db((peer(27.0), peer(28.0))) == RUN_TO_RUN_DB
    assert noise_db((peer(27.0), peer(28.0), peer(29.0))) == pytest.approx(3.0)
    assert noise_db((peer(27.0), peer(27.01), peer(27.02))) == pytest.approx(0.5)


def test_a_spread_needs_one_iteration_that_all_have() -> None:
    """Otherwise runs at different stages would be called noise."""
    early = replace(peer(27.0), series=peer_of(healthy_run(series={"test/psnr": {500: 25.0}})).series)
    assert spread((peer(27.0), early)) is None
    found = spread((peer(27.0, "a"), peer(26.0, "b")))
    assert found is not None
    assert found.values == (("b", 26.0), ("a", 27.0))
