"""Reading a splat PLY, against numpy, plyfile and gsply: `python -m benchmarks.ply [millions …]` prints times and memory."""

import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measure import best_ms, peak_bytes, print_growth, table
from runs.formats.ply import read_gaussians
from runs.gaussians import COLUMNS

ROUNDS = 7
REST = [f"f_rest_{i}" for i in range(45)]
GROUPS = (["x", "y", "z"], ["scale_0", "scale_1", "scale_2"], ["rot_0", "rot_1", "rot_2", "rot_3"], ["opacity"],
          ["f_dc_0", "f_dc_1", "f_dc_2"])
PROPERTIES = ["x", "y", "z", "nx", "ny", "nz", *GROUPS[4], *REST, "opacity", *GROUPS[1], *GROUPS[2]]


def write_splats(path: Path, count: int) -> None:
    """An INRIA PLY of SH degree 3 with random values."""
    header = "ply\nformat binary_little_endian 1.0\n" + f"element vertex {count}\n"
    header += "".join(f"property float {name}\n" for name in PROPERTIES) + "end_header\n"
    rng = np.random.default_rng(0)
    with path.open("wb") as file:
        file.write(header.encode())
        for start in range(0, count, 1 << 18):
            rng.standard_normal((min(1 << 18, count - start), len(PROPERTIES)), np.float32).tofile(file)


def usable(path: Path) -> object:
    """Ours: means, opacity, scales, rotations and base colour, as every view needs them."""
    gaussians = read_gaussians(path)
    return [gaussians.load(name) for name in COLUMNS]


def everything(path: Path) -> object:
    """Ours: all of that, and the colours that depend on the view."""
    gaussians = read_gaussians(path)
    return [gaussians.load(name) for name in ("sh_rest", *COLUMNS)]  # SH first: one pass over the file then serves all


def numpy_copy(path: Path) -> object:
    """The least that reading can be: one copy of the mapped bytes."""
    return np.array(np.memmap(path, np.uint8, "r"))


def with_plyfile(path: Path) -> object:
    from plyfile import PlyData
    table = PlyData.read(str(path))["vertex"].data
    groups = [np.stack([table[name] for name in group], axis=1) for group in GROUPS]
    rest = np.stack([table[name] for name in REST], axis=1)
    return groups, np.ascontiguousarray(rest.reshape(-1, 3, 15).transpose(0, 2, 1))


def with_gsply(path: Path) -> object:
    import gsply
    return gsply.plyread(str(path))


ACTS = {act.__name__: act for act in (numpy_copy, usable, everything, with_gsply, with_plyfile)}


def main() -> None:
    for millions in [float(word) for word in sys.argv[1:]] or [1.0, 3.0]:
        with tempfile.TemporaryDirectory() as folder:
            path, count = Path(folder) / "splats.ply", int(millions * 1e6)
            write_splats(path, count)
            print(f"{count:,} splats, SH 3, best of {ROUNDS}, file in the page cache; ratio to one copy of the bytes")
            print(table(best_ms(ACTS, path, ROUNDS), "numpy_copy"))
            for name in ACTS:
                print(f"  memory of {name:24s} {peak_bytes('benchmarks.ply', name, path) / path.stat().st_size:9.2f} x the file")


def child(act: str, path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.ply"
        write_splats(small, 1000)
        print_growth(ACTS[act], small, path)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--act"]:
        child(sys.argv[2], Path(sys.argv[3]))
    else:
        main()
