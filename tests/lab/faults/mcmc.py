"""Faults of MCMC trainings: regularisers, cap, relocation, noise."""

from dataclasses import replace
from functools import partial

from diagnostics.optimiser.settings import OptimiserSettings
from tests.lab.faults.fault import Fault, codes
from tests.lab.plan import Plan

ROOM = 1.4  # the cap in parts of the starting points, at least


def mcmc(plan: Plan) -> Plan:
    """The same training with the other strategy, at its healthy settings and with room to grow."""
    size = OptimiserSettings.mini if plan.settings.iterations == OptimiserSettings.mini().iterations else OptimiserSettings.large
    healthy = size(strategy="mcmc", seed=plan.settings.seed)
    cap = max(healthy.cap_max, round(ROOM * len(plan.data.points)))
    return replace(plan, settings=replace(healthy, cap_max=cap), believed={})


def _times(plan: Plan, times: float, *, name: str) -> Plan:
    plan = mcmc(plan)
    return plan.settings_changed(**{name: getattr(plan.settings, name) * times})


def _small_cap(plan: Plan, share: float) -> Plan:
    """In parts of the number of points."""
    return mcmc(plan).settings_changed(cap_max=round(len(plan.data.points) * share))


def _never_relocates(plan: Plan, opacity_reg: float) -> Plan:
    return mcmc(plan).settings_changed(opacity_reg=opacity_reg).done_otherwise(opacity_cull=1e-9)


FAULTS = (
    Fault(
        "opacity-regulariser-too-strong", "mcmc", partial(_times, name="opacity_reg"), codes("N-09 OF-06"),
        "The absolute value of opacity_reg is what public reports of collapsing MCMC runs come down to.", (100.0, 50.0),
        codes("N-08 DF-05"), codes("DF-06 IF-04"),
    ),
    Fault(
        "scale-regulariser-too-strong", "mcmc", partial(_times, name="scale_reg"), codes("OF-06"),
        "Scales are pulled to nothing: holes between points.", (1_000.0, 500.0), codes("N-09 N-08"), codes("IF-02 IF-04"),
    ),
    Fault(
        "cap-below-start", "mcmc", _small_cap, codes("N-37"),
        "More points than the cap allows: MCMC never adds one, the count is constant.",
        (0.7, 0.5), codes("DF-01"), codes("DF-05"),
    ),
    Fault(
        "dead-gaussians-at-the-cap", "mcmc", _never_relocates, codes("N-08"),
        "Relocation takes nobody for dead, the regulariser keeps killing: at the cap a large share can no longer be drawn.",
        (0.05, 0.08), codes("DF-06 OF-06 N-09"),
    ),
    Fault(
        "noise-too-strong", "mcmc", partial(_times, name="noise_lr"), codes("OF-01"),
        "Noise is a learning rate: with 100 times the usual one nothing settles.",
        (100.0, 200.0), codes("AF-01"), codes("IF-04 N-33"),
    ),
)
