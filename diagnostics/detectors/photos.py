"""Photos that do not agree with each other: exposure and white balance that vary, frames that are blurred."""

from collections.abc import Mapping

import numpy as np

from diagnostics.facts.matched import Matched, Matches
from diagnostics.facts.redrawn import Redrawn
from diagnostics.measures.shares import quantile
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, NotEvaluable
from diagnostics.wording import percent
from runs.arrays import F64

NAMES_IN_A_SENTENCE = 4
NORMAL = 1.4826  # of a normal distribution: standard deviation over median absolute deviation
CORRECTED = ("The trainer corrects the colours of each photo (exposure.json), and what is left still varies from photo to "
             "photo: the correction learned too slowly, or shadows and automatic tone mapping are more than one gain and "
             "offset can mend.")
FEWEST_VIEWS = 6


@detects("exposure-varies")
def exposure_varies(
    matches: Matches, exposures: Mapping[str, F64], redrawn: Redrawn | None = None,
    *, spread: float = 0.06, explained: float = 0.1, serious: float = 0.08, unlearned: float = 0.5, uncounted: float = 1.8,
) -> Finding | NotEvaluable | None:
    """Each photo is brighter, darker or more tinted than its render by a factor of its own, much of the difference."""
    if redrawn is not None and redrawn.l1 > uncounted * redrawn.logged_l1:
        return None  # what the loss does not count is not learned, and its brightness is nobody's
    known = [match for match in matches.each if np.isfinite(match.gains).all() and (match.gains > 0).all() and match.error > 0]
    if len(known) < FEWEST_VIEWS:
        return NotEvaluable((f"matter in at least {FEWEST_VIEWS} training views with photos",))
    gains = np.log([match.gains for match in known])
    aside = gains - np.median(gains, axis=0)
    found = NORMAL * float(np.median(np.abs(aside)))
    gained = float(np.median([1 - match.error_with_gains / match.error for match in known]))
    if not (found > spread and gained > explained and matches.unexplained < unlearned):
        return None
    tint = NORMAL * float(np.median(np.abs(aside - aside.mean(axis=1, keepdims=True))))
    odd = sorted(range(len(known)), key=lambda i: -float(np.abs(aside[i]).max()))
    names = tuple(known[i].name for i in odd if float(np.abs(aside[i]).max()) > spread)
    kind = "white balance" if tint > found / 2 else "exposure"
    return Finding(
        f"The {kind} of the photos varies by {percent(found)} from photo to photo (standard deviation of photo over render), "
        f"which explains {percent(gained)} of the difference between them",
        evidence=(
            EvidenceRow("standard deviation of the log gain between renders and photos (robust)", found, spread, "",
                        matches.iteration, "training photos"),
            EvidenceRow("part of the squared difference that a gain per photo explains, median", gained, explained, "share",
                        matches.iteration, "training photos"),
            EvidenceRow("the same of single channels against their mean (white balance)", tint, None, "", matches.iteration,
                        "training photos"),
            EvidenceRow("corrections stored per photo", len(exposures), None, "photos", None, "exposure.json"),
        ),
        cameras=names, confidence=0.85, cause=CORRECTED if exposures else "",
        severity="major" if found > serious else "minor", facts={"spread": percent(found)},
    )


@detects("blurred-photos")
def blurred_photos(
    matches: Matches, *, soft: float = 0.3, against_render: float = 0.5, share_of_all: float = 0.08, serious: float = 0.2,
    fewest: int = 2,
) -> Finding | NotEvaluable | None:
    """Some photos are far less sharp than the others, and less sharp than what the model shows from the same place."""
    known = [match for match in matches.each if match.photo_sharpness > 0 and match.render_sharpness > 0]
    if len(known) < FEWEST_VIEWS:
        return NotEvaluable((f"at least {FEWEST_VIEWS} training views with photos",))
    usual = quantile(np.array([match.photo_sharpness for match in known]), 0.75)
    usual_ratio = quantile(np.array([_ratio(match) for match in known]), 0.75)
    dull = [match for match in known if match.photo_sharpness < soft * usual and _ratio(match) < against_render * usual_ratio]
    if len(dull) < fewest or len(dull) < share_of_all * len(known):
        return None
    dull.sort(key=lambda match: match.photo_sharpness)
    names = tuple(match.name for match in dull)
    part = len(dull) / len(known)
    typical = float(np.median([match.photo_sharpness for match in dull])) / usual
    listed = ", ".join(names[:NAMES_IN_A_SENTENCE]) + (" …" if len(names) > NAMES_IN_A_SENTENCE else "")
    return Finding(
        f"{len(dull)} of {len(known)} training photos looked at are blurred ({listed}): {percent(typical)} of the sharpness of "
        f"the sharper ones, and less sharp than the model's own renders of those views suggest",
        evidence=(
            EvidenceRow("photos that are blurred", part, share_of_all, "share", None, "training photos"),
            EvidenceRow("sharpness (variance of the Laplacian) over the upper quartile of photos, median of these", typical, soft,
                        "", None, "training photos"),
            EvidenceRow("sharpness of photo over render, over its upper quartile, median of these",
                        float(np.median([_ratio(match) for match in dull])) / usual_ratio, against_render, "",
                        matches.iteration, "training photos"),
        ),
        cameras=names, confidence=0.85, severity="major" if part > serious else "minor", facts={"blurred": len(dull)},
    )


def _ratio(match: Matched) -> float:
    return match.photo_sharpness / match.render_sharpness
