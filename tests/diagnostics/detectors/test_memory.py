"""What filled the GPU: each cause is told from its look-alikes, and memory that rises by design raises no alarm."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.facts.memory import Capacity
from diagnostics.registry import FACTS
from runs.run import Run, Trainer
from tests.diagnostics.detectors.test_buffers import codes, diagnosed
from tests.diagnostics.fixtures.memory import FLAT, crashed, died, few_photos, fragmented, full_of_gaussians, out_of_memory
from tests.support.runs import ring_cameras
from tests.support.training import DENSIFICATIONS, LAST, healthy_run


def test_inria_558_is_photos_and_a_spill() -> None:
    """Star 20: 42 MiB asked for, 53.19 of 24 GiB allocated, 3,000 photos. Reserved and allocated are alike: not fragmented."""
    event = out_of_memory(1500, request="42.00 MiB", allocated="53.19 GiB", free="0 bytes", reserved="53.57 GiB")
    diagnosis = diagnosed(crashed(event, count=400_000.0, cameras=ring_cameras(3000, size_px=(1600, 900))))
    assert {f.pattern.code for f in diagnosis.findings} == {"MF-04", "N-32"}
    photos, spill = (next(f for f in diagnosis.findings if f.pattern.code == code) for code in ("MF-04", "N-32"))
    assert "48.28 GiB" in photos.finding.says
    assert spill.consequence_of == ("MF-04",)
    assert photos.fixes[0].setting == "data_device"
    assert (photos.fixes[0].current, photos.fixes[0].proposed) == ("cuda", "cpu")


def test_photos_off_the_gpu_are_not_blamed() -> None:
    """With data_device = cpu, and with gsplat, the same photos take nothing."""
    event, cameras = out_of_memory(1500), ring_cameras(800, size_px=(1600, 1066))
    assert "MF-04" not in codes(crashed(event, cameras=cameras, settings={"data_device": "cpu"}))
    assert "MF-04" not in codes(crashed(event, cameras=cameras, trainer=Trainer("gsplat", 0.9, "made up")))


def test_an_error_without_a_known_cause_is_told_with_its_numbers_only() -> None:
    """mip-splatting#62: 20.60 of 23.79 GiB allocated, 38 MiB free. Three GiB belong to others, and nobody is blamed."""
    event = out_of_memory(1500, request="26.00 MiB", capacity="23.79 GiB", allocated="20.60 GiB", free="38.38 MiB",
                          reserved="20.60 GiB")
    diagnosis = diagnosed(crashed(event, settings={"data_device": "cpu"}))
    assert {f.pattern.code for f in diagnosis.findings} == {"MF-07"}
    (found,) = (f for f in diagnosis.findings if f.pattern.code == "MF-07")
    assert found.severity == "critical"
    assert "3.15 GiB of it by other programs" in found.finding.says


def test_an_error_without_amounts_blames_nobody() -> None:
    """gaussian-splatting#1221: "bad allocation" with 1,281 points on 80 GB is a broken build, not a lack of memory."""
    event = died("MemoryError: bad allocation: cudaErrorMemoryAllocation: out of memory", None,
                 "gaussian_model.py:134 in create_from_pcd")
    assert codes(crashed(event, count=1281.0)) == set()


@pytest.mark.parametrize(("reserved", "found"), [("23.20 GiB", True), ("17.30 GiB", False)])
def test_fragmented_only_where_the_unused_part_would_do(reserved: str, found: bool) -> None:
    """A remainder smaller than the request is no proof."""
    event = out_of_memory(1500, allocated="17.00 GiB", reserved=reserved)
    assert ("MF-02" in codes(crashed(event))) is found


def test_one_death_has_one_cause() -> None:
    """Each made-up death is told by one pattern of the family; the rest stay silent."""
    assert codes(fragmented()) == {"MF-02"}
    assert codes(full_of_gaussians()) == {"MF-03"}
    assert codes(few_photos()) == {"MF-07"}


def test_before_the_first_densification_the_start_is_blamed() -> None:
    """Nothing was added yet, so "densification" would be the wrong word; the catalogue's iterations 100-500 do not exist."""
    event = out_of_memory(50, frame="gaussian_renderer/__init__.py:92 in render")
    diagnosis = diagnosed(crashed(event, count=14.5e6, until=50))
    assert {f.pattern.code for f in diagnosis.findings} == {"MF-01", "MF-03"}
    assert "before the first densification (200)" in next(
        f.finding.says for f in diagnosis.findings if f.pattern.code == "MF-01")


def with_vram(values: dict[int, float], **changes: Any) -> Run:
    return healthy_run(series={"vram": values}, **changes)


def test_memory_that_follows_the_count_is_no_leak() -> None:
    """7.86 to 11.56 GiB between 7,000 and 30,000 iterations is how a sound public run looks."""
    counts = {i: 1e6 + 2000.0 * i for i in range(1, LAST + 1, 10)}
    grown = {i: 700.0 + 1.45e-3 * (1e6 + 2000.0 * i) for i in range(1, LAST + 1, 25)}
    assert "MF-05" not in codes(healthy_run(series={"vram": grown, "num_gaussians": counts}))


def test_a_peak_that_levels_off_is_no_leak() -> None:
    """The widest view is met sooner or later: the peak rises less and less."""
    values = {i: 4000.0 + 900.0 * (1 - np.exp(-(i - FLAT[0]) / 150)) for i in FLAT}
    assert "MF-05" not in codes(with_vram(values))


@pytest.mark.parametrize(("per_iteration", "found"), [(0.2, False), (2.0, True)])
def test_a_leak_is_even_and_large(per_iteration: float, found: bool) -> None:
    """0.2 MiB per iteration is 180 MiB over the stretch, within what views and evaluations explain."""
    assert ("MF-05" in codes(with_vram({i: 1500 + per_iteration * (i - FLAT[0]) for i in FLAT}))) is found


@pytest.mark.parametrize(("times", "found"), [(2.5, False), (15.0, True)])
def test_a_tenfold_slower_iteration_on_a_full_gpu_is_a_spill(times: float, found: bool) -> None:
    """An evaluation doubles the time of an iteration; only a spill makes it ten times as long."""
    iterations = range(DENSIFICATIONS[-1], LAST + 1, 50)
    steps = {i: 30.0 * (times if i > 1500 else 1.0) for i in iterations}
    run = with_vram(dict.fromkeys(iterations, 23_800.0), settings={"gpu": "RTX 4090"})
    slow = healthy_run(settings={"gpu": "RTX 4090"}, series={"vram": run.series["vram"], "iter_time": steps})
    assert ("N-32" in codes(slow)) is found


def test_without_a_known_gpu_no_share_is_invented() -> None:
    """23 GiB may be half of a card or all of it."""
    assert codes(with_vram(dict.fromkeys(range(100, LAST + 1, 100), 23_800.0))) == set()


GROWING = {i: 1e6 + 20_000.0 * i for i in range(1, 701)}  # 15 million at iteration 700; densification ends at 1,100


def test_a_gpu_that_will_be_full_is_foretold_as_a_forecast() -> None:
    """Known card, known trainer, growth that goes on: information with the iteration, and never called a crash."""
    run = healthy_run(series={"num_gaussians": GROWING}, settings={"gpu": "RTX A5000", "sh_degree": 3}, checkpoints={}, states={})
    (found,) = diagnosed(run).findings
    assert (found.pattern.code, found.severity) == ("MF-07", "info")
    assert "a forecast" in found.finding.says
    assert 700 < int(found.finding.evidence[0].iteration or 0) < 1100


@pytest.mark.parametrize("settings", [
    {"sh_degree": 3},  # on which GPU?
    {"gpu": "H200", "sh_degree": 3},  # large enough
    {"gpu": "RTX 2060", "sh_degree": 3},  # too small for what was already trained there: the model is wrong, not the run
])
def test_no_forecast_where_it_means_nothing(settings: dict[str, Any]) -> None:
    """An estimate alone never becomes a finding about something that did not happen."""
    assert codes(healthy_run(series={"num_gaussians": GROWING}, settings=settings, checkpoints={}, states={})) == set()


@pytest.mark.parametrize("record", [
    {"gpu_nvidia": [{"name": "NVIDIA GeForce RTX 3090", "memoryTotal": "25769803776"}]},
    {"gpu_devices": [{"name": "NVIDIA GeForce RTX 3090", "memory_total": 25769803776}]},
])
def test_the_gpu_is_known_from_the_record_of_the_machine(record: dict[str, Any], tmp_path: Path) -> None:
    """Weights & Biases keeps the card beside the run, in two spellings."""
    place = tmp_path / "wandb" / "run-1" / "files" / "wandb-metadata.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps(record), "utf-8")
    known = FACTS["gpu_capacity"].compute(healthy_run(path=tmp_path))
    assert known == Capacity(24 * 2.0**30, "wandb-metadata.json")
    place.write_text('{"gpu_nvidia": [3, {"name": "x"}], broken', "utf-8")
    assert FACTS["gpu_capacity"].compute(healthy_run(path=tmp_path)) is None
