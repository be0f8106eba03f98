"""The memory to come: what is known stays as it is, and what is expected says how and where a GPU is full."""

import numpy as np
import pytest

from diagnostics.memory.account import account, account_of, card_of
from diagnostics.memory.fits import GIB, measured_for
from diagnostics.memory.forecast import at, course, crossing, largest_count, peak
from diagnostics.memory.gpus import BESIDE_MOST, Gpu, fits, gpu_named, known_gpus
from diagnostics.memory.model import NO_PHOTOS, Setup, usage
from diagnostics.memory.photos import photos_of
from diagnostics.memory.setup import course_of, setup_of
from diagnostics.schedule import schedule_of
from runs.run import Trainer
from runs.series import Series
from tests.support.runs import made_run, ring_cameras
from tests.support.training import LAST, healthy_run

GSPLAT = Setup(measured_for("gsplat"))


def counts(points: dict[int, float]) -> Series:
    return Series("num_gaussians", np.array(list(points), np.int64), np.array(list(points.values())), "count", "log")


def test_a_finished_growth_is_not_carried_on() -> None:
    """After densification the count is frozen by design: the peak is the largest count that was."""
    told = course_of(healthy_run())
    assert told is not None
    assert (told.final, told.basis) == (900, "")


def test_growth_is_carried_on_to_its_planned_end() -> None:
    """1,000 per iteration, known until 700; densification ends before 1,200, at 1,100."""
    run = healthy_run(series={"num_gaussians": {i: 1e6 + 1000.0 * i for i in range(1, 701)}}, checkpoints={}, states={})
    told = course_of(run)
    assert told is not None
    assert (int(told.iterations[-1]), told.known_until) == (1100, 700)
    assert told.final == pytest.approx(2.1e6)
    assert "straight line" in told.basis


def test_mcmc_grows_to_its_cap_and_not_beyond() -> None:
    """5 % per refinement of 100 iterations: 15 of them from half the cap."""
    told = course(counts({0: 5e5, 100: 5e5}), None, cap=1_000_000, relocates=True)
    assert told.final == 1_000_000
    assert int(told.iterations[-1]) == 100 + 15 * 100


def test_a_count_that_the_user_expects_is_reached_at_the_end_of_densification() -> None:
    run = healthy_run(series={"num_gaussians": {1: 1e6, 200: 1e6}}, checkpoints={}, states={})
    told = course_of(run, final=4_000_000)
    assert told is not None
    assert (told.final, int(told.iterations[-1])) == (4_000_000, 1100)
    assert at(told, 650) == 2_500_000


def test_where_a_gpu_is_full() -> None:
    """10 GiB less half a GiB beside it leave 9.5: the line of gsplat reaches that at 5.62 million Gaussians."""
    told = course(counts({0: 0.0, 10_000: 1e7}), None)
    full = crossing(GSPLAT, told, 10 * GIB)
    assert full.surely == pytest.approx(1000 * (9.5 - 0.202) / 1.654, abs=2)
    assert full.maybe == pytest.approx(1000 * (8.0 - 0.202) / 1.654, abs=2)
    assert crossing(GSPLAT, told, 24 * GIB).surely is None
    assert peak(GSPLAT, told).gib == pytest.approx(16.74, abs=0.05)


@pytest.mark.parametrize("pairs", [None, 3e8])
def test_the_largest_count_just_fits(pairs: float | None) -> None:
    """One more per cent does not."""
    setup = Setup(measured_for("inria"), pairs=pairs)
    most = largest_count(setup, 12 * GIB)
    assert fits(usage(setup, most).total, 12 * GIB) == "fits"
    assert usage(setup, round(1.01 * most)).total > 12 * GIB - BESIDE_MOST
    assert largest_count(setup, 2 * GIB) == 0


@pytest.mark.parametrize(("name", "gib"), [
    ("RTX 3080", 10), ("rtx 3080 12 GB", 12), ("NVIDIA GeForce RTX 3080 Ti", 12), ("NVIDIA A100 80GB", 80),
    ("a100", 40), ("4090", 24), ("rtx3080ti", 12), ("24", 24), ("11.5 GiB", 11.5), ("Quadro RTX A6000", 48), ("RTX 2060", 6),
])
def test_gpus_by_name_or_size(name: str, gib: float) -> None:
    """The shortest name that holds every word: "RTX 3080" is the card of 10 GiB, whatever was sold later."""
    gpu = gpu_named(name)
    assert gpu is not None
    assert gpu.gib == gib


@pytest.mark.parametrize("name", ["", "toaster", "RTX 9999", "0", "-4"])
def test_unknown_gpus_are_not_guessed(name: str) -> None:
    assert gpu_named(name) is None


def test_the_list_has_no_doubles_and_each_its_source() -> None:
    gpus = known_gpus()
    assert len({gpu.name for gpu in gpus}) == len(gpus) >= 30
    assert all(gpu.source.startswith("https://") and 4 <= gpu.gib <= 200 for gpu in gpus)


def test_photos_as_inrias_trainer_loads_them() -> None:
    """images_4 of 4,946 pixels are 1,237 wide; wider than 1,600 is made 1,600; versions with masks keep 16 bytes per pixel."""
    large = ring_cameras(2, size_px=(4946, 3286))
    for settings, pixels, each in (
        ({"images": "images_4", "data_device": "cuda", "resolution": -1}, 1236 * 822, 12),
        ({"images": "images", "data_device": "cuda", "resolution": -1}, 1600 * 1063, 12),
        ({"images": "images", "data_device": "cuda", "resolution": 2, "train_test_exp": False}, 2473 * 1643, 16),
        ({"images": "images", "data_device": "cpu", "resolution": 1}, 4946 * 3286, 0),
    ):
        told = photos_of(made_run(settings=settings, cameras=large))
        assert (told.count, told.bytes_per_pixel) == (2, each)
        assert told.pixels == pytest.approx(2 * pixels, rel=0.002)


def test_photos_of_which_nothing_is_known_are_not_available() -> None:
    """No cameras, no known device, another trainer: nothing is invented, and the total says so."""
    for run in (made_run(), made_run(cameras=ring_cameras(3)),
                made_run(cameras=ring_cameras(3), trainer=Trainer("lichtfeld", 0.9, "made up"))):
        assert photos_of(run) is NO_PHOTOS
        assert any("photos on the GPU: not available" in doubt for doubt in usage(setup_of(run), 10).doubts)


@pytest.mark.parametrize(("count", "kind", "each"), [(400, "uint8", 3), (400, "float32", 12), (600, "uint8", 0)])
def test_photos_of_splatfacto(count: int, kind: str, each: int) -> None:
    """By the datamanager's two settings; above 500 photos it leaves the GPU by itself."""
    settings = {"pipeline.datamanager.cache_images": "gpu", "pipeline.datamanager.cache_images_type": kind}
    run = made_run(settings=settings, cameras=ring_cameras(count), trainer=Trainer("splatfacto", 0.9, "made up"))
    assert photos_of(run).bytes_per_pixel == each


def test_the_account_compares_with_what_the_trainer_logged() -> None:
    """Whoever sees the model beside the trainer's own reading knows how far to trust it."""
    told = account_of(healthy_run(series={"vram": {500: 700.0, LAST: 750.0}}), known_gpus())
    assert told is not None
    assert told.logged is not None
    assert (told.logged.iteration, told.logged.gib) == (LAST, pytest.approx(750 / 1024))
    assert account_of(made_run(), known_gpus()) is None


def test_one_card_of_the_account() -> None:
    small = Gpu("Small", 4)
    told = account(GSPLAT, [small], count=3_000_000)
    card = card_of(told, small)
    assert card is not None
    assert (card.fits, card.crossing.surely) == ("too small", None)
    assert card_of(told, None) is None


def test_the_plan_is_the_trainers() -> None:
    """The forecast ends where the schedule says, not where training does."""
    schedule = schedule_of(healthy_run())
    assert schedule is not None
    told = course(counts({200: 1e6, 300: 2e6}), schedule, last=LAST)
    assert int(told.iterations[-1]) == schedule.planned_end
