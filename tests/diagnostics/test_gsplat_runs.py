"""A healthy run of gsplat's trainer is judged by its own rules: what its layout lacks by design is no fault."""

from dataclasses import replace
from pathlib import Path

import pytest

from diagnostics.advice import fitted_fixes
from diagnostics.catalogue import CatalogueFix
from diagnostics.diagnose import diagnose
from diagnostics.schedule import Schedule, schedule_of
from diagnostics.verdict import Finding, Fix, NotEvaluable
from runs.open_run import open_run
from runs.run import Run
from runs.trainers.shared.splits import held_out_every
from runs.writers.gsplat import GsplatWriter
from tests.diagnostics.detectors.support import verdict
from tests.diagnostics.test_advice import finding, pattern
from tests.support.colmap_writer import write_text
from tests.support.models import model_of
from tests.support.training import LAST, healthy_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The healthy training of the other tests, as gsplat's trainer would have written it."""
    run, folder = healthy_run(), tmp_path_factory.mktemp("gsplat")
    settings = {setting.name: setting.value for setting in run.settings.values()}
    cameras = held_out_every(run.cameras, 8)
    writer = GsplatWriter(folder / "run", "/nowhere", ranks=2)
    writer.begin(cameras, run.input_points, {**settings, "tb_every": 100})
    for iteration in range(1, LAST + 1):
        row = {"l1": run.series["loss/l1"].at(iteration), "n": run.series["num_gaussians"].at(iteration)}
        scored = {"eval": {"test": psnr}} if (psnr := run.series["test/psnr"].at(iteration)) is not None else {}
        writer.log(iteration, row | scored)
    for checkpoint in run.checkpoints:
        writer.save(checkpoint.iteration, checkpoint.gaussians)
    writer.finish()
    write_text(model_of(cameras, run.input_points), folder / "data" / "sparse" / "0")
    return folder


@pytest.fixture
def run(folder: Path) -> Run:
    return open_run(folder / "run", folder / "data")


def test_nothing_is_found_in_it(run: Run) -> None:
    """As in the same training under INRIA's layout."""
    found = [(reported.pattern.name, reported.finding.says) for reported in diagnose(run).findings]
    assert found == []


def test_a_state_that_cannot_be_saved_is_not_missed(run: Run) -> None:
    """An unfinished run of a trainer that saves no state has done nothing wrong; INRIA's would have lost it."""
    unfinished = replace(run, checkpoints=run.checkpoints[:1])
    for name in ("no-resumable-state", "optimiser-state-missing"):
        assert isinstance(verdict(name, unfinished), NotEvaluable)
    first = run.checkpoints[0]
    assert isinstance(verdict("no-resumable-state", healthy_run(states={}, checkpoints={200: first.gaussians})), Finding)


def test_its_events_come_one_iteration_later(run: Run) -> None:
    """Its step 600 is iteration 601 here: planned one too early, the last densification would be growth after the end."""
    schedule = schedule_of(run)
    assert isinstance(schedule, Schedule)
    assert schedule.densifications == tuple(range(201, 1200, 100))
    assert (schedule.planned_end, schedule.densify_from, schedule.densify_until) == (1101, 101, 1201)
    assert schedule.resets == (501, 1001)
    assert not schedule.resets_known


def test_fixes_name_its_own_flags(run: Run) -> None:
    """Advice under another trainer's spelling cannot be followed."""
    fix = CatalogueFix("Lower it", "grows", "densify_grad_threshold", {}, 2e-4)
    found = fitted_fixes(pattern(fix), finding(), run)
    assert found == (Fix("Lower it", "grows", "strategy.grow_grad2d", 1e-3, 2e-4, flag="--strategy.grow-grad2d 0.0002"),)
