"""A world so far from the origin that single precision cannot tell its Gaussians apart."""

from diagnostics.facts.precision import Precision
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding

AXES = "xyz"


@detects("georeferenced-offset")
def georeferenced_offset(precision: Precision, *, of_spacing: float = 0.1) -> Finding | None:
    """A step of single precision at the cloud's coordinates is not small against the distance between its points."""
    if not precision.of_spacing > of_spacing:
        return None
    farthest = max(range(3), key=lambda axis: abs(precision.offset[axis]))
    told = ", ".join(f"{value:,.0f}" for value in precision.offset)
    return Finding(
        f"The scene lies around ({told}): single precision has steps of {precision.step:.2g} world units there, "
        f"{precision.of_spacing:.2g} times the distance between neighbouring points ({precision.spacing:.2g})",
        evidence=(
            EvidenceRow("step of single precision / distance between neighbouring points, median", min(precision.of_spacing, 1e9),
                        of_spacing, "", None, precision.source),
            EvidenceRow(f"largest coordinate of the cloud's middle ({AXES[farthest]})", precision.offset[farthest], None,
                        "world units", None, precision.source),
            EvidenceRow("step of single precision there", precision.step, None, "world units", None, precision.source),
            EvidenceRow("distance between neighbouring points, median", precision.spacing, None, "world units", None,
                        precision.source),
        ),
        confidence=0.95, facts={"offset": f"({told})"},
    )
