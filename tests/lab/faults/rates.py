"""Faults of the optimiser: learning rates, what they scale, and groups that do not learn."""

from collections.abc import Mapping
from functools import partial

from tests.lab.broken import gradients
from tests.lab.faults.fault import Fault, codes
from tests.lab.plan import Plan

RATES = ("feature_lr", "opacity_lr", "scaling_lr", "rotation_lr")


def _multiplied(plan: Plan, times: float, *, names: tuple[str, ...]) -> Plan:
    return plan.settings_changed(**{name: getattr(plan.settings, name) * times for name in names})


def _without_decay(plan: Plan, _: float) -> Plan:
    """The scheduler is never called; an end that is set equal to the start would be a choice."""
    return plan.done_otherwise(position_lr_final=plan.settings.position_lr_init)


def _stiff_adam(plan: Plan, eps: float) -> Plan:
    return plan.done_otherwise(adam_eps=eps)


def _cut(plan: Plan, _: float, *, group: str) -> Plan:
    return plan.with_steps(gradients=partial(gradients.cut, group=group))


def _no_degree(_iteration: int, _settings: object) -> int:
    return 0


def _stuck_at_degree_0(plan: Plan, _: float) -> Plan:
    return plan.with_steps(sh_degree=_no_degree)


def _stretched(plan: Plan, pull: float) -> Plan:
    return plan.with_steps(gradients=partial(gradients.stretching, pull=pull))


POSITION = ("position_lr_init", "position_lr_final")

# Where opacities cannot come back from a reset: they stay there (DF-07), are pruned (DF-05), and what is so faint gets gradients
# so small that nothing passes the densify threshold (DF-01).
AFTER_RESET = "DF-01 DF-05 DF-07"
# Group -> what follows where it does not learn, with the reason.
CUT: Mapping[str, tuple[str, str, str]] = {
    "means": ("means-frozen", "", "Adam's moments of the means are exactly zero and no Gaussian leaves its birthplace."),
    "log_scales": ("scales-frozen", "AF-01", "All scales keep their start; what grows later is only ever divided by 1.6."),
    "quats_wxyz": ("rotations-frozen", "", "Every quaternion is that of its start; the picture hardly suffers, moments tell."),
    "logit_opacities": ("opacities-frozen", f"{AFTER_RESET} CF-03",
                        "Nothing lifts the opacities after the first reset, so pruning empties the scene."),
    "sh0": ("colours-frozen", "", "Base colours stay those of the points and of their parents."),
    "sh_rest": ("harmonics-frozen", "", "The higher harmonics stay exactly zero although their degrees are active."),
}

FAULTS = (
    Fault(
        "position-rate-too-high", "rates", partial(_multiplied, names=POSITION), codes("OF-01"),
        "100 times the usual rate of the means cost 1.3 dB in the feasibility study and left late motion of 0.07 own sizes.",
        (100.0, 150.0, 60.0, 80.0), codes("AF-01"), codes("IF-04 N-33"),
    ),
    Fault(
        "position-rate-too-low", "rates", partial(_multiplied, names=POSITION), codes("OF-02"),
        "A hundredth of the rate: clones never part (19 % exact duplicates) and opacity dies instead of moving.",
        (1 / 100, 1 / 150, 1 / 300, 1 / 60), wrong=codes("IF-01 IF-04"),
    ),
    Fault(
        "position-rate-does-not-decay", "rates", _without_decay, codes("OF-08"),
        "The settings let the rate fall a hundredfold, the logged rate stays. At this size it even gains 0.7 dB, so only rate "
        "and schedule show it.", acceptable=codes("N-24 OF-01"),
    ),
    Fault(
        "colour-rate-too-high", "rates", partial(_multiplied, names=("feature_lr",)), codes("OF-01"),
        "20 times the rate drives colours out of gamut (DC slope 1.37 instead of 1.02).", (20.0, 30.0), codes("CF-03"),
    ),
    Fault(
        "opacity-rate-too-high", "rates", partial(_multiplied, names=("opacity_lr",)), codes("OF-01"),
        "20 times the rate saturates opacities (median 1.00) and costs 1.5 dB.", (20.0, 30.0), codes("DF-05 AF-01"),
    ),
    Fault(
        "scale-rate-too-high", "rates", partial(_multiplied, names=("scaling_lr",)), codes("OF-01"),
        "20 times the rate makes needles and sheets (log10 anisotropy 6.2 instead of 2.3).", (20.0, 30.0),
        codes("AF-06 AF-01 DF-05 CF-02"),
    ),
    Fault(
        "rotation-rate-too-high", "rates", partial(_multiplied, names=("rotation_lr",)), codes("OF-01"),
        "The rate is in the settings and in Adam's groups; Gaussians turn at every step.", (50.0, 100.0),
    ),
    Fault(
        "all-rates-too-low", "rates", partial(_multiplied, names=(*POSITION, *RATES)), codes("OF-02"),
        "Everything learns a hundred times too slowly; after the first reset opacities cannot come back.",
        (1 / 100, 1 / 50), codes(f"{AFTER_RESET} M-04"), codes("IF-04 OF-03"),
    ),
    Fault(
        "adam-epsilon-too-large", "rates", _stiff_adam, codes("OF-02"),
        "With eps far above the gradients Adam's step is gradient/eps: tiny. The rates look usual, the steps are not. "
        "That parameters get no gradient (OF-03) is not so, but what is seen is the same: nothing moves.",
        (1e-3, 3e-3), codes(f"OF-03 {AFTER_RESET} CF-03"), codes("IF-04"),
    ),
    *(
        Fault(name, "rates", partial(_cut, group=group), codes("OF-03"), why, acceptable=codes(follows), wrong=codes("IF-04"))
        for group, (name, follows, why) in CUT.items()
    ),
    Fault(
        "harmonics-never-activated", "rates", _stuck_at_degree_0, codes("OF-03 N-24"),
        "The degree stays 0 to the end: the log says so, and the higher coefficients are exactly zero.",
    ),
    Fault(
        "scales-stretched", "rates", _stretched, codes("AF-06 OF-06"),
        "A regulariser with the wrong sign on one axis: needles all over the scene. OF-06 names the regulariser, AF-06 what it "
        "made.",
        (1.0, 2.0), codes("AF-01 DF-05 OF-01 CF-03"),
    ),
)

