"""Values that are no numbers: in the loss, in what training was given; and tensors whose shapes do not fit."""

from diagnostics.detectors.crash import quoted, told_by
from diagnostics.facts.crash_shapes import Misfit, Shapes
from diagnostics.facts.nan_causes import NanCauses
from diagnostics.facts.nan_inputs import Inputs
from diagnostics.facts.nan_losses import Bad, Losses, Spike
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding
from diagnostics.wording import percent

FOR_EVER = "Nothing was a number any more from here on: Adam keeps a NaN in its moments for ever."
ONE_VIEW = ("One loss of one view stood out and the next did not: that view is the first suspect (its photo, mask or pose), not "
            "the optimiser.")
OTHER_RASTERISER = ("The rasteriser gives gradients of another shape than the trainer's parameters have: it is that of another "
                    "method or version. Nothing of the scene has a part in it.")


@detects("loss-not-finite")
def loss_not_finite(
    losses: Losses, nan_causes: NanCauses | None = None, *, values: int = 1, spike: float = 8.0,
) -> Finding | None:
    """NaN or infinity in the logged loss, else a single loss far above its surroundings that no reset excuses."""
    bad = [one for one in losses.bad if one.count >= values]
    if not bad:
        # Where values that are not finite stand in the saves, the jump is what they cost, and they are told.
        told = nan_causes is not None and nan_causes.first is not None
        return None if told or losses.spike is None or losses.spike.times <= spike else _jumps(losses.spike, spike)
    first, causes = bad[0], nan_causes
    found = [] if causes is None else [f"{cause.name} ({cause.what})" for cause in causes.found]
    return Finding(
        f"{first.name} is not a number at iteration {first.iteration:,}{_told(first)}"
        + (f"; of the four causes, found: {', '.join(found)}" if found else "")
        + ("" if causes is None or found else f"; of the four causes: {causes.told}"),
        evidence=(*map(_row, bad), *(() if causes is None else causes.evidence)),
        iterations=(first.iteration, first.iteration), confidence=0.95,
        severity=None if any(one.to_the_end for one in bad) or first.name == "log" else "major",
        cause=FOR_EVER if any(one.to_the_end for one in bad) else "",
        facts={"first": first.iteration, "causes": None if causes is None else causes.told},
    )


@detects("non-finite-input")
def non_finite_input(inputs: Inputs, *, values: int = 1) -> Finding | None:
    """Points, cameras or photos of floats that hold NaN or infinity."""
    bad = [flaw for flaw in inputs.flaws if flaw.count >= values]
    if not bad:
        return None
    told = ", ".join(f"{flaw.count:,} of {flaw.of:,} {flaw.what} ({flaw.source})" for flaw in bad)
    return Finding(
        f"What training was given is not finite: {told}",
        evidence=(
            *(EvidenceRow(f"{one.what} that are not finite", one.count, values - 1, one.what, None, one.source) for one in bad),
            *(EvidenceRow(f"{what} looked at", count, None, what) for what, count in inputs.checked.items()),
            EvidenceRow("photos of a format that is not read here", inputs.unread, None, "photos"),
        ),
        cameras=tuple(name for flaw in bad for name in flaw.cameras),
    )


@detects("shapes-do-not-fit")
def shapes_do_not_fit(shapes: Shapes, *, misfits: int = 1) -> Finding | None:
    """Tensors of one checkpoint with other numbers of rows than its means, or an error that named sizes that do not fit."""
    if len(shapes.misfits) < misfits:
        return None
    first = next((one for one in shapes.misfits if one.failure is not None), shapes.misfits[0])
    of_software = first.failure is not None and first.failure.event.kind == "invalid_gradient"
    return Finding(
        f"Shapes do not fit: {quoted(first.what)}" + ("" if first.expected is None else f", where {first.expected:,} are due")
        + ("" if len(shapes.misfits) == 1 else f"; {len(shapes.misfits) - 1} more"),
        evidence=(
            EvidenceRow("shapes that do not fit", len(shapes.misfits), misfits - 1, "tensors", first.iteration, first.source),
            *map(_misfit, shapes.misfits[:10]), *(() if first.failure is None else told_by(first.failure, 1)),
        ),
        iterations=None if first.iteration is None else (first.iteration, first.iteration), confidence=0.9,
        cause=OTHER_RASTERISER if of_software else "",
    )


def _jumps(spike: Spike, limit: float) -> Finding:
    return Finding(
        f"{spike.name} jumps to {spike.value:.3g} at iteration {spike.iteration:,}, {spike.times:.1f} times the median of the 25 "
        "values before it, with no opacity reset near",
        evidence=(
            EvidenceRow(f"{spike.name} / median of the 25 before", spike.times, limit, "times", spike.iteration, spike.source),
        ),
        iterations=(spike.iteration, spike.iteration), confidence=0.6, severity="minor", cause=ONE_VIEW,
    )


def _told(bad: Bad) -> str:
    if bad.name == "log":
        return ", as a line of the log says"
    share = f"{bad.count:,} of {bad.of:,} values ({percent(bad.count / bad.of)})"
    return f", {share}, up to the end" if bad.to_the_end else f", {share}, and is a number again later"


def _row(bad: Bad) -> EvidenceRow:
    return EvidenceRow(f"{bad.name}: values that are not finite", bad.count, 0, "values", bad.iteration, bad.source)


def _misfit(misfit: Misfit) -> EvidenceRow:
    return EvidenceRow(quoted(misfit.what), misfit.rows, misfit.expected, "rows", misfit.iteration, misfit.source)
