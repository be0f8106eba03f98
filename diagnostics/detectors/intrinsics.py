"""Intrinsics that do not fit the photos: their size, their orientation, their focal length."""

from collections.abc import Callable

import numpy as np

from diagnostics.facts.colours import PhotoFit
from diagnostics.facts.photos import PHOTOS
from diagnostics.facts.registration import MODEL, Reprojection
from diagnostics.facts.resected import Resected
from diagnostics.facts.sizes import FocalRatios, Misfit, PhotoSizes
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, NotEvaluable
from runs.cameras import Camera

NAMES_IN_A_SENTENCE = 4
SWAPPED = ("Width and height of the photos changed places against the cameras: an orientation tag (EXIF) was honoured when the "
           "photos were registered and not when they were loaded for training, or the other way round.")
RESHAPED = ("The photos have another shape than the cameras: they were cropped, padded or stretched after registration, or "
            "belong to another capture.")
UNSCALED = "The pictures were made smaller, the focal length in pixels was not: downscaling must scale fx, fy, cx and cy along."


@detects("intrinsics-do-not-fit-photos")
def intrinsics_do_not_fit(
    train_cameras: tuple[Camera, ...], photo_sizes: PhotoSizes | None = None, focal_ratios: FocalRatios | None = None,
    reprojection: Reprojection | None = None, photo_fit: PhotoFit | None = None, resected: Resected | None = None,
    *, focal: float = 0.025, repaired: float = 0.6, shift_px: float = 2.0, serious: float = 0.2, usual: float = 0.5,
) -> Finding | NotEvaluable | None:
    """Photos have another shape than their cameras, or another focal length or principal point fits them far better."""
    if all(fact is None for fact in (photo_sizes, focal_ratios, reprojection, photo_fit)):
        return NotEvaluable((PHOTOS, MODEL))
    if photo_sizes is not None and photo_sizes.misfits:
        return _misfits(photo_sizes, usual)
    if resected is not None and resected.frame.differs():
        return None  # the cameras agree with each other: it is the cloud
    factor = _wrong_factor(focal_ratios, reprojection, photo_fit, focal, repaired)
    if factor is None:
        return _aside(train_cameras, reprojection, shift_px)
    names = _wrong_cameras(train_cameras, focal_ratios, focal)
    unscaled = focal_ratios is not None and abs(focal_ratios.unscaled - 1) > focal and (
        abs(factor / focal_ratios.unscaled - 1) < focal)
    return Finding(
        f"Focal lengths are {factor:.3g} times what {_witness(focal_ratios, reprojection, photo_fit, focal, repaired)}",
        evidence=(*_ratio_rows(focal_ratios, focal), *_zoom_rows(reprojection, focal), *_colour_rows(photo_fit, repaired)),
        cameras=names, severity="critical" if abs(np.log(factor)) > serious else "major",
        confidence=0.95 if reprojection is not None or photo_fit is not None else 0.7, cause=UNSCALED if unscaled else "",
        facts={"factor": f"{factor:.3g}", "repair": f"{1 / factor:.3g}"},
    )


def _misfits(sizes: PhotoSizes, usual: float) -> Finding:
    misfits = sizes.misfits
    swapped = [misfit for misfit in misfits if misfit.swapped]
    worst = (swapped or list(misfits))[0]
    kind = "width and height swapped against" if swapped else "another shape than"
    names = tuple(misfit.name for misfit in misfits)
    return Finding(
        f"{len(misfits)} of {sizes.compared} photos have {kind} their cameras: {worst.name} is {_size(worst.photo_px)} px, "
        f"its camera {_size(worst.camera_px)} px",
        evidence=(
            EvidenceRow("photos with another shape than their camera", len(misfits), 0, "photos", None, sizes.source),
            EvidenceRow("width and height swapped", len(swapped), 0, "photos", None, sizes.source),
            EvidenceRow(f"width over height of the photo, {worst.name}", _aspect(worst, photo=True), None, "", None, "photos"),
            EvidenceRow(f"width over height of its camera, {worst.name}", _aspect(worst, photo=False), None, "", None,
                        sizes.source),
        ),
        cameras=names, confidence=0.95, severity="critical" if len(misfits) > usual * sizes.compared else "major",
        cause=SWAPPED if swapped else RESHAPED, facts={"misfits": len(misfits), "worst": worst.name},
    )


def _aside(cameras: tuple[Camera, ...], found: Reprojection | None, shift_px: float) -> Finding | None:
    """All points lie beside their keypoints by the same vector."""
    if found is None or not found.is_lens or not found.lens.shift_px > shift_px:
        return None
    x, y = found.lens.x_px, found.lens.y_px
    return Finding(
        f"The COLMAP points lie {found.lens.shift_px:.1f} px beside their keypoints, all in one direction: the principal "
        f"point should lie {abs(x):.1f} px farther {'right' if x > 0 else 'left'} and {abs(y):.1f} px farther "
        f"{'down' if y > 0 else 'up'}",
        evidence=(EvidenceRow("shift of the principal point that brings points nearest to their keypoints", found.lens.shift_px,
                              shift_px, "px", None, found.source), *_lens_rows(found)),
        cameras=tuple(camera.name for camera in cameras), confidence=0.9, facts={"right": f"{x:+.1f}", "down": f"{y:+.1f}"},
    )


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]} × {size[1]}"


def _aspect(misfit: Misfit, *, photo: bool) -> float:
    width, height = misfit.photo_px if photo else misfit.camera_px
    return width / height


def _by_colours(fit: PhotoFit | None, focal: float, repaired: float) -> float | None:
    """How many times too long focal lengths are, as the colours of points say; None where they fit or nothing repairs them."""
    if fit is None or not fit.with_focal < repaired * fit.test.found or abs(fit.focal - 1) <= focal:
        return None
    return None if fit.with_axes <= fit.with_focal else 1 / fit.focal


def _by_keypoints(found: Reprojection | None, focal: float) -> float | None:
    return 1 / found.lens.zoom if found is not None and found.is_lens and abs(found.lens.zoom - 1) > focal else None


def _by_model(found: FocalRatios | None, focal: float) -> float | None:
    ratio = None if found is None else float(np.median(found.ratios))
    return ratio if ratio is not None and abs(ratio - 1) > focal else None


def _wrong_factor(
    ratios: FocalRatios | None, keypoints: Reprojection | None, fit: PhotoFit | None, focal: float, repaired: float,
) -> float | None:
    """Photos are the judge: a run that differs from the model and fits them is right; where neither asks them, the model is."""
    seen = _by_keypoints(keypoints, focal) or _by_colours(fit, focal, repaired)
    if seen is not None or fit is not None:
        return seen
    return _by_model(ratios, focal) if keypoints is None else None


def _wrong_cameras(cameras: tuple[Camera, ...], ratios: FocalRatios | None, focal: float) -> tuple[str, ...]:
    """Those that differ from the model; all of them where none does, or there is no model."""
    trained = {camera.name for camera in cameras}
    differ = () if ratios is None else tuple(
        name for name, ratio in zip(ratios.names, ratios.ratios, strict=True) if abs(ratio - 1) > focal and name in trained)
    return differ or tuple(camera.name for camera in cameras)


def _witness(
    ratios: FocalRatios | None, keypoints: Reprojection | None, fit: PhotoFit | None, focal: float, repaired: float,
) -> str:
    said: tuple[tuple[str, Callable[[], float | None]], ...] = (
        ("the keypoints of the COLMAP model ask for", lambda: _by_keypoints(keypoints, focal)),
        ("the photos ask for: under it, points have the colours that the photos show", lambda: _by_colours(fit, focal, repaired)),
        ("the COLMAP model says", lambda: _by_model(ratios, focal)),
    )
    heard = [text for text, factor in said if factor() is not None]
    return heard[0] if len(heard) == 1 else f"{heard[0]} (also told by {_also(len(heard) - 1)})"


def _also(more: int) -> str:
    return "another measurement" if more == 1 else f"{more} other measurements"


def _ratio_rows(found: FocalRatios | None, focal: float) -> tuple[EvidenceRow, ...]:
    if found is None:
        return ()
    return (EvidenceRow("focal length over that of the COLMAP model at this size, median", float(np.median(found.ratios)),
                        f"1 ± {focal:g}", "", None, found.source),)


def _zoom_rows(found: Reprojection | None, focal: float) -> tuple[EvidenceRow, ...]:
    if found is None or not found.refitted_px:
        return ()
    return (EvidenceRow("factor on focal lengths that brings points nearest to their keypoints", found.lens.zoom,
                        f"1 ± {focal:g}", "", None, found.source), *_lens_rows(found))


def _lens_rows(found: Reprojection) -> tuple[EvidenceRow, ...]:
    """What is missed as it is, and through the better lens."""
    before, after = (float(np.median([*errors.values()])) for errors in (found.median_px, found.refitted_px))
    rows = (EvidenceRow("median distance between points and keypoints, as it is", before, None, "px", None, found.source),
            EvidenceRow("the same through the better lens", after, None, "px", None, found.source))
    return tuple(row for row in rows if isinstance(row.value, float) and np.isfinite(row.value))


def _colour_rows(fit: PhotoFit | None, repaired: float) -> tuple[EvidenceRow, ...]:
    if fit is None or not np.isfinite(fit.test.found):
        return ()
    return (
        EvidenceRow("difference between point colours and photos (better 30 % of pairs, 0 to 1), as it is", fit.test.found,
                    None, "", None, fit.test.source),
        EvidenceRow(f"the same with focal lengths × {fit.focal:.3g}", fit.with_focal, repaired * fit.test.found, "", None,
                    fit.test.source),
        EvidenceRow("the same with the colours dealt out at random", fit.test.chance, None, "", None, fit.test.source),
    )
