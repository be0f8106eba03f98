"""Stored spaces, columns and outliers: each kind alone, what looks alike, and the public cases that they were made from."""

import numpy as np
import pytest

from runs.arrays import Array
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.spaces import activated, few_far_away, rotation_in_other_columns, saved, with_a_sky
from tests.support.runs import changed, cloud
from tests.support.training import LAST, healthy_run, moved

SPACE, COLUMNS, FAR = "parameters-in-the-wrong-space", "columns-permuted", "far-outliers"


def test_activated_values_are_told_with_what_a_viewer_makes_of_them() -> None:
    """supersplat-viewer #253: sizes of about one world unit, and an alpha squeezed into 0.5 to 0.73."""
    finding = found(SPACE, saved(changed(activated(), sh0=moved().sh0)))
    assert "scales as lengths and opacities of 0 to 1" in finding.says
    assert "between 0.5" in finding.says
    assert "0.7" in finding.says
    assert finding.facts["repair"] == "the logarithm of the scales, the logit of the opacities"
    assert finding.severity is None  # the pattern's own, critical


@pytest.mark.parametrize(("columns", "stored"), [
    ({"log_scales": np.exp(moved().log_scales) / 20}, "scales as lengths"),
    ({"logit_opacities": moved().opacities}, "opacities of 0 to 1"),
    ({"sh0": np.random.default_rng(0).uniform(0, 1, (900, 3))}, "colours of 0 to 1"),
    ({"sh0": np.random.default_rng(0).integers(0, 256, (900, 3))}, "colours of 0 to 255"),
    ({"quats_wxyz": np.tile([0.02, -0.1, 0.05, 0.9], (900, 1))}, "quaternions with the real part last"),
])
def test_one_column_in_another_space_is_enough(columns: dict[str, Array], stored: str) -> None:
    """Exporters forget one activation at a time; the repair must touch that column only."""
    tight = cloud(900, seed=2, spread=0.02) if "log_scales" in columns else moved()
    finding = found(SPACE, saved(changed(tight, **columns)))
    assert stored in finding.says
    assert finding.facts["stored"] == stored


def test_lengths_above_one_unit_are_lengths_too() -> None:
    """In a world of metres some Gaussians are longer than one; opacities of 0 to 1 beside them leave no doubt."""
    scales = activated().log_scales.copy()
    scales[:5] = 3.0
    assert "scales as lengths" in found(SPACE, saved(changed(activated(), log_scales=scales))).says


def test_a_start_with_one_opacity_for_all_is_no_activated_value() -> None:
    """MCMC starts at an opacity of 0.5, whose logit is exactly 0; a start at 0.1 has one negative logit for all."""
    for logit in (0.0, -2.197):
        start = changed(moved(), logit_opacities=np.full(moved().count, logit), quats_wxyz=np.tile([1.0, 0, 0, 0], (900, 1)))
        assert verdict(SPACE, saved(start)) is None


def test_infinite_scales_do_not_hide_the_space_of_the_others() -> None:
    """supersplat #189: -inf in a hundredth of the rows; the other scales are still lengths, or still logarithms."""
    for whole, fires in ((activated(), True), (moved(), False)):
        scales = whole.log_scales.copy()
        scales[::100] = -np.inf
        answer = verdict(SPACE, saved(changed(whole, log_scales=scales)))
        assert (answer is not None) == fires


def test_the_columns_that_hold_the_rotation_are_named() -> None:
    """Only the names tell the user how the writer was wrong."""
    finding = found(COLUMNS, rotation_in_other_columns())
    assert finding.facts["columns"] == "opacity, scale_0, scale_1, scale_2"


def test_a_rotation_of_length_one_is_never_called_permuted() -> None:
    """Normalised exports pass, whatever their other columns hold."""
    unit = moved().quats_wxyz / moved().quat_norms[:, None]
    assert verdict(COLUMNS, saved(changed(moved(), quats_wxyz=unit, logit_opacities=unit[:, 0], log_scales=unit[:, 1:]))) is None


def test_five_points_at_twenty_million_are_outliers_with_a_crop() -> None:
    """GaussianSplats3D #299: the crop must hold the object, and the step of single precision is told."""
    finding = found(FAR, few_far_away())
    assert finding.gaussians is not None
    assert finding.gaussians.rows.tolist() == [0, 1, 2, 3, 4]
    assert "0.6 %" in finding.says.replace("\N{NO-BREAK SPACE}", " ")
    assert "steps of" in finding.says
    assert finding.facts["box"].startswith("x -0.9")
    assert finding.facts["count"] == 5


def test_a_second_cloud_is_not_called_outliers() -> None:
    """One in twenty far away is part of what was captured, or a registration gone wrong: another matter."""
    assert verdict(FAR, few_far_away(rows=45)) is None
    assert verdict(FAR, with_a_sky()) is None


@pytest.mark.parametrize("name", [SPACE, COLUMNS, FAR])
def test_sound_saves_are_clear(name: str) -> None:
    """The healthy training at each of its saves."""
    assert verdict(name, healthy_run(), (0, 300)) is None
    assert verdict(name, healthy_run(), (0, LAST)) is None


def test_shifted_columns_are_no_quaternion_with_its_real_part_last() -> None:
    """A logarithm of a scale is the largest of what is stored there, and far too long for a rotation."""
    assert verdict(SPACE, rotation_in_other_columns()) is None
