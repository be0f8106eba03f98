"""Opening a chkpnt.pth of a million Gaussians, against torch.load: `python -m benchmarks.checkpoints [millions]`."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measure import best_ms, peak_bytes, print_growth, table
from runs.formats.torch.kind import torch_kind
from runs.formats.torch_file import describe_torch_file, read_torch_file
from runs.trainers.inria.state import read_state

ROUNDS = 5
SHAPES = {"xyz": (3,), "f_dc": (1, 3), "f_rest": (15, 3), "scaling": (3,), "rotation": (4,), "opacity": (1,)}


def write_state(path: Path, count: int) -> None:
    """As INRIA's trainer saves it: parameters, statistics, Adam's moments; torch itself is the writer."""
    import torch
    parameters = {name: torch.nn.Parameter(torch.randn(count, *shape)) for name, shape in SHAPES.items()}
    groups = [{"params": [values], "lr": np.float64(1e-3), "name": name} for name, values in parameters.items()]
    optimizer = torch.optim.Adam(groups, lr=0.0, eps=1e-15)
    for values in parameters.values():
        values.grad = torch.full_like(values, 1e-3)
    optimizer.step()
    statistics = (torch.zeros(count), torch.zeros(count, 1), torch.zeros(count, 1))
    torch.save(((3, *parameters.values(), *statistics, optimizer.state_dict(), np.float64(4.1)), 30000), path)


def header(path: Path) -> object:
    """What is in the file, and of what shape."""
    return torch_kind(path), describe_torch_file(path)


def opened(path: Path) -> object:
    """Every tensor mapped, no number read."""
    return read_torch_file(path)


def state(path: Path) -> object:
    """The training state sorted out and ready for use."""
    return read_state(path)


def splats(path: Path) -> object:
    """That, and every column of the Gaussians."""
    gaussians = read_state(path).gaussians
    return [gaussians.load(name) for name in ("means", "log_scales", "quats_wxyz", "logit_opacities", "sh0", "sh_rest")]


def numpy_copy(path: Path) -> object:
    return np.array(np.memmap(path, np.uint8, "r"))


def torch_load(path: Path) -> object:
    import torch
    return torch.load(path, map_location="cpu", weights_only=False)


def torch_load_mapped(path: Path) -> object:
    import torch
    return torch.load(path, map_location="cpu", weights_only=False, mmap=True)


OURS = {act.__name__: act for act in (header, opened, state, splats)}
ACTS = {**OURS, **{act.__name__: act for act in (numpy_copy, torch_load, torch_load_mapped)}}


def main() -> None:
    count = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chkpnt30000.pth"
        # The writer is a process of its own: torch must not be loaded where its absence is shown.
        subprocess.run([sys.executable, "-m", "benchmarks.checkpoints", "--write", str(path), str(count)], check=True)
        ours = best_ms(OURS, path, ROUNDS)
        assert "torch" not in sys.modules
        peers = best_ms({name: act for name, act in ACTS.items() if name not in OURS}, path, ROUNDS)
        print(f"{count:,} Gaussians, SH 3, {path.stat().st_size / 1e6:,.0f} MB, best of {ROUNDS}; ours without torch")
        print(table(ours | peers, "torch_load_mapped"))
        for name in ACTS:
            share = peak_bytes("benchmarks.checkpoints", name, path) / path.stat().st_size
            print(f"  memory of {name:24s} {share:9.3f} x the file")


def child(act: str, path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "chkpnt7.pth"
        subprocess.run([sys.executable, "-m", "benchmarks.checkpoints", "--write", str(small), "100"], check=True)
        print_growth(ACTS[act], small, path)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write_state(Path(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1:2] == ["--act"]:
        child(sys.argv[2], Path(sys.argv[3]))
    else:
        main()
