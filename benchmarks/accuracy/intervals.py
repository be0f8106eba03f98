"""How sure a share of few runs is: exact binomial intervals."""

from dataclasses import dataclass

from scipy.stats import beta

LEVEL = 0.95


@dataclass(frozen=True)
class Share:
    """`hits` of `of`; `of` may be 0, and then nothing is known."""

    hits: int
    of: int

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.of:
            raise ValueError(f"{self.hits} of {self.of} is no share")

    @property
    def value(self) -> float | None:
        """0..1; None where there was nothing to count."""
        return self.hits / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        return clopper_pearson(self.hits, self.of)

    def __add__(self, other: "Share") -> "Share":
        return Share(self.hits + other.hits, self.of + other.of)


def clopper_pearson(hits: int, of: int, level: float = LEVEL) -> tuple[float, float]:
    """The exact interval of a binomial share, 0..1; (0, 1) where nothing was counted.

    Clopper and Pearson 1934, Biometrika 26: it covers the true share in at least `level` of all repetitions,
    also for few runs and for 0 or all hits, where the normal approximation is wrong.
    """
    outside = (1 - level) / 2
    low = float(beta.ppf(outside, hits, of - hits + 1)) if hits else 0.0
    high = float(beta.ppf(1 - outside, hits + 1, of - hits)) if hits < of else 1.0
    return low, high
