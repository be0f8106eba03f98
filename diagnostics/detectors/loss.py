"""Faults of the loss: its range, its weights, how its terms are added, and an SSIM that expects other pictures."""

import numpy as np

from diagnostics.facts.losses import Terms
from diagnostics.facts.redrawn import RANGES, Redrawn
from diagnostics.measures.losses import Sum, fitted_sum, fitted_weight, misfit, photometric
from diagnostics.registry import detects
from diagnostics.schedule import Schedule
from diagnostics.verdict import EvidenceRow, Finding, Fix, NotEvaluable
from runs.series import Series
from runs.settings import Setting, Settings

# What a trainer does whose SSIM comes out with the constants of these ranges.
MISTAKES = {
    255.0: "the constants of pictures in 0..255, on pictures in 0..1", 1 / 255: "pictures in 0..255, with the constants of 0..1",
}
WEIGHT_FIX = "Compute the loss as (1 − λ)·L1 + λ·(1 − SSIM) with the weight of the settings"
EARLY = 25  # logged iterations, one view each: errors are largest then
DISTINCT = 0.3  # of 1 - SSIM: pictures drawn again give it to 8 %, and the weight follows from how far it lies above L1
EQUAL = 1e-4  # relative: rounding of float32 on its way through a log


@detects("loss-or-images-out-of-range")
def out_of_range(
    loss_terms: Terms, ssim_weight: Setting | None = None, *, most: float = 1.0, times: float = 20.0,
) -> Finding | None:
    """L1 of pictures in 0..1 cannot exceed 1, and a loss cannot be many times its own terms."""
    terms, largest = loss_terms, float(np.median(loss_terms.l1[:EARLY]))
    scale = _scale(terms, ssim_weight)
    if largest <= most and scale < times:
        return None
    told = (f"the logged L1 is {largest:.3g} at the start" if largest > most
            else f"the logged loss is {scale:.3g} times the sum of its terms")
    return Finding(
        f"The loss is not that of pictures in 0..1: {told}",
        evidence=(
            EvidenceRow("L1 at the start, median", largest, most, "", terms.span[0], terms.source),
            EvidenceRow("loss / its terms with the weight of the settings", scale, times, "", None, terms.source),
        ),
        iterations=terms.span, confidence=0.95,
    )


def _scale(terms: Terms, weight: Setting | None) -> float:
    """The loss over its terms, median at the start. Without SSIM the most it can be, (1 − λ)·L1 + λ, stands in."""
    share = 0.2 if weight is None else float(weight.value)
    dissimilarity = np.ones_like(terms.l1) if terms.dissimilarity is None else np.maximum(terms.dissimilarity, 0)
    expected = np.maximum(photometric(terms.l1, dissimilarity, share), np.finfo(float).tiny)
    return float(np.median(terms.total[:EARLY] / expected[:EARLY]))


@detects("ssim-misused")
def ssim_misused(
    loss_terms: Terms, redrawn: Redrawn | None = None,
    *, most: float = 1.0, blind: float = 0.1, differs: float = 1.12, same_l1: float = 1.25, nearer: float = 0.4,
) -> Finding | NotEvaluable | None:
    """The logged SSIM is 1 whatever the picture, or comes out of the saved picture only with constants of another range."""
    terms = loss_terms
    if np.median(terms.l1[:EARLY]) > most:
        return NotEvaluable(("an L1 of pictures in 0..1 in the log",))
    if terms.dissimilarity is not None:
        ratio = float(np.median(terms.dissimilarity / np.maximum(terms.l1, np.finfo(float).tiny)))
        if ratio < blind:
            return _blind(terms, ratio, blind)
    if redrawn is None or redrawn.logged_dissimilarity is None:
        return NotEvaluable(("series loss/ssim (or view/ssim), with the photos (--data) and a saved point cloud",))
    if not 1 / same_l1 < redrawn.logged_l1 / redrawn.l1 < same_l1:
        return NotEvaluable(("a saved point cloud whose pictures give the logged L1 again",))
    off = [abs(np.log(max(redrawn.logged_dissimilarity, 1e-9) / max(one, 1e-9))) for one in redrawn.dissimilarity]
    best = int(np.argmin(off))
    if off[0] < np.log(differs) or RANGES[best] not in MISTAKES or off[best] > nearer * off[0]:
        return None
    return Finding(
        f"The logged SSIM is not that of the pictures: 1 − SSIM is {redrawn.logged_dissimilarity:.3f} around iteration "
        f"{redrawn.iteration:,}, the saved Gaussians give {redrawn.dissimilarity[0]:.3f}, and {redrawn.dissimilarity[best]:.3f} "
        f"with {MISTAKES[RANGES[best]]}",
        evidence=(
            EvidenceRow("1 − SSIM, logged / drawn again", redrawn.logged_dissimilarity / redrawn.dissimilarity[0], differs, "",
                        redrawn.iteration, terms.source),
            EvidenceRow("L1, logged / drawn again", redrawn.logged_l1 / redrawn.l1, same_l1, "", redrawn.iteration, terms.source),
        ),
        iterations=terms.span, cameras=redrawn.cameras, confidence=0.9,
    )


def _blind(terms: Terms, ratio: float, limit: float) -> Finding:
    return Finding(
        f"The logged SSIM sees no difference: 1 − SSIM is {ratio:.2g} times the L1 error, median over {len(terms.l1):,} "
        "iterations, and should be larger than it; its constants drown all structure",
        evidence=(EvidenceRow("(1 − SSIM) / L1, median", ratio, limit, "", terms.span[0], terms.source),),
        iterations=terms.span, confidence=0.9,
    )


@detects("loss-aggregated-wrongly")
def aggregated_wrongly(
    loss_terms: Terms, ssim_weight: Setting, other_terms: tuple[str, ...], redrawn: Redrawn | None = None,
    *, fit: float = 0.02, exact: float = 2e-3, weight: float = 0.03, weight_drawn: float = 0.4, levels: float = 20.0,
) -> Finding | NotEvaluable | None:
    """The logged loss is not (1 − λ)·L1 + λ·(1 − SSIM) with the λ of the settings, but another sum of the same terms."""
    terms, set_to = loss_terms, float(ssim_weight.value)
    if terms.dissimilarity is None:
        return _without_ssim(terms, ssim_weight, None if other_terms else redrawn, weight, weight_drawn)
    if misfit(terms.total, photometric(terms.l1, terms.dissimilarity, set_to)) <= fit or _scale(terms, ssim_weight) > levels:
        return None
    used = fitted_weight(terms.total, terms.l1, terms.dissimilarity)
    if misfit(terms.total, photometric(terms.l1, terms.dissimilarity, used)) <= exact:
        return _other_weight(terms, ssim_weight, used, weight) if abs(used - set_to) > weight else None
    found = fitted_sum(terms.total, terms.l1, terms.dissimilarity)
    if other_terms and not found.dissimilarity < 0:
        return NotEvaluable((f"series of the loss's other terms ({', '.join(other_terms)})",))
    return _other_sum(terms, ssim_weight, found, exact)


def _other_sum(terms: Terms, weight: Setting, found: Sum, exact: float) -> Finding | NotEvaluable:
    if not found.misfit <= exact:
        return NotEvaluable(("series of all terms that the logged loss is made of (L1 and 1 − SSIM do not explain it)",))
    share = float(weight.value)
    return Finding(
        f"The logged loss is {found.told}, where {1 - share:g}·L1 + {share:g}·(1 − SSIM) is meant",
        evidence=(
            EvidenceRow("weight of L1 in the logged loss", found.l1, 1 - share, "", None, terms.source),
            EvidenceRow("weight of 1 − SSIM in the logged loss", found.dissimilarity, share, "", None, terms.source),
        ),
        iterations=terms.span, confidence=0.9, fixes=(Fix(WEIGHT_FIX, "the logged loss equals the sum of its logged terms"),),
    )


def _other_weight(terms: Terms, weight: Setting, used: float, limit: float, *, confidence: float = 0.95) -> Finding:
    """A default that no file holds may have been set on the command line: then it is told as information."""
    known = f"{weight.name} = {weight.value:g}"
    by_default = f"the trainer's default is {known}, and this run may have been given another"
    asked = f"the settings say {known}" if weight.stored else by_default
    lacks = " (SSIM is left out)" if used < limit else " (L1 is left out)" if used > 1 - limit else ""
    return Finding(
        f"The logged loss weighs SSIM with {used:.2f}{lacks}; {asked}",
        evidence=(EvidenceRow("weight of SSIM in the logged loss", used, float(weight.value), "", None, terms.source),),
        iterations=terms.span, confidence=confidence, severity=None if weight.stored else "info",
        fixes=(Fix(WEIGHT_FIX, "the logged loss equals the sum of its logged terms", weight.name, None, float(weight.value)),),
    )


def _without_ssim(
    terms: Terms, set_to: Setting, redrawn: Redrawn | None, limit: float, limit_drawn: float,
) -> Finding | NotEvaluable | None:
    """The loss equals L1, or pictures drawn again tell the other term."""
    if set_to.value > limit and misfit(terms.total, terms.l1) < EQUAL:
        return _other_weight(terms, set_to, 0.0, limit)
    gap = 0.0 if redrawn is None else redrawn.dissimilarity[0] - redrawn.l1
    if redrawn is None or gap < DISTINCT * redrawn.dissimilarity[0]:
        return NotEvaluable(("series loss/ssim (or view/ssim), or the photos (--data) with a saved point cloud",))
    used = (redrawn.logged_total - redrawn.logged_l1) / gap
    return None if abs(used - set_to.value) < limit_drawn else _other_weight(terms, set_to, used, limit, confidence=0.7)


@detects("loss-weight-drives-densification")
def weight_drives_growth(
    ssim_weight: Setting, schedule: Schedule, loss_terms: Terms | None = None, settings: Settings | None = None,
    counts: Series | None = None, *, weight: float = 0.5, fit: float = 0.02,
) -> Finding | None:
    """SSIM outweighs L1 while Gaussians are densified by the gradients of the loss."""
    used, source = _weight_used(ssim_weight, loss_terms, fit)
    by_gradient = settings is None or (settings.value("strategy") != "mcmc" and settings.value("cap_max") in (None, 0, -1))
    if not used > weight or not by_gradient or not schedule.densifications:
        return None
    start, most = (None, None) if counts is None else (float(counts.values[0]), float(np.nanmax(counts.values)))
    grown = "" if not start or most is None else f"; the count grew from {start:,.0f} to {most:,.0f}"
    return Finding(
        f"SSIM has a weight of {used:.2f} in the loss while its gradients decide which Gaussians are densified{grown}",
        evidence=(
            EvidenceRow("weight of SSIM in the loss", used, weight, "", schedule.densifications[0], source),
            EvidenceRow("largest count / count at the start", most / start if start and most else None, None, "", None,
                        counts.source if counts else ""),
        ),
        iterations=(schedule.densifications[0], schedule.densifications[-1]), confidence=0.8,
        fixes=(Fix("Lower the weight of SSIM", "the count grows as with other runs of this scene", ssim_weight.name, None, 0.2),),
    )


def _weight_used(weight: Setting, terms: Terms | None, fit: float) -> tuple[float, str]:
    """What the logged loss shows where it shows it, else a stored setting."""
    if terms is not None and terms.dissimilarity is not None:
        used = fitted_weight(terms.total, terms.l1, terms.dissimilarity)
        if misfit(terms.total, photometric(terms.l1, terms.dissimilarity, used)) <= fit:
            return used, terms.source
    return (float(weight.value), weight.source) if weight.stored else (0.0, weight.source)
