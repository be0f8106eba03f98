"""gsplat's example trainer (`examples/simple_trainer.py`): cfg.yml, ckpts/, stats/, tb/; cameras only in its data folder."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from runs.cameras import Camera
from runs.canonical import RAW, merge
from runs.checkpoints import Checkpoint
from runs.notes import NoteBook
from runs.photos import Photo
from runs.points import PointCloud
from runs.run import PoseDeltas, Run, Sources, Trainer
from runs.series import Series
from runs.settings import Settings
from runs.tags import GSPLAT_TAGS, row
from runs.trainers.gsplat.beside import read_pose_deltas, with_other_saves
from runs.trainers.gsplat.saved import CHECKPOINT, STATS, rank_count, read_checkpoints
from runs.trainers.gsplat.settings import read_settings
from runs.trainers.gsplat.stats import read_stats
from runs.trainers.gsplat.world import World, find_world
from runs.trainers.shared.data_folder import find_data
from runs.trainers.shared.data_world import DataWorld, Words
from runs.trainers.shared.family import Family
from runs.trainers.shared.logged import Logged
from runs.trainers.shared.shards import Ranked, ranked
from runs.trainers.shared.signs import head_of
from runs.trainers.shared.splits import held_out_every

HEAD_BYTES = 65_536
FEWEST_POINTS = 4  # that have three axes
STRATEGY_TAG = b"!!python/object:gsplat.strategy"
NO_MODEL = "holds no COLMAP model, so this run has no cameras; name the data folder that it was trained on (--data)"
NO_WORLD = ("gsplat moved this scene before it trained and stored no trace of it, and the saved Gaussians do not tell how; its "
            "cameras are left out. Train with normalize_world_space off to see them")
DISTORTED = ("its lens is distorted: gsplat undistorts the photos while it trains, so these cameras, without the distortion, "
             "fit the photos only near their middle")
WORDS = Words(no_data_set=NO_MODEL, distorted=DISTORTED)


def recognise(folder: Path) -> Trainer | None:
    """By the strategy in cfg.yml, else by the names of its checkpoints."""
    if STRATEGY_TAG in head_of(folder / "cfg.yml", HEAD_BYTES):
        return Trainer("gsplat", 0.95, "cfg.yml names a strategy of gsplat")
    if any(CHECKPOINT.fullmatch(path.name) for path in (folder / "ckpts").glob("ckpt_*.pt")):
        return Trainer("gsplat", 0.8, "checkpoints named ckpts/ckpt_STEP_rankR.pt, as gsplat's trainer writes them")
    return None


def read(path: Path, trainer: Trainer, data: Path | None) -> Run:
    """Headers and names now, everything else on first use. Raises UnreadableFile if `data` is given and absent."""
    book = NoteBook()
    saved, stats = ranked(path / "ckpts", CHECKPOINT, book), ranked(path / "stats", STATS, book)
    ranks = max((rank_count(saved, stats, step) for step in {*saved, *stats}), default=1)
    splats = with_other_saves(path, read_checkpoints(saved, stats, book), ranks, book)
    folder = GsplatFolder(path, data, splats, stats, ranks, book)
    return Run(path, _variant(trainer, folder.settings), splats, (), folder.data, folder.sources, book, data is not None)


def _variant(trainer: Trainer, settings: Settings) -> Trainer:
    """2D Gaussians are trained by another script with the same layout."""
    if {"normal_loss", "dist_loss"} <= set(settings):
        return replace(trainer, name="gsplat-2dgs", why="its settings have normal_loss and dist_loss")
    return trainer


@dataclass(frozen=True, eq=False)
class GsplatFolder:
    """The files of one folder beside the saved splats, each read once on first use."""

    path: Path
    given_data: Path | None
    splats: tuple[Checkpoint, ...]
    stats: Ranked
    ranks: int
    book: NoteBook

    @cached_property
    def settings(self) -> Settings:
        return read_settings(self.path, self.book)

    @cached_property
    def data(self) -> Path | None:
        return find_data(self.path, self.settings.value("data_dir"), self.given_data, tuple, self.book)

    @cached_property
    def seen(self) -> DataWorld:
        return DataWorld(self.path, self.data, None, self.book, ("COLMAP",), WORDS)

    @cached_property
    def cameras(self) -> tuple[Camera, ...]:
        """At the size that trained, in the run's world."""
        world = self.world
        if self.seen.data is not None and world is None:
            self.book.add(str(self.path), NO_WORLD)
        every, factor = _whole(self.settings.value("test_every"), 8), _whole(self.settings.value("data_factor"), 1)
        placed = held_out_every(self.seen.moved(None if world is None else world.camera), every)
        return tuple(camera.resized((camera.size_px[0] // factor, camera.size_px[1] // factor)) for camera in placed)

    @cached_property
    def world(self) -> World | None:
        """None where the saved Gaussians do not tell it."""
        stored = self.settings.value("normalize_world_space")
        if stored is False:
            return World.of_model()
        data, points, first = self.seen.data, self.seen.sfm_points, next((one for one in self.splats if one.count), None)
        if data is None or points is None or len(points) < FEWEST_POINTS or first is None:
            return None
        return self.book.caught(lambda: find_world(data.cameras, points, first.gaussians, normalised=stored is True), None)

    @cached_property
    def logged(self) -> Logged:
        """With several processes TensorBoard counts the Gaussians of the first alone."""
        tags = GSPLAT_TAGS if self.ranks == 1 else (row("train/num_GS", f"{RAW}train/num_GS_of_rank_0"), *GSPLAT_TAGS)
        return Logged(self.path, self.book, "tb/events.out.tfevents.*", tags, first_step=0)

    @cached_property
    def series(self) -> Mapping[str, Series]:
        """TensorBoard's record is the finer one."""
        return merge(self.logged.series, read_stats(self.path / "stats", self.stats, self.ranks, self.book))

    @property
    def sources(self) -> Sources:
        return Sources(
            cameras=lambda: self.cameras, settings=lambda: self.settings, series=lambda: self.series,
            events=lambda: self.logged.events, input_points=self._input_points,
            sfm_points=lambda: self.seen.sfm_points, photos=self._photos, exposures=dict,
            pose_deltas=self._pose_deltas,
        )

    def _pose_deltas(self) -> PoseDeltas:
        names = [camera.name for camera in self.cameras if camera.split == "train"]
        return read_pose_deltas(self.splats, names, self.book)

    def _input_points(self) -> PointCloud | None:
        """The model's points where training began from them, in the run's world."""
        began = self.settings.get("init_type")
        if began is None or not began.stored or began.value != "sfm" or self.world is None or self.seen.sfm_points is None:
            return None
        return self.world.points(self.seen.sfm_points)

    def _photos(self) -> Mapping[str, Photo]:
        if self.data is None or not self.cameras:
            return {}
        factor = _whole(self.settings.value("data_factor"), 1)
        shrunk = (f"images_{factor}_png", f"images_{factor}") if factor > 1 else ()
        images = next((name for name in shrunk if (self.data / name).is_dir()), "images")
        return self.seen.photos_of(self.cameras, images)


def _whole(value: Any, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else otherwise


FAMILY = Family("gsplat", recognise, read)
