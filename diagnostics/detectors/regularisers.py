"""Faults of regularisers: a term that outweighs the picture, and opacities that it drives to death."""

from dataclasses import dataclass

import numpy as np

from diagnostics.facts.regularisers import DEATH, USUAL, Deaths, Pull
from diagnostics.facts.saved import file_of
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, Fix
from diagnostics.wording import percent
from runs.arrays import F32
from runs.checkpoints import Checkpoint


@detects("regulariser-dominates")
def regulariser_dominates(
    pulls: tuple[Pull, ...], checkpoint: Checkpoint, neighbour_distance: F32 | None = None,
    *, times: float = 10.0, dominates: float = 1.0, faint: float = 0.05, tiny: float = 0.1,
) -> Finding | None:
    """A regulariser adds more to the loss than the picture does, or is many times its usual weight."""
    guilty = [pull for pull in pulls if float(pull.setting.value) > times * USUAL or (pull.of_picture or 0) > dominates]
    if not guilty:
        return None
    state = _state(checkpoint, neighbour_distance)
    heavy = any((pull.of_picture or 0) > dominates for pull in guilty)
    harmed = heavy or any(state.opacity < faint if pull.what == "opacities" else state.size < tiny for pull in guilty)
    told = ", ".join(f"{pull.setting.name} = {pull.setting.value:g} ({float(pull.setting.value) / USUAL:.3g} times the usual)"
                     for pull in guilty)
    return Finding(
        f"Regularisers pull hard: {told}; the median opacity is {state.opacity:.3g} and the median Gaussian {state.size:.2g} "
        f"times as large as the way to its neighbours at iteration {checkpoint.iteration:,}",
        evidence=(
            *(row for pull in guilty for row in _rows(pull, times * USUAL, dominates)),
            EvidenceRow("median opacity", state.opacity, faint, "", checkpoint.iteration, file_of(checkpoint)),
            EvidenceRow("median of size / distance to the neighbours", state.size if np.isfinite(state.size) else None, tiny, "",
                        checkpoint.iteration, file_of(checkpoint)),
        ),
        iterations=(min(pull.iteration for pull in guilty), checkpoint.iteration), confidence=0.9 if harmed else 0.6,
        severity=None if harmed else "minor", fixes=tuple(_lower(pull) for pull in guilty), colour_by="opacity",
    )


def _rows(pull: Pull, weight: float, dominates: float) -> tuple[EvidenceRow, EvidenceRow]:
    source, value = pull.setting.source, float(pull.setting.value)
    return (
        EvidenceRow(f"weight of the regulariser of the {pull.what}", value, weight, "", pull.iteration, source),
        EvidenceRow(f"what it adds / loss of the picture, {pull.what}", pull.of_picture, dominates, "", pull.iteration, source),
    )


def _lower(pull: Pull) -> Fix:
    return Fix(f"Lower the regulariser of the {pull.what}", "opacities and sizes are decided by the picture", pull.setting.name,
               pull.setting.value, USUAL)


@dataclass(frozen=True)
class _State:
    """What regularisers have done to the Gaussians of one save."""

    opacity: float  # median
    size: float  # median of the largest scale / distance to the neighbours; NaN where that is not known


def _state(checkpoint: Checkpoint, neighbour_distance: F32 | None) -> _State:
    opacity = float(np.nanmedian(checkpoint.gaussians.opacities))
    if neighbour_distance is None:
        return _State(opacity, float("nan"))
    with np.errstate(divide="ignore", invalid="ignore"):
        size = checkpoint.gaussians.scales.max(axis=1) / neighbour_distance
    known = size[np.isfinite(size)]
    return _State(opacity, float(np.median(known)) if len(known) else float("nan"))


@detects("opacity-regulariser-collapse")
def opacities_collapse(
    deaths: Deaths, *, moved: float = 0.5, rising: float = 0.15, events: int = 3, near_death: float = 2.0,
) -> Finding | None:
    """MCMC takes more and more Gaussians for dead, or the median one is about to be."""
    shares = np.array([]) if deaths.relocated is None else deaths.relocated.values[np.isfinite(deaths.relocated.values)]
    last = shares[-events:]
    mean = float(last.mean()) if len(last) == events else None
    climbs = len(last) == events and last[-1] > rising and bool((np.diff(last) > 0).all())
    deadly = near_death * min(deaths.threshold, DEATH)  # whom a trainer moves from higher up, as splatfacto may, is not dying yet
    dying = deaths.median_opacity < deadly
    if not (mean is not None and mean > moved) and not climbs and not dying:
        return None
    moving = "" if mean is None else f"; {percent(mean)} were taken for dead and moved at each of the last {events} relocations"
    return Finding(
        f"Opacities collapse: the median one is {deaths.median_opacity:.3g} at iteration {deaths.iteration:,}, where "
        f"{deaths.threshold:g} counts as dead{moving}",
        evidence=(
            EvidenceRow("median opacity", deaths.median_opacity, deadly, "", deaths.iteration, deaths.source),
            EvidenceRow(f"relocated / Gaussians, mean of the last {events}", mean, moved, "share", deaths.iteration,
                        deaths.relocated.source if deaths.relocated is not None else ""),
        ),
        iterations=_since(deaths, rising), confidence=0.9 if dying else 0.7,
        severity=None if dying or (mean is not None and mean > moved) else "minor", colour_by="opacity",
    )


def _since(deaths: Deaths, rising: float) -> tuple[int, int]:
    """From the first relocation of so many on."""
    if deaths.relocated is None:
        return deaths.iteration, deaths.iteration
    many = deaths.relocated.iterations[deaths.relocated.values > rising]
    return int(many[0]) if len(many) else deaths.iteration, max(deaths.iteration, int(many[0]) if len(many) else 0)
