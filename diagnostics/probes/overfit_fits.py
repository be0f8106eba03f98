"""Short trainings of one or a few views from the start, without growth: what the overfit probe is made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from diagnostics.optimiser import schedule
from diagnostics.optimiser.optimiser import Engine, Optimiser
from diagnostics.optimiser.recipe import Recipe
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.views import TrainingData, View
from diagnostics.probes.answer import Shot
from runs.arrays import F32, U8
from runs.points import PointCloud

GAP_PX = 2  # between a render and its photo
NO_ERROR = 1e-12  # the mean square of a photo of one colour: 120 dB stand for no end


@dataclass(frozen=True)
class Desk:
    """What all fits of one question have in common."""

    render: Engine
    extent: float  # world units, of all training cameras: the rate of the means is × extent, and one view has none of its own
    beat: Callable[[], None]  # before each step


@dataclass(frozen=True, eq=False)
class Fitted:
    """One fit as it ended."""

    views: tuple[View, ...]
    pictures: Mapping[str, F32]  # by camera name, float32 [H, W, 3]
    psnr: Mapping[str, float]  # by camera name, dB
    visible: Mapping[str, int]  # by camera name, Gaussians in the picture
    count: int  # Gaussians

    @property
    def typical(self) -> float:
        """dB, median over the views."""
        return float(np.median(list(self.psnr.values())))

    def shots(self, title: str) -> tuple[Shot, ...]:
        """Each view's render beside its photo."""
        return tuple(Shot(f"{title}: render | photo", beside(self.pictures[view.name], view.photo), view.name)
                     for view in self.views)


def fit(
    desk: Desk, views: tuple[View, ...], points: PointCloud, settings: OptimiserSettings, steps: int,
    told: Callable[[int, float], None] = lambda _step, _psnr: None,
) -> Fitted:
    """Train `steps` steps with the rates of the first iteration. `told` hears the step and the mean PSNR in dB of each round
    through the views, of every tenth for a single one. Raises ValueError for a cloud without points."""
    optimiser = Optimiser(TrainingData(views, (), points), settings, _recipe(desk.extent), engine=desk.render)
    round_length, heard = max(len(views), 10), list[float]()
    for step in range(1, steps + 1):
        desk.beat()
        heard.append(optimiser.step().psnr)
        if len(heard) == round_length:
            told(step, float(np.mean(heard)))
            heard.clear()
    return _ended(optimiser, views)


def flat_psnr(photo: F32) -> float:
    """dB of the photo's mean colour against the photo: what nobody needs Gaussians for."""
    error = float(((photo - photo.mean(axis=(0, 1))) ** 2).mean())
    return float(-10 * np.log10(max(error, NO_ERROR)))


def beside(picture: F32, photo: F32) -> U8:
    """uint8 [H, 2·W + 2, 3]."""
    white = np.ones((len(photo), GAP_PX, 3), np.float32)
    both = np.concatenate((np.nan_to_num(np.clip(picture, 0, 1)), white, np.clip(photo, 0, 1)), axis=1)
    return np.asarray((both * 255).round(), np.uint8)


def _recipe(extent: float) -> Recipe:
    def rates(_iteration: int, settings: OptimiserSettings, _extent: float) -> Mapping[str, float]:
        return schedule.learning_rates(0, settings, extent)

    return Recipe(learning_rates=rates)


def _ended(optimiser: Optimiser, views: tuple[View, ...]) -> Fitted:
    drawn = {view.name: optimiser.render(view.camera) for view in views}
    return Fitted(
        views, {name: picture.rgb for name, picture in drawn.items()},
        {view.name: optimiser.recipe.score(drawn[view.name].rgb, view.photo) for view in views},
        {name: int((picture.radii_px > 0).sum()) for name, picture in drawn.items()}, optimiser.parameters.count,
    )
