"""What the SH probe found, in sentences, rows and fixes."""

from dataclasses import dataclass

import numpy as np

from diagnostics.probes.sh_scores import Effect
from diagnostics.probes.sh_views import Cut
from diagnostics.verdict import EvidenceRow, Finding, Fix, GaussianPlace
from diagnostics.wording import percent
from runs.arrays import I64

FALLING, BLEEDING = "test-falls-while-train-rises", "colour-bleeding"
SOURCE = "photos and renders"


@dataclass(frozen=True)
class Limits:
    """See the probe's page."""

    surely: float
    rise_db: float
    fall_db: float
    visible_db: float
    unknown_db: float
    far_deg: float
    share_of_cost: float


@dataclass(frozen=True)
class Judgement:
    """The lower degree at which held-out views are best, and what it changes."""

    degree: int
    rise: Effect  # of held-out views
    train: Effect
    limits: Limits

    @property
    def over_fitted(self) -> bool:
        """Held-out views surely gain by the cut, and training views lose."""
        return self.trained and self.rise.mean_db >= self.limits.rise_db and self.rise.mean_db > self._margin

    @property
    def unknown(self) -> bool:
        """Held-out views may gain by the cut, or not: there are too few of them, or they differ too much."""
        return self.trained and not self.over_fitted and self.rise.mean_db + self._margin > self.limits.unknown_db

    @property
    def by_heart(self) -> bool:
        """The bands do something for the training views, and surely next to nothing for held-out ones."""
        return self.trained and not self.over_fitted and abs(self.rise.mean_db) + self._margin <= self.limits.unknown_db

    @property
    def trained(self) -> bool:
        """The bands do something for the training views."""
        return self.train.mean_db <= -self.limits.fall_db

    @property
    def _margin(self) -> float:
        return self.rise.margin_db(self.limits.surely)


def judged(cut: Cut, limits: Limits) -> Judgement:
    degree = cut.held_out.best_cut
    return Judgement(degree, cut.held_out.effect(degree), cut.train.effect(degree), limits)


def sentence(cut: Cut, found: Judgement) -> str:
    """The change at the best lower degree, with its noise."""
    held_out, train = f"{found.rise.views} held-out views", f"{found.train.views} training views"
    cut_to = f"Cut to degree {found.degree} of {cut.held_out.degree}, the harmonics"
    if found.over_fitted:
        return f"{cut_to} cost {train} {-found.train.mean_db:.2f} dB and {held_out} gain: {found.rise}. They are over-fitted"
    if found.unknown:
        return (f"The harmonics above degree {found.degree} bring {train} {-found.train.mean_db:.2f} dB; whether they help "
                f"{held_out} or harm them is within the noise ({found.rise} without them)")
    if found.by_heart:
        return (f"The harmonics above degree {found.degree} bring {train} {-found.train.mean_db:.2f} dB and change {held_out} by "
                f"no more than {found.limits.unknown_db:g} dB ({found.rise} without them): learned by heart, and harmless so far")
    both = f"{cut_to} change {held_out} by {found.rise} and {train} by {found.train}"
    if found.trained or found.rise.mean_db < 0:
        return f"{both}, and no other cut is better. They are not what held-out views suffer from"
    return f"{both}: training views hardly need them, so they are not over-fitted"


def rows(cut: Cut, found: Judgement) -> tuple[EvidenceRow, ...]:
    """Held-out and training views at every degree, and how far the held-out ones stand from the others."""
    at, told = cut.drawn.checkpoint.iteration, []
    for name, scores, limit in (("held-out", cut.held_out, found.limits.rise_db), ("training", cut.train, -found.limits.fall_db)):
        told.append(EvidenceRow(f"PSNR of {len(scores.names)} {name} views with every degree",
                                float(scores.psnr_db[:, -1].mean()), None, "dB", at, SOURCE))
        for degree in range(scores.degree):
            effect = scores.effect(degree)
            told.append(EvidenceRow(
                f"change of {name} views when cut to degree {degree} (standard error {effect.error_db:.2f} dB)", effect.mean_db,
                limit if degree == found.degree else None, "dB", at, SOURCE))
    angle = nearest_deg(cut)
    told.append(EvidenceRow("angle of held-out cameras from the nearest training camera, median", angle, None, "°", at, SOURCE))
    return tuple(told)


def nearest_deg(cut: Cut) -> float | None:
    """Median over held-out views; None where the save shows no surface in any."""
    known = cut.angles_deg[np.isfinite(cut.angles_deg)]
    return float(np.median(known)) if len(known) else None


def finding(cut: Cut, found: Judgement, worst: I64) -> Finding:
    """`worst`: rows of the Gaussians whose bands cost most."""
    checkpoint, changes = cut.drawn.checkpoint, cut.held_out.change(found.degree)
    share = EvidenceRow(f"Gaussians that make {percent(found.limits.share_of_cost)} of what the harmonics cost these views",
                        len(worst), None, "", checkpoint.iteration, SOURCE)
    return Finding(
        sentence(cut, found), (*rows(cut, found), share), iterations=(checkpoint.iteration, checkpoint.iteration),
        gaussians=GaussianPlace(worst, checkpoint.iteration, checkpoint.count) if len(worst) else None,
        cameras=tuple(cut.held_out.names[i] for i in np.argsort(-changes) if changes[i] > 0), confidence=0.8,
        severity=None if found.rise.mean_db >= found.limits.visible_db else "info",
        cause="The harmonics learned the training views by heart: at the directions of their cameras they bring "
              f"{-found.train.mean_db:.2f} dB, and between them nothing holds them.",
        fixes=fixes(cut, found), colour_by="sh_energy",
    )


def fixes(cut: Cut, found: Judgement) -> tuple[Fix, ...]:
    """With what was measured here."""
    gained, now = -found.train.mean_db, float(cut.held_out.psnr_db[:, -1].mean())
    measured = (f"held-out PSNR changes by {found.rise} on the same {found.rise.views} views, or better: measured by cutting "
                "this save, which was not trained for it")
    return (
        Fix(f"Train with harmonics of degree {found.degree}", measured, "sh_degree", None, found.degree,
            "shine that is real is lost", f"held-out PSNR is no higher than {now:.2f} dB"),
        Fix("Or raise the degree later, so that more is learned before colours may depend on the direction",
            f"training PSNR gains the {gained:.2f} dB later, and held-out PSNR loses less by it (not measured here)",
            "sh_interval", None, "× 2", "shine is learned for a shorter time", "this probe measures as large a rise again"),
    )
