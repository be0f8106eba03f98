"""Faults of the capture: camera positions that blow up the extent, a start cloud that is too wide, a world too small."""

from collections.abc import Iterable

import numpy as np

from diagnostics.facts import habits, taken  # noqa: F401  (scaled_by_extent, trainer)
from diagnostics.facts.cameras import Visibility
from diagnostics.facts.registration import Reprojection
from diagnostics.measures.conventions import best_conversion
from diagnostics.measures.extent import FAR, CameraSpread
from diagnostics.measures.frusta import seen_by
from diagnostics.measures.shares import share
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, NotEvaluable
from diagnostics.wording import percent
from render.projection import NEAR
from runs.cameras import Camera
from runs.points import PointCloud
from runs.run import Trainer

# Their rasterisers descend from INRIA's and keep its near plane (render.projection.NEAR); others have another or none.
NEAR_PLANE_OF_INRIA = frozenset({
    "inria", "3dgs-mcmc", "mip-splatting", "deformable-3dgs", "scaffold-gs", "4dgaussians", "2dgs", "lightgaussian", "absgs",
    "efa-gs", "taming", "fastgs",
})
SCALED_UP = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
NEGLIGIBLE = 0.001  # of the pairs: outliers of the cloud
ROOM = 2.0  # Gaussians grow before the points that they start from
NAMES_IN_A_SENTENCE = 4


@detects("extent-inflated-by-outlier-cameras")
def inflated_extent(
    train_cameras: tuple[Camera, ...], cameras_spread: CameraSpread, scaled_by_extent: bool,  # noqa: ARG001
    *, inflation: float = 3.0, reach: float = FAR, most_far: float = 0.1, huge: float = 40.0, most_far_if_huge: float = 0.2,
    fewest: int = 8,
) -> Finding | None:
    """A few far cameras make the extent large, and with it the learning rate of the means and every size threshold."""
    spread = cameras_spread
    far = np.flatnonzero(spread.distances > reach * spread.median_distance)
    most = int((most_far_if_huge if spread.inflation > huge else most_far) * len(train_cameras))
    if len(train_cameras) < fewest or not 0 < len(far) <= most or not spread.inflation > inflation:
        return None
    names = tuple(train_cameras[i].name for i in far[np.argsort(-spread.distances[far])])
    return Finding(
        f"The cameras' extent is {spread.extent:.3g} world units; without {len(names)} far cameras ({_listed(names)}) it would "
        f"be {spread.robust_extent:.3g}: the learning rate of the means is {spread.inflation:.3g} times what the others ask for",
        evidence=(
            EvidenceRow("extent over extent without the far cameras", spread.inflation, inflation, "", None, "cameras"),
            EvidenceRow("largest over median camera distance", spread.reach, reach, "", None, "cameras"),
            EvidenceRow("extent (1.1 × largest distance from the mean)", spread.extent, None, "world units", None, "cameras"),
            EvidenceRow("extent without the far cameras", spread.robust_extent, None, "world units", None, "cameras"),
            EvidenceRow("far cameras", len(far), most, "cameras", None, "cameras"),
        ),
        cameras=names, confidence=0.95, facts={"outliers": len(names), "names": ", ".join(names), "inflation": spread.inflation},
    )


@detects("far-initialisation")
def far_initialisation(
    start_points: PointCloud, train_cameras: tuple[Camera, ...], initial_visibility: Visibility,
    sfm_points: PointCloud | None = None, reprojection: Reprojection | None = None, *, unseen: float = 0.1, views: int = 2,
    fewest: int = 5,
) -> Finding | None:
    """Part of the start cloud lies where fewer than two cameras look: no structure-from-motion point can.

    Through a lens that is too long even the points of structure from motion fall beside the pictures.
    """
    if len(train_cameras) < fewest or (reprojection is not None and reprojection.is_lens):
        return None
    rows = np.flatnonzero(initial_visibility.views < views)
    lost = len(rows) / len(initial_visibility.views)
    in_any = share(initial_visibility.views > 0)
    if lost <= unseen or in_any < 0.05:
        return None
    if in_any < 0.5 and best_conversion(initial_visibility.points, train_cameras)[1] >= 0.9:  # a matter of axes
        return None
    known = f"; the COLMAP model would have given {len(sfm_points):,} points" if sfm_points is not None else ""
    return Finding(
        f"{percent(lost)} of {len(start_points):,} initial points lie in fewer than {views} training pictures "
        f"({percent(1 - in_any)} in none): the start cloud is wider than what the cameras see{known}",
        evidence=(
            EvidenceRow(f"initial points in fewer than {views} training pictures", lost, unseen, "share", None,
                        start_points.source),
            EvidenceRow("initial points in no training picture", 1 - in_any, None, "share", None, start_points.source),
            EvidenceRow("median share of training pictures that an initial point lies in", _median_share(initial_visibility),
                        None, "share", None, start_points.source),
            EvidenceRow("points of the COLMAP model", None if sfm_points is None else len(sfm_points), None, "points", None,
                        "" if sfm_points is None else sfm_points.source),
        ),
        cameras=tuple(camera.name for camera in train_cameras), confidence=0.9, facts={"lost": percent(lost)},
    )


@detects("near-plane-cuts-the-scene")
def near_plane_cuts(
    initial_visibility: Visibility, train_cameras: tuple[Camera, ...], trainer: Trainer, *, cut: float = 0.02,
) -> Finding | NotEvaluable | None:
    """Part of what the pictures show lies nearer than the rasteriser draws: the world is too small."""
    hidden = _hidden(initial_visibility, train_cameras, NEAR)
    if not hidden > cut:
        return None
    if trainer.name not in NEAR_PLANE_OF_INRIA:
        known = f"INRIA's would hide {percent(hidden)} of this scene"
        return NotEvaluable((f"the near plane of the trainer ({trainer.name}); {known}",))
    factor, rest = _enough(initial_visibility, train_cameras)
    return Finding(
        f"{percent(hidden)} of the places where initial points lie in training pictures are nearer than {NEAR} world units, "
        f"where this trainer draws nothing; in a world {factor} times as large it would be {percent(rest)}",
        evidence=(
            EvidenceRow(f"initial points in training pictures, nearer than {NEAR}", hidden, cut, "share", None,
                        initial_visibility.source),
            EvidenceRow(f"the same in a world {factor} times as large", rest, cut, "share", None, initial_visibility.source),
        ),
        cameras=tuple(camera.name for camera in train_cameras), confidence=0.9,
        facts={"factor": factor, "hidden": percent(hidden)},
    )


def _hidden(visibility: Visibility, cameras: Iterable[Camera], near: float) -> float:
    """0..1, the part of all pairs (point, picture it lies in) that is nearer; NaN where no point lies in any picture."""
    pairs = int(visibility.views.sum())
    return 1 - int(seen_by(visibility.points, cameras, near).sum()) / pairs if pairs else float("nan")


def _enough(visibility: Visibility, cameras: tuple[Camera, ...]) -> tuple[int, float]:
    """A factor on the world's size that leaves hardly anything before the near plane, with room, and what is left without."""
    for factor in SCALED_UP:
        if _hidden(visibility, cameras, ROOM * NEAR / factor) <= NEGLIGIBLE:
            break
    return factor, _hidden(visibility, cameras, NEAR / factor)


def _median_share(visibility: Visibility) -> float:
    return float(np.median(visibility.views)) / visibility.cameras


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:NAMES_IN_A_SENTENCE])
    return shown if len(names) <= NAMES_IN_A_SENTENCE else f"{shown} and {len(names) - NAMES_IN_A_SENTENCE} more"
