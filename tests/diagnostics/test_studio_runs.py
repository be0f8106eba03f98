"""A sound real training, retold as the folders of trainers with checkpoints of their own, raises no alarm there either."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from scipy.spatial.transform import Rotation

from diagnostics.diagnose import diagnose
from diagnostics.schedule import schedule_of
from runs.checkpoints import Checkpoint
from runs.gaussians import Gaussians
from runs.open_run import open_run
from runs.run import Run
from tests.runs.trainers.grut import test_folder as grut
from tests.runs.trainers.lightning import test_folder as lightning
from tests.support.data import shared_data
from tests.support.event_writer import event, simple_value, version_event
from tests.support.nerfstudio_writer import config_yml, orient, write_checkpoint, write_movement, write_transforms
from tests.support.retold import Folders, move_world

TURN = np.array([[0.0, 1, 0, 0], [1, 0, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]])  # of nerfstudio's converters
Retell = Callable[[Folders, Path], Run]


def log_of(run: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in (run / "metrics.jsonl").read_text("utf-8").splitlines())


def options(run: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((run / "opt_args.json").read_text("utf-8"))
    return found


def events(run: Path, tags: Mapping[str, str], evaluated: str, first: int) -> bytes:
    """The log under another trainer's tags; `first` is its number for the first iteration."""
    parts = [version_event()]
    for entry in log_of(run):
        values = [simple_value(tag, float(entry[key])) for key, tag in tags.items() if key in entry]
        values += [simple_value(evaluated, entry["eval"]["test"])] if "eval" in entry else []
        parts.append(event(entry["it"] - 1 + first, float(entry["it"]), values))
    return b"".join(parts)


def as_splatfacto(told: Folders, to: Path) -> Run:
    """In a world that is turned, centred and scaled; the data set is converted as `ns-process-data` does."""
    whole = open_run(told.run, told.data)
    cameras = whole.cameras
    names = {split: [f"images/{c.name}" for c in cameras if c.split == split] for split in ("train", "test")}
    transform, scale = orient(cameras, TURN, Rotation.from_euler("xyz", [0.4, -0.9, 1.7]).as_matrix())
    write_transforms(to / "data" / "transforms.json", cameras, converted=TURN, train_filenames=names["train"],
                     val_filenames=names["test"])
    shutil.copytree(told.data / "images", to / "data" / "images")
    move_world(told, scale=scale, rotation=transform[:, :3], shift=scale * transform[:, 3])
    moved = open_run(told.run, told.data)
    for checkpoint in moved.checkpoints:
        write_checkpoint(to / "run", checkpoint.iteration - 1, checkpoint.gaussians, adam_steps=1, counted=checkpoint.iteration)
    write_movement(to / "run", transform, scale)
    stored = options(told.run)
    model = {"warmup_length": stored["densify_from_iter"], "stop_split_at": stored["densify_until_iter"],
             "refine_every": stored["densification_interval"], "num_downscales": 0,
             "reset_alpha_every": stored["opacity_reset_interval"] // stored["densification_interval"]}
    text = config_yml("/nowhere/scene", settings=model)
    (to / "run" / "config.yml").write_text(text.replace("max_num_iterations: 30000", "max_num_iterations: 2000"), "utf-8")
    tags = {"loss": "Train Loss", "n": "Train Metrics Dict/gaussian_count", "psnr": "Train Metrics Dict/psnr"}
    log = events(told.run, tags, "Eval Images Metrics Dict (all images)/psnr", 0)
    (to / "run" / "events.out.tfevents.1.host.1.0").write_bytes(log)
    return open_run(to / "run", to / "data")


def as_grut(told: Folders, to: Path) -> Run:
    """In the data set's own world, on the same COLMAP model."""
    stored, config = options(told.run), yaml.safe_load(grut.CONFIG)
    config["n_iterations"] = config["scheduler"]["positions"]["max_steps"] = 2000
    config["dataset"] |= {"downsample_factor": 1, "test_split_interval": -1}
    config["strategy"]["densify"] |= {
        "frequency": stored["densification_interval"], "start_iteration": stored["densify_from_iter"],
        "end_iteration": stored["densify_until_iter"]}
    config["strategy"]["reset_density"]["frequency"] = stored["opacity_reset_interval"]
    grut.begun(to / "run", yaml.safe_dump(config))
    for iteration, gaussians in saves(told):
        rates = {**grut.RATES, "positions": np.float64(grut.RATES["positions"] * 0.01 ** (iteration / 2000))}
        path = to / "run" / f"ours_{iteration}" / f"ckpt_{iteration}.pt"
        grut.write_checkpoint(path, gaussians, iteration, rates=rates, counted=iteration)
    tags = {"loss": "loss/total/train", "n": "train/num_GS", "psnr": "psnr/train"}
    (to / "run" / "events.out.tfevents.1.host.1.0").write_bytes(events(told.run, tags, "psnr/val", 1))
    return open_run(to / "run", told.data)


def as_lightning(told: Folders, to: Path) -> Run:
    """INRIA's folder but for checkpoints and logs."""
    for name in ("cameras.json", "input.ply"):
        (to / "run").mkdir(exist_ok=True)
        shutil.copyfile(told.run / name, to / "run" / name)
    (to / "run" / "cfg_args").write_text(lightning.CFG_ARGS, encoding="utf-8")
    names = ("densify_from_iter", "densify_until_iter", "densification_interval", "opacity_reset_interval",
             "densify_grad_threshold")
    density = {name: options(told.run)[name] for name in names}
    for iteration, gaussians in saves(told):
        lightning.write_checkpoint(to / "run", gaussians, iteration, counted=iteration, density=density)
    logs = to / "run" / "lightning_logs" / "version_0" / "events.out.tfevents.1.host.1.0"
    logs.parent.mkdir(parents=True)
    tags = {"loss": "train/loss", "l1": "train/rgb_diff", "n": "train/gaussians_count"}
    logs.write_bytes(events(told.run, tags, "val/psnr", 0))
    return open_run(to / "run", told.data)


def saves(told: Folders) -> list[tuple[int, Gaussians]]:
    found: tuple[Checkpoint, ...] = open_run(told.run, told.data).checkpoints
    return [(checkpoint.iteration, checkpoint.gaussians) for checkpoint in found]


@pytest.mark.parametrize(("retell", "trainer"), [
    (as_splatfacto, "splatfacto"), (as_grut, "3dgrut"), (as_lightning, "gs-lightning"),
])
def test_a_sound_training_raises_no_alarm_under_another_name(retell: Retell, trainer: str, tmp_path: Path) -> None:
    """The worst bug of a debugger; what a trainer does not write may make patterns undecided, never found."""
    pytest.importorskip("torch")
    told = Folders(shared_data("runs", "synth-a"), shared_data("scenes", "synth1")).copied(tmp_path / "told")
    (tmp_path / "new").mkdir()
    run = retell(told, tmp_path / "new")
    assert (run.trainer.name, run.iterations) == (trainer, (200, 600, 1000, 1400, 2000))
    assert len(run.cameras) >= 24
    assert [one.finding.says for one in diagnose(run).findings] == []


@pytest.mark.parametrize(("retell", "first"), [(as_splatfacto, 201), (as_grut, 201), (as_lightning, 200)])
def test_planned_events_come_when_they_come(retell: Retell, first: int, tmp_path: Path) -> None:
    """Two of them call their first iteration 0, so what they plan for 200 happens in iteration 201."""
    pytest.importorskip("torch")
    told = Folders(shared_data("runs", "synth-a"), shared_data("scenes", "synth1")).copied(tmp_path / "told")
    (tmp_path / "new").mkdir()
    schedule = schedule_of(retell(told, tmp_path / "new"))
    assert schedule is not None
    assert schedule.densifications == tuple(range(first, 1_200, 100))
    assert schedule.resets_known is (retell is not as_splatfacto)
