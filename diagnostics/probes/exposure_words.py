"""What the exposure probe found, in sentences and rows."""

from typing import Any

import numpy as np

from diagnostics.detectors.photos import CORRECTED
from diagnostics.probes.exposure_views import Compared, Spread
from diagnostics.verdict import EvidenceRow, Finding
from diagnostics.wording import percent

PATTERN = "exposure-varies"
FEWEST_HELD_OUT = 3  # fewer have no spread worth a number
PHOTOS = "photos and renders"


def kind_of(spread: Spread) -> str:
    """Which of the two varies more; a mention, not a verdict."""
    return "white balance" if spread.tint > spread.brightness else "exposure"


def sentence(found: Compared) -> str:
    """What varies, and what a correction per photo is worth."""
    train = found.train
    text = (f"The {kind_of(train)} of the photos varies by at least {percent(train.gains)} from photo to photo, and a colour "
            f"correction per photo gains {train.median('gained_db'):.1f} dB in {len(train.each)} training views (median)")
    if len(found.held_out.each) >= FEWEST_HELD_OUT:
        text += (f"; the {len(found.held_out.each)} held-out photos vary by {percent(found.held_out.gains)}, and it gains "
                 f"{found.held_out.median('gained_db'):.1f} dB in them")
    return f"{text}. {_own(found)}".strip()


def calm(found: Compared) -> str:
    """What was measured where nothing was found."""
    return (f"Photos and renders of {len(found.train.each)} training views differ by gains that vary by "
            f"{percent(found.train.gains)}, and a colour correction per photo explains "
            f"{percent(max(0.0, found.train.median('explained')))} of what differs. {_own(found)}").strip()


def _own(found: Compared) -> str:
    return "The trainer's own corrections (exposure.json) were applied first." if found.drawn.learned.any else ""


def rows(found: Compared, limits: dict[str, float]) -> tuple[EvidenceRow, ...]:
    """Everything that was measured, with the limits where there are any."""
    at, train = found.drawn.checkpoint.iteration, found.train
    told = [
        EvidenceRow("standard deviation of the log gain of photo over render, training views (robust)", train.gains,
                    limits["spread"], "", at, PHOTOS),
        EvidenceRow("part of the squared difference that a correction explains in the half of the picture that it was not "
                    "fitted to, median", train.median("explained"), limits["explained"], "share", at, PHOTOS),
        EvidenceRow("PSNR that it gains there, median", train.median("gained_db"), None, "dB", at, PHOTOS),
        EvidenceRow("spread of what it adds over the spread of what it multiplies", adding(found), limits["adding"], "", at,
                    PHOTOS),
        EvidenceRow("spread of brightness alone", train.brightness, None, "", at, PHOTOS),
        EvidenceRow("spread of single channels against their mean (white balance)", train.tint, None, "", at, PHOTOS),
    ]
    if len(found.held_out.each) >= FEWEST_HELD_OUT:
        told += [
            EvidenceRow("standard deviation of the log gain, held-out views (robust)", found.held_out.gains, None, "", at,
                        PHOTOS),
            EvidenceRow("PSNR that a correction gains there, median", found.held_out.median("gained_db"), None, "dB", at, PHOTOS),
        ]
    return tuple(told)


def adding(found: Compared) -> float:
    """Spread of offsets over that of gains at the photos' mean colour: exposure multiplies, fog and blur add."""
    multiplied = found.train.gains * found.brightness
    return found.train.offsets / multiplied if multiplied > 0 else float("inf")


def finding(found: Compared, limits: dict[str, float]) -> Finding:
    """The photos' exposure or white balance varies."""
    logs = np.abs(found.train.logs).max(axis=1)
    odd = tuple(found.train.each[i].name for i in np.argsort(-logs) if logs[i] > limits["spread"])
    at = found.drawn.checkpoint.iteration
    return Finding(
        sentence(found).rstrip("."), rows(found, limits), iterations=(at, at), cameras=odd, confidence=0.9,
        severity="major" if found.train.gains > limits["serious"] else "minor",
        cause=CORRECTED if found.drawn.learned.any else "", facts={"spread": percent(found.train.gains)},
    )


def done(found: Compared) -> dict[str, Any]:
    """What was reduced, and how."""
    return found.drawn.told(**{
        "training views": len(found.train.each), "held-out views": len(found.held_out.each),
        "left out": "pixels that are saturated or black in the photo, or where the model is not opaque",
    })
