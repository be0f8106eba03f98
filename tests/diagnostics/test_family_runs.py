"""A sound training told as each fork of INRIA's trainer would have left it raises no alarm: a fork's habits are no faults."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.diagnose import diagnose
from runs import defaults
from runs.open_run import open_run
from runs.run import Run
from runs.trainers.inria.state import read_state
from tests.diagnostics.test_stock_runs import MCMC, Told, capped, captured, synthetic
from tests.support import forks
from tests.support.data import shared_data
from tests.support.forks import OLD
from tests.support.retold import Folders
from tests.support.stock import LAST, STORED, stock_run

Retell = Callable[[Told, Path], Path | None]  # the stock folder, changed in place, or another that takes its place
SCENES = {"synth-a": "synth1", "fox-a": "fox"}
RANKS, BATCH = 2, 4


@dataclass(frozen=True)
class Fork:
    """What a fork's folder differs in, and the name that it must get."""

    name: str
    retell: Retell
    settings: Mapping[str, Any] = field(default_factory=dict)
    events: bool = True


def with_state(**items: Any) -> Retell:
    def retell(told: Told, run: Path) -> None:
        forks.write_state(run / f"chkpnt{LAST}.pth", forks.state_of(told), **items)

    return retell


def with_statistics(*values: float) -> Retell:
    """One column per value: AbsGS has five, EFA-GS six, and Pixel-GS counts pixels."""
    def retell(told: Told, run: Path) -> None:
        count = forks.state_of(told).gaussians.count
        columns = tuple(np.full((count, 1), value, np.float32) for value in values)
        forks.write_state(run / f"chkpnt{LAST}.pth", forks.state_of(told), statistics=columns)

    return retell


def absgs(told: Told, run: Path) -> None:
    """With the schedule that it stores; it also halves all opacities now and then (`reduce_opacity`)."""
    stored = {**defaults.INRIA, **defaults.INRIA_BEFORE_EXPOSURE, "densify_grad_abs_threshold": 0.0004, "use_reduce": True,
              "opacity_reduce_interval": 500, "use_prune_weight": True, "prune_until_iter": 25_000, "percent_dense": 0.001}
    (run / "cfg_args_opt").write_text(f"Namespace({', '.join(f'{name}={value!r}' for name, value in stored.items())})", "utf-8")
    with_statistics(1, 2, 3, 4, 5)(told, run)


def mcmc(told: Told, run: Path) -> None:
    capped(told, Folders(run, run))
    zeros = (np.zeros(100, np.float32), np.zeros((100, 1), np.float32), np.zeros((100, 1), np.float32))
    forks.write_state(run / f"chkpnt{LAST}.pth", forks.state_of(told), statistics=zeros)


def mip(told: Told, run: Path) -> None:
    forks.as_filtered(run)
    with_state()(told, run)


def taming(told: Told, run: Path) -> None:
    forks.with_linear_opacities(run / f"point_cloud/iteration_{LAST}/point_cloud.ply")
    state = forks.state_of(told)
    shown = state.gaussians.opacities.reshape(-1, 1)
    forks.write_state(run / f"chkpnt{LAST}.pth", state, split=True, opacity=shown)


def grendel(told: Told, run: Path) -> None:
    forks.as_shards(run, RANKS, BATCH, {"eval": True, "source_path": "/data/scene", "iterations": LAST, "sh_degree": 3})
    first = (LAST - 1) // BATCH * BATCH + 1
    for rank in range(RANKS):
        path = run / "checkpoints" / str(first) / f"chkpnt_ws={RANKS}_rk={rank}.pth"
        state = forks.rows_of(forks.state_of(told, batch=BATCH), rank, RANKS)
        forks.write_state(path, state, stored_iteration=first + BATCH)


def wrapped(_: Told, run: Path) -> Path:
    return forks.as_wrapped(run, run.with_name("wrapped"))


NOT_STORED_THERE = set(STORED) - {"sh_degree", "source_path"}
FORKS: Mapping[str, Fork] = {
    "INRIA with a state": Fork("inria", with_state(), OLD),
    "AbsGS": Fork("absgs", absgs, {**OLD, "init_prune": False}),
    "AbsGS without its settings": Fork("absgs", with_statistics(1, 2, 3, 4, 5), OLD),
    "EFA-GS": Fork("efa-gs", with_statistics(1, 2, 3, 4, 5, 6), OLD),
    "Pixel-GS": Fork("pixel-gs", with_statistics(1, 2, 1e6), OLD),
    "3dgs-mcmc": Fork("3dgs-mcmc", mcmc, MCMC, events=False),
    "Mip-Splatting": Fork("mip-splatting", mip, {**OLD, "kernel_size": 0.1, "ray_jitter": False, "resample_gt_image": False}),
    "Taming-3DGS": Fork("taming", taming, OLD),
    "2DGS": Fork("2dgs", lambda _, run: forks.as_discs(run), {**OLD, "render_items": ["RGB", "Alpha"]}),
    "Grendel-GS": Fork("grendel", grendel, OLD, events=False),
    "Scaffold-GS": Fork("scaffold-gs", lambda _, run: forks.as_anchors(run), {**OLD, "feat_dim": 32, "voxel_size": 0.001}),
    "NerfBaselines": Fork("inria", wrapped, OLD, events=False),
    "yindaheng98": Fork("yindaheng98", lambda _t, _r: None, dict.fromkeys(NOT_STORED_THERE), events=False),
}


def opened(told: Told, fork: Fork, to: Path) -> Run:
    run = stock_run(told, to / "stock", events=fork.events, **{"eval": True, **fork.settings})
    return open_run(fork.retell(told, run) or run, shared_data("scenes", SCENES[told.run.name]))


def findings(run: Run) -> list[str]:
    return [f"{found.pattern.code} {found.finding.says}" for found in diagnose(run).findings]


@pytest.mark.parametrize("fork", FORKS)
def test_a_sound_run_of_a_fork_raises_no_alarm(fork: str, tmp_path: Path) -> None:
    """Neither for what it stores nor for what it leaves out, its photos at hand."""
    run = opened(synthetic(), FORKS[fork], tmp_path)
    assert run.trainer.name == FORKS[fork].name
    assert run.iterations == ((6997, 29997) if fork == "Grendel-GS" else (7_000, LAST))
    assert findings(run) == []


@pytest.mark.parametrize("fork", ["AbsGS", "Mip-Splatting", "Taming-3DGS", "Grendel-GS"])
def test_a_sound_capture_of_a_fork_raises_no_alarm(fork: str, tmp_path: Path) -> None:
    """The same of a real hand-held capture."""
    assert findings(opened(captured(), FORKS[fork], tmp_path)) == []


def as_shards(run: Path) -> None:
    """A state per process too, and the settings that Grendel-GS stores."""
    stored = json.loads((run / "opt_args.json").read_text("utf-8"))
    (whole,) = run.glob("chkpnt*.pth")
    state = read_state(whole)
    forks.as_shards(run, RANKS, 1, stored)
    for rank in range(RANKS):
        path = run / "checkpoints" / str(state.iteration) / f"chkpnt_ws={RANKS}_rk={rank}.pth"
        forks.write_state(path, forks.rows_of(state, rank, RANKS), stored_iteration=state.iteration + 1)
    whole.unlink()


DENSE: Mapping[str, tuple[Callable[[Path], None], str]] = {
    "mip-splatting": (forks.as_filtered, ", kernel_size=0.1, ray_jitter=False"),
    "2dgs": (forks.as_discs, ", render_items=['RGB']"), "grendel": (as_shards, ""),
}


@pytest.mark.parametrize("fork", DENSE)
def test_a_densely_saved_run_of_a_fork_raises_no_alarm(fork: str, tmp_path: Path) -> None:
    """Saves a few densifications apart let births be followed, where discs and filters once passed for faults."""
    told = Folders(shared_data("runs", "synth-a"), shared_data("scenes", "synth1")).copied(tmp_path)
    retell, extra = DENSE[fork]
    cfg_args = told.run / "cfg_args"
    retell(told.run)
    cfg_args.write_text(cfg_args.read_text("utf-8").removesuffix(")") + extra + ")", "utf-8")
    run = open_run(told.run, told.data)
    assert run.trainer.name == fork
    assert findings(run) == []


def test_a_lost_shard_is_found_once(tmp_path: Path) -> None:
    """The one thing that is wrong with this run is the one thing that is told."""
    run = opened(synthetic(), FORKS["Grendel-GS"], tmp_path)
    for shard in run.path.glob("point_cloud/iteration_*/*_rk1_*"):
        shard.unlink()
    found = [finding.pattern.name for finding in diagnose(replace(open_run(run.path, run.data), state_files=())).findings]
    assert found[0] == "shards-missing"
