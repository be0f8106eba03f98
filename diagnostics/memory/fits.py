"""Measured lines of peak GPU memory over the number of Gaussians, each with where it was measured."""

from dataclasses import dataclass

from runs.run import Run
from runs.strategy import moves_the_dead

GIB = 2.0**30
MILLION = 1e6
# Counts that the lines were fitted to; beyond them they are carried on as straight lines and say so.
FITTED = (1_000_000, 6_300_000)
# Pixels of one training view, mean of the seven scenes that were measured: the fixed part holds what goes with them.
MEASURED_VIEW = 1_363_000
GSPLAT_EVAL = "https://docs.gsplat.studio/main/tests/eval.html"


@dataclass(frozen=True)
class Fit:
    """Peak of what PyTorch allocates, at SH degree 3 with Adam and one view per step: GiB = fixed + per_million · N / 1e6.

    Photos kept on the GPU are not in it. Least squares on `source`.
    """

    name: str
    fixed: float  # GiB
    per_million: float  # GiB per million Gaussians
    scenes: str  # what it was fitted to, and how well
    source: str = GSPLAT_EVAL

    @property
    def per_gaussian(self) -> float:
        """Bytes."""
        return self.per_million * GIB / MILLION


INRIA = Fit("INRIA's trainer", 0.694, 1.416, "7 scenes at 30,000 iterations, TITAN RTX, worst residual 0.13 GiB")
GSPLAT = Fit("gsplat's simple_trainer", 0.202, 1.654, "7 scenes at 30,000 iterations, TITAN RTX, worst residual 0.06 GiB")
GSPLAT_MCMC = Fit("gsplat's simple_trainer, MCMC", 0.457, 1.505, "means of 7 scenes at caps of 1, 2 and 3 million, A100")
GSPLAT_2DGS = Fit("gsplat's 2DGS trainer", 0.742, 1.557, "7 scenes with 0.7 to 3.9 million Gaussians")


@dataclass(frozen=True)
class Measured:
    """The line that suits a trainer, and what is not known about using it there."""

    fit: Fit | None  # None: nobody measured this trainer here; only the floor of any Adam trainer is told
    caveat: str = ""


# Trainers by the names that readers give them; a fork with another rasteriser or loss was not measured.
LINES = {"inria": Measured(INRIA), "gsplat": Measured(GSPLAT), "gsplat-2dgs": Measured(GSPLAT_2DGS)}
FORK = Measured(INRIA, "measured on INRIA's trainer, not on this fork of it")
SPLATFACTO = Measured(GSPLAT, "measured on gsplat's simple_trainer; splatfacto draws by gsplat, and was not measured")
UNKNOWN = Measured(None, "at least this: nobody measured this trainer, so only parameters, gradients and optimiser are counted")
# Forks that hold their model, optimiser and photos as INRIA's trainer does; the second half draws by kernels of its own.
FORKS = frozenset({"absgs", "efa-gs", "pixel-gs", "lightgaussian", "3dgs-mcmc", "mip-splatting", "yindaheng98"})
OWN_RASTERISERS = frozenset({"2dgs", "taming", "speedy-splat", "fastgs", "grendel"})


def measured_for(trainer: str, *, mcmc: bool = False) -> Measured:
    """The line for a trainer's name; `mcmc`: with that strategy."""
    if trainer == "gsplat" and mcmc:
        return Measured(GSPLAT_MCMC)
    if trainer == "splatfacto":
        return SPLATFACTO
    if trainer in LINES:
        return LINES[trainer]
    return FORK if trainer in FORKS else UNKNOWN


def measured_of(run: Run) -> Measured:
    """The line for the trainer and the strategy of a run."""
    return measured_for(run.trainer.name, mcmc=moves_the_dead(run))
