"""What the gradient-reach probe found, in sentences, rows and fixes."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from diagnostics.probes.reach_measured import Reach
from diagnostics.probes.reach_stand import Stand
from diagnostics.probes.reach_trial import INSIDE, METHOD, PLAIN, SCHEDULE, Trial
from diagnostics.verdict import EvidenceRow, Finding, Fix, GaussianPlace
from diagnostics.wording import percent
from runs.arrays import Mask

PATTERN = "gradients-do-not-reach"
OFF, FAINT, HIDDEN = "in no picture", "in a picture, below alpha 1/255", "hidden behind others"
WHY = {
    OFF: "Their centres lie where no photo looks: no pixel ever sends them a gradient, nor a truncated one, but right beside it.",
    FAINT: "They lie in pictures and are too faint to be drawn: a pixel sends a gradient only where alpha is over 1/255.",
    HIDDEN: "Nearer Gaussians use up the light before it comes to them; what is not drawn gets no gradient.",
}
EMPTY = "Where a picture shows no Gaussian, its pixels have nobody to send a gradient to: the start lies elsewhere."
MOST_NAMED = 8  # cameras
PASS = "one pass through the training views"


@dataclass(frozen=True)
class Limits:
    """See the page of the probe."""

    lost: float
    bare: float
    called: float
    gain_db: float


@dataclass(frozen=True, eq=False)
class Found:
    """Everything that was measured."""

    stand: Stand
    reach: Reach
    trial: Trial | None
    limits: Limits

    @property
    def is_out_of_reach(self) -> bool:
        return self.reach.share(self.reach.lost) >= self.limits.lost or self.bare >= self.limits.bare

    @property
    def bare(self) -> float:
        """0..1, of the pixels that are not background: those that want coverage and show no Gaussian."""
        return self.reach.bare / max(self.reach.pixels, 1)

    @property
    def called(self) -> float:
        """0..1, of the Gaussians without gradient, those that truncated gradients would reach."""
        return float(self.reach.called.sum() / max(self.reach.lost.sum(), 1))

    @property
    def recommends(self) -> bool:
        """The method reaches most of those without gradient, gains more than its noise, and more than its schedule does."""
        if self.trial is None or self.called < self.limits.called:
            return False
        gains = (self.trial.gain(METHOD), self.trial.gain(METHOD, SCHEDULE))
        return all(gain.is_better(self.limits.gain_db) for gain in gains)


def says(found: Found) -> str:
    """One sentence with the numbers, found or not."""
    reach = found.reach
    why = "; ".join(f"{int(mask.sum()):,} {name}" for name, mask in _reasons(reach) if mask.any())
    return (f"{percent(reach.share(reach.lost))} of {reach.reached.size:,} {_what(found.stand)} get no gradient from any of "
            f"{len(reach.by_view)} views{f' ({why})' if why else ''}, and {percent(found.bare)} of the photos' pixels want "
            "coverage and show no Gaussian")


def _what(stand: Stand) -> str:
    return "Gaussians of the start" if stand.iteration is None else f"Gaussians of iteration {stand.iteration:,}"


def _reasons(reach: Reach) -> Iterator[tuple[str, Mask]]:
    yield OFF, reach.off
    yield FAINT, reach.faint
    yield HIDDEN, reach.hidden


def rows(found: Found) -> tuple[EvidenceRow, ...]:
    """Before and after, by reason; what it costs; the trial."""
    return (*_counted(found), *_trial_rows(found))


def _counted(found: Found) -> Iterator[EvidenceRow]:
    reach, limits, at = found.reach, found.limits, found.stand.iteration

    def row(what: str, value: float, limit: float | None = None, unit: str = "share") -> EvidenceRow:
        return EvidenceRow(what, value, limit, unit, at, PASS)

    yield row("Gaussians without gradient from any view", reach.share(reach.lost), limits.lost)
    for name, mask in _reasons(reach):
        yield row(f"of all Gaussians: {name}", reach.share(mask))
    yield row("pixels of photos, background left out, that want coverage and show no Gaussian", found.bare, limits.bare)
    yield row("Gaussians that TruncGradGS counts as dead (opacity at most 0.01)", reach.share(reach.dead))
    if reach.lost.any():
        yield row("of those without gradient: truncated gradients would reach, counted as dead", found.called, limits.called)
        yield row("Gaussians without gradient after that", reach.share(reach.lost & ~reach.called))
        longer = 1 + reach.surrogate_seconds / max(reach.seconds, 1e-9)
        yield row("time of a picture with its gradients, with the surrogate over without", longer, None, "times")
    if reach.bare:
        yield row("of those pixels: would pull at a dead Gaussian", reach.answered / reach.bare)


def _trial_rows(found: Found) -> Iterator[EvidenceRow]:
    if found.trial is None:
        return
    where = f"trial of {found.trial.steps:,} iterations, {'held-out' if found.trial.held_out else 'training'} views"
    for name, scores in found.trial.psnr.items():
        yield EvidenceRow(f"PSNR, {name}", float(np.mean(scores)), None, "dB", None, where)
    for name in found.trial.psnr:
        if name != PLAIN:
            yield EvidenceRow(f"gain of {name} ({_seeds(found.trial)} seeds: {_told(found.trial, name)})",
                              found.trial.gain(name).mean, found.limits.gain_db, "dB", None, where)
    yield EvidenceRow(f"time of {METHOD}", found.trial.cost(METHOD), None, "times the training as it is", None, where)


def _seeds(trial: Trial) -> int:
    return len(trial.psnr[PLAIN])


def _told(trial: Trial, name: str, other: str = PLAIN) -> str:
    gain = trial.gain(name, other)
    return f"{gain.mean:+.1f} dB" if _seeds(trial) < 2 else f"{gain.mean:+.1f} ± {gain.deviation:.1f} dB"


def finding(found: Found) -> Finding:
    """Out of reach: what, where, and what to do about it."""
    stand, reach = found.stand, found.reach
    at = 0 if stand.iteration is None else stand.iteration
    names = [view.name for view in stand.data.train]
    poorest = tuple(names[i] for i in np.argsort(reach.by_view, kind="stable")[:MOST_NAMED])
    place = None
    if stand.iteration is not None and reach.lost.any():
        place = GaussianPlace(stand.rows[reach.lost], stand.iteration, stand.stored)
    return Finding(says(found), rows(found), iterations=(at, at), gaussians=place, cameras=poorest, confidence=0.9,
                   cause=_cause(found), fixes=tuple(_fixes(found)), facts={"verdict": verdict(found)})


def _cause(found: Found) -> str:
    if found.reach.share(found.reach.lost) < found.limits.lost:
        return EMPTY
    return WHY[max(_reasons(found.reach), key=lambda each: int(each[1].sum()))[0]]


def _fixes(found: Found) -> Iterator[Fix]:
    trial = found.trial
    if trial is None:
        return
    how = f"in a trial of {trial.steps:,} iterations ({_seeds(trial)} seeds)"
    if INSIDE in trial.psnr and trial.gain(INSIDE).is_better(found.limits.gain_db):
        yield Fix(
            "Start from points inside the pictures: those of structure from motion, or random ones where three photos look",
            f"{_told(trial, INSIDE)} {how} with random points there", risk="what lies outside starts without points",
            falsified_by="the share without gradient is as high as before", seen_at=1,
        )
    if not found.recommends and trial.gain(SCHEDULE).is_better(found.limits.gain_db):
        yield Fix(
            "Prune nothing before two thirds of the training, and densify to nine tenths of it, in phases",
            f"{_told(trial, SCHEDULE)} {how}, as much as with truncated gradients on top ({_told(trial, METHOD)})",
            risk="more Gaussians, and time for them", falsified_by="held-out PSNR is no higher than without",
        )
    if found.recommends:
        yield Fix(
            "Train with TruncGradGS, if a better start is not to be had",
            f"{_told(trial, METHOD)} {how}, {_told(trial, METHOD, SCHEDULE)} of it beyond what its schedule alone gives, at "
            f"{trial.cost(METHOD):.1f} times the time",
            risk="more time; on sound starts it gained nothing", falsified_by="held-out PSNR is no higher than without",
        )


def verdict(found: Found) -> str:
    """Whether TruncGradGS is worth trying here, and why not."""
    if not found.is_out_of_reach:
        return "TruncGradGS has nothing to do here: gradients reach where they are needed."
    trial = found.trial
    if trial is None:
        return "TruncGradGS was not tried: a trial needs the start points, and time."
    if found.recommends:
        return (f"TruncGradGS gained {_told(trial, METHOD)} at {trial.cost(METHOD):.1f} times the time, "
                f"{_told(trial, METHOD, SCHEDULE)} of it beyond its schedule.")
    reaches = f"it would reach {percent(found.called)} of those without gradient, and " if found.reach.lost.any() else ""
    return (f"TruncGradGS is not recommended: {reaches}a trial gave {_told(trial, METHOD)} with it, "
            f"{_told(trial, SCHEDULE)} with its schedule alone, at {trial.cost(METHOD):.1f} times the time.")
