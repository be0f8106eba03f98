"""Pixels that the loss leaves out: masks that leave too little or the wrong part, and transparent parts that nobody clears."""

from collections.abc import Mapping

import numpy as np

from diagnostics.facts.backgrounds import BackgroundTrial, PhotoBackground
from diagnostics.facts.masks import MASKS, Masked
from diagnostics.facts.matched import Matches
from diagnostics.facts.redrawn import Redrawn
from diagnostics.measures.shares import quantile, share
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace, NotEvaluable
from diagnostics.wording import percent
from runs.arrays import F64
from runs.cameras import Camera

PAINTED = 0.1  # of the median cell's contrast: flatter cells, such as a plain background, cannot show what was learned
UNASKED = ("No mask file is known, yet the logged loss leaves out part of each picture: a mask inside the trainer, a crop of the "
           "loss, or a weight that is zero there.")
INVERTED = "The trainer took the masks the other way round: it learned what they exclude."


@detects("loss-mask-wrong")
def loss_mask_wrong(
    train_cameras: tuple[Camera, ...], masked: Masked | None = None, matches: Matches | None = None,
    redrawn: Redrawn | None = None, photo_background: PhotoBackground | None = None,
    exposures: Mapping[str, F64] | None = None,
    *, coverage: float = 0.12, inverted: float = 4.0, uncounted: float = 1.8, flat: float = 0.8, untrained: float = 0.1,
    fits: float = 0.3, trained: float = 0.2,
) -> Finding | NotEvaluable | None:
    """Masks count hardly any pixel, or the model fits what they exclude, or the logged loss knows only part of each picture."""
    if masked is not None:
        return _by_masks(masked, train_cameras, coverage, inverted)
    if photo_background is not None and photo_background.cut_out:
        return None  # what is transparent may be left out: see alpha-not-carved
    if matches is None or redrawn is None or exposures:  # a colour correction per photo is in the log, not in the redrawn views
        return NotEvaluable((MASKS, "the photos (--data) with a logged L1"))
    times = redrawn.l1 / redrawn.logged_l1 if redrawn.logged_l1 > 0 else float("nan")
    left = of_contrast(matches)
    worse, good = share(left > flat), share(left < fits)
    if not (times > uncounted and worse > untrained and good > trained):
        return None
    return Finding(
        f"The saved Gaussians differ from the training photos by {redrawn.l1:.3f} (L1), {times:.1f} times what the log says of "
        f"the same views ({redrawn.logged_l1:.3f}), and {percent(worse)} of the picture area is worse than a flat colour: the "
        f"loss counts only part of each picture",
        evidence=(
            EvidenceRow("L1 of training views drawn again over the logged L1", times, uncounted, "", redrawn.iteration,
                        "training photos"),
            EvidenceRow("picture area (8 × 8 cells) that fits worse than a flat colour", worse, untrained, "share",
                        matches.iteration, "training photos"),
            EvidenceRow(f"picture area that misses by less than {fits:g} of its contrast", good, trained, "share",
                        matches.iteration, "training photos"),
            EvidenceRow("L1 of training views drawn again", redrawn.l1, None, "", redrawn.iteration, "training photos"),
            EvidenceRow("logged L1 of the same views", redrawn.logged_l1, None, "", redrawn.iteration, "log"),
        ),
        cameras=redrawn.cameras, confidence=0.85, cause=UNASKED, facts={"times": f"{times:.1f}"},
    )


def _by_masks(masked: Masked, cameras: tuple[Camera, ...], coverage: float, inverted: float) -> Finding | None:
    rows = (
        EvidenceRow("picture area that counts under the masks, mean", masked.coverage, coverage, "share", None, masked.source),
        EvidenceRow("mean squared difference to the photos where it counts", _known(masked.inside), None, "", masked.iteration,
                    "training photos"),
        EvidenceRow("the same where it does not", _known(masked.outside), None, "", masked.iteration, "training photos"),
    )
    names = tuple(camera.name for camera in cameras)
    times = masked.inside / masked.outside if masked.outside > 0 else float("nan")
    if times > inverted:
        return Finding(
            f"The model fits the photos {times:.0f} times better where the masks exclude pixels than where they count: the masks "
            f"were taken the other way round", evidence=rows, cameras=names, severity="critical", confidence=0.85, cause=INVERTED,
            facts={"flip": "white where a pixel counts"})
    if masked.coverage >= coverage:
        return None
    return Finding(
        f"The masks of {masked.looked_at} training views leave {percent(masked.coverage)} of the picture to count: hardly any "
        f"pixel is learned from", evidence=rows, cameras=names, confidence=0.8, facts={"coverage": percent(masked.coverage)})


def _known(value: float) -> float | None:
    return value if np.isfinite(value) else None


def of_contrast(matches: Matches) -> F64:
    """float64 [n]: median difference over contrast, of the cells with contrast: 1 is what one flat colour would miss by."""
    contrast = matches.contrasts
    known = contrast > PAINTED * quantile(contrast[contrast > 0], 0.5)
    different = np.median([match.differences for match in matches.each], axis=0)
    return np.asarray(different[known] / contrast[known])


@detects("alpha-not-carved")
def alpha_not_carved(
    photo_background: PhotoBackground, background_trial: BackgroundTrial | None = None, redrawn: Redrawn | None = None,
    *, transparent: float = 0.05, covered: float = 0.1, wrong_db: float = 1.0,
) -> Finding | None:
    """Photos are transparent where nothing is, and the model keeps matter there: nothing in the loss removes it."""
    behind = photo_background
    if not behind.cut_out or behind.share < transparent or not behind.covered > covered:
        return None
    if _other_colour(background_trial, wrong_db):
        return None
    uncounted = redrawn.l1 / redrawn.logged_l1 if redrawn is not None and redrawn.logged_l1 > 0 else None
    return Finding(
        f"The model covers {percent(behind.covered)} of the area where the photos are transparent, with {len(behind.painters):,} "
        f"Gaussians that mostly stand there: no loss told them to go",
        evidence=(
            EvidenceRow("opacity of the model where photos are transparent, mean", behind.covered, covered, "share",
                        behind.iteration, "training photos"),
            EvidenceRow("photo pixels that are transparent", behind.share, transparent, "share", None, "training photos"),
            EvidenceRow("Gaussians that mostly paint those pixels", len(behind.painters), None, "Gaussians", behind.iteration),
            EvidenceRow("L1 of training views drawn again over the logged L1", uncounted, None, "", behind.iteration,
                        "training photos"),
        ),
        iterations=(behind.iteration, behind.iteration), confidence=0.85, colour_by="opacity",
        gaussians=GaussianPlace(behind.painters, behind.iteration, behind.of) if len(behind.painters) else None,
        facts={"painters": len(behind.painters)},
    )


def _other_colour(trial: BackgroundTrial | None, wrong_db: float) -> bool:
    """The logged PSNR comes out only with different colours behind renders and photos: see wrong-background."""
    if trial is None or not trial.exact or not trial.psnr_db:
        return False
    off = {pair: abs(value - trial.logged_db) for pair, value in trial.psnr_db.items()}
    best = min(off, key=lambda pair: off[pair])
    return off[best] < wrong_db and bool(best[1]) and best[0] != best[1]
