"""What every step of a recipe may look at."""

from dataclasses import dataclass

import numpy as np

from diagnostics.optimiser.settings import OptimiserSettings
from render.raster.gradients import Gradients


@dataclass(frozen=True, eq=False)
class Context:
    """The moment of training at which a step is taken."""

    iteration: int
    settings: OptimiserSettings
    extent: float  # world units, "cameras extent"
    rng: np.random.Generator  # of this iteration alone, so that a resumed training draws the same numbers
    gradients: Gradients  # of this iteration's view
