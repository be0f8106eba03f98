"""Floaters: how loudly a share is told depends on how far it is from what one healthy capture shows."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.advice import fitted_fixes
from diagnostics.catalogue import load_catalogue
from diagnostics.detectors.artifacts import floaters
from diagnostics.diagnose import diagnose
from diagnostics.evidence import Evidence
from diagnostics.facts.pictures import View, Views
from diagnostics.measures.contradictions import Contradictions
from diagnostics.registry import DETECTORS
from diagnostics.schedule import Schedule
from diagnostics.verdict import Finding, NotEvaluable, Verdict
from diagnostics.wording import percent
from render.splats import prepare
from runs.checkpoints import Checkpoint
from tests.diagnostics.fixtures.photographed import cameras, scene, with_fog, with_specks
from tests.support.photos import photos_of
from tests.support.training import LAST, healthy_run

EACH = tuple(View(camera, 20.0, None) for camera in cameras())


def judged(floating: int, *, photos: bool = True, reset_every: int | None = None) -> Verdict:
    """The verdict where so many of 900 visible Gaussians float, each with the same weight."""
    count = scene().count
    ones = np.ones(count)
    views = Views(prepare(scene()), EACH, ones, 0 * ones, ones.astype(np.float32), ones, np.full(count, 12), ones,
                  ones, Contradictions.empty(count), None)
    scores = (np.arange(count) < floating).astype(np.float32)
    schedule = Schedule(None, None, None, reset_every, (), (), (), resets_known=reset_every is not None, source="opt_args.json")
    return floaters(last(), views, scores, EACH if photos else None, schedule)


def last() -> Checkpoint:
    checkpoint = healthy_run(checkpoints={LAST: scene()}).checkpoint(LAST)
    assert checkpoint is not None
    return checkpoint


@pytest.mark.parametrize(("floating", "photos", "severity"), [
    (27, True, None), (28, True, "minor"), (54, True, "minor"), (55, True, "major"),
    (45, False, None), (46, False, "minor"), (90, False, "minor"), (91, False, "major"),
])
def test_near_the_limit_it_is_minor(floating: int, photos: bool, severity: str | None) -> None:
    """The limit rests on one healthy real capture: another one may well lie above it."""
    found = judged(floating, photos=photos)
    assert (found.severity if isinstance(found, Finding) else found) == severity


def test_confidence_falls_near_the_limit_and_without_photos() -> None:
    """A number that a user can weigh: never as sure as where the photos contradict many Gaussians."""
    found = [judged(floating, photos=photos) for floating, photos in ((60, True), (30, True), (100, False), (50, False))]
    confidences = [finding.confidence for finding in found if isinstance(finding, Finding)]
    assert confidences == [0.85, 0.6, 0.6, 0.4]


def test_a_few_opaque_specks_count_by_what_they_cover() -> None:
    """30 specks are 3 % of the Gaussians and spot every view; before an empty background nothing lies behind them."""
    finding = next(f for f in diagnose(with_specks()).findings if f.pattern.code == "AF-01").finding
    row = next(row for row in finding.evidence if row.what == "pixels that opaque specks cover against the photos")
    assert isinstance(row.value, float)
    assert row.limit == 0.005
    assert row.value > 0.01
    assert finding.gaussians is not None
    specks = finding.gaussians.rows >= scene().count
    assert specks.sum() >= 20
    assert (~specks).sum() <= 1


def test_specks_that_the_photos_show_are_things() -> None:
    """Birds, dust on a table and nails in a wall are small, alone and true."""
    shown = with_specks().checkpoints[-1].gaussians
    run = healthy_run(checkpoints={LAST: shown}, cameras=cameras(), photos=photos_of(shown, cameras()))
    codes = [found.pattern.code for found in diagnose(run).findings]
    assert codes == ["CK-3"]  # the log does not know of the specks


def test_the_fix_quotes_what_these_floaters_weigh() -> None:
    """"About a hundredth" would be somebody else's number."""
    reported = next(f for f in diagnose(with_fog()).findings if f.pattern.code == "AF-01")
    weight = next(row.value for row in reported.finding.evidence if row.what == "their share of all blending weight")
    assert any(f"{percent(weight)} of their blending weight" in fix.expect for fix in reported.fixes)


@pytest.mark.parametrize(("reset_every", "advised"), [(3000, True), (1001, True), (1000, False), (400, False), (None, False)])
def test_closer_resets_are_advised_only_where_they_are_far_apart(reset_every: int | None, advised: bool) -> None:
    """"1,000 or lower instead of 3,000" is no advice for a run that resets every 400 iterations."""
    found = judged(100, reset_every=reset_every)
    assert isinstance(found, Finding)
    fixes = fitted_fixes(load_catalogue()["floaters"], found, healthy_run())
    assert any("Reset opacities" in fix.do for fix in fixes) == advised


def test_before_surfaces_that_nobody_knows_nothing_floats() -> None:
    """Where one flat colour would fit the photos better, the cause is elsewhere, and floaters would be a distraction."""
    run = with_fog()
    detector = DETECTORS["floaters"]
    facts = Evidence(run, (0, LAST)).gather(detector.needs, detector.optional)
    assert not isinstance(facts, NotEvaluable)
    assert isinstance(floaters(**facts), Finding)
    worse = tuple(replace(match, differences=100 * match.differences + 1) for match in facts["matches"].each)
    assert isinstance(floaters(**{**facts, "matches": replace(facts["matches"], each=worse)}), NotEvaluable)
