"""Trainings that died, as their last words and last files tell it; and faults of several processes."""

from dataclasses import replace
from functools import partial

from tests.lab.broken import crashes, gradients
from tests.lab.faults.fault import Fault, codes
from tests.lab.layouts import in_gsplat_layout
from tests.lab.plan import Plan

ILLEGAL = "RuntimeError: CUDA error: an illegal memory access was encountered"
KILLED = "Killed"
NO_KERNEL = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
NO_SPACE = "OSError: [Errno 28] No space left on device: 'output/point_cloud.ply'"
EXCEPTION = ('Traceback (most recent call last):\n  File "/home/user/gs/train.py", line 216, in training\n'
             "    depth = render_pkg['depth']\nKeyError: 'depth'")
WATCHDOG = ("[rank1]:[E ProcessGroupNCCL.cpp:523] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, "
            "OpType=ALLGATHER, NumelIn=1, NumelOut=8, Timeout(ms)=1800000) ran for 1800708 milliseconds before timing out.")


def _dies(plan: Plan, _: float, *, words: str) -> Plan:
    return replace(plan, edit=partial(crashes.dies, words=words, end=plan.settings.iterations))


def _dies_of_scales(plan: Plan, share: float) -> Plan:
    return replace(plan, edit=partial(crashes.dies_of_scales, words=ILLEGAL, end=plan.settings.iterations, share=share))


def _waits(plan: Plan, _: float) -> Plan:
    return _dies(in_gsplat_layout(plan, ranks=2), 1.0, words=WATCHDOG)


def _not_joined(plan: Plan, forgets: float) -> Plan:
    return replace(in_gsplat_layout(plan, ranks=2), edit=partial(crashes.not_joined, forgets=forgets))


def _wrapped(plan: Plan, _: float) -> Plan:
    return replace(in_gsplat_layout(plan), edit=crashes.wrapped)


def _batch(plan: Plan, views: float) -> Plan:
    return in_gsplat_layout(plan).recorded_as(batch_size=round(views))


def _unfit(plan: Plan, rows: float) -> Plan:
    return replace(plan, edit=partial(crashes.moments_of_another_count, rows=round(rows)))


def _start(plan: Plan, share: float) -> int:
    """Neither a densification nor a reset: those lose their step."""
    return round(plan.settings.iterations * share) + 7


def _breaks_at_a_start(plan: Plan, share: float) -> Plan:
    at = _start(plan, share)
    step = partial(gradients.poisoned, at=at, group="means")
    return plan.with_steps(gradients=step).recorded_as(sparsity_start_iter=at)


def _nan_in_the_log(plan: Plan, views: float) -> Plan:
    return plan.with_steps(loss=partial(crashes.loss_of_some_views_is_nan, of=round(views)))


FAULTS = (
    Fault(
        "illegal-access-after-infinite-scales", "crashes", _dies_of_scales, codes("N-17"),
        "Scales that are infinite once activated in the last save, and then the error that the rasteriser answers with "
        "(gaussian-splatting #781).", (0.01, 0.03), codes("N-11"), wrong=codes("E-01 E-04"),
    ),
    Fault(
        "killed-by-the-system", "crashes", partial(_dies, words=KILLED), codes("E-02"),
        "The terminal's last word; the scene has no part in it.", wrong=codes("N-17 E-01"),
    ),
    Fault(
        "kernel-of-another-gpu", "crashes", partial(_dies, words=NO_KERNEL), codes("E-01"),
        "The extension was built for other GPUs; the scene has no part in it.", wrong=codes("N-17 E-04"),
    ),
    Fault(
        "disk-filled", "crashes", partial(_dies, words=NO_SPACE), codes("E-03"),
        "The last save could not be written.", wrong=codes("E-04"),
    ),
    Fault(
        "exception-in-the-loop", "crashes", partial(_dies, words=EXCEPTION), codes("E-04"),
        "A key that the renderer does not return: named by the line of the trainer's own code.", wrong=codes("E-01 P-02"),
    ),
    Fault(
        "worker-lost", "crashes", _waits, codes("MF2-02"),
        "One of two processes waited half an hour for the other.", wrong=codes("MF2-01 MF2-03"),
    ),
    Fault(
        "processes-not-joined", "crashes", _not_joined, codes("MF2-01 MF2-03"),
        "Two processes each hold the whole scene, 2e-3 apart: merged, everything is there twice.", (0.0, 0.2),
        codes("CK-3"), wrong=codes("N-28"),
    ),
    Fault(
        "network-saved-in-its-wrapper", "crashes", _wrapped, codes("MF2-05"),
        "Names of an appearance network begin with “module.”; the Gaussians are sound.",
    ),
    Fault(
        "batch-without-momentum", "crashes", _batch, codes("MF2-04"),
        "Ten views per step and more: the decay of Adam's first moment is zero or less in gsplat's trainer.", (10.0, 12.0),
    ),
    Fault(
        "moments-of-another-count", "crashes", _unfit, codes("P-02"),
        "Rows were added to the means and not to their moments: a resume ends in an error.", (1.0, 50.0),
        codes("CK-1 CK-3"),
    ),
    Fault(
        "nan-where-a-term-begins", "crashes", _breaks_at_a_start, codes("N-11 N-23"),
        "All means become NaN at the iteration at which the settings begin a loss term (LichtFeld-Studio #1225). What learns "
        "nothing afterwards is a consequence.", (0.7, 0.8), codes("M-03 M-09 OF-03 DF-01 DF-05 DF-07 OF-01 CF-04 M-04"),
        codes("IF-04 CF-03 IF-05"), onset=_start,
    ),
    Fault(
        "loss-of-some-views-is-nan", "crashes", _nan_in_the_log, codes("M-03"),
        "A term divides by zero in some views and its gradient is dropped: the picture is sound, the logged total is not.",
        (2.0, 3.0), wrong=codes("N-11"),
    ),
)
