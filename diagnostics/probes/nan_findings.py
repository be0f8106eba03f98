"""What the nan probe says: the first tensor that broke, or how far training came without one."""

from collections.abc import Sequence

import numpy as np

from diagnostics.probes.answer import Answer, Judged
from diagnostics.probes.nan_four import Cause, told_rows
from diagnostics.probes.nan_replay import Desk, Replay
from diagnostics.probes.nan_start import INITIAL, Shown, Start
from diagnostics.probes.nan_watch import LARGEST_GRADIENT, LARGEST_LOG_SCALE, ROTATIONS, Broken
from diagnostics.verdict import EvidenceRow, Finding, Fix, GaussianPlace
from runs.points import PointCloud

ROWS, QUATS, LOSS = "non-finite-rows", "zero-quaternions", "loss-not-finite"
ALL = (ROWS, QUATS, LOSS)
SAVES = "saved point clouds or losses of the run itself: finite steps from here on do not tell what it held"
SOMETHING_ELSE = ("the operation that broke this run: {steps:,} steps from {source} stay finite here, so it is something that "
                  "this trainer does not do (mixed precision, other loss terms, another rasteriser, an export)")
TOO_SHORT = "more steps than {steps:,}: the first bad value that is known is at iteration {first:,}"
SPIKE = "whether the loss jumped: this probe looks for values that are not finite"


def answer(desk: Desk, seen: Replay, causes: Sequence[Cause]) -> Answer:
    """All that is said of one replay; how it was done is the probe's to add."""
    start, shown = desk.start, desk.start.shown
    rows = (*(cause.row(place) for place, cause in enumerate(causes, 1)), *_largest(seen))
    if seen.broken is not None:
        finding = _broke(desk, seen, seen.broken, causes)
        where = _pattern(seen.broken)
        judged = tuple(Judged(name, finding) if name == where or _is_bad(shown, name) else Judged(name, missing=(_other(where),))
                       for name in ALL)
        return Answer(f"{finding.says}.", judged, (*_first(seen.broken, start), *rows), iteration=start.iteration)
    finite = _finite(seen, start)
    missing = () if shown.first is None else (_excluded(seen, start, shown.first),)
    judged = tuple(_without(name, shown, missing) for name in ALL)
    if not missing:
        return Answer(f"{finite}. {_checked(causes)}.", judged, rows, iteration=start.iteration)
    says = f"{finite}, although the run shows such values from iteration {shown.first:,} on. {_checked(causes)}."
    return Answer(says, judged, rows, missing=missing, iteration=start.iteration)


def bad_points(start: Start, points: PointCloud) -> Answer:
    """Nothing can be trained from points that are not finite."""
    bad = np.flatnonzero(~np.isfinite(points.xyz).all(axis=1))
    finding = Finding(
        f"{len(bad):,} of {len(points):,} points that training starts from are not finite ({points.source}), before any step; "
        f"the first is row {bad[0]:,}",
        (EvidenceRow("points that are not finite", len(bad), 0, "points", 0, points.source),), iterations=(0, 0), confidence=1.0,
        cause="Input that is not finite: none of the other three causes has a part in it, as no step was taken.",
        fixes=(Fix(f"Drop these {len(bad):,} points and start anew", "this probe trains on without a value that is not finite"),),
        facts={"first": 0, "first_bad": 0},
    )
    judged = (Judged(ROWS, finding), *(Judged(name, missing=(_other(ROWS),)) for name in (QUATS, LOSS)))
    return Answer(f"{finding.says}.", judged, finding.evidence, iteration=start.iteration)


def _broke(desk: Desk, seen: Replay, broken: Broken, causes: Sequence[Cause]) -> Finding:
    view = next((view for view in desk.shown.data.train if view.name == broken.view), None)
    found = [cause for cause in causes if cause.answer == "found"]
    who = f"{len(broken.rows):,} of {seen.gaussians:,} Gaussians" if len(broken.rows) else f"{broken.values:,} values"
    when = f"in step {seen.steps + 1:,} after {desk.start.source} (iteration {broken.iteration:,}, {broken.view})"
    if broken.iteration == desk.start.iteration:
        when = f"in {desk.start.source} (iteration {broken.iteration:,}) as it was saved"
    named = "; ".join(f"{cause.name} ({cause.what})" for cause in found) or "none of the four causes stands out"
    return Finding(
        f"The first tensor that is not finite: {broken.tensor}, {who}, {when}. Of the four causes: {named}",
        (*_first(broken, desk.start), *(cause.row(place) for place, cause in enumerate(causes, 1)), *told_rows(broken, view)),
        iterations=(desk.start.iteration, max(broken.iteration, desk.start.iteration)), gaussians=_place(desk, seen, broken),
        cameras=(broken.view,) if broken.view and not len(broken.rows) else (), confidence=0.9 if found else 0.7,
        cause=" ".join(_WHY[cause.name] for cause in found), fixes=tuple(_fix(cause) for cause in found),
        facts={"first": broken.iteration, "first_bad": broken.iteration, "bad_rows": len(broken.rows)},
    )


_WHY = {
    "learning rate": "The steps are too long: at usual rates the same stretch stays finite.",
    "input that is not finite": "What training was given holds values that are not finite, and they reach whatever they touch.",
    "unsafe mathematics": "These rows are finite as stored and not once they are used: an exponential, a quotient or a logarithm "
                          "leaves the numbers. The renderer here passes them over; others answer with NaN or an illegal memory "
                          "access.",
    "exploding gradients": "The gradient grew beyond what its square can be stored as.",
}


def _fix(cause: Cause) -> Fix:
    do, expect, falsified = {
        "learning rate": ("Set the learning rates to the trainer's defaults and continue from the last finite save",
                          "no value that is not finite, as measured here", "the same tensor breaks at usual rates"),
        "input that is not finite": ("Replace or mask what is not finite in the input, then continue from the last finite save",
                                     "this probe trains on without such a value", "it breaks with sound input as well"),
        "unsafe mathematics": ("Drop these rows, or clamp what they hold before it is used (scales before exp, quaternions by a "
                               "least length), and continue", "this probe trains on without such a value",
                               "other rows break at once: then something drives them there"),
        "exploding gradients": ("Look at the loss term and the view of this step: what it divides by is near zero",
                                "the largest gradient stays below 1,000 times its median", "the gradient grows in every view"),
    }[cause.name]
    return Fix(do, expect, falsified_by=falsified)


def _place(desk: Desk, seen: Replay, broken: Broken) -> GaussianPlace | None:
    """Only rows of the save itself can be shown: a few steps later they are the same, until the number changes."""
    state = desk.start.state
    if state is None or not len(broken.rows) or broken.before is None or broken.before.count != state.gaussians.count:
        return None
    return GaussianPlace(broken.rows, desk.start.iteration, seen.gaussians)


def _without(name: str, shown: Shown, missing: tuple[str, ...]) -> Judged:
    """Nothing broke here. That clears a pattern only where files have nothing against it either."""
    if missing:
        return Judged(name, missing=missing)
    known = {ROWS: shown.rows, QUATS: shown.quats, LOSS: shown.loss}[name]
    if known is None or (name == QUATS and known):
        return Judged(name, missing=(SAVES,))
    return Judged(name, missing=(SPIKE,) if name == LOSS and shown.spike else ())


def _is_bad(shown: Shown, name: str) -> bool:
    return name != QUATS and bool(shown.rows if name == ROWS else shown.loss)


def _pattern(broken: Broken) -> str:
    if broken.tensor == ROTATIONS:
        return QUATS
    return LOSS if broken.stage in ("photo", "picture", "loss") else ROWS


def _other(where: str) -> str:
    return f"a break of its own: the first one is told as {where}, and this follows from it"


def _excluded(seen: Replay, start: Start, first: int) -> str:
    if start.iteration + seen.steps < first:
        return TOO_SHORT.format(steps=seen.steps, first=first)
    return SOMETHING_ELSE.format(steps=seen.steps, source=start.source)


def _finite(seen: Replay, start: Start) -> str:
    where = INITIAL if start.state is None else f"{start.source} (iteration {start.iteration:,})"
    return f"{seen.steps:,} steps from {where} stay finite: photos, pictures, loss, gradients, parameters and Adam's moments"


def _checked(causes: Sequence[Cause]) -> str:
    return "Checked one by one: " + "; ".join(f"{cause.name}, {cause.answer} ({cause.what})" for cause in causes)


def _first(broken: Broken, start: Start) -> tuple[EvidenceRow, ...]:
    tensor, at = f"first tensor that is not finite: {broken.tensor}", broken.iteration
    return (EvidenceRow(tensor, broken.values, 0, "values", at, start.source),
            EvidenceRow("Gaussians that hold them", len(broken.rows), 0, "rows", at, start.source))


def _largest(seen: Replay) -> tuple[EvidenceRow, ...]:
    largest = seen.largest
    return (
        EvidenceRow("steps that stayed finite", seen.steps, None, "steps"),
        EvidenceRow("largest gradient of a parameter", largest.gradient, LARGEST_GRADIENT),
        EvidenceRow("longest step of a parameter", largest.step, None, "learning rates"),
        EvidenceRow("largest log scale", largest.log_scale, LARGEST_LOG_SCALE),
        EvidenceRow("shortest quaternion", largest.quat, None),
    )
