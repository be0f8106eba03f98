"""Which fork of INRIA's trainer wrote a folder, by its settings, by its files and by its checkpoint."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from runs.checkpoints import TrainingState
from runs.errors import RunError
from runs.formats.cfg_args import read_cfg_args
from runs.formats.ply.columns import TWO_SCALES
from runs.formats.splat_file import SplatFile
from runs.run import Trainer
from runs.trainers.shared import filtered
from runs.trainers.shared.signs import head_of


@dataclass(frozen=True)
class Sign:
    """Settings that only one fork has."""

    keys: frozenset[str]
    name: str
    confidence: float


def sign(keys: str, name: str, confidence: float = 0.9) -> Sign:
    return Sign(frozenset(keys.split()), name, confidence)


SURE = 0.8  # above it, no saved file is opened to tell forks apart
# First match wins.
SIGNS = (
    sign("cap_max", "3dgs-mcmc"),
    sign("init_prune", "absgs"),
    sign("kernel_size ray_jitter", "mip-splatting"),
    sign("kernel_size", "mip-splatting", 0.5),  # GOF shares this key
    sign("load2gpu_on_the_fly is_6dof", "deformable-3dgs"),
    sign("feat_dim voxel_size", "scaffold-gs"),
    sign("kplanes_config", "4dgaussians"),
    sign("no_motion_mask", "truncgradgs"),
    sign("disable_pull_strength_schedule", "truncgradgs"),
    sign("kshot pc_name", "eap-gs"),
    sign("render_items", "2dgs", 0.8),  # Gaussian-Splatting-Monitor shares this key
)
STATE_FORKS = {
    "absgs": "AbsGS", "efa-gs": "EFA-GS", "taming": "Taming-3DGS", "fastgs": "FastGS", "4dgaussians": "4DGaussians",
    "pixel-gs": "Pixel-GS",
}
FILE_SIGNS: tuple[tuple[Callable[[SplatFile], bool], str, str], ...] = (
    (lambda file: file.holds == "anchors", "scaffold-gs", "its PLY files hold anchors"),
    (lambda file: filtered.SAYS in file.notes, "mip-splatting", "its PLY files have filter_3D"),
    (lambda file: TWO_SCALES in file.notes, "2dgs", "its PLY files have two scales"),
)
METRIC_CSV = b"iteration,set,l1_loss"
SPEEDY_TAGS = (b"counts/total_points", b"time/train_time_minutes", b"metrics_test/PSNR")
EVENTS_HEAD_BYTES, MOST_EVENT_FILES = 1 << 16, 4


def fork_of_folder(folder: Path) -> Trainer:
    """The trainer by the keys of cfg_args; of the family at least, when the file cannot be read."""
    try:
        keys = set(read_cfg_args(folder / "cfg_args"))
    except RunError:
        return Trainer("inria", 0.4, "there is a cfg_args, but it cannot be read")
    for known in SIGNS:
        if known.keys <= keys:
            return Trainer(known.name, known.confidence, f"cfg_args has {_listed(known.keys)}")
    if keys == {"sh_degree", "source_path"}:
        return Trainer("yindaheng98", 0.8, "cfg_args has sh_degree and source_path only")
    if (folder / "imp_score.npz").is_file():
        return Trainer("lightgaussian", 0.7, "there is an imp_score.npz")
    if head_of(folder / "metric.csv", len(METRIC_CSV)) == METRIC_CSV:
        return Trainer("lightgaussian", 0.7, "there is a metric.csv with iteration, set, l1_loss")
    if "train_test_exp" in keys:
        return Trainer("inria", 0.9, "cfg_args has train_test_exp, as since August 2024")
    if (folder / "exposure.json").is_file():
        return Trainer("inria", 0.8, "there is an exposure.json beside cfg_args")
    return Trainer("inria", 0.6, "cfg_args has the keys of INRIA's trainer before August 2024, which several forks share")


def fork_of_files(trainer: Trainer, folder: Path, files: Sequence[SplatFile]) -> Trainer:
    """What the headers of its saves, and the tags that it logged first, say against or beyond `trainer`."""
    if trainer.name == "2dgs" and files and not any(TWO_SCALES in file.notes for file in files):
        says = "cfg_args has render_items, and its splats have three scales, as those of Gaussian-Splatting-Monitor"
        return Trainer("inria", 0.5, says)
    if trainer.name not in ("inria", "unknown") or trainer.confidence >= SURE:
        return trainer
    signs = ((any(holds(file) for file in files), name, says) for holds, name, says in FILE_SIGNS)
    found = next((Trainer(name, 0.6, says) for holds, name, says in signs if holds), None)
    return found or _fork_of_tags(folder) or trainer


def _fork_of_tags(folder: Path) -> Trainer | None:
    """By the first tags of the event files: names only, no record is read."""
    heads = (head_of(path, EVENTS_HEAD_BYTES) for path in sorted(folder.glob("events.out.tfevents.*"))[:MOST_EVENT_FILES])
    if any(tag in head for head in heads for tag in SPEEDY_TAGS):
        return Trainer("speedy-splat", 0.7, "its event file has the tags counts/ and metrics_ of Speedy-Splat")
    return None


def fork_of_state(state: TrainingState) -> Trainer | None:
    """The fork that the items of a checkpoint betray, or None where they are INRIA's own."""
    kind, _, items = state.kind.rpartition(" ")
    name = STATE_FORKS.get(kind)
    return None if name is None else Trainer(kind, 0.8, f"{state.path.name} is a {items} as {name} writes it")


def _listed(keys: frozenset[str]) -> str:
    return " and ".join(sorted(keys))
