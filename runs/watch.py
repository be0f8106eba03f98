"""Watching a run that is being written: what is new appears once it is whole, and only that is read."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from runs import storage
from runs.errors import NotARun, RunError
from runs.folder_state import FolderState, state_of
from runs.formats.ply.header import read_header
from runs.formats.splat_formats import could_be_splats
from runs.formats.torch_file import is_unfinished
from runs.open_run import open_run, reopen
from runs.run import Run

PATIENCE = 5  # looks for which a file that is being written may hold back the rest
LOGS = frozenset({".jsonl", ".csv", ".log", ".txt", ".out", ".err", ".wandb", ""})  # read as far as they go
ZIPS = frozenset({".pt", ".pth", ".ckpt", ".npz", ".sog"})
SAVES = ZIPS | {".resume", ".licht", ".npy"}
# Parts of a run that neither logs nor saves change, and the names of small files that are written again and again.
STEADY = ("settings", "cameras", "photos", "input_points", "sfm_points", "exposures", "per_view")
REWRITTEN = {
    "exposure.json": "exposures", "per_view.json": "per_view", "results.json": "per_view", "input.ply": "input_points",
}
SETTINGS = frozenset({"cfg_args", "args.txt"})  # of INRIA's family, of Brush: no logs, whatever their names


class Watch:
    """Looks at one run again and again. Not for several threads at once."""

    def __init__(self, run: Run | Path, data: Path | None = None) -> None:
        """`run` may be a path at which there is no run yet; `data` is the folder with photos and model, if the user named it."""
        self.run = run if isinstance(run, Run) else None
        self.path = run.path if isinstance(run, Run) else run
        self.trouble: RunError | None = None  # why the last look could not read the run
        self._data = data
        self._before: Run | None = None  # holds what it has read of the logs until the next run has taken it over
        self._files: FolderState = {}  # as of the last look or glance
        self._known: FolderState | None = None  # what the run shows, or will as soon as it is whole
        self._pending: set[Path] = set()  # changed since the run was read
        self._waited = 0

    @property
    def written_ns(self) -> int | None:
        """When the youngest file of the run was written, by the last look or glance; None where there is no file."""
        return max((stamp.modified_ns for stamp in self._files.values()), default=None)

    @property
    def saved_ns(self) -> int | None:
        """When the youngest save was written; None where there is none."""
        if self.run is None:
            return None
        paths = [*(save.path for save in self.run.checkpoints), *(save.path for save in self.run.state_files)]
        return max((self._files[path].modified_ns for path in paths if path in self._files), default=None)

    def look(self) -> Run | None:
        """The run as it is now; None where nothing is new, or what is new is not whole yet.

        A file of splats or a checkpoint appears when its own bytes say that it is whole, or when it has not changed since
        the look before. Earlier runs keep what they show.
        """
        self.glance()
        now, known = self._files, self._known
        if known is None:  # what grows may have grown since the run was read
            known = {} if self.run is None else {path: stamp for path, stamp in now.items() if not _grows(path)}
        changed = {path for path in {*known, *now} if known.get(path) != now.get(path)}
        self._known = now
        self._pending |= changed
        if not self._pending:
            return None
        unsettled = {path for path in changed if path in now and is_half_written(path)}
        if unsettled and self._waited < PATIENCE:
            self._waited += 1
            return None
        return self._read(unsettled)

    def glance(self) -> None:
        """See when the files were written, without taking note of what is new."""
        try:
            storage.refresh(self.path)
        except RunError as error:
            self.trouble = error
        else:
            self._files = state_of(self.path)

    def _read(self, unsettled: set[Path]) -> Run | None:
        try:
            fresh = open_run(self.path, self._data) if self.run is None else reopen(self.run)
        except NotARun as error:  # it may become one
            self.trouble, self._pending = error, set()
            return None
        except RunError as error:  # to be tried again
            self.trouble = error
            return None
        fresh = without(fresh, unsettled)
        if self.run is not None and (self.run.checkpoints or not fresh.checkpoints):
            fresh.adopt(self.run, steady_parts(self._pending))
        self._before, self.run = self.run, fresh
        self.trouble, self._pending, self._waited = None, unsettled, 0
        return fresh


def is_half_written(path: Path) -> bool:
    """Whether a save may still be written: nothing in it says that it is whole. Logs are never."""
    ending = path.suffix.lower()
    if is_log(path):
        return False
    if ending in ZIPS:
        return is_unfinished(path)
    return ending != ".ply" or not _is_whole_ply(path)


def _is_whole_ply(path: Path) -> bool:
    """Whether it is as long as its header says; the rows of text and of lists have no length of their own."""
    try:
        header = read_header(path)
    except RunError:
        return False
    if header.encoding == "ascii" or any(element.has_lists for element in header.elements):
        return False
    rows = sum(element.count * element.least_row_bytes for element in header.elements)
    return header.stamp.size_bytes >= header.data_offset + rows


def without(run: Run, paths: set[Path]) -> Run:
    """The run without the saves at these paths."""
    if not paths:
        return run
    return replace(
        run, checkpoints=tuple(save for save in run.checkpoints if save.path not in paths),
        state_files=tuple(save for save in run.state_files if save.path not in paths),
    )


def steady_parts(changed: Iterable[Path]) -> tuple[str, ...]:
    """The parts of a run that are as they were when these files have changed."""
    moved: set[str] = set()
    for path in changed:
        if path.name in REWRITTEN:
            moved.add(REWRITTEN[path.name])
        elif path.parent.name == "stats" or path.suffix.lower() == ".csv":
            moved.add("per_view")
        elif not _grows(path):
            return ()
    return tuple(part for part in STEADY if part not in moved)


def _grows(path: Path) -> bool:
    return is_log(path) or (path.name not in SETTINGS and (could_be_splats(path) or path.suffix.lower() in SAVES))


def is_log(path: Path) -> bool:
    """Whether the file is appended to, and read as far as it goes."""
    return path.name not in SETTINGS and (path.suffix.lower() in LOGS or ".tfevents." in path.name)
