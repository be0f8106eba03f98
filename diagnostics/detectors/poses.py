"""Camera poses that do not fit the photos."""

import numpy as np

from diagnostics.facts.lens import Lens
from diagnostics.facts.pictures import DRAWN, View
from diagnostics.facts.registration import PoseDifference, Reprojection
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, NotEvaluable
from runs.cameras import Camera

NAMES_IN_A_SENTENCE = 4


@detects("wrong-camera-poses")
def wrong_camera_poses(
    train_cameras: tuple[Camera, ...], reprojection: Reprojection | None = None, pose_differences: PoseDifference | None = None,
    photographed: tuple[View, ...] | None = None, lens: Lens | None = None, *, times_model: float = 5.0, least_px: float = 1.0,
    explained: float = 0.08, shift_px: float = 0.15, alike: float = 0.3, trusted_px: float = 1.0, fewest_views: int = 6,
) -> Finding | NotEvaluable | None:
    """SfM points fall beside their keypoints, or photos fit a shifted render much better.

    Where the trainer ignored the principal point, shifts may come from that: then only the keypoints are asked. Shifts that
    intrinsics may have caused accuse no pose either.
    """
    ignored = lens is not None and lens.centred
    views = [view for view in photographed or () if view.shift is not None and not ignored]
    if reprojection is None and len(views) < fewest_views:
        photos = "" if ignored else f"photos of at least {fewest_views} training views, or "
        return NotEvaluable((f"{photos}the COLMAP model's keypoints (--data)",))
    trained = {camera.name for camera in train_cameras}
    missed = _missed(reprojection, trained, max(least_px, times_model * reprojection.model_px) if reprojection else 0.0)
    moved = _moved(views, explained, shift_px) if len(views) >= fewest_views else ()
    if not missed and not moved:
        return None
    doubt = "" if missed else _doubt(views, reprojection, alike, trusted_px)
    if doubt:
        return NotEvaluable((doubt,))
    names, looked_at = (missed, f"{len(trained)} training cameras") if missed else (moved, f"{len(views)} training views drawn")
    return Finding(
        _says(names, looked_at, reprojection, views),
        evidence=(*_reprojection_rows(reprojection, missed, times_model, least_px), *_pose_rows(pose_differences, names),
                  *_shift_rows(views, explained, shift_px)),
        cameras=names, confidence=0.97 if missed else 0.8,
        facts={"wrong": len(names), "of": looked_at},
    )


def _missed(found: Reprojection | None, trained: set[str], limit_px: float) -> tuple[str, ...]:
    """Training cameras whose keypoints are missed by more than the limit, worst first."""
    if found is None:
        return ()
    bad = [(error, name) for name, error in found.median_px.items() if name in trained and error > limit_px]
    return tuple(name for _, name in sorted(bad, reverse=True))


def _moved(views: list[View], explained: float, shift_px: float) -> tuple[str, ...]:
    """Views that fit better after a shift, worst first; only where that is the rule and not one odd photo."""
    shifts = [view.shift for view in views if view.shift is not None]
    if not (np.median([s.explained for s in shifts]) > explained and np.median([s.length_px for s in shifts]) > shift_px):
        return ()
    bad = [(view.shift.length_px, view.camera.name) for view in views
           if view.shift is not None and view.shift.explained > explained]
    return tuple(name for _, name in sorted(bad, reverse=True))


def _doubt(views: list[View], found: Reprojection | None, alike: float, trusted_px: float) -> str:
    """What would be needed before shifts tell of poses; "" where they do: each wrong pose moves its view another way."""
    shifts = np.array([(view.shift.x_px, view.shift.y_px) for view in views if view.shift is not None])
    common = np.median(shifts, axis=0)
    length, apart = (float(np.median(np.linalg.norm(vectors, axis=1))) for vectors in (shifts, shifts - common))
    if apart < alike * length:
        return (f"a principal point that fits the photos (all {len(shifts)} views drawn lie {length:.1f} px beside them in the "
                "same direction: intrinsics do that, poses hardly)")
    if found is not None and found.model_px > trusted_px:
        return (f"a COLMAP model whose poses and intrinsics fit each other (its own points miss their keypoints by "
                f"{found.model_px:.2f} px)")
    return ""


def _says(names: tuple[str, ...], looked_at: str, found: Reprojection | None, views: list[View]) -> str:
    parts = []
    errors = [found.median_px[name] for name in names if name in found.median_px] if found is not None else []
    if found is not None and errors:
        parts.append(f"the COLMAP points miss their keypoints by {np.median(errors):.1f} px where the model's own poses miss by "
                     f"{found.model_px:.2f} px")
    shifts = [view.shift for view in views if view.shift is not None]
    if shifts:
        parts.append(f"renders lie {np.median([s.length_px for s in shifts]):.1f} px beside the photos")
    listed = ", ".join(names[:NAMES_IN_A_SENTENCE]) + (" …" if len(names) > NAMES_IN_A_SENTENCE else "")
    return f"{len(names)} of {looked_at} stand wrong ({listed}): {' and '.join(parts)}"


def _reprojection_rows(
    found: Reprojection | None, missed: tuple[str, ...], times_model: float, least_px: float,
) -> tuple[EvidenceRow, ...]:
    if found is None:
        return ()
    limit = max(least_px, times_model * found.model_px)
    worst = max((found.median_px[name] for name in missed), default=None)
    return (
        EvidenceRow("training cameras whose keypoints are missed", len(missed), 0, "cameras", None, found.source),
        EvidenceRow("median reprojection error, worst camera", worst, limit, "px", None, found.source),
        EvidenceRow("median reprojection error under the model's own poses", found.model_px, None, "px", None, found.source),
    )


def _pose_rows(found: PoseDifference | None, names: tuple[str, ...]) -> tuple[EvidenceRow, ...]:
    known = [name for name in names if found is not None and name in found.angle_deg]
    if found is None or not known:
        return ()
    return (
        EvidenceRow("turned against the COLMAP model, median of these cameras",
                    float(np.median([found.angle_deg[name] for name in known])), None, "degrees", None, found.source),
        EvidenceRow("moved against the COLMAP model, median of these cameras",
                    float(np.median([found.distance[name] for name in known])), None, "world units", None, found.source),
    )


def _shift_rows(views: list[View], explained: float, shift_px: float) -> tuple[EvidenceRow, ...]:
    shifts = [view.shift for view in views if view.shift is not None]
    if not shifts:
        return ()
    length, gain = (float(np.median(values)) for values in ([s.length_px for s in shifts], [s.explained for s in shifts]))
    return (
        EvidenceRow(f"residual shift between render and photo {DRAWN}, median", length, shift_px, "px", None, "training photos"),
        EvidenceRow("part of their squared difference that the shift explains, median", gain, explained, "share", None,
                    "training photos"),
    )
