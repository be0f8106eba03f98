"""Faults of what was written: rows that an export spoiled."""

from dataclasses import replace
from functools import partial

from tests.lab.broken import files
from tests.lab.faults.fault import Fault, codes
from tests.lab.layouts import in_gsplat_layout
from tests.lab.plan import Plan


def _overwritten(plan: Plan, share: float, *, column: str, value: float) -> Plan:
    return replace(plan, edit=partial(files.rows_overwritten, share=share, column=column, value=value))


def _shard_lost(plan: Plan, ranks: float) -> Plan:
    edit = partial(files.shard_lost, rank=round(ranks) - 1)
    return replace(in_gsplat_layout(plan, ranks=round(ranks)), edit=edit)


FAULTS = (
    Fault(
        "zero-quaternions-exported", "files", partial(_overwritten, column="quats_wxyz", value=0.0), codes("N-12"),
        "Rows whose rotation is no rotation, in the last save only; which ones is known.", (0.05, 0.02, 0.1, 0.08),
        codes("N-11"),
    ),
    Fault(
        "infinite-scales-exported", "files", partial(_overwritten, column="log_scales", value=float("-inf")), codes("N-11"),
        "The logarithm of a scale that was zero, in the last save only; which rows is known.", (0.02, 0.01, 0.05, 0.03),
    ),
    Fault(
        "shard-lost", "files", _shard_lost, codes("N-28"),
        "Several processes trained, the files of the last one are missing: a part of the Gaussians is not there, in no pattern "
        "that a picture shows.", (2.0, 3.0), wrong=codes("DF-05 IF-01 CF-03"),
    ),
)
