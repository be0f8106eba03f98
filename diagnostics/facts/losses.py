"""Facts about the logged loss: its terms at the same iterations, the weight of SSIM, and what else it may hold."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from diagnostics.facts import logged, taken  # noqa: F401  (the facts named below)
from diagnostics.facts.logged import logged as series_of
from diagnostics.registry import fact
from runs.arrays import F64, I64
from runs.run import Run
from runs.series import Series
from runs.settings import Setting, Settings

FEWEST = 6  # logged iterations: three coefficients are fitted to them, and what fits by chance must not fit exactly
WEIGHTS = ("lambda_dssim", "ssim_lambda")
# Trainers whose loss holds nothing but L1 and SSIM, and what their settings and logs name beside.
PLAIN_TRAINERS = ("inria", "3dgs-mcmc", "gsplat", "taming")
USUAL_SERIES = ("loss/l1", "loss/ssim", "loss/total", "loss/total_ema", "loss/total_shown")


@dataclass(frozen=True, eq=False)
class Terms:
    """The loss and its terms at T common iterations, all finite."""

    iterations: I64  # int64 [T]
    total: F64  # float64 [T]
    l1: F64
    dissimilarity: F64 | None  # 1 - SSIM; None where it is not logged
    source: str

    @property
    def span(self) -> tuple[int, int]:
        return int(self.iterations[0]), int(self.iterations[-1])


@fact(missing="series loss/ssim (or view/ssim)")
def loss_ssim(run: Run, span: tuple[int, int]) -> Series | None:
    """1 - SSIM of the training view of each iteration."""
    return series_of(run, span, "loss/ssim")


@fact(missing=f"series loss/total and loss/l1 at {FEWEST} common iterations at least")
def loss_terms(loss_total: Series, loss_l1: Series, loss_ssim: Series | None = None) -> Terms | None:
    """With SSIM where it is logged often enough beside the others."""
    full = None if loss_ssim is None else _common(loss_total, loss_l1, loss_ssim)
    return full or _common(loss_total, loss_l1)


@fact(missing="the weight of SSIM in the loss (setting lambda_dssim)")
def ssim_weight(settings: Settings) -> Setting | None:
    """As stored, or as the trainer's default."""
    found = (settings.get(name) for name in WEIGHTS)
    return next((s for s in found if s is not None and isinstance(s.value, (int, float)) and 0 <= s.value <= 1), None)


@fact(missing="what the loss holds")
def other_terms(run: Run) -> tuple[str, ...]:
    """Settings, series or the trainer itself that say of further terms; an empty tuple is an answer too."""
    told = [name for name, setting in run.settings.items() if setting.stored and _adds_a_term(name, setting.value)]
    told += [name for name in run.series if name.startswith("loss/") and name not in USUAL_SERIES]
    return tuple(told) if run.trainer.name in PLAIN_TRAINERS else (*told, f"the loss of {run.trainer.name}")


def _adds_a_term(name: str, value: Any) -> bool:
    if name == "depths":
        return bool(value)
    if name in ("depth_loss", "use_bilateral_grid", "normal_loss"):
        return value is True
    weighs = (name.startswith("lambda_") and name not in WEIGHTS) or name.endswith("_reg")
    return weighs and isinstance(value, (int, float)) and value > 0


def _common(*series: Series) -> Terms | None:
    iterations = series[0].iterations
    for other in series[1:]:
        iterations = np.intersect1d(iterations, other.iterations, assume_unique=True)
    values = [one.values[np.searchsorted(one.iterations, iterations)] for one in series]
    good = np.all([np.isfinite(column) for column in values], axis=0) & (values[0] > 0)
    if good.sum() < FEWEST:
        return None
    total, l1, *rest = (column[good] for column in values)
    sources = ", ".join(dict.fromkeys(one.source for one in series[:2]))
    return Terms(iterations[good], total, l1, rest[0] if rest else None, sources)
