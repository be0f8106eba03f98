"""A filter that the trainer drew with and that the saved file does not tell: other viewers will not draw with it."""

from diagnostics.facts import alike
from diagnostics.facts.saved import file_of
from diagnostics.facts.sightings import Sightings
from diagnostics.measures.shares import share
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace, NotEvaluable
from diagnostics.wording import percent
from runs.checkpoints import Checkpoint
from runs.settings import Setting, Settings
from runs.trainers.shared.filtered import FILTER

SPLAT_FILES = frozenset({".ply", ".splat", ".spz", ".ksplat", ".sog"})


@detects("filter-mismatch")
def filter_mismatch(
    checkpoint: Checkpoint, settings: Settings, sighted: Sightings, *, pixel: float = 1.0, small: float = 0.2,
) -> Finding | NotEvaluable | None:
    """Training kept the opacity of widened splats, the file does not say so, and many splats are small enough to show it."""
    told = _switched_on(settings)
    if told is None or checkpoint.antialiased or FILTER in checkpoint.gaussians.extra_names:
        return None
    if checkpoint.path.suffix.lower() not in SPLAT_FILES:
        return NotEvaluable(("a saved splat file (viewers do not open training states)",))
    tiny = sighted.alive & (sighted.seen.cameras > 0) & (sighted.seen.size_px < pixel)
    found = share(tiny)
    if not found > small:
        return None
    return Finding(
        f"Training drew with a filter that keeps opacity ({told.name} = {told.value}), {file_of(checkpoint)} does not say so, "
        f"and {percent(found)} of the Gaussians are smaller than {pixel:g} pixel in every training view",
        evidence=(
            EvidenceRow("the filter that training drew with", str(told.value), None, "", None, told.source),
            EvidenceRow(f"Gaussians smaller than {pixel:g} pixel in every view (standard deviation)", found, small, "share",
                        checkpoint.iteration, file_of(checkpoint)),
        ),
        iterations=(checkpoint.iteration, checkpoint.iteration), confidence=0.8, colour_by="max_scale",
        gaussians=GaussianPlace(sighted.rows[tiny], checkpoint.iteration, checkpoint.count),
        facts={"filter": f"{told.name} = {told.value}"},
    )


def _switched_on(settings: Settings) -> Setting | None:
    """A switch of that name, or a mode of that name (gsplat and splatfacto)."""
    return alike.told(settings, alike.FILTERS) or alike.valued(settings, "rasterize_mode", ("classic",))
