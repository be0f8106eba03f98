"""Facts about regularisers: what opacity_reg and scale_reg add to the loss, and how many Gaussians MCMC takes for dead."""

from dataclasses import dataclass

import numpy as np

from diagnostics.facts import generations, logged, losses, saved, taken  # noqa: F401  (the facts named below)
from diagnostics.facts.logged import logged as series_of
from diagnostics.facts.losses import Terms
from diagnostics.measures.losses import photometric
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from runs.checkpoints import Checkpoint
from runs.run import Run
from runs.series import Series
from runs.settings import Setting, Settings

USUAL = 0.01  # of both, in 3dgs-mcmc and in gsplat's MCMC preset
NAMES = {"opacity_reg": "opacities", "scale_reg": "scales"}
AROUND = 25  # iterations before and after a save whose loss stands for it
DEATH = 0.005  # opacity at which MCMC relocates, where no setting tells


@dataclass(frozen=True)
class Pull:
    """What one regulariser adds to the loss, at the save where it weighs most."""

    setting: Setting
    what: str  # "opacities" or "scales"
    term: float  # weight × mean
    of_picture: float | None  # the same / the loss of the picture; None where no log tells it
    iteration: int


@fact(missing="the trainer's settings and a saved point cloud")
def pulls(
    settings: Settings, checkpoints: tuple[Checkpoint, ...], loss_terms: Terms | None = None, ssim_weight: Setting | None = None,
) -> tuple[Pull, ...]:
    """One per regulariser that is stored as switched on."""
    stored = [setting for name in NAMES if (setting := settings.get(name)) is not None and _is_on(setting)]
    means = [(checkpoint.iteration, _means(checkpoint)) for checkpoint in checkpoints] if stored else []
    share = 0.2 if ssim_weight is None else float(ssim_weight.value)
    return tuple(_pull(setting, means, loss_terms, share) for setting in stored)


def _is_on(setting: Setting) -> bool:
    return setting.stored and isinstance(setting.value, (int, float)) and setting.value > 0


def _means(checkpoint: Checkpoint) -> dict[str, float]:
    gaussians = checkpoint.gaussians
    finite = {"opacity_reg": gaussians.opacities, "scale_reg": gaussians.scales}
    return {name: float(np.mean(values[np.isfinite(values)], dtype=np.float64)) for name, values in finite.items()}


def _pull(setting: Setting, means: list[tuple[int, dict[str, float]]], terms: Terms | None, share: float) -> Pull:
    name = next(known for known in NAMES if setting.name.endswith(known))
    sized = [(float(setting.value) * mean[name], iteration) for iteration, mean in means]
    shares = [(term / picture, term, iteration) for term, iteration in sized if (picture := _picture(terms, iteration, share))]
    if shares:
        of_picture, term, iteration = max(shares)
        return Pull(setting, NAMES[name], term, of_picture, iteration)
    term, iteration = max(sized)
    return Pull(setting, NAMES[name], term, None, iteration)


def _picture(terms: Terms | None, iteration: int, share: float) -> float | None:
    """Median of (1 − λ)·L1 + λ·(1 − SSIM) around an iteration; None where it is not logged there."""
    if terms is None or terms.dissimilarity is None:
        return None
    near = np.abs(terms.iterations - iteration) <= AROUND
    if not near.any():
        return None
    return float(np.median(photometric(terms.l1[near], terms.dissimilarity[near], share)))


@dataclass(frozen=True, eq=False)
class Deaths:
    """How near to death the Gaussians of an MCMC training are."""

    relocated: Series | None  # share of the Gaussians at each relocation, 0..1
    median_opacity: float  # of the last save
    threshold: float  # opacity at which a Gaussian is taken for dead
    iteration: int
    source: str


@fact(missing="a training with MCMC and a saved point cloud of it")
def deaths(
    run: Run, span: tuple[int, int], relocates: bool, checkpoint: Checkpoint, settings: Settings | None = None,
    count_series: Series | None = None,
) -> Deaths | NotEvaluable:
    if not relocates:
        return NotEvaluable(("relocations (this trainer prunes Gaussians instead)",))
    told = None if settings is None else settings.value("opacity_cull") or settings.value("min_opacity")
    threshold = float(told) if isinstance(told, (int, float)) and told > 0 else DEATH
    opacities = checkpoint.gaussians.opacities
    return Deaths(_relocated(series_of(run, span, "densify/relocated"), count_series), float(np.nanmedian(opacities)), threshold,
                  checkpoint.iteration, saved.file_of(checkpoint))


def _relocated(moved: Series | None, counts: Series | None) -> Series | None:
    if moved is None or counts is None or not len(counts):
        return None
    known = np.interp(moved.iterations, counts.iterations, counts.values)
    with np.errstate(divide="ignore", invalid="ignore"):
        return Series("relocated / Gaussians", moved.iterations, moved.values / known, "share", moved.source)
