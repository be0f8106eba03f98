"""Faults of the loss: its range, its weights, how its terms are added, which pixels count."""

from tests.lab.broken import loss
from tests.lab.faults.fault import Fault, codes
from tests.lab.plan import Plan


def _in_levels(plan: Plan, _: float) -> Plan:
    return plan.with_steps(loss=loss.in_levels)


def _ssim_expects_levels(plan: Plan, _: float) -> Plan:
    return plan.with_steps(loss=loss.ssim_expects_levels)


def _ssim_of_levels(plan: Plan, _: float) -> Plan:
    return plan.with_steps(loss=loss.ssim_of_levels)


def _weight(plan: Plan, share: float) -> Plan:
    return plan.settings_changed(lambda_dssim=share)


def _without_ssim(plan: Plan, _: float) -> Plan:
    return plan.done_otherwise(lambda_dssim=0.0)


def _only_ssim(plan: Plan, _: float) -> Plan:
    return plan.done_otherwise(lambda_dssim=1.0)


def _similarity_added(plan: Plan, _: float) -> Plan:
    return plan.with_steps(loss=loss.similarity_added)


def _summed(plan: Plan, _: float) -> Plan:
    return plan.with_steps(loss=loss.summed_over_the_picture)


FAULTS = (
    Fault(
        "loss-in-levels", "losses", _in_levels, codes("N-35"),
        "L1 of pictures in 0..255: the logged L1 is above 1, and gradients 255 times larger pass the densify threshold "
        "everywhere.",
        acceptable=codes("DF-02 OF-07"),
    ),
    Fault(
        "ssim-expects-levels", "losses", _ssim_expects_levels, codes("OF-05"),
        "SSIM with the constants of 0..255 on pictures of 0..1 is 1 from the first iteration on, whatever the picture. Its "
        "gradient is gone, and with it most of what the densify statistic counts (DF-01).", acceptable=codes("OF-07 DF-01"),
    ),
    Fault(
        "ssim-of-levels", "losses", _ssim_of_levels, codes("OF-05"),
        "Pictures of 0..255 with the constants of 0..1: 1-2 of 150 features move (count +20 %), PSNR not at all; only the logged "
        "SSIM differs from that of the saved picture.",
    ),
    Fault(
        "structure-weighs-all", "losses", _weight, codes("N-26"),
        "A weight of D-SSIM near 1, as set: 2.5 times as many Gaussians at the same threshold.", (1.0, 0.9, 0.95), codes("DF-02"),
        codes("OF-07"),
    ),
    Fault(
        "loss-without-ssim", "losses", _without_ssim, codes("OF-07"),
        "The settings weigh D-SSIM with 0.2, the logged loss is L1 alone; half as many Gaussians, 2 dB less: most of what the "
        "densify statistic counts comes from SSIM (DF-01).", acceptable=codes("OF-05 DF-01"), wrong=codes("IF-01"),
    ),
    Fault(
        "loss-of-ssim-alone", "losses", _only_ssim, codes("OF-07"),
        "The settings weigh D-SSIM with 0.2, the logged loss is 1 - SSIM. That the weight drives the growth (N-26) follows.",
        acceptable=codes("OF-05 N-26 DF-02"),
    ),
    Fault(
        "loss-adds-similarity", "losses", _similarity_added, codes("OF-07 OF-05"),
        "λ·SSIM is added in place of λ·(1 - SSIM): structure is unlearned.",
        acceptable=codes("DF-02 CF-03 CF-01"), wrong=codes("IF-04"),
    ),
    Fault(
        "loss-summed-over-the-picture", "losses", _summed, codes("OF-07 N-35"),
        "Sums in place of means: the logged L1 is above 1 (N-35) and drowns the other term (OF-07).",
        acceptable=codes("DF-02 OF-05"),
    ),
)
