"""Losses as sums of their terms: (1 - λ)·L1 + λ·(1 - SSIM), and which other sum was logged instead."""

from dataclasses import dataclass

import numpy as np

from runs.arrays import F64


def photometric(l1: F64, dissimilarity: F64, weight: float) -> F64:
    """(1 - λ)·L1 + λ·(1 - SSIM), Kerbl et al. 2023; float64 [T]."""
    return np.asarray((1 - weight) * l1 + weight * dissimilarity)


def misfit(total: F64, explained: F64) -> float:
    """Median of |total - explained| / |total|."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.nanmedian(np.abs(total - explained) / np.abs(total)))


@dataclass(frozen=True)
class Sum:
    """total ≈ l1·L1 + dissimilarity·(1 - SSIM) + constant."""

    l1: float
    dissimilarity: float
    constant: float
    misfit: float

    @property
    def told(self) -> str:
        """As a formula, for the user."""
        terms = [(self.l1, "·L1"), (self.dissimilarity, "·(1 − SSIM)"), (self.constant, "")]
        shown = [f"{'−' if value < 0 else '+'} {abs(value):.3g}{name}" for value, name in terms if abs(value) > LEAST_TERM]
        return " ".join(shown).removeprefix("+ ") or "0"


LEAST_TERM = 5e-3  # smaller coefficients are noise of the fit


def fitted_sum(total: F64, l1: F64, dissimilarity: F64) -> Sum:
    """Least squares over T iterations, each weighed by 1 / total so that late ones count as much as early ones."""
    weight = 1 / np.maximum(np.abs(total), np.finfo(float).tiny)
    terms = np.stack([l1, dissimilarity, np.ones_like(total)], axis=1)
    a, b, c = np.linalg.lstsq(terms * weight[:, None], total * weight, rcond=None)[0]
    return Sum(float(a), float(b), float(c), misfit(total, terms @ np.array([a, b, c])))


def fitted_weight(total: F64, l1: F64, dissimilarity: F64) -> float:
    """λ of (1 - λ)·L1 + λ·(1 - SSIM) by least squares, weighed as above; NaN where the terms do not differ."""
    weight = 1 / np.maximum(np.abs(total), np.finfo(float).tiny)
    spread, above = (dissimilarity - l1) * weight, (total - l1) * weight
    return float(spread @ above / (spread @ spread)) if spread.any() else float("nan")
