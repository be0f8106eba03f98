"""MCMC with so many photos that regularisers act more often than any photo."""

from diagnostics.facts.unseen import Visits
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, NotEvaluable
from diagnostics.wording import percent


@detects("unseen-meltdown")
def unseen_meltdown(
    visits: Visits, *, photos: int = 1000, per_window: float = 1.0, faded: float = 0.5, fell: float = 0.8,
) -> Finding | NotEvaluable | None:
    """Gaussians are seen less than once between refinements, those that the fewest photos show have faded, and all shrink."""
    told = visits
    if told.photos <= photos or told.per_window >= per_window:
        return None
    if len(told.saves) < 2:
        return NotEvaluable(("two saved point clouds in the chosen range",))
    best = max(told.saves[:-1], key=lambda mean: mean.opacity)
    last = told.saves[-1]
    opacity, scale = last.opacity / best.opacity, last.scale / best.scale
    ratio = told.rare / told.frequent if told.frequent > 0 else 1.0
    if ratio >= faded or opacity >= fell or scale >= 1:
        return None
    return Finding(
        f"{told.photos:,} photos, and a Gaussian lies in {percent(told.share)} of them: between two refinements it is seen "
        f"{told.per_window:.2g} times, while {told.weights} pull in every step. Opacity fell to {percent(opacity)} of what it "
        f"was at iteration {best.iteration:,}, and what the fewest photos show has {percent(ratio)} of the opacity of the rest",
        evidence=(
            EvidenceRow("training photos", told.photos, photos, "photos", None, "cameras"),
            EvidenceRow("visits of a Gaussian between two refinements, mean", told.per_window, per_window, "", told.iteration),
            EvidenceRow("median opacity of the quarter that the fewest photos show / of that which the most show", ratio, faded,
                        "", told.iteration),
            EvidenceRow("mean opacity / the highest of earlier saves", opacity, fell, "", told.iteration),
            EvidenceRow("mean largest scale / that of the same save", scale, 1.0, "", told.iteration),
        ),
        iterations=(best.iteration, told.iteration), confidence=0.75, colour_by="opacity",
        facts={"weights": told.weights, "best": best.iteration, "visits": f"{told.per_window:.2g}"},
    )
