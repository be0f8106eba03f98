"""What the overfit probe measured, before anything is made of it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from diagnostics.probes.overfit_fits import Fitted, flat_psnr
from diagnostics.probes.overfit_points import Whereabouts
from diagnostics.probes.overfit_residuals import Disagreement, Residual, usual_loss
from diagnostics.probes.overfit_settings import FitSettings
from diagnostics.probes.overfit_trials import Trials


@dataclass(frozen=True)
class Bars:
    """The probe's limits, and the steps of a view alone at which they were measured; reasons on its page."""

    gained_db: float
    margin_db: float
    shift_px: float
    moved: float
    tint: float
    tinted: float
    stays_db: float
    keeps: float
    ahead_db: float
    steps: int


@dataclass(frozen=True, eq=False)
class Alone:
    """One view fitted alone."""

    camera: str
    psnr: float  # dB
    flat: float  # dB, of the photo's mean colour
    visible: int  # Gaussians in the picture
    lies: Whereabouts  # the start points

    @property
    def gained(self) -> float:
        """dB above the photo's mean colour."""
        return self.psnr - self.flat

    @classmethod
    def of(cls, fitted: Fitted, lies: Whereabouts) -> "Alone":
        """Of a fit of one view."""
        view = fitted.views[0]
        return cls(view.name, fitted.psnr[view.name], flat_psnr(view.photo), fitted.visible[view.name], lies)


@dataclass(frozen=True, eq=False)
class Together:
    """Views fitted together, and what is left between renders and photos."""

    fitted: Fitted
    residuals: tuple[Residual, ...]
    disagreement: Disagreement
    gained: Mapping[str, float]  # by camera, dB of a fit alone over the photo's mean colour
    lost: Mapping[str, float]  # by camera, dB between a fit alone and this one, where both were made
    blind: tuple[str, ...]  # cameras that see not one of the start points
    candidates: tuple[str, ...]  # cameras that fit alone and lag behind the others
    at_odds: tuple[str, ...]  # those of them that lose far more than the others

    @property
    def usual_loss(self) -> float:
        """dB, of the cameras that do not lag."""
        return usual_loss(self.lost, self.candidates)


@dataclass(frozen=True, eq=False)
class Measured:
    """All of it."""

    alone: tuple[Alone, ...]  # those that were chosen first
    settings: FitSettings
    steps: int  # of a fit of one view
    trials: Trials | None = None  # where views alone stay below the bar
    together: Together | None = None  # where they reach it, and there are enough of them
    own_psnr: float | None = None  # dB, median over the views of `alone`, of the run's own last save; None where there is none
    stopped: tuple[str, ...] = ()  # why views were not fitted together to the end

    @property
    def gained(self) -> float:
        """dB, median over the views fitted alone."""
        return float(np.median([each.gained for each in self.alone]))

    @property
    def ahead(self) -> float | None:
        """dB by which our fit of ten views beats the run's own last save on the views of `alone`."""
        if self.own_psnr is None or self.together is None:
            return None
        ours = [self.together.fitted.psnr[each.camera] for each in self.alone if each.camera in self.together.fitted.psnr]
        return float(np.median(ours)) - self.own_psnr if ours else None
