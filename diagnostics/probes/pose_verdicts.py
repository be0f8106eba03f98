"""What the pose probe concludes from the places and lenses that photos ask for."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from diagnostics.facts.lens import Lens, offset_px
from diagnostics.probes import pose_words as words
from diagnostics.probes.answer import Answer, Judged
from diagnostics.probes.pose_found import PoseLimits
from diagnostics.probes.pose_lens import STARTS, LensTrial
from diagnostics.probes.pose_look import LensLimits, Looked, shot_of
from diagnostics.probes.pose_words import LensFound
from diagnostics.verdict import EvidenceRow
from diagnostics.wording import percent

POSES, INTRINSICS, CENTRE = "wrong-camera-poses", "intrinsics-do-not-fit-photos", "principal-point-ignored"
AGREES = 0.5  # of the offset that the model holds: so near must the learned one come
FEWER = "photos with more to see: in {} of {} views the place of the camera is not told well enough"
LENS_FIRST = "cameras with the lens that the photos ask for: with a wrong one every pose is a compromise"
Lacks = tuple[str, ...]


@dataclass(frozen=True)
class Limits:
    """All limits of the probe; see its page."""

    poses: PoseLimits
    kept: LensLimits
    serious: float
    focal: float
    aside: float
    gain_db: float


def answer(found: Looked, trial: LensTrial | Lacks, lens: Lens | None, limits: Limits) -> Answer:
    """All three verdicts. `trial` are the short trainings, or what they lack."""
    at = found.drawn.checkpoint.iteration
    learned = None if isinstance(trial, tuple) else LensFound(trial.lens, False, found.full, found.names)
    kept = None if found.lens is None else LensFound(found.lens, True, found.full, found.names)
    anew = _asks_anew(trial, learned, limits)
    rows = (*words.pose_rows(found.moves, limits.poses, at), *_kept_rows(kept, limits, at), *_trial_rows(trial, learned, limits))
    poses = _poses(found, anew, limits, at)
    asked = learned if anew else None
    intrinsics = _intrinsics(kept, asked, trial, lens, limits, at)
    centre = _centre(asked, trial, lens, limits, at)
    findings = [judged.finding for judged in (intrinsics, centre, poses) if judged.finding is not None]
    says = ". ".join(finding.says for finding in findings) or words.calm_sentence(found.moves)
    missing = () if findings else poses.missing
    return Answer(f"{says}.", (poses, intrinsics, centre), rows, (shot_of(found),), missing, at, _done(found, trial))


def _asks_anew(trial: LensTrial | Lacks, learned: LensFound | None, limits: Limits) -> bool:
    """The short trainings get clearly better through a clearly different lens."""
    if isinstance(trial, tuple) or learned is None or not trial.gain_db > limits.gain_db:
        return False
    return abs(float(learned.lens[0])) > limits.focal or learned.aside > limits.aside


def _poses(found: Looked, anew: bool, limits: Limits, at: int) -> Judged:
    moves = found.moves
    if anew:
        return Judged(POSES, missing=(LENS_FIRST,))
    if moves.wrong:
        return Judged(POSES, words.pose_finding(moves, limits.poses, at, limits.serious))
    if 2 * len(moves.open) > len(moves.each):
        return Judged(POSES, missing=(FEWER.format(len(moves.open), len(moves.each)),))
    return Judged(POSES)


def _intrinsics(
    kept: LensFound | None, learned: LensFound | None, trial: LensTrial | Lacks, lens: Lens | None, limits: Limits, at: int,
) -> Judged:
    if kept is not None:
        rows = words.lens_rows(kept, limits.kept.focal, limits.kept.aside, at)
        return Judged(INTRINSICS, words.intrinsics_finding(kept, words.kept_sentence(kept), rows, limits.kept.focal, (at, at)))
    if isinstance(trial, tuple):
        return Judged(INTRINSICS, missing=trial)
    if learned is None:
        return Judged(INTRINSICS, missing=(
            f"focal lengths that are wrong by more than {percent(limits.focal)}, or a principal point off by more than "
            f"{percent(limits.aside)} of the width: smaller errors this probe cannot tell from none",))
    if _known_offset(learned, lens):
        return Judged(INTRINSICS, missing=("cameras whose principal point the trainer used",))
    rows = (*words.lens_rows(learned, limits.focal, limits.aside), *words.trial_rows(trial, limits.gain_db))
    says = words.lens_sentence(trial, learned)
    return Judged(INTRINSICS, words.intrinsics_finding(learned, says, rows, limits.focal, (at, at)))


def _centre(learned: LensFound | None, trial: LensTrial | Lacks, lens: Lens | None, limits: Limits, at: int) -> Judged:
    """Only where the model holds a principal point beside the centre can a trainer have ignored it."""
    if lens is None:
        return Judged(CENTRE, missing=("the cameras' principal points (the COLMAP model with --data)",))
    if not lens.centred:
        return Judged(CENTRE)
    if isinstance(trial, tuple):
        return Judged(CENTRE, missing=trial)
    if learned is None or not _known_offset(learned, lens):
        return Judged(CENTRE, missing=(f"a principal point off by more than {percent(limits.aside)} of the width",))
    rows = (*words.lens_rows(learned, limits.focal, limits.aside), *words.trial_rows(trial, limits.gain_db))
    return Judged(CENTRE, words.centre_finding(lens, words.lens_sentence(trial, learned), rows, (at, at)))


def _known_offset(learned: LensFound, lens: Lens | None) -> bool:
    """The learned principal point is the one that the model holds and the trainer did not use."""
    if lens is None or not lens.centred:
        return False
    known = np.array(offset_px(lens.off_centre[0])) / lens.off_centre[0].size_px[0]
    return float(np.hypot(*(learned.lens[1:] - known))) < AGREES * float(np.hypot(*known))


def _kept_rows(kept: LensFound | None, limits: Limits, at: int) -> tuple[EvidenceRow, ...]:
    return () if kept is None else words.lens_rows(kept, limits.kept.focal, limits.kept.aside, at)


def _trial_rows(trial: LensTrial | Lacks, learned: LensFound | None, limits: Limits) -> tuple[EvidenceRow, ...]:
    if isinstance(trial, tuple) or learned is None:
        return ()
    return (*words.lens_rows(learned, limits.focal, limits.aside), *words.trial_rows(trial, limits.gain_db))


def _done(found: Looked, trial: LensTrial | Lacks) -> dict[str, Any]:
    """What was reduced, and how."""
    told: dict[str, object] = {"training views": f"{len(found.shown)} of {len(found.names)}"}
    if found.fewer:
        told["fewer views"] = found.fewer
    if found.lens is not None:
        told["places measured"] = "through the lens that all photos ask for"
    if not isinstance(trial, tuple):
        width, height = trial.size_px
        told["short trainings"] = (f"{len(STARTS) + 2} of {trial.steps} steps, {trial.views} views of {width} × {height} px, "
                                   f"{trial.points:,} first points")
    return found.drawn.told(**told)
