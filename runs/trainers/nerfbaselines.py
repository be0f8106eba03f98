"""NerfBaselines: another trainer's own files in checkpoint-N/, one folder per save, with nb-info.json and results-N.json beside.

Each folder is opened as the run of the trainer that wrote it (nerfbaselines `training.py`).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from runs.canonical import make_series, merge
from runs.checkpoints import Checkpoint, StateFile
from runs.errors import RunError
from runs.formats.small_files import MIB, as_number, read_json
from runs.notes import NoteBook
from runs.run import Run, Sources, Trainer
from runs.series import Series
from runs.settings import Setting, Settings
from runs.trainers.gsplat.folder import FAMILY as GSPLAT
from runs.trainers.gsplat.saved import CHECKPOINT, read_checkpoints
from runs.trainers.shared.family import Family
from runs.trainers.shared.logged import Logged
from runs.trainers.shared.saved import numbered
from runs.trainers.shared.shards import ranked

INFO = "nb-info.json"
RESULTS = re.compile(r"results-(\d{1,12})(?:-(train|val))?\.json")
SCORES = ("psnr", "ssim", "lpips")
# Those of its methods that leave splats and are known here, by the part of the name before any colon.
METHODS: Mapping[str, str] = {
    "gaussian-splatting": "inria", "mip-splatting": "mip-splatting", "3dgs-mcmc": "3dgs-mcmc", "2d-gaussian-splatting": "2dgs",
    "gsplat": "gsplat", "scaffold-gs": "scaffold-gs", "octree-gs": "scaffold-gs", "taming-3dgs": "taming",
}
Part = TypeVar("Part")


def recognise(folder: Path) -> Trainer | None:
    """By nb-info.json in the folder, or in that of a save."""
    infos = [folder / INFO, *(path / INFO for _, path in _saves(folder))]
    info = next((path for path in infos if path.is_file()), None)
    if info is None:
        return None
    method = str(_info(info, NoteBook()).get("method", ""))
    name = METHODS.get(method.partition(":")[0], "unknown")
    told = f"{info.name} names the method {method[:60]}" if method else f"there is a {info.name}"
    return Trainer(name, 0.9 if name != "unknown" else 0.3, f"{told} of NerfBaselines")


def read(path: Path, trainer: Trainer, data: Path | None) -> Run:
    """Headers and names now, everything else on first use. Raises UnreadableFile if `data` is given and absent."""
    book = NoteBook()
    saves = _saves(path) or [(_iteration_of(path), path)]
    inner = [(iteration, run) for iteration, folder in saves if (run := _inner(folder, trainer, data, book)) is not None]
    splats: dict[int, Checkpoint] = {c.iteration: c for iteration, run in inner for c in _placed(iteration, run)}
    states: dict[int, StateFile] = {s.iteration: s for iteration, run in inner for s in _placed_states(iteration, run)}
    last = inner[-1][1] if inner else None
    known = last.trainer if last is not None and trainer.name == "unknown" else trainer
    folder = Wrapper(path, last, book)
    return Run(
        path, known, tuple(splats[i] for i in sorted(splats)), tuple(states[i] for i in sorted(states)),
        None if last is None else last.data, folder.sources, book, data is not None,
    )


def _saves(folder: Path) -> list[tuple[int, Path]]:
    """The folders checkpoint-N, by N."""
    return sorted(numbered((path for path in folder.glob("checkpoint-*") if path.is_dir()), r"checkpoint-(\d{1,12})"))


def _iteration_of(folder: Path) -> int:
    """Of a save that was opened by itself; 0 where its name does not tell."""
    match = re.fullmatch(r"checkpoint-(\d{1,12})", folder.name)
    return int(match[1]) if match else 0


def _inner(folder: Path, trainer: Trainer, data: Path | None, book: NoteBook) -> Run | None:
    """The run that one save makes by itself; None, and a note, where no known trainer wrote it."""
    family, own = next(((family, own) for family in _table() if (own := family.knows(folder))), (None, None))
    if family is None or own is None:
        book.add(str(folder), "holds no splats of a trainer that is known here, so this save is left out; export them as PLY")
        return None
    run = family.read(folder, own if trainer.name == "unknown" else trainer, data)
    if family is GSPLAT and not run.checkpoints:  # they lie in the folder itself here
        run = replace(run, checkpoints=read_checkpoints(ranked(folder, CHECKPOINT, book), {}, book))
    _tell(run, book)
    return run


def _table() -> tuple[Family, ...]:
    """Every other family, in the order in which they are asked."""
    from runs.trainers import TRAINERS  # it holds this family too, and so cannot be there yet when this file is read

    return tuple(family for family in TRAINERS if family is not FAMILY)


def _tell(run: Run, book: NoteBook) -> None:
    for note in run.notes:
        book.add(note.file, note.says)


def _placed(iteration: int, run: Run) -> Iterator[Checkpoint]:
    """The saves of one folder; a single one is of the iteration in the folder's name, whatever its trainer counts."""
    for checkpoint in run.checkpoints:
        alone = len(run.checkpoints) == 1 and iteration
        yield replace(checkpoint, iteration=iteration) if alone else checkpoint


def _placed_states(iteration: int, run: Run) -> Iterator[StateFile]:
    for state in run.state_files:
        yield replace(state, iteration=iteration) if len(run.state_files) == 1 and iteration else state


def _info(path: Path, book: NoteBook) -> Mapping[str, Any]:
    try:
        stored = read_json(path, MIB)
    except RunError as error:
        book.add_error(error)
        return {}
    return stored if isinstance(stored, dict) else {}


@dataclass(frozen=True, eq=False)
class Wrapper:
    """What lies beside the saves, and what the last of them holds beside its splats."""

    path: Path
    last: Run | None
    book: NoteBook

    @cached_property
    def settings(self) -> Settings:
        """Those of the method, as it was called; then those that its own files hold."""
        info = next((path for path in (self.path / INFO, *self._inner_infos) if path.is_file()), None)
        stored = {} if info is None else _info(info, self.book)
        given = [stored.get("hparams"), stored.get("config_overrides"), stored]
        named = {key: value for part in given if isinstance(part, dict) for key, value in part.items() if _is_plain(value)}
        found = {name: Setting(name, value, INFO) for name, value in named.items()}
        own = self._of_last(lambda run: run.settings, Settings())
        planned = {} if "iterations" in {*own, *found} else {"iterations": "num_iterations"}
        return Settings({**own.by_name, **found}, {**own.aliases, **planned})

    @property
    def _inner_infos(self) -> tuple[Path, ...]:
        return () if self.last is None else (self.last.path / INFO,)

    @cached_property
    def logged(self) -> Logged:
        return Logged(self.path, self.book)

    @cached_property
    def series(self) -> Mapping[str, Series]:
        return merge(self._results(), self.logged.series)

    def _results(self) -> dict[str, Series]:
        """test/psnr, … and train/psnr, … of results-N.json and results-N-train.json."""
        rows: dict[str, dict[int, float]] = {}
        for path in sorted(self.path.glob("results-*.json")):
            match = RESULTS.fullmatch(path.name)
            metrics = None if match is None else _info(path, self.book).get("metrics")
            if match is None or not isinstance(metrics, dict):
                continue
            scores = ((score, as_number(metrics.get(score))) for score in SCORES)
            for name, value in ((f"{match[2] or 'test'}/{score}", value) for score, value in scores if value is not None):
                rows.setdefault(name, {})[int(match[1])] = value
        return {name: make_series(name, list(row), list(row.values()), "results-N.json") for name, row in rows.items()}

    def _of_last(self, part: Callable[[Run], Part], otherwise: Part) -> Part:
        if self.last is None:
            return otherwise
        found = part(self.last)
        _tell(self.last, self.book)
        return found

    @property
    def sources(self) -> Sources:
        return Sources(
            cameras=lambda: self._of_last(lambda run: run.cameras, ()), settings=lambda: self.settings,
            series=lambda: self.series, events=lambda: self.logged.events,
            input_points=lambda: self._of_last(lambda run: run.input_points, None),
            sfm_points=lambda: self._of_last(lambda run: run.sfm_points, None),
            photos=lambda: self._of_last(lambda run: run.photos, {}),
            exposures=lambda: self._of_last(lambda run: run.exposures, {}),
        )


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bool)


FAMILY = Family("nerfbaselines", recognise, read)
