"""Saves whose numbers are not what their columns are taken for: stored as meant, in other columns, or far from all others."""

import numpy as np

from diagnostics.facts.saved import file_of
from diagnostics.facts.spaces import QuaternionColumns, Reach, Stored
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace
from diagnostics.wording import percent
from runs.checkpoints import Checkpoint

TRAINED = (0.5, 2.0)  # lengths that training leaves of quaternions; columns of another kind have others


@detects("parameters-in-the-wrong-space")
def wrong_space(
    checkpoint: Checkpoint, stored_spaces: Stored,
    *, of_spacing: float = 20.0, crowded: float = 0.5, last_largest: float = 0.8, first_largest: float = 0.1,
) -> Finding | None:
    """Scales, opacities, colours or quaternions were stored as meant, where logarithms, logits, harmonics and wxyz are read."""
    told = stored_spaces
    lengths = told.positive and (told.alphas or (told.scales[1] < crowded and told.of_spacing > of_spacing))
    turned = bool(told.largest[3] > last_largest and told.largest[0] < first_largest and TRAINED[0] < told.length < TRAINED[1])
    parts = [part for is_so, part in (
        (lengths, "scales as lengths"), (told.alphas, "opacities of 0 to 1"), (bool(told.colour_kind), told.colour_kind),
        (turned, "quaternions with the real part last")) if is_so]
    if not parts:
        return None
    source, at = file_of(checkpoint), told.iteration
    return Finding(
        f"{file_of(checkpoint)} stores {' and '.join(parts)}: {_consequence(told, lengths, turned)}",
        evidence=(
            EvidenceRow("lowest stored scale", _known(told.scales[0]), 0.0, "", at, source),
            EvidenceRow("median stored scale", _known(told.scales[1]), crowded, "", at, source),
            EvidenceRow("median size once read as a logarithm / distance to the nearest neighbours", _known(told.of_spacing),
                        of_spacing, "", at, source),
            EvidenceRow("lowest stored opacity", _known(told.opacities[0]), 0.0, "", at, source),
            EvidenceRow("highest stored opacity", _known(told.opacities[1]), 1.0, "", at, source),
            EvidenceRow("lowest stored base colour", _known(told.colours[0]), 0.0, "", at, source),
            EvidenceRow("highest stored base colour", _known(told.colours[1]), None, "", at, source),
            EvidenceRow("rows whose largest quaternion component is the fourth", float(told.largest[3]), last_largest, "share",
                        at, source),
            EvidenceRow("rows where it is the first", float(told.largest[0]), first_largest, "share", at, source),
        ),
        confidence=0.95 if len(parts) > 1 else 0.8, severity=None if lengths or told.alphas else "major",
        facts={"repair": _repair(told, lengths, turned), "stored": " and ".join(parts)},
    )


def _consequence(told: Stored, lengths: bool, turned: bool) -> str:
    """What a viewer makes of it."""
    seen_as = f"between {told.seen_as[0]:.2f} and {told.seen_as[1]:.2f}"
    if lengths:
        sizes = f"read as logarithms they become sizes {told.of_spacing:,.0f} times the distance between neighbours"
        return sizes + (f", and every opacity comes out {seen_as}" if told.alphas else "")
    if told.alphas:
        return f"read as logits they come out {seen_as}"
    if told.colour_kind:
        return "read as harmonics every colour comes out at 0.5 or more"
    return f"{percent(float(told.largest[3]))} of the rows have their largest component last" if turned else ""


def _repair(told: Stored, lengths: bool, turned: bool) -> str:
    steps = ["the logarithm of the scales"] * lengths + ["the logit of the opacities"] * told.alphas
    if told.colour_kind:
        divided = " / 255" if told.colour_kind.endswith("255") else ""
        steps.append(f"(colour{divided} - 0.5) / 0.2820948 for the base colours")
    return ", ".join([*steps, *["rot_3 moved to the front of the quaternions"] * turned])


@detects("columns-permuted")
def columns_permuted(
    checkpoint: Checkpoint, quaternion_columns: QuaternionColumns, *, spread: float = 0.2, off: float = 0.2, passes: float = 0.95,
) -> Finding | None:
    """What is stored as the rotation has any length, while four other columns have length one in nearly every row."""
    told = quaternion_columns
    plausible = told.spread < spread or abs(told.mean_length - 1) < off
    if plausible or told.unit_share < passes:
        return None
    names, source = ", ".join(told.best), file_of(checkpoint)
    return Finding(
        f"rot_0 to rot_3 of {source} have lengths of {told.mean_length:.2g} ± {told.spread:.2g}, while {names} have length one "
        f"in {percent(told.unit_share)} of the rows: the rotation was written there",
        evidence=(
            EvidenceRow("length of what is stored as the rotation, mean", told.mean_length, f"1 ± {off:g}", "", told.iteration,
                        source),
            EvidenceRow("its standard deviation", told.spread, spread, "", told.iteration, source),
            EvidenceRow(f"rows in which {names} have length one", told.unit_share, passes, "share", told.iteration, source),
        ),
        confidence=0.9, facts={"columns": names},
    )


@detects("far-outliers")
def far_outliers(checkpoint: Checkpoint, reach: Reach, *, times: float = 1000.0, few: float = 0.02) -> Finding | None:
    """A few Gaussians lie thousands of times farther away than all others."""
    rows = reach.beyond(times)
    share = len(rows) / len(reach.distances)
    if not len(rows) or share > few:
        return None
    farthest = float(np.nanmax(reach.distances))
    step = float(np.spacing(np.float32(farthest)))
    box = ", ".join(f"{axis} {low:.3g} to {high:.3g}" for axis, (low, high) in zip("xyz", reach.box, strict=True))
    source, at = file_of(checkpoint), reach.iteration
    return Finding(
        f"{len(rows):,} of {checkpoint.count:,} Gaussians ({percent(share)}) lie beyond {times:,.0f} times the distance within "
        f"which 95 % are, the farthest at {farthest:.2g} world units, where single precision has steps of {step:.2g}",
        evidence=(
            EvidenceRow("Gaussians beyond", share, few, "share", at, source),
            EvidenceRow("farthest / distance within which 95 % lie", farthest / reach.usual, times, "", at, source),
            EvidenceRow("step of single precision at the farthest", step, None, "world units", at, source),
            EvidenceRow("distance to the nearest neighbours, median", _known(reach.spacing), None, "world units", at, source),
        ),
        gaussians=GaussianPlace(rows, at, checkpoint.count), confidence=0.95, facts={"count": len(rows), "box": box},
    )


def _known(value: float) -> float | None:
    return value if np.isfinite(value) else None
