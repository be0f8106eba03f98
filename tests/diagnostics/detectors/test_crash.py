"""How a training died: each wording gets its own cause, follow-on errors get none, and what training survived is no crash."""

import numpy as np
import pytest

from diagnostics.detectors.crash import ENVIRONMENT
from diagnostics.diagnose import diagnose
from diagnostics.verdict import NotEvaluable
from runs.events import EventKind
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.crash import (
    EVALUATION,
    ILLEGAL,
    KEY_ERROR,
    NEXT_EVALUATION,
    NO_KERNEL,
    NO_SPACE,
    ended,
    error,
    illegal_after_huge_scales,
    nobody_left,
    survived,
)
from tests.support.runs import made_run, points_of, ring_cameras
from tests.support.training import LAST, healthy_run, healthy_series, moved, start

OF_LOGS = ("illegal-memory-access", "environment-broken", "host-memory-exhausted", "disk-full", "crashed-with-an-exception",
           "dead-worker")


@pytest.mark.parametrize("name", OF_LOGS)
def test_without_a_log_nothing_is_said_of_crashes(name: str) -> None:
    """A run that has no text log may have died in any way: clear would be a lie."""
    answer = verdict(name, healthy_run())
    assert isinstance(answer, NotEvaluable)
    assert "a text log of the training" in answer.missing[0]


@pytest.mark.parametrize(("kind", "text"), [
    ("environment", "ModuleNotFoundError: No module named 'diff_gaussian_rasterization'"), ("no_kernel", NO_KERNEL),
    ("device_assert", "../Indexing.cu:1292: block: device-side assert triggered"),
    ("cuda_error", "RuntimeError: CUDA error: unspecified launch failure"),
    ("wild_request", "CUDA out of memory. Tried to allocate 67109892.01 GiB."),
])
def test_each_fault_of_the_software_has_its_own_cause(kind: EventKind, text: str) -> None:
    """What to do differs: install, rebuild, or look for the call that fails."""
    finding = found("environment-broken", ended(kind, text)())
    assert finding.cause == ENVIRONMENT[kind]
    assert finding.iterations == (LAST, LAST)
    assert finding.fixes


def test_an_impossible_request_is_told_with_its_size_and_not_as_a_lack_of_memory() -> None:
    """graphdeco-inria#587: 64 million GiB on a card of 24."""
    run = ended("wild_request", "CUDA out of memory. Tried to allocate 67109892.01 GiB.",
                fields={"requested_bytes": 67109892.01 * 2.0**30})()
    assert [row.value for row in found("environment-broken", run).evidence if row.unit == "GiB"] == [pytest.approx(67109892.01)]
    assert verdict("host-memory-exhausted", run) is None


def test_an_error_before_the_first_iteration_needs_no_iteration() -> None:
    """A module that is missing stops everything before training begins; the line of the log is its place."""
    run = made_run(events=(error("environment", "ModuleNotFoundError: No module named 'simple_knn'", None, 3),))
    (told,) = (f.finding for f in diagnose(run).findings if f.pattern.name == "environment-broken")
    assert told.iterations is None
    assert [row.value for row in told.evidence if row.what == "line of the log"] == [3]


def test_an_error_of_an_earlier_start_is_no_crash_of_a_run_that_was_trained() -> None:
    """The log of the first attempt often stays in the folder."""
    run = healthy_run(events=(error("environment", "ImportError: libc10.so: cannot", None, 3),))
    assert verdict("environment-broken", run) is None


@pytest.mark.parametrize("kind", ["illegal_access", "no_kernel", "killed", "nccl_error"])
def test_what_training_survived_is_no_crash(kind: EventKind) -> None:
    """A false alarm about a finished run is the worst that can be said of it."""
    codes = [found.pattern.code for found in diagnose(survived(kind, "CUDA error: x")()).findings]
    assert not [code for code in codes if code.startswith(("E-", "MF2", "N-17"))]


def test_a_series_that_goes_on_is_proof_as_well() -> None:
    """Two logs of one run: the text log holds the error of a viewer's thread, TensorBoard goes on."""
    run = healthy_run(events=(EVALUATION, error("illegal_access", ILLEGAL, 1000, 50)))
    assert verdict("illegal-memory-access", run) is None


def test_an_exception_that_training_survived_is_only_told() -> None:
    """Viewers print tracebacks from their own thread."""
    finding = found("crashed-with-an-exception", survived("traceback", KEY_ERROR)())
    assert finding.severity == "info"
    assert "training went on" in finding.says


def test_the_place_and_the_last_line_of_an_exception_are_told() -> None:
    """They are what a user searches the trainer's issues for."""
    finding = found("crashed-with-an-exception", ended("traceback", KEY_ERROR, frame="gs/train.py:216 in training")())
    assert "gs/train.py:216 in training" in finding.says
    assert "KeyError: 'depth'" in finding.says
    assert finding.severity is None
    assert finding.facts["place"] == "gs/train.py:216 in training"


def test_the_first_cuda_line_is_the_cause_and_later_errors_follow() -> None:
    """failures N-17: shape errors after it are follow-on; two findings would send the user two ways."""
    shapes = "RuntimeError: The size of tensor a (5) must match the size of tensor b (4)"
    run = healthy_run(events=(EVALUATION, error("illegal_access", ILLEGAL, LAST, 95), error("traceback", shapes, LAST, 96),
                              error("cuda_error", "RuntimeError: CUDA error: launch failure", LAST, 97)))
    finding = found("illegal-memory-access", run)
    assert [row.value for row in finding.evidence if row.what == "what came with it"] == [
        shapes, "RuntimeError: CUDA error: launch failure"]
    assert all(verdict(name, run) is None for name in ("environment-broken", "crashed-with-an-exception", "shapes-do-not-fit"))


def test_a_lack_of_gpu_memory_is_not_told_by_these() -> None:
    """It has patterns of its own, and what follows it is theirs."""
    run = healthy_run(events=(error("out_of_memory", "CUDA out of memory. Tried to allocate 2.00 GiB", LAST, 95),
                              error("traceback", "RuntimeError: shape mismatch", LAST, 96)))
    assert all(verdict(name, run) is None for name in (*OF_LOGS, "shapes-do-not-fit"))


def test_every_precondition_of_an_illegal_access_is_measured() -> None:
    """Met or not: what was looked at must be seen."""
    finding = found("illegal-memory-access", illegal_after_huge_scales())
    assert finding.gaussians is not None
    assert finding.gaussians.rows.tolist() == [4, 5, 6]
    measured = {row.what: (row.value, row.iteration) for row in finding.evidence}
    assert measured["rows with a log scale over 20, before it"] == (3, LAST)
    assert measured["rows with values that are not finite, before it"] == (3, LAST)  # e^90 is infinite in single precision
    assert finding.facts["last_good"] == LAST


def test_a_point_on_a_camera_is_a_precondition() -> None:
    """gaussian-splatting #41: a splat in front of the lens covers every tile."""
    cameras, points = ring_cameras(), points_of(start())
    points.xyz[17] = cameras[3].centre + 1e-6
    finding = found("illegal-memory-access", healthy_run(
        cameras=cameras, input_points=points, events=(EVALUATION, error("illegal_access", ILLEGAL))))
    assert "from a camera centre" in finding.says
    assert finding.gaussians is None


def test_without_any_precondition_the_software_is_suspected() -> None:
    """The Gaussians are then cleared by name."""
    finding = found("illegal-memory-access", ended("illegal_access", ILLEGAL)())
    assert "no value, size or count explains it" in finding.says
    assert finding.cause
    assert finding.fixes


def test_only_saves_before_the_error_are_looked_at() -> None:
    """A save of a later start says nothing of this one."""
    run = healthy_run(checkpoints={200: start(), LAST: illegal_after_huge_scales().checkpoints[-1].gaussians}, series={
        name: {i: v for i, v in values.items() if i <= 1050} for name, values in healthy_series().items()}, states={},
        events=(EVALUATION, error("illegal_access", ILLEGAL, 1950, 60)))
    assert found("illegal-memory-access", run).gaussians is None


def test_an_emptied_scene_is_told_by_the_log_or_by_the_count() -> None:
    """Either alone is enough; an error about a gradient without rows is no matter of shapes."""
    finding = found("no-gaussians-left", nobody_left())
    assert finding.says.startswith("0 Gaussians were left, of 900 before")
    assert verdict("shapes-do-not-fit", nobody_left()) is None
    counts = {i: 900.0 if i < 1500 else 3.0 for i in range(1, LAST + 1)}
    silent = found("no-gaussians-left", healthy_run(series={"num_gaussians": counts}, checkpoints={200: start()}))
    assert silent.iterations == (1500, 1500)
    assert silent.facts == {"left": 3}


def test_a_run_that_always_was_tiny_has_lost_nobody() -> None:
    """A toy of five Gaussians is a choice."""
    tiny = moved().take(np.arange(5))
    assert verdict("no-gaussians-left", made_run(checkpoints={1: tiny, 9: tiny})) is None


def test_a_count_that_comes_back_is_no_loss() -> None:
    """A start from one seed grows; what counts is what is left at the end."""
    counts = {i: 2.0 if i < 300 else 900.0 for i in range(1, LAST + 1)}
    assert verdict("no-gaussians-left", healthy_run(series={"num_gaussians": counts})) is None


def test_a_full_disk_that_training_survived_costs_a_save() -> None:
    """What was being written is cut off, even if the last save is whole."""
    finding = found("disk-full", survived("disk_error", NO_SPACE)())
    assert finding.severity == "minor"
    assert found("disk-full", ended("disk_error", NO_SPACE)()).severity is None


def test_the_photos_size_stands_beside_a_lack_of_main_memory() -> None:
    """12 pictures of 96 x 96 pixels with three 32-bit numbers each."""
    finding = found("host-memory-exhausted", ended("killed", "Killed")())
    assert finding.confidence < 0.9  # a scheduler leaves the same word
    assert [row.value for row in finding.evidence if "pictures" in row.what] == [pytest.approx(12 * 96 * 96 * 12 / 2**30)]


def test_a_segmentation_fault_is_no_lack_of_memory() -> None:
    """The log's reader files it under the killed; what to do is another thing."""
    run = ended("killed", "Segmentation fault (core dumped)")()
    assert verdict("host-memory-exhausted", run) is None
    assert "outside its memory" in found("environment-broken", run).cause


def test_a_range_before_the_error_holds_none() -> None:
    """The user may ask for a part of the run."""
    run = healthy_run(events=(EVALUATION, error("illegal_access", ILLEGAL), NEXT_EVALUATION))
    assert verdict("illegal-memory-access", run, (1, 1500)) is None
