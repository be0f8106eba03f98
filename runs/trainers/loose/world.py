"""The data set that a user names for loose splats, as far as the splats prove to lie in its world."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.notes import NoteBook
from runs.photos import Photo
from runs.points import PointCloud
from runs.trainers.gsplat.world import CLEARLY, FAR, World, find_world, misfit
from runs.trainers.shared.data_world import DataWorld, Words

FEWEST_POINTS = 4  # that have three axes
NO_DATA_SET = "holds no cameras of a data set; name the folder that the splats were trained on (--data)"
NO_WORLD = ("the splats do not lie on the points of the data set in {}, so its cameras would look past them and are left out; "
            "name the data set that they were trained on, or open the trainer's own folder")
UNPROVED = "the data set in {} has no points that could tell whether the splats lie in its world; they are taken to"
MOVED = "the splats lie in a moved copy of the data set's world, as gsplat leaves it; the cameras were moved with them"
WORDS = Words(no_folder="", no_data_set=NO_DATA_SET)
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
    def seen(self) -> DataWorld:
        return DataWorld(self.run, self.folder, None, self.book, words=WORDS)

    @cached_property
    def cameras(self) -> tuple[Camera, ...]:
        """In the world of the splats; none where nothing shows how that lies to the data set's."""
        world = self._world
        return self.seen.moved(None if world is None else world.camera)

    @cached_property
    def _world(self) -> World | None:
        if self.seen.data is None or not self.seen.data.cameras:
            return None
        found = self._found(self.seen.data.cameras)
        if found is None:
            self.book.add(str(self.run), NO_WORLD.format(self.folder))
        elif not np.array_equal(found.matrix, np.eye(4)):
            self.book.add(str(self.run), MOVED)
        return found

    def _found(self, cameras: Sequence[Camera]) -> World | None:
        points, shown = self.sfm_points, next((c for c in self.splats if c.count), None)
        if shown is None:
            return None
        if points is None or len(points) < FEWEST_POINTS:
            if self.moves_scenes:
                return None
            self.book.add(str(self.run), UNPROVED.format(self.folder))
            return World.of_model()
        return self.book.caught(lambda: placed(cameras, points, shown), None)

    @property
    def sfm_points(self) -> PointCloud | None:
        """In the data set's world."""
        return self.seen.sfm_points

    @cached_property
    def photos(self) -> Mapping[str, Photo]:
        return self.seen.photos_of(self.cameras, None)


def placed(cameras: Sequence[Camera], points: PointCloud, shown: Checkpoint) -> World | None:
    """The data set's own world where the splats lie on its points far better than in a turned one; else one that
    gsplat's normalisation leads to; None where none fits clearly. Raises UnreadableFile.
    """
    turned = min(misfit(turn, points, shown.gaussians) for turn in TURNS)
    if misfit(np.eye(4), points, shown.gaussians) < min(CLEARLY * turned, FAR):
        return World.of_model()
    return find_world(cameras, points, shown.gaussians, normalised=True)
