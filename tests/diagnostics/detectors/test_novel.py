"""Methods beyond the usual: each is judged on runs of its own kind alone, and its entry says that nobody verified it."""

import numpy as np
import pytest

from diagnostics.catalogue import load_catalogue
from diagnostics.diagnose import diagnose
from diagnostics.verdict import NotEvaluable
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.novel import (
    SICK,
    all_move,
    bursts,
    deformation_breaks,
    drifting,
    experts,
    faithful_copy,
    flat_copy,
    in_parts,
    newborns_without_tag,
    simulated,
    slam,
    tagged,
    two_halves,
)
from tests.support.training import LAST, healthy_run

NAMES = sorted(SICK)


@pytest.mark.parametrize("name", NAMES)
def test_a_usual_training_is_never_judged_by_them(name: str) -> None:
    """A method's troubles must never be pinned on another method."""
    assert isinstance(verdict(name, healthy_run()), NotEvaluable)


@pytest.mark.parametrize("name", [*NAMES, "stiffness-mismatch"])
def test_each_says_that_nobody_verified_it(name: str) -> None:
    """They must not be presented as facts."""
    pattern = load_catalogue()[name]
    assert pattern.uncertain
    assert "Nobody has verified" in pattern.we_say
    assert pattern.seed_says


def test_rows_that_only_the_network_breaks_are_counted_by_moment() -> None:
    """Seven rows, from the second half of the recording on."""
    finding = found("deformation-mlp-nan", deformation_breaks())
    assert finding.gaussians is not None
    assert finding.gaussians.rows.tolist() == list(range(893, 900))
    assert [row.value for row in finding.evidence[2:]] == [0, 0, 0, 7, 7]


def test_one_motion_of_everything_is_told_with_doubt() -> None:
    """An object that moves alone looks the same."""
    finding = found("static-parts-deform", all_move())
    assert finding.evidence[1].value == pytest.approx(1, abs=0.01)
    assert finding.confidence <= 0.5


def test_the_frame_at_which_a_simulation_bursts_is_named() -> None:
    """Where to look for the step that was too long."""
    assert found("simulation-diverges", bursts()).iterations == (20, 30)
    assert "are no places" in found("simulation-diverges", simulated(1.0, 1.1, lost=100)).says


def test_half_of_the_experts_idle_is_collapse_too() -> None:
    """Two of four do everything, evenly."""
    assert verdict("expert-collapse", experts(lambda _: np.array([0.49, 0.49, 0.01, 0.01]))) is not None


def test_drift_is_told_by_its_share_of_the_path() -> None:
    """And not where the error is small against the path."""
    assert found("slam-drift", drifting()).confidence < 1
    assert verdict("slam-drift", slam(drift=0.05)) is None
    assert verdict("slam-drift", slam()) is None


def test_the_second_part_of_a_map_is_shown() -> None:
    """Half of the Gaussians stand in it."""
    finding = found("map-fragments", in_parts())
    assert finding.gaussians is not None
    assert finding.gaussians.fraction == pytest.approx(0.47, abs=0.04)
    assert verdict("map-fragments", two_halves(-0.2)) is None


def test_a_thin_map_is_one_map() -> None:
    """Nine hundred Gaussians on a ball stand four cells apart; that is no gap between parts."""
    assert verdict("map-fragments", slam()) is None


def test_what_a_copy_lost_is_told_in_decibels_and_degrees() -> None:
    """A .splat has no harmonics."""
    finding = found("quality-lost-by-compression", flat_copy())
    assert finding.evidence[0].value < 35
    assert "degree 0 instead of 1" in finding.says
    assert verdict("quality-lost-by-compression", faithful_copy()) is None


def test_a_column_of_tags_that_is_gone_is_told() -> None:
    """The trainer saved it once, and not any more."""
    run = healthy_run(checkpoints={200: tagged(400, 400, 3), LAST: healthy_run().checkpoints[-1].gaussians}, states={})
    assert "the column is gone" in found("tags-lost-on-densify", run).says
    assert "56 %" in found("tags-lost-on-densify", newborns_without_tag()).says.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("name", NAMES)
def test_its_fixes_fit_the_run(name: str) -> None:
    """At least one of them must be left for a run of that method."""
    reported = next(f for f in diagnose(SICK[name]()).findings if f.pattern.name == name)
    assert reported.fixes
