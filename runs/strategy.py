"""How a run's trainer adds and removes Gaussians, and what that does to the order of rows."""

from runs.run import Run

# Their densification was read: what stays keeps its order, and what is born comes last (INRIA's model and gsplat's
# strategies). Of other trainers nobody knows.
KEEP_ORDER = frozenset({
    "inria", "taming", "absgs", "efa-gs", "fastgs", "lightgaussian", "speedy-splat", "mip-splatting", "2dgs", "3dgs-mcmc",
    "truncgradgs", "deformable-3dgs", "4dgaussians", "gsplat", "gsplat-2dgs", "splatfacto",
})


def moves_the_dead(run: Run) -> bool:
    """The MCMC strategy: it relocates dead Gaussians instead of pruning them, and resets nothing (Kheradmand et al. 2024)."""
    told = (run.settings.value(name) for name in ("strategy", "strategy.type", "strategy_type"))
    named = next((str(value).lower() for value in told if value), "")
    return "mcmc" in (named or run.trainer.name.lower())


def keeps_order(run: Run) -> bool:
    """Whether rows that stay are known to keep their order from save to save, as far as the files keep it."""
    return run.trainer.name in KEEP_ORDER
