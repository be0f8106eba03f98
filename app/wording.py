"""How the window words numbers and states; the words of the report where it has them."""

import math

from diagnostics.diagnosis import Diagnosis
from diagnostics.report import wording as report
from diagnostics.wording import NO_BREAK
from runs.checkpoints import Checkpoint
from runs.lineage.moments import ITSELF, Moment, Remark
from runs.run import Run

ROWS = report.ROWS
SURE = 0.9  # confidence below which a moment of a history is called uncertain


def count(number: int) -> str:
    """12,345."""
    return f"{number:,}"


def number(value: float | None, unit: str = "") -> str:
    """As in the report, but a stored NaN is shown as what it is: missing is another thing."""
    return "NaN" if value is not None and math.isnan(value) else report.number(value, unit)


def rows(checkpoint: Checkpoint) -> str:
    """"12,345 Gaussians", or what else its rows are."""
    return report.rows(checkpoint).replace(NO_BREAK, " ")


def save(checkpoint: Checkpoint) -> str:
    """"Iteration 17,000 (fine 14,000)": with what the trainer calls it, where that is another number."""
    return f"Iteration {report.save(checkpoint)}"


def moment(time: float | None) -> str:
    """"moment 0.370", or the set that belongs to none."""
    return "the canonical set" if time is None else f"moment {time:.3f}"


def relation(moment: Moment) -> str:
    """"1,200", "1,200 · parent: cloned", "1,200 · itself, uncertain"."""
    doubt = _doubt(moment)
    told = "" if moment.relation == ITSELF and not doubt else f" · {moment.relation}{doubt}"
    return f"{count(moment.iteration)}{told}"


def remark(one: Remark) -> str:
    """"Born between 900 and 1,200: parent not available"."""
    return f"{one.says}{_doubt(one)}"


def told_by(one: Moment | Remark) -> str:
    """"Row 12 at iteration 1,200: parent: cloned", with what says so and how sure that is."""
    sure = f", {100 * one.confidence:.1f} % sure" if one.confidence < 1 else ""
    source = f"\nTold by {one.source}{sure}" if one.source else ""
    where = f"Row {count(one.row)} at iteration {count(one.iteration)}: {one.relation}" if isinstance(one, Moment) else one.says
    return f"{where}{source}"


def _doubt(one: Moment | Remark) -> str:
    return ", uncertain" if one.confidence < SURE else ""


def size(size_bytes: int) -> str:
    """12,345,678 -> 12.3 MB."""
    for limit, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size_bytes >= limit:
            return f"{size_bytes / limit:.3g} {unit}"
    return f"{size_bytes} B"


def span(chosen: tuple[int, int] | None) -> str:
    """The chosen range."""
    return "the whole run" if chosen is None else report.iterations(chosen)


def no_finding(diagnosis: Diagnosis) -> str:
    """What a diagnosis without findings says: silence about files that could not be judged would sound like health."""
    unjudged = not diagnosis.clear and diagnosis.not_evaluable
    return "Nothing could be judged" if unjudged else "Nothing found"


def trainer(run: Run) -> str:
    """The trainer with how sure the files make us."""
    return f"{run.trainer.name} ({report.percent(run.trainer.confidence)} sure)" if run.trainer.confidence else "unknown"
