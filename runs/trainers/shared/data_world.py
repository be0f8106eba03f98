"""The cameras of a run whose trainer stores none and leaves the world where its data set has it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from runs.cameras import Camera
from runs.errors import RunError
from runs.formats.cameras.dataset import DataSet, is_dataset
from runs.notes import NoteBook
from runs.photos import Photo
from runs.points import PointCloud
from runs.trainers.shared.camera_files import DISTORTED
from runs.trainers.shared.data_folder import find_photos, read_data_set

NO_CAMERAS = "stores no cameras; name the data folder that it was trained on to see them (--data)"
NO_DATA_SET = "holds no cameras of a data set, so this run has none; name the data folder that it was trained on (--data)"


@dataclass(frozen=True, eq=False)
class DataWorld:
    """Cameras, points and photos of one data folder, each read once on first use; without a folder all are absent."""

    run: Path
    folder: Path | None
    images: str | None  # the folder of photos, as the trainer calls it
    book: NoteBook

    @cached_property
    def data(self) -> DataSet | None:
        """Trouble goes to the notebook."""
        if self.folder is None:
            self.book.add(str(self.run), NO_CAMERAS)
            return None
        found = read_data_set(self.folder, self.book)
        if found is not None and found.is_distorted:
            self.book.add(str(found.source), DISTORTED)
        if found is None and not is_dataset(self.folder):  # one that cannot be read was noted already
            self.book.add(str(self.folder), NO_DATA_SET)
        return found

    @property
    def cameras(self) -> tuple[Camera, ...]:
        """By name; with a split only where the data set declares one."""
        return () if self.data is None else self.data.cameras

    @property
    def sfm_points(self) -> PointCloud | None:
        try:
            return None if self.data is None else self.data.points
        except RunError as error:
            self.book.add_error(error)
            return None

    @cached_property
    def photos(self) -> Mapping[str, Photo]:
        """Where the data set says they are, else in its folders of photos."""
        if self.data is None or not self.data.cameras:
            return {}
        names = tuple(camera.name for camera in self.data.cameras)
        return find_photos(self.data.folder, self.images, names, self.book, self.data.photo_paths)
