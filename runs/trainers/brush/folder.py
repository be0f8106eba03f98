"""Brush: a folder of exports named by iteration beside the data set, with eval pictures and the arguments that were changed.

Nothing else reaches the disk: metrics go to Rerun, optimiser and cameras nowhere.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.formats.splat_file import SplatFile
from runs.notes import NoteBook
from runs.run import Run, Trainer
from runs.settings import Settings
from runs.trainers.brush.settings import FILE, completed, read_settings
from runs.trainers.shared.data_folder import find_data
from runs.trainers.shared.data_world import DataWorld
from runs.trainers.shared.family import Family
from runs.trainers.shared.logged import Logged
from runs.trainers.shared.saved import checkpoints, splat_files
from runs.trainers.shared.signs import plys_of, plys_with
from runs.trainers.shared.sources import few_sources
from runs.trainers.shared.splits import held_out_every

COMMENT = b"Exported from Brush"
EXPORTS = "_exports"  # `{dataset}_exports` beside the data set, where no other place was asked for
NAMED = r"export_(?P<iter>\d{1,12})(?:_lod(?P<lod>\d{1,2}))?\.ply"
REDUCED = "is a reduced level of detail, trained on from the full one; open the file alone to see it"
BESIDE = "is taken for the data set, for Brush names its exports after it; name the data folder if this is another scene (--data)"


def recognise(folder: Path) -> Trainer | None:
    """By the comment in a PLY that is named by its iteration."""
    if not folder.is_dir():
        return None
    pattern = _pattern(folder)
    found = next((path for path in plys_with(folder, COMMENT) if pattern.fullmatch(path.name)), None)
    return None if found is None else Trainer("brush", 0.95, f"{found.name} has the comment `{COMMENT.decode()}`")


def _pattern(folder: Path) -> re.Pattern[str]:
    """How exports are named: as `export-name` says, where args.txt changes it."""
    stored = NoteBook().attempt(read_settings, folder / FILE, Settings()).value("export-name")
    if not isinstance(stored, str) or "{iter}" not in stored:
        return re.compile(NAMED)
    first, *others = (re.escape(part) for part in stored.removesuffix(".ply").split("{iter}"))
    return re.compile(first + r"(?P<iter>\d{1,12})" + r"\d{1,12}".join(others) + r"(?:_lod(?P<lod>\d{1,2}))?\.ply")


def read(path: Path, trainer: Trainer, data: Path | None) -> Run:
    """Headers and names now, everything else on first use. Raises UnreadableFile if `data` is given and absent."""
    book = NoteBook()
    pattern = _pattern(path)
    matches = {file: match for file in plys_of(path) if (match := pattern.fullmatch(file.name))}
    files = list(splat_files(matches, book))
    folder = BrushFolder(path, data, tuple(files), book)
    saved = _checkpoints(files, {file: (int(match["iter"]), int(match["lod"] or 0)) for file, match in matches.items()}, book)
    return Run(path, trainer, saved, (), folder.world.folder, few_sources(
        Logged(path, book), cameras=lambda: folder.cameras, settings=lambda: folder.settings,
        sfm_points=lambda: folder.world.sfm_points, photos=lambda: folder.world.photos,
    ), book, data is not None)


def _checkpoints(
    files: list[SplatFile], named: Mapping[Path, tuple[int, int]], book: NoteBook,
) -> tuple[Checkpoint, ...]:
    """Full exports by iteration. Levels of detail are other, smaller models: shown only where there is nothing else."""
    full = [(named[file.path][0], file) for file in files if not named[file.path][1]]
    levels = [(named[file.path][1], file) for file in files if named[file.path][1]]
    if not full:
        return tuple(replace(saved, label=f"LOD {saved.iteration}") for saved in checkpoints(levels, book))
    for _, file in levels:
        book.add(str(file.path), REDUCED)
    return checkpoints(full, book)


@dataclass(frozen=True, eq=False)
class BrushFolder:
    """What lies beside the exports, and the data set they are named after."""

    path: Path
    given_data: Path | None
    files: tuple[SplatFile, ...]
    book: NoteBook

    @cached_property
    def world(self) -> DataWorld:
        data = find_data(self.path, None, self.given_data, tuple, self.book) or self._beside
        return DataWorld(self.path, data, None, self.book)

    @property
    def _beside(self) -> Path | None:
        """The data set `{dataset}` beside `{dataset}_exports`."""
        name = self.path.resolve().name
        data = self.path.resolve().parent / name.removesuffix(EXPORTS)
        if not name.endswith(EXPORTS) or not data.is_dir():
            return None
        self.book.add(str(data), BESIDE)
        return data

    @cached_property
    def settings(self) -> Settings:
        """From args.txt beside the exports, else in the data set, where Brush reads it."""
        places = [self.path, *([self.world.folder] if self.world.folder else [])]
        stored = next(filter(None, (self.book.attempt(read_settings, place / FILE, Settings()) for place in places)), Settings())
        last = self.files[-1] if self.files else None
        return completed(stored, last.comments if last else (), last.path.name if last else "")

    @cached_property
    def cameras(self) -> tuple[Camera, ...]:
        """Those of the data set; every n-th by name is held out where `eval-split-every` says so.

        Views that the data set itself holds out for testing are kept out whatever the arguments say.
        """
        every = self.settings.value("eval-split-every")
        known = self.world.data is not None and self.world.data.declares_split
        if isinstance(every, int) and every > 0 and not known:
            return held_out_every(self.world.cameras, every)
        return self.world.cameras


FAMILY = Family("Brush", recognise, read)
