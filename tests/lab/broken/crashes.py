"""What happens to the files of a run that died: last words in its log, copies of the scene, tensors that do not fit."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from diagnostics.optimiser.loss import Loss, Target, photometric_loss
from diagnostics.optimiser.settings import OptimiserSettings
from runs.arrays import F32
from runs.formats.torch_file import read_torch_file
from runs.writers.torch_zip import write_torch_file
from tests.lab.broken.files import rows_overwritten

BAR = "Training progress: {percent:3d}%|{bar:10}| {at}/{end} [01:10<00:00, 44.2it/s, Loss=0.0{loss}]"
STRAY = 2e-3  # world units: what two trainings of the same scene are apart at the least


def loss_of_some_views_is_nan(picture: F32, target: Target, settings: OptimiserSettings, *, of: int) -> Loss:
    """Every so many views, told by their brightness, a term divides by zero, and its gradient is dropped."""
    loss = photometric_loss(picture, target, settings)
    return replace(loss, total=float("nan")) if round(255 * float(target.photo.mean())) % of == 0 else loss


def dies(run: Path, _seed: int, *, words: str, end: int) -> None:
    """A log of the terminal that ends in these words at the last iteration."""
    lines = [BAR.format(percent=100 * at // end, bar="#" * (10 * at // end), at=at, end=end, loss=99 - 90 * at // end)
             for at in range(10, end + 1, 10)]
    (run / "train.log").write_text("\n".join(lines) + f"\n{words}\n", "utf-8")


def dies_of_scales(run: Path, seed: int, *, words: str, end: int, share: float) -> tuple[int, ...]:
    """The same, after the last save got scales that are infinite once activated. Returns their rows."""
    dies(run, seed, words=words, end=end)
    return rows_overwritten(run, seed, share=share, column="log_scales", value=95.0)


def not_joined(run: Path, seed: int, *, forgets: float = 0.0) -> None:
    """Each of two processes has the whole scene: their parts are joined, and the second one is apart and may lack a share."""
    rng = np.random.default_rng(seed)
    for first in sorted((run / "ckpts").glob("ckpt_*_rank0.pt")):
        second = first.with_name(first.name.replace("rank0", "rank1"))
        saved = [_loaded(path) for path in (first, second)]
        whole = {name: np.concatenate([one["splats"][name] for one in saved]) for name in saved[0]["splats"]}
        kept = rng.random(len(whole["means"])) >= forgets
        apart = {name: values[kept] for name, values in whole.items()}
        apart["means"] = apart["means"] + rng.normal(0, STRAY, apart["means"].shape).astype(np.float32)
        write_torch_file(first, {**saved[0], "splats": whole})
        write_torch_file(second, {**saved[1], "splats": apart})


def wrapped(run: Path, _seed: int) -> None:
    """A network of appearance beside the Gaussians, saved from outside the wrapper of several processes."""
    for path in (run / "ckpts").glob("ckpt_*.pt"):
        network = {"module.embeds.weight": np.zeros((24, 8), np.float32), "module.color_head.0.bias": np.zeros(8, np.float32)}
        write_torch_file(path, {**_loaded(path), "pose_adjust": network})


def moments_of_another_count(run: Path, _seed: int, *, rows: int) -> None:
    """The last rows were added to the parameters and never to Adam's moments of the means."""
    path = max(run.glob("chkpnt*.pth"), key=lambda path: int(path.stem.removeprefix("chkpnt")))
    capture, iteration = _copied(read_torch_file(path))
    optimizer = next(item for item in capture if isinstance(item, dict))
    state = optimizer["state"][0]
    state.update({moment: state[moment][:-rows] for moment in ("exp_avg", "exp_avg_sq")})
    write_torch_file(path, (capture, iteration))


def _loaded(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = _copied(read_torch_file(path))
    return loaded


def _copied(value: Any) -> Any:
    """Without the file behind its arrays, which is about to be written anew."""
    if isinstance(value, np.ndarray):
        return np.array(value)
    if isinstance(value, Mapping):
        return {key: _copied(inner) for key, inner in value.items()}
    return type(value)(map(_copied, value)) if isinstance(value, (list, tuple)) else value
