"""What the pose probe found, in sentences, rows and findings."""

from dataclasses import dataclass

import numpy as np

from diagnostics.facts.lens import Lens, offset_px
from diagnostics.probes.pose_found import Moved, Moves, PoseLimits
from diagnostics.probes.pose_lens import LensTrial
from diagnostics.verdict import EvidenceRow, Finding, Severity
from diagnostics.wording import percent
from runs.arrays import F64
from runs.cameras import Camera

PHOTOS, ANEW = "photos and renders", "short trainings"
NAMES_IN_A_SENTENCE, NAMES_IN_ROWS, NAMES_IN_A_FINDING = 4, 4, 1
OTHER_LENS = ("The model was trained through another lens than these cameras have: the Gaussians, kept as they are, fit all "
              "photos better through it. Cameras were written or rescaled wrongly after training, or belong to another one.")


@dataclass(frozen=True, eq=False)
class LensFound:
    """A lens that all photos ask for."""

    lens: F64  # float64 [3], LENS
    kept: bool  # with the Gaussians as they are; else while new ones form
    camera: Camera  # one of the run's, at the size that trained
    cameras: tuple[str, ...]

    @property
    def factor(self) -> float:
        """On the focal lengths."""
        return float(np.exp(self.lens[0]))

    @property
    def aside_px(self) -> tuple[float, float]:
        """By how much the principal point moves right and down, px at the size that trained."""
        width = self.camera.size_px[0]
        return float(self.lens[1] * width), float(self.lens[2] * width)

    @property
    def aside(self) -> float:
        """The same length, as a share of the width."""
        return float(np.hypot(*self.lens[1:]))


def poses_sentence(moves: Moves) -> str:
    """Which cameras stand wrong, and by how much at least."""
    wrong = moves.wrong
    listed = ", ".join(one.name for one in wrong[:NAMES_IN_A_SENTENCE]) + (" …" if len(wrong) > NAMES_IN_A_SENTENCE else "")
    return (f"{len(wrong)} of {len(moves.each)} training views fit their photos clearly better from another place ({listed}): "
            f"their cameras are turned by at least {moves.of_wrong('turn_deg'):.2g}° and shifted by at least "
            f"{percent(moves.of_wrong('shift_share'))} of the distance to the scene (medians), which moves the picture by "
            f"{moves.of_wrong('full_px'):.2g} px and is worth {_gain(moves):.1f} dB; the other views move it by "
            f"{_others(moves):.2g} px")


def _gain(moves: Moves) -> float:
    return float(np.median([one.psnr_after - one.psnr_before for one in moves.wrong]))


def _others(moves: Moves) -> float:
    rest = [one.full_px for one in moves.each if one not in moves.wrong]
    return float(np.median(rest)) if rest else float("nan")


def calm_sentence(moves: Moves) -> str:
    """What was measured where no camera is to blame."""
    return (f"No camera is clearly better off in another place: the best move of each displaces its picture by "
            f"{moves.median('full_px'):.2g} px (median of {len(moves.each)} training views) and explains "
            f"{percent(max(0.0, moves.median('explained')))} of what render and photo differ by")


def lens_sentence(trial: LensTrial, found: LensFound) -> str:
    """What the short trainings say, whether or not it is enough to accuse."""
    right, down = found.aside_px
    return (f"In the same short training, focal lengths × {found.factor:.3g} and a principal point {abs(right):.1f} px farther "
            f"{'right' if right > 0 else 'left'} and {abs(down):.1f} px farther {'down' if down > 0 else 'up'} give "
            f"{trial.psnr:.1f} instead of {trial.psnr_as_is:.1f} dB")


def kept_sentence(found: LensFound) -> str:
    """With the Gaussians as they are, all views ask for the same lens."""
    right, down = found.aside_px
    return (f"With the Gaussians kept, all photos fit better through focal lengths × {found.factor:.3g} and a principal point "
            f"{abs(right):.1f} px farther {'right' if right > 0 else 'left'} and {abs(down):.1f} px farther "
            f"{'down' if down > 0 else 'up'}")


def pose_rows(moves: Moves, limits: PoseLimits, at: int, most: int = NAMES_IN_ROWS) -> tuple[EvidenceRow, ...]:
    """Medians over all views, then at most so many of the worst cameras, one by one."""
    worst = moves.wrong or tuple(sorted(moves.each, key=lambda one: -one.motion_px))[:1]
    return (
        EvidenceRow("views that fit clearly better from another place", len(moves.wrong), 0, "views", at, PHOTOS),
        EvidenceRow("motion of the picture by the camera's own move, median of the views", moves.median("full_px"),
                    None, "px", at, PHOTOS),
        EvidenceRow("the same in pictures of the size of the probe", moves.median("motion_px"), limits.motion_px, "px", at,
                    PHOTOS),
        EvidenceRow("part of the squared difference that the move explains, median", moves.median("explained"), limits.explained,
                    "share", at, PHOTOS),
        EvidenceRow("motion by what all cameras share (a drift of the model, one lens), for which none is blamed, median",
                    moves.common_px, None, "px in pictures of the size of the probe", at, PHOTOS),
        *(row for one in worst[:most] for row in _camera_rows(one, limits, at)),
    )


def _camera_rows(one: Moved, limits: PoseLimits, at: int) -> tuple[EvidenceRow, ...]:
    return (
        EvidenceRow(f"{one.name}: motion of the picture, at least", one.full_px, None, "px", at, PHOTOS),
        EvidenceRow(f"{one.name}: the same in pictures of the size of the probe", one.motion_px, limits.motion_px, "px", at,
                    PHOTOS),
        EvidenceRow(f"{one.name}: its uncertainty", one.uncertainty_px, one.motion_px / limits.certain, "px", at, PHOTOS),
        EvidenceRow(f"{one.name}: turned by at least", one.turn_deg, None, "degrees", at, PHOTOS),
        EvidenceRow(f"{one.name}: shifted by at least ({percent(one.shift_share)} of the distance to the scene)", one.shift, None,
                    "world units", at, PHOTOS),
        EvidenceRow(f"{one.name}: PSNR before", one.psnr_before, None, "dB", at, PHOTOS),
        EvidenceRow(f"{one.name}: PSNR from there", one.psnr_after, None, "dB", at, PHOTOS),
        EvidenceRow(f"{one.name}: part of the squared difference explained", one.explained, limits.explained, "share", at,
                    PHOTOS),
    )


def lens_rows(found: LensFound, focal: float, aside: float, at: int | None = None) -> tuple[EvidenceRow, ...]:
    """Factor and shift with the limits they are held against."""
    how = "Gaussians kept" if found.kept else "trained anew"
    source = PHOTOS if found.kept else ANEW
    right, down = found.aside_px
    return (
        EvidenceRow(f"factor on focal lengths that photos ask for, {how}", found.factor, f"1 ± {focal:g}", "", at, source),
        EvidenceRow(f"shift of the principal point that photos ask for, {how}", found.aside, aside, "of the width", at, source),
        EvidenceRow("the same to the right, at the size that trained", right, None, "px", at, source),
        EvidenceRow("the same downwards", down, None, "px", at, source),
    )


def trial_rows(trial: LensTrial, gain_db: float) -> tuple[EvidenceRow, ...]:
    """The short trainings against each other."""
    return (
        EvidenceRow("PSNR gained by that lens in a short training, all views", trial.gain_db, gain_db, "dB", None, ANEW),
        EvidenceRow("PSNR of that training with the cameras as they are", trial.psnr_as_is, None, "dB", None, ANEW),
        EvidenceRow("PSNR with the other lens", trial.psnr, None, "dB", None, ANEW),
    )


def pose_finding(moves: Moves, limits: PoseLimits, at: int, serious: float) -> Finding:
    """Cameras stand wrong."""
    share = len(moves.wrong) / len(moves.each)
    return Finding(
        poses_sentence(moves), pose_rows(moves, limits, at, NAMES_IN_A_FINDING), iterations=(at, at),
        cameras=tuple(one.name for one in moves.wrong), confidence=0.9, severity="critical" if share > serious else "major",
        facts={"wrong": len(moves.wrong), "of": f"{len(moves.each)} training cameras looked at"},
    )


def intrinsics_finding(
    found: LensFound, says: str, rows: tuple[EvidenceRow, ...], focal: float, span: tuple[int, int],
) -> Finding:
    """Another lens fits the photos; the facts are those that the fixes in the catalogue quote."""
    far = abs(float(found.lens[0])) > focal
    right, down = found.aside_px
    facts = {"factor": f"{1 / found.factor:.3g}", "repair": f"{found.factor:.3g}"} if far else {
        "right": f"{right:+.1f}", "down": f"{down:+.1f}"}
    severity: Severity = "critical" if abs(float(found.lens[0])) > 2 * focal else "major"
    return Finding(says, rows, iterations=span, cameras=found.cameras, confidence=0.9, severity=severity,
                   cause=OTHER_LENS if found.kept else "", facts=facts)


def centre_finding(lens: Lens, says: str, rows: tuple[EvidenceRow, ...], span: tuple[int, int]) -> Finding:
    """The photos ask for the principal point that the model holds and the trainer ignored."""
    camera = lens.off_centre[0]
    pixels = max(map(abs, offset_px(camera)))
    return Finding(
        f"{says}; the COLMAP model holds a principal point {pixels:.1f} px from the image centre, which the trainer ignored",
        rows, iterations=span, cameras=tuple(one.name for one in lens.off_centre), confidence=0.95,
        facts={"offset_px": f"{pixels:.1f}", "camera": camera.name},
    )
