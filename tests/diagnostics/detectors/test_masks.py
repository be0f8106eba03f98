"""Masks: too little, the wrong way round, or unasked; and transparency that the loss leaves alone."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from diagnostics.detectors.masks import alpha_not_carved, loss_mask_wrong
from diagnostics.diagnose import diagnose
from diagnostics.evidence import Evidence
from diagnostics.facts.backgrounds import BackgroundTrial, PhotoBackground
from diagnostics.facts.masks import Masked
from diagnostics.facts.matched import Matched, Matches
from diagnostics.facts.redrawn import Redrawn
from diagnostics.verdict import Finding, NotEvaluable
from runs.arrays import U8
from runs.run import Run
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.disagreeing import WHITE, carved, cut_out, logged_l1, not_carved
from tests.diagnostics.fixtures.photographed import cameras, scene
from tests.support.photos import photos_of
from tests.support.runs import changed, ring_cameras
from tests.support.training import LAST, healthy_run

MASK, ALPHA = "loss-mask-wrong", "alpha-not-carved"
RING = ring_cameras()


def masked(coverage: float, inside: float, outside: float) -> Masked:
    return Masked(12, coverage, inside, outside, LAST, "masks")


def with_masks(folder: Path, mask: U8, ending: str = "") -> Run:
    """The healthy model, its photos, and the same mask for every photo."""
    (folder / "masks").mkdir()
    for camera in cameras():
        Image.fromarray(mask).save(folder / "masks" / f"{camera.name}{ending}")
    return healthy_run(checkpoints={LAST: scene()}, cameras=cameras(), photos=photos_of(scene(), cameras()), data=folder)


def band(share: float, *, counts: int = 255) -> U8:
    """A mask whose left part has another value than the rest."""
    mask = np.full((96, 96), 255 - counts, np.uint8)
    mask[:, : round(96 * share)] = counts
    return mask


@pytest.mark.parametrize("ending", ["", ".png"])
def test_a_mask_that_leaves_hardly_anything_is_told(tmp_path: Path, ending: str) -> None:
    """Five per cent of a picture teach nothing about the rest; COLMAP appends its own ending."""
    finding = found(MASK, with_masks(tmp_path, band(0.05), ending))
    assert finding.evidence[0].value == pytest.approx(5 / 96, abs=0.01)


def test_a_mask_that_leaves_the_object_is_sound(tmp_path: Path) -> None:
    """Masking out a third, or nine tenths, is what masks are for."""
    assert verdict(MASK, with_masks(tmp_path, band(0.2))) is None
    assert loss_mask_wrong(RING, masked(0.2, 0.001, 0.2)) is None


def test_a_mask_taken_the_other_way_round_is_told_from_a_small_one() -> None:
    """The cure is one minus sign."""
    finding = loss_mask_wrong(RING, masked(0.4, 0.2, 0.001))
    assert isinstance(finding, Finding)
    assert finding.severity == "critical"
    assert "other way round" in finding.says
    assert "flip" in finding.facts


def test_masks_that_cannot_be_read_are_noted(tmp_path: Path) -> None:
    """A damaged mask is the file's fault, not the training's."""
    run = with_masks(tmp_path, band(0.5))
    for file in (tmp_path / "masks").iterdir():
        file.write_bytes(b"no picture")
    assert isinstance(Evidence(run, (0, LAST)).get("masked"), NotEvaluable)
    assert any("decoded" in note.says for note in run.notes)


def test_a_save_that_fits_nowhere_is_no_mask() -> None:
    """An export that was spoiled also differs from the log; a mask leaves part of the picture learned."""
    ruined, photos = changed(scene(), sh0=np.full_like(scene().sh0, WHITE)), photos_of(scene(), cameras())
    run = healthy_run(checkpoints={LAST: ruined}, cameras=cameras(), photos=photos, series=logged_l1(0.003))
    assert verdict(MASK, run) is None


@pytest.mark.parametrize(("share", "sick"), [(0.05, False), (0.2, True), (0.5, True)])
def test_what_was_left_out_need_not_be_half_of_the_cells(share: float, sick: bool) -> None:
    """Half of each picture may be plain sky, whose cells cannot show what was learned: a fifth of the others was measured."""
    measured = in_part(share)
    told = Redrawn(LAST, ("a.png",), 0.02, None, 0.02, 0.09, (0.1, 0.1, 0.1))
    assert isinstance(loss_mask_wrong(RING, matches=measured, redrawn=told), Finding) is sick
    assert loss_mask_wrong(RING, matches=measured, redrawn=replace(told, l1=0.021)) is None


def in_part(share: float) -> Matches:
    """So much of the picture misses the photos by three times their contrast, the rest by a tenth of it."""
    differences = np.where(np.arange(64) < 64 * share, 0.3, 0.01).reshape(8, 8)
    view = Matched("a.png", np.ones(3), 1.0, 1.0, 1.0, 1.0, differences, np.full((8, 8), 0.5), np.full((8, 8), 0.35), 0.0)
    return Matches((view,), LAST)


def test_transparent_parts_have_a_pattern_of_their_own() -> None:
    """Leaving them out of the loss is no mask gone wrong."""
    clear = PhotoBackground("black", 0.5, 1.0, 0.5, True, LAST, np.arange(9), 100)
    assert loss_mask_wrong(RING, photo_background=clear) is None


def test_what_stands_in_the_transparent_part_is_pointed_at() -> None:
    """The viewport marks them; removing them is one of the fixes."""
    finding = found(ALPHA, not_carved())
    assert finding.gaussians is not None
    assert set(finding.gaussians.rows) <= set(range(900, 1200))
    assert finding.gaussians.count > 100
    reported = next(f for f in diagnose(not_carved()).findings if f.pattern.code == "N-06")
    assert any(f"{finding.gaussians.count:,} Gaussians" in fix.do for fix in reported.fixes)


def test_a_carved_model_is_left_alone() -> None:
    """Also with a wisp here and there."""
    assert verdict(ALPHA, carved()) is None
    assert verdict(ALPHA, cut_out(8)) is None


CLEAR = PhotoBackground("black", 0.5, 1.0, 0.6, True, LAST, np.arange(9), 100)


def trial(best: tuple[str, str], miss_db: float = 0.01, exact: bool = True) -> BackgroundTrial:
    pairs = [(mine, theirs) for mine in ("black", "white") for theirs in ("black", "white")]
    return BackgroundTrial(400, {pair: 20.0 + (miss_db if pair == best else 7.0) for pair in pairs}, 20.0, exact, "log")


@pytest.mark.parametrize(("shown", "is_found"), [
    (None, True), (trial(("black", "black")), True), (trial(("white", "white")), True), (trial(("black", "white")), False),
    (trial(("white", "black")), False), (trial(("white", "black"), exact=False), True),
    (trial(("white", "black"), miss_db=3.0), True),
])
def test_another_colour_behind_the_photos_is_another_fault(shown: BackgroundTrial | None, is_found: bool) -> None:
    """Proved by the logged PSNR: then fog hides a wrong background."""
    assert (alpha_not_carved(CLEAR, shown) is not None) is is_found


def test_opaque_photos_have_nothing_to_carve() -> None:
    """Whatever colour lies behind them."""
    assert alpha_not_carved(replace(CLEAR, cut_out=False)) is None
    assert alpha_not_carved(replace(CLEAR, share=0.01)) is None
