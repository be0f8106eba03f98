"""Reading a splat PLY to all arrays against plyfile and gsply: `python benchmarks/ply.py [rows]` prints the ratios."""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import gsply
import numpy as np
from plyfile import PlyData

from runs.formats.ply import read_gaussians
from runs.gaussians import COLUMNS

ROUNDS = 9
REST = [f"f_rest_{i}" for i in range(45)]
GROUPS = (["x", "y", "z"], ["scale_0", "scale_1", "scale_2"], ["rot_0", "rot_1", "rot_2", "rot_3"], ["opacity"],
          ["f_dc_0", "f_dc_1", "f_dc_2"])
PROPERTIES = ["x", "y", "z", "nx", "ny", "nz", *GROUPS[4], *REST, "opacity", *GROUPS[1], *GROUPS[2]]


def write_splats(path: Path, count: int) -> None:
    """An INRIA PLY of SH degree 3 with random values."""
    header = "ply\nformat binary_little_endian 1.0\n" + f"element vertex {count}\n"
    header += "".join(f"property float {name}\n" for name in PROPERTIES) + "end_header\n"
    with path.open("wb") as file:
        file.write(header.encode())
        np.random.default_rng(0).standard_normal((count, len(PROPERTIES)), np.float32).tofile(file)


def ours(path: Path) -> None:
    gaussians = read_gaussians(path)
    for name in (*COLUMNS, "sh_rest"):
        gaussians.load(name)


def with_plyfile(path: Path) -> None:
    table = PlyData.read(str(path))["vertex"].data
    for group in GROUPS:
        np.stack([table[name] for name in group], axis=1)
    rest = np.stack([table[name] for name in REST], axis=1)
    np.ascontiguousarray(rest.reshape(-1, 3, 15).transpose(0, 2, 1))


def with_gsply(path: Path) -> None:
    gsply.plyread(str(path))


def seconds(read: Callable[[Path], None], path: Path) -> float:
    start = time.perf_counter()
    read(path)
    return time.perf_counter() - start


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "splats.ply"
        write_splats(path, count)
        readers = (ours, with_plyfile, with_gsply)
        rounds = [[seconds(read, path) for read in readers] for _ in range(ROUNDS)]  # in turns: the machine may be shared
    times = {read.__name__: min(column) * 1000 for read, column in zip(readers, zip(*rounds, strict=True), strict=True)}
    print(f"{count:,} splats, SH 3, all arrays, best of {ROUNDS}, file in the page cache")
    for name, ms in times.items():
        print(f"  {name:14s} {ms:8.1f} ms   {ms / times['ours']:5.1f}x")


if __name__ == "__main__":
    main()
