"""Values that are no numbers: the four causes one by one, public cases, and what only looks like a divergence."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from diagnostics.detectors.files import SATURATED
from diagnostics.detectors.nan import FOR_EVER
from diagnostics.diagnose import diagnose
from runs.events import LogEvent
from runs.photos import Photo
from runs.run import Run
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.nan import GRADIENT, nan_loss, nan_points, other_rasteriser
from tests.support.runs import changed, cloud, made_run, ring_cameras
from tests.support.training import LAST, RESETS, healthy_run, healthy_series, moved, start


def with_loss(changes: dict[int, float]) -> Run:
    return healthy_run(series={"loss/l1": {**healthy_series()["loss/l1"], **changes}})


def codes(run: Run) -> set[str]:
    return {found.pattern.code for found in diagnose(run).findings}


def saturated(rows: int) -> Run:
    """LichtFeld-Studio #2079, at the size of a test: opacities at +inf, everything else finite, the loss normal."""
    logits = moved().logit_opacities.copy()
    logits[:rows], logits[rows] = np.inf, 16.85
    return healthy_run(checkpoints={1000: moved(700, 3), LAST: changed(moved(), logit_opacities=logits)})


def test_a_loss_that_stays_nan_is_critical_and_tells_since_when() -> None:
    """Nothing after it is worth keeping; the iteration brackets the step that did it."""
    finding = found("loss-not-finite", nan_loss())
    assert (finding.severity, finding.cause, finding.iterations) == (None, FOR_EVER, (1700, 1700))
    assert "up to the end" in finding.says


def test_one_nan_that_passes_is_less() -> None:
    """A view without a single valid pixel divides by zero, and its gradient may be dropped."""
    finding = found("loss-not-finite", with_loss({1400: np.nan}))
    assert finding.severity == "major"
    assert "is a number again later" in finding.says


def test_a_line_of_the_log_is_enough() -> None:
    """Some trainers only print it."""
    run = made_run(events=(LogEvent("nan", 700, "loss is nan", "train.log:12"),))
    assert found("loss-not-finite", run).iterations == (700, 700)


@pytest.mark.parametrize("loss", [np.inf, -np.inf])
def test_infinity_is_no_number_either(loss: float) -> None:
    """The logarithm of zero."""
    assert found("loss-not-finite", with_loss({1400: loss})).evidence[0].value == 1


def test_a_spike_is_told_with_its_numbers_and_only_where_no_reset_excuses_it() -> None:
    """Ten times the loss right after a reset is how resets look."""
    usual = healthy_series()["loss/l1"][1500]
    finding = found("loss-not-finite", with_loss({1500: 30 * usual}))
    assert finding.severity == "minor"
    assert finding.evidence[0].value == pytest.approx(30, rel=0.3)
    assert verdict("loss-not-finite", with_loss({RESETS[1] + 3: 30 * usual})) is None


def test_a_spike_beside_broken_rows_is_their_consequence() -> None:
    """Otherwise the symptom would stand above its cause."""
    scales = moved().log_scales.copy()
    scales[:600] = np.nan
    loss = {**healthy_series()["loss/l1"], 1500: 30 * healthy_series()["loss/l1"][1500]}
    run = healthy_run(series={"loss/l1": loss}, checkpoints={200: start(), LAST: changed(moved(), log_scales=scales)})
    assert verdict("loss-not-finite", run) is None


def test_small_losses_of_masked_views_are_no_spikes() -> None:
    """Where a mask leaves a hundredth of a picture, its loss is a hundredth of the others'; all of them are small."""
    loss = {i: 1e-6 if i % 2 else 1e-4 for i in range(1500, LAST)}
    assert verdict("loss-not-finite", with_loss(loss)) is None


def test_each_of_the_four_causes_is_answered() -> None:
    """The protocol's verification: all four checked, none left out, each with a number or a reason."""
    rows = [row for row in found("loss-not-finite", nan_loss()).evidence if row.what.startswith("cause")]
    assert [row.what.split(":")[0] for row in rows] == [
        "cause 1 of 4, learning rate", "cause 2 of 4, input that is not finite", "cause 3 of 4, unsafe mathematics",
        "cause 4 of 4, exploding updates"]
    assert all("not found" in row.what and row.value is not None for row in rows)


def test_what_cannot_be_checked_says_so() -> None:
    """A log alone knows of no inputs and no Gaussians; "not found" would be a lie."""
    finding = found("loss-not-finite", made_run(series={"loss/total": {1: 0.2, 2: float("nan")}}))
    rows = [row for row in finding.evidence if row.what.startswith("cause")]
    assert all("not checkable" in row.what and row.value is None for row in rows)


def test_nan_input_is_named_as_cause_and_leads_to_what_follows() -> None:
    """The points are the root: the loss and the saved rows follow from them."""
    broken = nan_points()
    points = broken.input_points
    assert points is not None
    loss = dict.fromkeys(range(1, LAST + 1), np.nan)
    run = healthy_run(input_points=points, series={"loss/l1": loss})
    assert "input that is not finite (points" in found("loss-not-finite", run).says
    told = {f.pattern.code: f for f in diagnose(run).findings}
    assert told["M-03"].consequence_of == ("P-01",)
    first = [row for row in told["M-03"].finding.evidence if row.what.startswith("first tensor")]
    assert (first[0].value, first[0].iteration, first[0].source) == (3, 0, points.source)


def test_saturated_opacities_are_no_divergence() -> None:
    """LichtFeld-Studio #2079: rows listed, a clamp advised, training itself healthy."""
    run = saturated(3)
    finding = found("non-finite-rows", run)
    assert (finding.severity, finding.cause) == ("minor", SATURATED)
    assert codes(run) & {"M-03", "P-01", "N-17"} == set()
    assert "learning rate: not found" in finding.facts["causes"]


def test_one_nan_row_is_one_row() -> None:
    """gsplat #868: it must not empty an export, nor be called a diverged run."""
    scales = moved().log_scales.copy()
    scales[7] = np.nan
    finding = found("non-finite-rows", healthy_run(checkpoints={LAST: changed(moved(), log_scales=scales)}))
    assert finding.gaussians is not None
    assert finding.gaussians.rows.tolist() == [7]
    assert finding.severity != "critical"
    first = next(row for row in finding.evidence if row.what.startswith("first tensor"))
    assert first.what.endswith("log_scales")


def test_cameras_that_are_not_finite_are_named() -> None:
    """A pose that could not be solved and was written anyway."""
    cameras = ring_cameras()
    pose = cameras[4].world_from_camera.copy()
    pose[0, 3] = np.nan
    broken = (*cameras[:4], replace(cameras[4], world_from_camera=pose), *cameras[5:])
    assert found("non-finite-input", made_run(cameras=broken)).cameras == (cameras[4].name,)


@pytest.mark.parametrize(("value", "named"), [(np.nan, True), (1e9, False)])
def test_float_photos_are_looked_through(tmp_path: Path, value: float, named: bool) -> None:
    """Depth-like or HDR pictures mark missing pixels with NaN; large values are another matter."""
    pixels = np.full((8, 8), 0.5, np.float32)
    pixels[2, 3] = value
    Image.fromarray(pixels, mode="F").save(tmp_path / "view_000.tif")
    photo = Photo("view_000.png", tmp_path / "view_000.tif")
    answer = verdict("non-finite-input", made_run(cameras=ring_cameras(1), photos={photo.name: photo}))
    assert (answer is not None) is named
    if named:
        assert found("non-finite-input", made_run(photos={photo.name: photo})).evidence[0].value == 1


def test_a_gradient_of_another_shape_is_another_rasteriser() -> None:
    """2d-gaussian-splatting #229: four columns for three; nothing of the scene is at fault."""
    finding = found("shapes-do-not-fit", other_rasteriser())
    assert "another method" in finding.cause
    assert GRADIENT in " ".join(str(row.value) for row in finding.evidence)


def test_large_values_that_are_finite_are_no_finding() -> None:
    """A far outlier is odd; it is a number."""
    far = cloud(300, spread=1e8)
    assert verdict("non-finite-input", healthy_run(checkpoints={LAST: far})) is None
