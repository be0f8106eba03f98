"""Heredity: settings changed within reason are left alone, faults are found by numbers that are those of the fault."""

from dataclasses import replace
from weakref import WeakValueDictionary

import numpy as np
import pytest

from diagnostics.detectors.lineage import clones_displaced, split_keeps_size
from diagnostics.measures.generations import Generation
from diagnostics.verdict import Finding, NotEvaluable
from runs.formats.ply.columns import FLAT_LOG_SCALE
from runs.gaussians import COLUMNS, Gaussians
from runs.trainers.shared.filtered import effective
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.lineage import SECOND, THIRD, family, settled
from tests.support.runs import changed
from tests.support.training import healthy_run


@pytest.mark.parametrize("name", ["split-keeps-parent-size", "clones-displaced", "prunes-too-little"])
@pytest.mark.parametrize("change", [{"shrink": 1.45}, {"shrink": 2.0}, {"cull": 0.0025}, {"cull": 0.01}, {"offset": 0.1}])
def test_a_setting_within_reason_is_left_alone(name: str, change: dict[str, float]) -> None:
    """Somebody else's choice is no fault."""
    assert verdict(name, family(**change)) is None


@pytest.mark.parametrize(("divisor", "size"), [(1.0, 1.0), (1.2, 0.83)])
def test_halves_that_stay_large_are_found_with_their_size(divisor: float, size: float) -> None:
    """The number in the sentence is the fault's own; right after the split it is exact."""
    exact, later = (found("split-keeps-parent-size", run(shrink=divisor)) for run in (settled, family))
    assert exact.evidence[0].value == pytest.approx(1 / divisor, rel=1e-3)
    assert later.evidence[0].value == pytest.approx(1 / divisor, rel=0.03)
    assert f"{size:.2f} times as large" in exact.says
    assert exact.confidence > later.confidence
    assert exact.gaussians is None  # they are in no point cloud
    assert later.gaussians is not None
    assert later.gaussians.iteration in (SECOND, THIRD)


def test_the_halves_that_are_pointed_at_are_newborn() -> None:
    """The user is led to the guilty ones."""
    place = found("split-keeps-parent-size", family(shrink=1.0)).gaussians
    assert place is not None
    assert place.rows.min() > 700


@pytest.mark.parametrize("offset", [1.0, 3.0])
def test_displaced_clones_are_found_with_their_distance(offset: float) -> None:
    """In sizes, so that the scene's scale does not matter."""
    for run in (settled(offset=offset), family(offset=offset)):
        assert found("clones-displaced", run).evidence[0].value == pytest.approx(offset, rel=0.1)


def a_generation(**known: object) -> Generation:
    """600 newborns between two saves; what is not said is not known."""
    nothing = np.zeros(0, np.int64)
    usual: dict[str, object] = {
        "first": 200, "last": 400, "densifications": 1, "resets": 0, "settled": False, "source": "x", "saved": False,
        "before": 900, "of": 1500, "survivors": 1.0, "matched": 1.0, "born": 600, "halves": nothing, "shrink": float("nan"),
        "shrink_spread": 0.2, "clones": nothing, "offset": float("nan"), "dead": 0, "kept_dead": nothing, "faint": 0,
        "faint_gone": 0.0, "opaque_gone": 0.0, "lowest_kept": 0.0, "cuts": ()}
    return Generation(**{**usual, **known})  # type: ignore[arg-type]


@pytest.mark.parametrize(("count", "told"), [(20, False), (200, True)])
def test_a_few_displaced_clones_among_many_newborn_are_misread_halves(count: int, told: bool) -> None:
    """Sound runs that hardly clone showed a dozen of them, one or two sizes away."""
    answer = clones_displaced((a_generation(clones=np.arange(count), offset=1.5),))
    assert isinstance(answer, Finding if told else NotEvaluable)


def test_where_only_clones_are_born_later_halves_are_misread() -> None:
    """A limit on size that follows a blown-up extent: nothing is split, and clones that grew were accused of not shrinking."""
    later = a_generation(halves=np.arange(88), shrink=0.0)
    at_birth = a_generation(settled=True, clones=np.arange(400), offset=0.0)
    assert isinstance(split_keeps_size((later,)), Finding)
    assert isinstance(split_keeps_size((at_birth, later)), NotEvaluable)


def test_states_without_relation_are_not_judged() -> None:
    """Saves that lie many densifications apart say nothing about heredity."""
    for name in ("split-keeps-parent-size", "clones-displaced"):
        assert isinstance(verdict(name, healthy_run()), NotEvaluable)


def test_a_filter_over_the_splats_does_not_hide_that_halves_are_smaller() -> None:
    """Mip-Splatting draws splats wider than they are: what is drawn of a half is hardly smaller than its parent."""
    plain = family()
    filtered = tuple(replace(c, read=lambda c=c: effective(wide(c.gaussians)), _shared=WeakValueDictionary())  # type: ignore[misc]
                     for c in plain.checkpoints)
    assert verdict("split-keeps-parent-size", replace(plain, checkpoints=filtered)) is None


@pytest.mark.parametrize(("divisor", "size"), [(1.6, None), (1.45, None), (1.2, 0.83), (1.0, 1.0)])
def test_halves_of_discs_are_measured_on_the_axes_that_they_have(divisor: float, size: float | None) -> None:
    """2DGS trains two scales: with the thickness that readers add, sound halves would seem 0.73 times as large."""
    plain = family(shrink=divisor)
    discs = tuple(replace(c, read=lambda c=c: flat(c.gaussians), _shared=WeakValueDictionary())  # type: ignore[misc]
                  for c in plain.checkpoints)
    run = replace(plain, checkpoints=discs)
    if size is None:
        assert verdict("split-keeps-parent-size", run) is None
    else:
        assert found("split-keeps-parent-size", run).evidence[0].value == pytest.approx(size, rel=0.03)


def flat(gaussians: Gaussians) -> Gaussians:
    """The same as discs."""
    scales = gaussians.log_scales.copy()
    scales[:, 2] = FLAT_LOG_SCALE
    return changed(gaussians, log_scales=scales)


def wide(gaussians: Gaussians) -> Gaussians:
    """A filter three times as wide as most splats."""
    stored = {name: gaussians.load(name) for name in (*COLUMNS, "sh_rest")}
    width = np.full(gaussians.count, 3 * np.exp(np.median(gaussians.log_scales)))
    return Gaussians.from_arrays(**stored, extra={"filter_3D": width})


def test_parts_of_several_processes_are_not_followed() -> None:
    """Each process appends its newborns to its own part: rows of all parts together are in another order."""
    run = family(shrink=1.0)
    parts = tuple(replace(checkpoint, shards=(1, 2)) for checkpoint in run.checkpoints)
    assert isinstance(verdict("split-keeps-parent-size", replace(run, checkpoints=parts)), NotEvaluable)


def test_an_mcmc_run_has_neither_clones_nor_pruning() -> None:
    """Its troubles are its own: what does not split cannot split wrongly."""
    sick = family(shrink=1.0, offset=2.0, cull=0.0)
    run = healthy_run(checkpoints={c.iteration: c.gaussians for c in sick.checkpoints}, settings={"strategy": "mcmc"},
                      series=dict.fromkeys(("densify/pruned", "densify/cloned", "densify/split")))
    for name in ("split-keeps-parent-size", "clones-displaced", "prunes-too-little"):
        assert isinstance(verdict(name, run), NotEvaluable)
