"""What a run's data set shows of it, for trainers that store no cameras: cameras in the run's world, points and photos."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from runs.cameras import Camera
from runs.formats.cameras.dataset import USUAL_ORDER, DataSet, Kind, is_dataset
from runs.notes import NoteBook
from runs.photos import Photo
from runs.points import PointCloud
from runs.trainers.shared.camera_files import DISTORTED
from runs.trainers.shared.data_folder import find_photos, read_data_set

NO_CAMERAS = "stores no cameras; name the data folder that it was trained on to see them (--data)"
NO_DATA_SET = "holds no cameras of a data set, so this run has none; name the data folder that it was trained on (--data)"


@dataclass(frozen=True)
class Words:
    """What the user is told; an empty text tells nothing."""

    no_folder: str = NO_CAMERAS  # of the run
    no_data_set: str = NO_DATA_SET  # of the folder
    distorted: str = DISTORTED  # of the data set


@dataclass(frozen=True, eq=False)
class DataWorld:
    """Cameras, points and photos of one data folder, each read once on first use; without a folder all are absent."""

    run: Path
    folder: Path | None
    images: str | None  # the folder of photos, as the trainer calls it
    book: NoteBook
    order: tuple[Kind, ...] = USUAL_ORDER  # in which the trainer looks for kinds of data sets
    words: Words = Words()

    @cached_property
    def data(self) -> DataSet | None:
        """Trouble goes to the notebook."""
        return read_data_set(self.folder, self.book, self.order)

    @cached_property
    def cameras(self) -> tuple[Camera, ...]:
        """By name, for a trainer that leaves the world where the data set has it; split only where the data set declares it."""
        return self.moved(lambda camera: camera)

    def moved(self, move: Callable[[Camera], Camera] | None) -> tuple[Camera, ...]:
        """The cameras by name, each taken by `move` from the data set's world to the run's; none where that is not known."""
        if self.data is None:
            self._tell_absence()
        if self.data is None or move is None:
            return ()
        if self.data.is_distorted:
            self._tell(self.data.source, self.words.distorted)
        return tuple(map(move, self.data.cameras))

    def _tell_absence(self) -> None:
        """Unless there is a data set that cannot be read, which was noted already."""
        if self.folder is None:
            self._tell(self.run, self.words.no_folder)
        elif not is_dataset(self.folder, self.order):
            self._tell(self.folder, self.words.no_data_set)

    def _tell(self, file: Path, says: str) -> None:
        if says:
            self.book.add(str(file), says)

    @cached_property
    def sfm_points(self) -> PointCloud | None:
        """In the data set's world."""
        data = self.data
        return None if data is None else self.book.caught(lambda: data.points, None)

    @cached_property
    def photos(self) -> Mapping[str, Photo]:
        """Where the data set says they are, else in its folders of photos."""
        return {} if self.data is None else self.photos_of(self.data.cameras, self.images)

    def photos_of(self, cameras: Sequence[Camera], images: str | None) -> Mapping[str, Photo]:
        """Those of `cameras` alone; `images` is the trainer's own folder for them."""
        if self.data is None:
            return {}
        names = tuple(camera.name for camera in cameras)
        return find_photos(self.data.folder, images, names, self.book, self.data.photo_paths)
