"""Camera poses that do not fit the photos."""

from dataclasses import dataclass

import numpy as np

from diagnostics.facts.lens import Lens
from diagnostics.facts.matched import LEARNED, Matches
from diagnostics.facts.pictures import DRAWN, View
from diagnostics.facts.posed import PoseFit, Stranger
from diagnostics.facts.registration import PoseDifference, Reprojection
from diagnostics.facts.resected import Resected
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, NotEvaluable
from runs.cameras import Camera

NAMES_IN_A_SENTENCE = 4
FEW = 3  # times as many cameras as are wrong, at least, before a training without those is worth a thought


@detects("wrong-camera-poses")
def wrong_camera_poses(
    train_cameras: tuple[Camera, ...], reprojection: Reprojection | None = None, pose_differences: PoseDifference | None = None,
    photographed: tuple[View, ...] | None = None, lens: Lens | None = None, pose_fit: PoseFit | None = None,
    strangeness: tuple[Stranger, ...] | None = None, resected: Resected | None = None, matches: Matches | None = None,
    *, times_model: float = 5.0, least_px: float = 1.0, times_stored: float = 3.0, least_stored_px: float = 0.3,
    most: float = 0.02, repaired: float = 0.9, explained: float = 0.08, shift_px: float = 0.15, alike: float = 0.3,
    trusted_px: float = 1.0, fewest_views: int = 6, strange: float = 2.5, unrelated: float = 0.6, unlearned: float = 0.65,
) -> Finding | NotEvaluable | None:
    """SfM points fall beside their keypoints, photos fit the COLMAP model's poses or a shifted render much better, or a few
    photos have nothing to do with what their cameras see.

    Where the trainer ignored the principal point, shifts may come from that: then only the keypoints are asked. What one lens
    for all cameras explains accuses no pose.
    """
    ignored = lens is not None and lens.centred
    views = [view for view in photographed or () if view.shift is not None and not ignored]
    if reprojection is None and pose_fit is None and len(views) < fewest_views:
        photos = "" if ignored else f"photos of at least {fewest_views} training views, or "
        return NotEvaluable((f"{photos}the COLMAP model's keypoints (--data)",))
    trained = {camera.name for camera in train_cameras}
    stored = reprojection is not None and reprojection.stored_px is not None
    limit_px = _limit_px(reprojection, *((times_stored, least_stored_px) if stored else (times_model, least_px)), most)
    other_cloud = resected is not None and resected.frame.differs()  # then points accuse no camera
    by_keypoints = () if other_cloud else _missed(reprojection, trained, limit_px)
    by_colours = () if other_cloud else _recoloured(pose_fit, repaired) or _strangers(strangeness, strange, unrelated)
    proved = reprojection is not None and reprojection.proves_poses  # then another reason moves or ruins the renders
    by_shifts = _moved(views, explained, shift_px) if len(views) >= fewest_views and not proved else ()
    if not by_keypoints and not by_colours and not by_shifts:
        return None
    doubt = "" if by_keypoints or by_colours else (
        _unlearned(matches, views, unlearned) or _doubt(views, reprojection, alike, trusted_px))
    if doubt:
        return NotEvaluable((doubt,))
    names = by_keypoints or by_colours or by_shifts
    looked_at = f"{len(trained)} training cameras" if by_keypoints or by_colours else f"{len(views)} training views drawn"
    return Finding(
        _says(names, looked_at, _Told(reprojection, by_keypoints, pose_fit if _recoloured(pose_fit, repaired) else None,
                                      bool(by_colours), views)),
        evidence=(*_reprojection_rows(reprojection, by_keypoints, limit_px), *_colour_rows(pose_fit, repaired),
                  *_strange_rows(strangeness, by_colours, strange), *_pose_rows(pose_differences, names),
                  *_shift_rows(views, explained, shift_px)),
        cameras=names, confidence=0.97 if by_keypoints else 0.9 if by_colours else 0.8,
        facts={"wrong": len(names), "of": looked_at, **({"few": len(names)} if FEW * len(names) <= len(trained) else {})},
    )


def _limit_px(found: Reprojection | None, times: float, least_px: float, most: float) -> float:
    """A model that says of itself that its points lie far beside is not excused by it."""
    if found is None:
        return 0.0
    widest = most * found.longest_px if found.longest_px else np.inf
    return max(least_px, min(times * found.expected_px, widest))


def _recoloured(fit: PoseFit | None, repaired: float) -> tuple[str, ...]:
    """Cameras that do not stand where the COLMAP model puts them, if the photos fit the model's places better."""
    return fit.differing if fit is not None and fit.with_model < repaired * fit.found else ()


def _strangers(found: tuple[Stranger, ...] | None, strange: float, unrelated: float) -> tuple[str, ...]:
    """A few photos among many that agree with the points: they were taken from somewhere else, or of something else."""
    if found is None or float(np.median([one.of_chance for one in found])) > unrelated:
        return ()
    odd = sorted((one for one in found if one.times_usual > strange and one.of_chance > unrelated),
                 key=lambda one: -one.of_chance)
    return tuple(one.name for one in odd) if 2 * len(odd) < len(found) else ()


def _missed(found: Reprojection | None, trained: set[str], limit_px: float) -> tuple[str, ...]:
    """Training cameras whose keypoints are missed by more than the limit, worst first."""
    if found is None:
        return ()
    bad = [(error, name) for name, error in found.blamed_on_poses_px.items() if name in trained and error > limit_px]
    return tuple(name for _, name in sorted(bad, reverse=True))


def _moved(views: list[View], explained: float, shift_px: float) -> tuple[str, ...]:
    """Views that fit better after a shift, worst first; only where that is the rule and not one odd photo."""
    shifts = [view.shift for view in views if view.shift is not None]
    if not (np.median([s.explained for s in shifts]) > explained and np.median([s.length_px for s in shifts]) > shift_px):
        return ()
    bad = [(view.shift.length_px, view.camera.name) for view in views
           if view.shift is not None and view.shift.explained > explained]
    return tuple(name for _, name in sorted(bad, reverse=True))


def _unlearned(matches: Matches | None, views: list[View], limit: float) -> str:
    """A misplaced render shows the photo once it is moved; one that was hardly learned fits a little better after any shift."""
    left = 1 - float(np.median([view.shift.explained for view in views if view.shift is not None]))
    return LEARNED if matches is not None and left * matches.unexplained > limit else ""


def _doubt(views: list[View], found: Reprojection | None, alike: float, trusted_px: float) -> str:
    """What would be needed before shifts tell of poses; "" where they do: each wrong pose moves its view another way."""
    shifts = np.array([(view.shift.x_px, view.shift.y_px) for view in views if view.shift is not None])
    common = np.median(shifts, axis=0)
    length, apart = (float(np.median(np.linalg.norm(vectors, axis=1))) for vectors in (shifts, shifts - common))
    if apart < alike * length:
        return (f"a principal point that fits the photos (all {len(shifts)} views drawn lie {length:.1f} px beside them in the "
                "same direction: intrinsics do that, poses hardly)")
    if found is not None and found.is_lens:
        return (f"intrinsics that fit the photos (a lens {found.lens.zoom:.3g} times as long and {found.lens.shift_px:.1f} px "
                "aside explains what the model's points miss their keypoints by)")
    if found is not None and found.stored_px is None and found.model_px > trusted_px:
        return (f"a COLMAP model whose poses and intrinsics fit each other (its own points miss their keypoints by "
                f"{found.model_px:.2f} px)")
    return ""


@dataclass(frozen=True)
class _Told:
    """What the sentence may tell."""

    keypoints: Reprojection | None
    missed: tuple[str, ...]
    fit: PoseFit | None  # only where it accuses
    coloured: bool
    views: list[View]


def _says(names: tuple[str, ...], looked_at: str, told: _Told) -> str:
    parts = []
    errors = [told.keypoints.blamed_on_poses_px[name] for name in told.missed] if told.keypoints is not None else []
    if told.keypoints is not None and errors and not np.isfinite(np.median(errors)):
        parts.append("every COLMAP point lies behind them")
    elif told.keypoints is not None and errors:
        whose = "the model says" if told.keypoints.stored_px is not None else "the model's own poses miss by"
        parts.append(f"the COLMAP points miss their keypoints by {np.median(errors):.1f} px where {whose} "
                     f"{told.keypoints.expected_px:.2f} px")
    elif told.fit is not None:
        parts.append(f"points and photos differ in colour by {told.fit.found:.3f}, under the COLMAP model's poses by "
                     f"{told.fit.with_model:.3f}")
    elif told.coloured:
        parts.append("their photos show other colours than the points they should see, while all other photos agree")
    shifts = [view.shift for view in told.views if view.shift is not None]
    if shifts and not (told.coloured and told.fit is None and not errors):
        parts.append(f"renders lie {np.median([s.length_px for s in shifts]):.1f} px beside the photos")
    listed = ", ".join(names[:NAMES_IN_A_SENTENCE]) + (" …" if len(names) > NAMES_IN_A_SENTENCE else "")
    return f"{len(names)} of {looked_at} stand wrong ({listed}): {' and '.join(parts)}"


def _reprojection_rows(found: Reprojection | None, missed: tuple[str, ...], limit_px: float) -> tuple[EvidenceRow, ...]:
    if found is None:
        return ()
    finite = [found.blamed_on_poses_px[name] for name in missed if np.isfinite(found.blamed_on_poses_px[name])]
    return (
        EvidenceRow("training cameras whose keypoints are missed", len(missed), 0, "cameras", None, found.source),
        EvidenceRow("median reprojection error, worst camera", max(finite, default=None), limit_px, "px", None, found.source),
        EvidenceRow("median reprojection error under the model's own poses", _finite(found.model_px), None, "px", None,
                    found.source),
        EvidenceRow("median error that the model records for its points", found.stored_px, None, "px", None, found.source),
    )


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _colour_rows(fit: PoseFit | None, repaired: float) -> tuple[EvidenceRow, ...]:
    if fit is None or not fit.looked_at or not np.isfinite(fit.found):
        return ()
    return (
        EvidenceRow("cameras that do not stand where the COLMAP model puts them", len(fit.differing), 0, "cameras", None,
                    fit.source),
        EvidenceRow("difference between point colours and their photos (better 30 % of pairs, 0 to 1)", fit.found, None, "", None,
                    "training photos"),
        EvidenceRow("the same under the poses of the COLMAP model", _finite(fit.with_model), repaired * fit.found, "", None,
                    "training photos"),
    )


def _strange_rows(found: tuple[Stranger, ...] | None, names: tuple[str, ...], strange: float) -> tuple[EvidenceRow, ...]:
    odd = [one.times_usual for one in found or () if one.name in names]
    if not odd:
        return ()
    return (EvidenceRow("difference between point colours and these photos, over that of the median photo, median",
                        float(np.median(odd)), strange, "", None, "training photos"),)


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
