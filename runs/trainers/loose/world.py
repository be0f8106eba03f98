"""The data set that a user names for loose splats, as far as the splats prove to lie in its world."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.errors import RunError
from runs.formats.cameras.dataset import DataSet
from runs.notes import NoteBook
from runs.photos import Photo
from runs.points import PointCloud
from runs.trainers.gsplat.world import CLEARLY, FAR, World, find_world, misfit
from runs.trainers.shared.camera_files import DISTORTED
from runs.trainers.shared.data_folder import find_photos, read_data_set

FEWEST_POINTS = 4  # that have three axes
NO_DATA_SET = "holds no cameras of a data set; name the folder that the splats were trained on (--data)"
NO_WORLD = ("the splats do not lie on the points of the data set in {}, so its cameras would look past them and are left out; "
            "name the data set that they were trained on, or open the trainer's own folder")
UNPROVED = "the data set in {} has no points that could tell whether the splats lie in its world; they are taken to"
MOVED = "the splats lie in a moved copy of the data set's world, as gsplat leaves it; the cameras were moved with them"
TURNS = tuple(np.diag([*signs, 1.0]) for signs in ((1, -1, -1), (-1, 1, -1), (-1, -1, 1)))  # that exporters make


@dataclass(frozen=True, eq=False)
class LooseWorld:
    """Cameras, points and photos for loose splats, each read once on first use; without a folder all are absent."""

    run: Path
    folder: Path | None
    splats: Sequence[Checkpoint]
    moves_scenes: bool  # their trainer is known to leave the data set's world
    book: NoteBook

    @cached_property
    def data(self) -> DataSet | None:
        found = read_data_set(self.folder, self.book)
        if found is None and self.folder is not None:
            self.book.add(str(self.folder), NO_DATA_SET)
        return found

    @cached_property
    def cameras(self) -> tuple[Camera, ...]:
        """In the world of the splats; none where nothing shows how that lies to the data set's."""
        if self.data is None or not self.data.cameras:
            return ()
        if self.data.is_distorted:
            self.book.add(str(self.data.source), DISTORTED)
        return () if self._world is None else tuple(map(self._world.camera, self.data.cameras))

    @cached_property
    def _world(self) -> World | None:
        found = self._found()
        if found is None:
            self.book.add(str(self.run), NO_WORLD.format(self.folder))
        elif not np.array_equal(found.matrix, np.eye(4)):
            self.book.add(str(self.run), MOVED)
        return found

    def _found(self) -> World | None:
        points, shown = self.sfm_points, next((c for c in self.splats if c.count), None)
        if self.data is None or shown is None:
            return None
        if points is None or len(points) < FEWEST_POINTS:
            if self.moves_scenes:
                return None
            self.book.add(str(self.run), UNPROVED.format(self.folder))
            return World.of_model()
        try:
            return placed(self.data.cameras, points, shown)
        except RunError as error:
            self.book.add_error(error)
            return None

    @cached_property
    def sfm_points(self) -> PointCloud | None:
        """In the data set's world."""
        try:
            return None if self.data is None else self.data.points
        except RunError as error:
            self.book.add_error(error)
            return None

    @cached_property
    def photos(self) -> Mapping[str, Photo]:
        names = tuple(camera.name for camera in self.cameras)
        if self.data is None or not names:
            return {}
        return find_photos(self.data.folder, None, names, self.book, self.data.photo_paths)


def placed(cameras: Sequence[Camera], points: PointCloud, shown: Checkpoint) -> World | None:
    """The data set's own world where the splats lie on its points far better than in a turned one; else one that
    gsplat's normalisation leads to; None where none fits clearly. Raises UnreadableFile.
    """
    turned = min(misfit(turn, points, shown.gaussians) for turn in TURNS)
    if misfit(np.eye(4), points, shown.gaussians) < min(CLEARLY * turned, FAR):
        return World.of_model()
    return find_world(cameras, points, shown.gaussians, normalised=True)
