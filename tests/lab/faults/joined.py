"""Faults of models that were cropped, joined or written twice after training: the last save is no longer what training made."""

from dataclasses import replace
from functools import partial

from tests.lab.broken import joined
from tests.lab.faults.fault import Fault, codes
from tests.lab.plan import Plan

BEFORE_NOTHING = frozenset(("studio", "statue"))


def _cut_out(plan: Plan, share: float) -> Plan:
    return replace(plan, edit=partial(joined.cut_out, share=share))


def _written_twice(plan: Plan, share: float) -> Plan:
    return replace(plan, edit=partial(joined.written_twice, share=share))


def _overlap(plan: Plan, shift: float) -> Plan:
    return replace(plan, edit=partial(joined.blocks_overlap, shift=shift))


FAULTS = (
    Fault(
        "hole-cropped", "joined", _cut_out, codes("AF-04"),
        "A crop tool took a ball out of an object: the place is empty in most views though the photos show it. Where walls "
        "stand behind, they show through, and no place is empty. The count is no longer what the log says, which CK-3 tells.",
        (0.25, 0.35), codes("CK-3 N-28 DF-05"), codes("IF-01 IF-04"), scenes=BEFORE_NOTHING,
    ),
    Fault(
        "rows-written-twice", "joined", _written_twice, codes("AF-08"),
        "Rows stand in the last save twice, copies in every value; the picture gets denser there. Which ones is known.",
        (0.1, 0.05, 0.3, 0.2), codes("CK-3 N-28 AF-03 N-38"), codes("N-02 OF-03"),
    ),
    Fault(
        "blocks-joined-with-their-margin", "joined", _overlap, codes("N-38"),
        "The margin of two blocks is there twice along one plane, the copies off by a hundredth of a Gaussian.", (0.01, 0.005),
        codes("AF-08 CK-3 N-28 AF-03"),
    ),
)
