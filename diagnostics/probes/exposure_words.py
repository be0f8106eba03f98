"""What the exposure probe found, in sentences and rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from diagnostics.detectors.photos import CORRECTED
from diagnostics.probes.exposure_views import Compared, Spread
from diagnostics.verdict import EvidenceRow, Finding
from diagnostics.wording import percent

PATTERN = "exposure-varies"
FEWEST_HELD_OUT = 3  # fewer have no spread worth a number
PHOTOS = "photos and renders"


@dataclass(frozen=True)
class Limits:
    """See the probe's page."""

    spread: float
    explained: float
    adding: float
    serious: float
    absorbed: float


def varying(found: Compared, limits: Limits) -> Spread | None:
    """The training photos if their exposure varies, else the held-out ones if theirs does; None where neither does.

    A model may learn the exposure of each photo that it trains on; nobody taught it those that were held out.
    """
    if _varies(found, found.train, limits):
        return found.train
    absorbed = len(found.held_out.each) >= FEWEST_HELD_OUT and found.held_out.gains > limits.absorbed * found.train.gains
    return found.held_out if absorbed and _varies(found, found.held_out, limits) else None


def _varies(found: Compared, group: Spread, limits: Limits) -> bool:
    explained = group.median("explained") > limits.explained
    return group.gains > limits.spread and explained and adding(found, group) < limits.adding


def adding(found: Compared, group: Spread) -> float:
    """Spread of offsets over that of gains at the photos' mean colour: exposure multiplies, fog and blur add."""
    multiplied = group.gains * found.brightness
    return group.offsets / multiplied if multiplied > 0 else float("inf")


def kind_of(group: Spread) -> str:
    """Which of the two varies more; a mention, not a verdict."""
    return "white balance" if group.tint > group.brightness else "exposure"


def sentence(found: Compared, group: Spread) -> str:
    """What varies, and what a correction per photo is worth."""
    train, held_out, n = found.train, found.held_out, len(found.held_out.each)
    text = (f"The {kind_of(group)} of the photos varies by at least {percent(group.gains)} from photo to photo, and a colour "
            f"correction per photo gains {group.median('gained_db'):.1f} dB in {len(group.each)} "
            f"{'training' if group is train else 'held-out'} views (median)")
    if group is held_out:
        text += f". Training absorbed it: its own {len(train.each)} photos and renders differ by {percent(train.gains)}"
    elif n >= FEWEST_HELD_OUT:
        text += (f"; the {n} held-out photos vary by {percent(held_out.gains)}, and it gains "
                 f"{held_out.median('gained_db'):.1f} dB in them")
    return f"{text}. {_own(found)}".strip()


def calm(found: Compared) -> str:
    """What was measured where nothing was found."""
    return (f"Photos and renders of {len(found.train.each)} training views differ by gains that vary by "
            f"{percent(found.train.gains)}, and a colour correction per photo explains "
            f"{percent(max(0.0, found.train.median('explained')))} of what differs. {_own(found)}").strip()


def _own(found: Compared) -> str:
    return "The trainer's own corrections (exposure.json) were applied first." if found.drawn.learned.any else ""


def rows(found: Compared, limits: Limits) -> tuple[EvidenceRow, ...]:
    """Everything that was measured, with the limits where there are any."""
    told = _rows("training", found, found.train, limits)
    return told if len(found.held_out.each) < FEWEST_HELD_OUT else (*told, *_rows("held-out", found, found.held_out, limits))


def _rows(name: str, found: Compared, group: Spread, limits: Limits) -> tuple[EvidenceRow, ...]:
    measured: tuple[tuple[str, float, float | None, str], ...] = (
        ("standard deviation of the log gain of photo over render (robust)", group.gains, limits.spread, ""),
        ("part of the squared difference that a correction explains in the half of the picture that it was not fitted to, median",
         group.median("explained"), limits.explained, "share"),
        ("PSNR that it gains there, median", group.median("gained_db"), None, "dB"),
        ("spread of what it adds over the spread of what it multiplies", adding(found, group), limits.adding, ""),
        ("spread of brightness alone", group.brightness, None, ""),
        ("spread of single channels against their mean (white balance)", group.tint, None, ""),
    )
    at = found.drawn.checkpoint.iteration
    return tuple(EvidenceRow(f"{name} views: {what}", value, limit, unit, at, PHOTOS) for what, value, limit, unit in measured)


def finding(found: Compared, group: Spread, limits: Limits) -> Finding:
    """The exposure or white balance of this group's photos varies."""
    logs = np.abs(group.logs).max(axis=1)
    odd = tuple(group.each[i].name for i in np.argsort(-logs) if logs[i] > limits.spread)
    at = found.drawn.checkpoint.iteration
    return Finding(
        sentence(found, group).rstrip("."), rows(found, limits), iterations=(at, at), cameras=odd, confidence=0.9,
        severity="major" if group.gains > limits.serious else "minor",
        cause=CORRECTED if found.drawn.learned.any else "", facts={"spread": percent(group.gains)},
    )


def done(found: Compared) -> dict[str, Any]:
    """What was reduced, and how."""
    return found.drawn.told(**{
        "training views": len(found.train.each), "held-out views": len(found.held_out.each),
        "left out": "pixels that are saturated or black in the photo, or where the model is not opaque",
    })
