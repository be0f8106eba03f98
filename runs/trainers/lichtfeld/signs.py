"""The files by which a folder of LichtFeld Studio is known, and what its small ones say."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from runs.advice import FOREIGN
from runs.errors import UnreadableFile
from runs.formats.lichtfeld import licht
from runs.formats.lichtfeld.resume import MAGIC
from runs.formats.small_files import MIB, read_json
from runs.notes import NoteBook
from runs.trainers.shared.signs import head_of, plys_of

CONFIG = "training_config.json"
METRICS_HEADS = (b"iteration,psnr,ssim,time_per_image", b"iteration,psnr,ssim,lpips,time_per_image")
PROJECT = b"LichtFeldStudio Project File"
Object = Mapping[str, Any]  # of JSON


def resumes(folder: Path) -> Iterator[Path]:
    """Checkpoints, in the folder or where the trainer puts them."""
    places = (*folder.glob("*.resume"), *(folder / "checkpoints").glob("*.resume"))
    return (path for path in sorted(places) if head_of(path, len(MAGIC)) == MAGIC)


def projects(folder: Path) -> Iterator[Path]:
    """Project files of 2025, which are JSON."""
    return (path for path in sorted(folder.glob("*.lfs")) if PROJECT in head_of(path))


def lichts(folder: Path) -> Iterator[Path]:
    """Project containers since 2026-08."""
    return (path for path in sorted(folder.glob("*.licht")) if licht.is_licht(path, head_of(path, 8)))


def configs(folder: Path) -> Iterator[Path]:
    """Other programs write a file of this name too."""
    nothing: Object = {}
    stored = NoteBook().attempt(read_object, folder / CONFIG, nothing)
    if part(stored, "optimization", "strategy") is not None and part(stored, "dataset", "data_path") is not None:
        yield folder / CONFIG


def metrics(folder: Path) -> Iterator[Path]:
    """Scores of evaluations beside saved splats."""
    path = folder / "metrics.csv"
    saved = (*plys_of(folder), *plys_of(folder / "checkpoints"), *(folder / "point_cloud").glob("iteration_*"))
    if saved and head_of(path).lower().startswith(METRICS_HEADS) and not (folder / "cfg_args").exists():
        yield path


def read_object(path: Path) -> Object:
    """Raises UnreadableFile if the file holds no JSON object, RefusedFile above 16 MiB."""
    stored = read_json(path, 16 * MIB)
    if not isinstance(stored, dict):
        raise UnreadableFile(f"this file holds no JSON object; {FOREIGN}", path)
    return stored


def part(stored: Any, *keys: str) -> Any:
    """What lies under the keys, one below the other; None where nothing does."""
    for key in keys:
        stored = stored.get(key) if isinstance(stored, dict) else None
    return stored


def trained(plys: Iterable[Any]) -> Iterator[tuple[str, int]]:
    """File name and iteration of each PLY in a project's list that training wrote."""
    for entry in plys:
        path, iteration = part(entry, "ply_path"), part(entry, "ply_training_iter_number")
        if isinstance(path, str) and isinstance(iteration, int) and iteration >= 0 and not part(entry, "is_imported"):
            yield PurePosixPath(path.replace("\\", "/")).name, iteration
