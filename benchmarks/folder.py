"""Opening a folder of thirty saves of a million Gaussians: `python -m benchmarks.folder [saves] [millions]`.

The saves are files with holes: opening reads their headers, and nothing else of them.
"""

import sys
import tempfile
from pathlib import Path

from benchmarks.measure import best_ms, table
from benchmarks.ply import PROPERTIES
from runs.open_run import open_run

ROUNDS = 7
CFG_ARGS = (
    "Namespace(sh_degree=3, source_path='/data/garden', model_path='output/garden', images='images', depths='', resolution=-1, "
    "white_background=False, train_test_exp=False, data_device='cuda', eval=True)"
)


def write_run(folder: Path, saves: int, count: int) -> None:
    (folder / "cfg_args").write_text(CFG_ARGS, "utf-8")
    header = f"ply\nformat binary_little_endian 1.0\nelement vertex {count}\n"
    header += "".join(f"property float {name}\n" for name in PROPERTIES) + "end_header\n"
    for save in range(1, saves + 1):
        path = folder / "point_cloud" / f"iteration_{save * 1000}" / "point_cloud.ply"
        path.parent.mkdir(parents=True)
        with path.open("wb") as file:
            file.write(header.encode())
            file.truncate(len(header) + count * 4 * len(PROPERTIES))


def opened(path: Path) -> object:
    run = open_run(path)
    assert run.checkpoints
    return run


def every_name(path: Path) -> object:
    """The least that opening can be: the names and sizes of all files."""
    return [(found, found.stat()) for found in path.rglob("*")]


def main() -> None:
    saves = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    count = int(float(sys.argv[2]) * 1e6) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        write_run(Path(folder), saves, count)
        print(f"{saves} saves of {count:,} splats")
        first = best_ms({"first": opened}, Path(folder), 1)
        print(table(first | best_ms({"opened": opened, "every_name": every_name}, Path(folder), ROUNDS), "every_name"))


if __name__ == "__main__":
    main()
