"""A trainer that draws around the image centre where the lens does not."""

import numpy as np

from diagnostics.facts.lens import Lens, offset_px
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding
from diagnostics.wording import percent
from runs.cameras import Camera

MODEL = "COLMAP model"  # where principal points come from: cameras.json stores none


@detects("principal-point-ignored")
def principal_point_ignored(
    lens: Lens, *, offset: float = 0.01, gain_db: float = 0.5, serious_px: float = 2.0,
) -> Finding | None:
    """Renders fit their photos around the image centre, while the principal point lies clearly beside it."""
    far = sorted((camera for camera in lens.off_centre if _share(camera) > offset), key=_share, reverse=True)
    gain = lens.gain_db
    if not far or gain is None or gain <= gain_db:
        return None
    worst, pixels = far[0], max(map(abs, offset_px(far[0])))
    return Finding(
        f"The principal point lies {pixels:.1f} px ({percent(_share(worst))} of the picture) beside the image centre, yet "
        f"renders fit the photos {gain:.1f} dB better around the centre: the trainer ignored it",
        evidence=(
            EvidenceRow("gained by drawing around the image centre, median over the views drawn both ways", gain, gain_db, "dB",
                        lens.iteration, "training photos"),
            *_fits(lens),
            EvidenceRow(f"principal point off the image centre, {worst.name}", _share(worst), offset, "share", None, MODEL),
            EvidenceRow("the same, at the size in cameras.json", pixels, serious_px, "px", None, MODEL),
            EvidenceRow("training cameras over that share", len(far), 0, "cameras", None, MODEL),
        ),
        cameras=tuple(camera.name for camera in far), confidence=0.95, severity="major" if pixels > serious_px else "minor",
        facts={"offset_px": f"{pixels:.1f}", "crop": _crop(worst), "camera": worst.name},
    )


def _fits(lens: Lens) -> tuple[EvidenceRow, ...]:
    """Both fits, so that the gain can be checked."""
    said = {"image centre": [trial.around_centre_db for trial in lens.trials],
            "principal point": [trial.around_point_db for trial in lens.trials]}
    return tuple(EvidenceRow(f"PSNR of {len(values)} training views drawn around the {point}, median", float(np.median(values)),
                             None, "dB", lens.iteration, "training photos") for point, values in said.items())


def _share(camera: Camera) -> float:
    """0..0.5: the larger of both offsets, in widths or heights."""
    (x, y), (width, height) = offset_px(camera), camera.size_px
    return max(abs(x) / width, abs(y) / height)


def _crop(camera: Camera) -> str:
    """What to cut off so that the principal point is in the middle: twice the offset, on the side with more picture."""
    x, y = offset_px(camera)
    sides = ((x, "left" if x > 0 else "right"), (y, "top" if y > 0 else "bottom"))
    return " and ".join(f"{2 * abs(length):.0f} px on the {side}" for length, side in sides if round(2 * abs(length)))
