"""The lazy parts of a run for trainers that write only a few of them: what is not named is absent."""

from collections.abc import Callable, Mapping

from runs.cameras import Camera
from runs.photos import Photo
from runs.points import PointCloud
from runs.run import PerView, Sources
from runs.series import Series
from runs.settings import Settings
from runs.trainers.shared.logged import Logged


def few_sources(
    logged: Logged | None = None, *, cameras: Callable[[], tuple[Camera, ...]] = tuple,
    settings: Callable[[], Settings] = Settings, series: Callable[[], Mapping[str, Series]] | None = None,
    input_points: Callable[[], PointCloud | None] = lambda: None, sfm_points: Callable[[], PointCloud | None] = lambda: None,
    photos: Callable[[], Mapping[str, Photo]] = dict, per_view: Callable[[], PerView] = dict,
) -> Sources:
    """`series` and events are those of `logged` unless given; no trainer of this kind stores exposures or moved cameras."""
    return Sources(
        cameras=cameras, settings=settings, series=series or (lambda: {} if logged is None else logged.series),
        events=lambda: () if logged is None else logged.events, input_points=input_points, sfm_points=sfm_points,
        photos=photos, exposures=dict, per_view=per_view,
    )
