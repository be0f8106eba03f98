"""The data set of a nerfstudio run: its cameras in the run's world, its points and photos."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from runs.cameras import Camera, Split
from runs.formats.cameras.dataset import DataSet, Kind
from runs.formats.cameras.transforms import read_transforms
from runs.notes import NoteBook
from runs.photos import Photo
from runs.points import PointCloud
from runs.settings import Settings
from runs.trainers.nerfstudio.settings import MODEL, PARSER, TARGET
from runs.trainers.nerfstudio.split import shrink_factor, shrunk, splits
from runs.trainers.nerfstudio.world import TRANSFORMS, Movement, fits, movements, read_movement
from runs.trainers.shared.data_folder import find_data, find_photos
from runs.trainers.shared.data_world import DataWorld, Words

NO_DATA = ("holds neither a transforms.json nor a COLMAP model, so this run has no cameras; name the data folder that it was "
           "trained on (--data)")
NO_MOVEMENT = (f"has no {TRANSFORMS}, so where its data set's cameras stand in it is not known; copy that file from where "
               "training ran to see them")
NO_FIT = (f"does not fit {TRANSFORMS} of this run: its cameras are not those that were trained on, so they are left out; name "
          "the data folder as it was (--data)")
DISTORTED = ("its lens is distorted: nerfstudio undistorts the photos before it trains, so these cameras, without the "
             "distortion, fit the photos only near their middle")
WORDS = Words(no_data_set=NO_DATA, distorted=DISTORTED)


@dataclass(frozen=True, eq=False)
class NerfstudioData:
    """The data set of one run, each part read once on first use. Trouble goes to the notebook."""

    run: Path
    given: Path | None
    settings: Settings
    book: NoteBook

    @cached_property
    def folder(self) -> Path | None:
        """Raises UnreadableFile if a folder was given and is not there."""
        recorded = self.settings.value("source_path")
        return find_data(self.run, _folder(recorded), self.given, tuple, self.book)

    @property
    def _by_colmap(self) -> bool:
        """Whether the run read a COLMAP model itself (`ns-train … colmap`), as a converted data set holds one too."""
        return "colmap" in str(self.settings.value(f"{PARSER}{TARGET}")).lower()

    @cached_property
    def seen(self) -> DataWorld:
        order: tuple[Kind, ...] = ("COLMAP", "transforms") if self._by_colmap else ("transforms", "COLMAP", "Blender")
        return DataWorld(self.run, self.folder, None, self.book, order, WORDS)

    @property
    def data_set(self) -> DataSet | None:
        return self.seen.data

    @cached_property
    def movement(self) -> Movement | None:
        """From the data set's world; None where the run does not tell it, or it cannot be of this data set."""
        data_set = self.data_set
        path = self.run / TRANSFORMS
        if data_set is None or not data_set.cameras:
            return None
        if not path.is_file():
            self.book.add(str(self.run), NO_MOVEMENT)
            return None
        original = self.book.attempt(read_movement, path, None)
        if original is None:
            return None
        candidates = [original] if data_set.model is not None else list(movements(original, data_set.world_from_original))
        found = next((one for one in candidates if fits([one.camera(c) for c in data_set.cameras], self.settings)), None)
        if found is None:
            self.book.add(str(data_set.source), NO_FIT)
        return found

    @cached_property
    def cameras(self) -> tuple[Camera, ...]:
        """In the trainer's order of views, at the size that trained and in the run's world."""
        movement = self.movement
        placed = self._ordered(self.seen.moved(None if movement is None else movement.camera))
        return tuple(shrunk(camera, self.factor, self.settings) for camera in self._with_splits(placed))

    def _ordered(self, cameras: Sequence[Camera]) -> list[Camera]:
        data_set = self.data_set
        if data_set is not None and self._by_colmap and data_set.model is not None:
            ids = data_set.model.image_ids
            return sorted(cameras, key=lambda camera: ids.get(camera.name, 0))
        paths: Mapping[str, Path] = {} if data_set is None else data_set.photo_paths
        return sorted(cameras, key=lambda camera: PurePosixPath(str(paths.get(camera.name, camera.name))))

    def _with_splits(self, cameras: Sequence[Camera]) -> Iterator[Camera]:
        declared = self._declared
        ruled = splits([camera.name for camera in cameras], self.settings)
        for camera, rule in zip(cameras, ruled, strict=True):
            yield replace(camera, split=declared.get(camera.name) if declared else rule)

    @property
    def _declared(self) -> Mapping[str, Split]:
        """What the data set's own lists say. Of a transforms.json only those inside count: the trainer reads no others."""
        data_set = self.data_set
        if data_set is None or data_set.model is not None:
            return {}
        cameras = data_set.cameras
        if data_set.kind == "transforms":
            cameras = tuple(frame.camera for frame in read_transforms(data_set.source).frames)
        return {camera.name: camera.split for camera in cameras if camera.split is not None}

    @cached_property
    def factor(self) -> int:
        """By how much the photos were shrunken."""
        if self.data_set is None or self.folder is None or not self.data_set.cameras:
            return 1
        photo = PurePosixPath(self._ordered(self.data_set.cameras)[0].name).name
        there = [2**i for i in range(1, 7) if _is_file(self.folder / f"images_{2**i}" / photo)]
        size = self.data_set.cameras[0].size_px
        return shrink_factor(size, self.settings, has_folder=not self._by_colmap, folders=there)

    @property
    def trained_names(self) -> tuple[str, ...]:
        """The trained cameras in the order of the camera optimizer's rows; () where the split is not known."""
        cameras = self.cameras
        known = all(camera.split for camera in cameras)
        return tuple(camera.name for camera in cameras if camera.split == "train") if known else ()

    @property
    def points(self) -> PointCloud | None:
        """The data set's points in the run's world."""
        cloud = self.seen.sfm_points
        return None if cloud is None or self.movement is None else self.movement.cloud(cloud)

    @property
    def input_points(self) -> PointCloud | None:
        """What the Gaussians began from, where the run says that they began from points."""
        began = self.settings.value(f"{PARSER}load_3D_points") is True and self.settings.value(f"{MODEL}random_init") is False
        return self.points if began else None

    @property
    def sfm_points(self) -> PointCloud | None:
        """The COLMAP model's own points, in its world."""
        return None if self.data_set is None or self.data_set.model is None else self.seen.sfm_points

    @cached_property
    def photos(self) -> Mapping[str, Photo]:
        images = self.settings.value("images")
        images = images if isinstance(images, str) else "images"
        if self.factor > 1:
            names = tuple(camera.name for camera in self.cameras)  # where the data set says they are, they are larger
            return find_photos(self.folder, f"{images}_{self.factor}", names, self.book)
        return self.seen.photos_of(self.cameras, images)


def _folder(recorded: object) -> str | None:
    """The data folder; the setting may name the JSON file in it."""
    if not isinstance(recorded, str) or recorded == ".":
        return None
    return str(PurePosixPath(recorded).parent) if recorded.endswith(".json") else recorded


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
