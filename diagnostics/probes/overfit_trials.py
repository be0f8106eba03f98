"""What is tried where a view alone does not come near its photo, to tell settings, start, background and photo apart."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.views import View
from diagnostics.probes.overfit_fits import Desk, fit, flat_psnr
from diagnostics.probes.overfit_points import placed, seen_by
from diagnostics.probes.overfit_settings import for_fits
from runs.points import PointCloud

Blame = Literal["settings", "background", "start", "settings and start", "nothing"]


@dataclass(frozen=True, eq=False)
class Trials:
    """One view, fitted again with one thing changed at a time; dB after the same steps."""

    view: View
    flat: float  # the photo's mean colour
    own: float
    settings: float  # the reference's settings, the run's points
    background: float  # the run's settings and points, the other background
    start: float  # the run's settings, points placed in the picture
    both: float  # the reference's settings, points placed in the picture

    def blame(self, gained_db: float, margin_db: float) -> Blame | None:
        """The first single change that mends it; None where not even both together do, so that nothing can be said."""
        def mends(psnr: float) -> bool:
            return psnr - self.flat >= gained_db and psnr - self.own >= margin_db

        if not mends(self.both):
            return None
        for name in ("settings", "background", "start"):
            if mends(getattr(self, name)):
                return name
        return "settings and start"


@dataclass(frozen=True, eq=False)
class Trial:
    """What a fit is tried with."""

    view: View
    points: PointCloud
    settings: OptimiserSettings


def tried(
    desk: Desk, own: Trial, own_psnr: float, other_photo: View, steps: int, progress: Callable[[str], None],
) -> Trials:
    """`other_photo` is the same view with its photo laid over the other background."""
    reference = for_fits(OptimiserSettings(), own.settings.white_background, steps, own.settings.seed)
    turned = replace(own.settings, white_background=not own.settings.white_background)
    grid = placed(own.points, own.view)
    changed = {
        "settings": (own.view, own.points, reference), "background": (other_photo, own.points, turned),
        "start": (own.view, grid, own.settings), "both": (own.view, grid, reference),
    }
    found = {}
    for name, (view, points, settings) in changed.items():
        progress(WORDS[name])
        fitted = fit(desk, (view,), seen_by(points, (view.camera,)), settings, steps)
        found[name] = fitted.psnr[view.name]
    return Trials(own.view, flat_psnr(own.view.photo), own_psnr, **found)


WORDS = {
    "settings": "the reference's settings", "background": "the other background", "start": "points placed in the picture",
    "both": "points placed in the picture and the reference's settings",
}
