"""Cloud and cameras in different frames: axes flipped for the whole world or for each camera, or a cloud of another size."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from diagnostics.facts.cameras import Visibility
from diagnostics.facts.colours import PhotoFit
from diagnostics.facts.frames import INVERTED, MOVED, STRETCHED, TURNED_DEG, CloudFrame
from diagnostics.facts.resected import Resected
from diagnostics.measures.conventions import best_conversion
from diagnostics.measures.shares import share
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding
from diagnostics.wording import percent
from runs.cameras import Camera
from runs.points import PointCloud

HARDLY_ANY = 0.05  # of the points: then the frames differ, whether or not a usual conversion repairs it


@dataclass(frozen=True)
class _Told:
    """What one sign says: a sentence, the conversion that would repair it, and the measurements."""

    says: str
    repair: str | None
    rows: tuple[EvidenceRow, ...]
    confidence: float = 0.95


@detects("cloud-and-cameras-in-different-frames")
def different_frames(
    start_points: PointCloud, train_cameras: tuple[Camera, ...], initial_visibility: Visibility,
    camera_flips: Mapping[str, float] | None = None, photo_fit: PhotoFit | None = None, cloud_frame: CloudFrame | None = None,
    resected: Resected | None = None, *, inside: float = 0.5, converted: float = 0.9, turned_deg: float = TURNED_DEG,
    repaired: float = 0.6, stretched: float = STRETCHED, moved: float = MOVED,
) -> Finding | None:
    """Cameras flipped against the COLMAP model or the photos, a cloud scaled against it, or points that no picture shows."""
    told = (_flipped_cameras(camera_flips, turned_deg) or _flipped_pictures(photo_fit, repaired)
            or _other_cloud(cloud_frame, "the COLMAP model's points", stretched, moved, turned_deg)
            or _refuted_cloud(resected, stretched, moved, turned_deg)
            or _unseen(start_points, train_cameras, initial_visibility, inside, converted))
    if told is None:
        return None
    seen = share(initial_visibility.views > 0)
    return Finding(
        told.says,
        evidence=(*told.rows, EvidenceRow("initial points inside at least one training picture", seen, inside, "share", None,
                                          start_points.source)),
        cameras=tuple(camera.name for camera in train_cameras), confidence=told.confidence, facts={"repair": told.repair},
    )


def _flipped_cameras(flips: Mapping[str, float] | None, turned_deg: float) -> _Told | None:
    """Against the poses of the COLMAP model."""
    if flips is None or flips[""] <= turned_deg:
        return None
    best = min((name for name in flips if name), key=lambda name: flips[name])
    if flips[best] > turned_deg:
        return None
    return _Told(
        f"The cameras look {flips['']:.0f} degrees away from where the COLMAP model's look; with {best} they agree to "
        f"{flips[best]:.1f} degrees: {'the poses' if best == INVERTED else 'the axes of the cameras'} were not converted",
        best,
        (EvidenceRow("cameras against the COLMAP model's, median angle", flips[""], turned_deg, "degrees", None, "COLMAP model"),
         EvidenceRow(f"the same with {best}", flips[best], turned_deg, "degrees", None, "COLMAP model")),
    )


def _flipped_pictures(fit: PhotoFit | None, repaired: float) -> _Told | None:
    """Against the photos: points have the colours that the photos show only under flipped camera axes."""
    if fit is None or not fit.axes or not np.isfinite(fit.with_axes):
        return None
    now = fit.test.found if np.isfinite(fit.test.found) else 1.0  # no point in any picture agrees with nothing
    if fit.with_axes >= repaired * min(now, fit.axes_chance) or fit.with_axes >= fit.with_focal:
        return None
    rows = (EvidenceRow("difference between point colours and photos (better 30 % of pairs, 0 to 1), as it is",
                        fit.test.found if np.isfinite(fit.test.found) else None, None, "", None, fit.test.source),
            EvidenceRow(f"the same with {fit.axes}", fit.with_axes, repaired * now, "", None, fit.test.source))
    return _Told(f"The points have the colours that the photos show only with {fit.axes} (difference {fit.with_axes:.3f}, "
                 f"colours from 0 to 1): the axes of the cameras were not converted", fit.axes, rows)


def _other_cloud(frame: CloudFrame | None, than: str, stretched: float, moved: float, turned_deg: float) -> _Told | None:
    """Against the same points elsewhere, as far as the cameras did not move along."""
    if frame is None or not frame.differs(stretched, moved, turned_deg):
        return None
    large, turned = bool(abs(np.log(frame.scale)) > stretched), frame.angle_deg > turned_deg
    told = [f"{frame.scale:.3g} times as large as"] * large + [f"turned by {frame.angle_deg:.0f} degrees against"] * turned
    if not told:
        told = [f"moved by {frame.shift:.2g} times its own spread against"]
    return _Told(
        f"The start cloud is {' and '.join(told)} {than}, while the cameras stand where they should",
        f"the start cloud × {1 / frame.scale:.3g}" if large else None,
        (EvidenceRow(f"size of the start cloud over that of {than}", frame.scale, f"1 ± {stretched:g}", "", None, frame.source),
         EvidenceRow(f"turned against {than}", frame.angle_deg, turned_deg, "degrees", None, frame.source),
         EvidenceRow(f"moved against {than}, in parts of their spread", frame.shift, moved, "", None, frame.source)),
    )


def _refuted_cloud(found: Resected | None, stretched: float, moved: float, turned_deg: float) -> _Told | None:
    """Against the keypoints: the cameras agree where the points are, and the model has them elsewhere."""
    told = None if found is None else _other_cloud(
        found.frame, "where the cameras see its points", stretched, moved, turned_deg)
    if found is None or told is None:
        return None
    source = found.frame.source
    return replace(told, rows=(
        *told.rows,
        EvidenceRow("median distance between the cloud's points and their keypoints", found.missed_px, None, "px", None, source),
        EvidenceRow("the same for points placed anew from the keypoints", found.agreed_px, None, "px", None, source)))


def _unseen(
    start_points: PointCloud, cameras: tuple[Camera, ...], visibility: Visibility, inside: float, converted: float,
) -> _Told | None:
    """Hardly any initial point lies in any picture, and one of the usual axis conversions would put them there."""
    seen = share(visibility.views > 0)
    if seen >= inside:
        return None
    repair, shown = best_conversion(visibility.points, cameras)
    if shown < converted and seen >= HARDLY_ANY:  # not a matter of axes: see far-initialisation
        return None
    hint = f"With {repair} it would be {percent(shown)}" if shown >= converted else (
        "None of the usual axis conversions repairs it")
    told = f"Only {percent(seen)}" if seen else "None"
    return _Told(
        f"{told} of {len(start_points):,} initial points lie inside any training picture. {hint}",
        repair if shown >= converted else None,
        (EvidenceRow(f"the same with {repair}", shown, converted, "share", None, start_points.source),),
    )
