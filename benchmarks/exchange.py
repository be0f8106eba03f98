"""Reading a scene to all arrays from .spz and compressed PLY against gsply and spz-js, in one run.

`python benchmarks/exchange.py [FOLDER] [NODE_MODULES]`: a folder with biker.spz and biker.compressed.ply (default
../shared/data/splats), and where spz-js is installed; without it only the Python peers are timed.
"""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import gsply
import numpy as np

from runs.formats.splat_formats import look_at
from runs.gaussians import COLUMNS

ROUNDS = 9
SCRIPT = """
import { readFileSync } from 'node:fs';
import { loadSpz, loadCompressedPly } from '%(modules)s/spz-js/dist/index.js';
const stream = bytes => new Blob([bytes]).stream();
const files = { spz: ['%(spz)s', bytes => loadSpz(bytes)], ply: ['%(ply)s', bytes => loadCompressedPly(stream(bytes))] };
const best = {};
for (const [name, [path, load]] of Object.entries(files)) {
    for (let round = 0; round < %(rounds)d; round++) {
        const start = performance.now();
        try {
            await load(readFileSync(path));
        } catch {
            break;  // spz-js knows version 2 only
        }
        best[name] = Math.min(best[name] ?? Infinity, performance.now() - start);
    }
}
console.log('\\n' + JSON.stringify(best));
"""


def ours(path: Path) -> None:
    gaussians = look_at(path).read()
    for name in (*COLUMNS, "sh_rest"):
        gaussians.load(name)


def with_gsply(path: Path) -> None:
    data = gsply.read_spz(str(path)) if path.suffix == ".spz" else gsply.plyread(str(path))
    np.asarray(data.means)


def best_ms(readers: tuple[Callable[[Path], object], ...], path: Path) -> dict[str, float]:
    """In turns, as the machine may be shared; the first round compiles and is dropped."""
    times: dict[str, list[float]] = {read.__name__: [] for read in readers}
    for _ in range(ROUNDS + 1):
        for read in readers:
            start = time.perf_counter()
            read(path)
            times[read.__name__].append(1000 * (time.perf_counter() - start))
    return {name: min(found[1:]) for name, found in times.items()}


def with_node(spz: Path, ply: Path, modules: Path) -> dict[str, float]:
    """Best milliseconds of spz-js for each file that it can read; empty where node or the package is absent."""
    if shutil.which("node") is None or not (modules / "spz-js").is_dir():
        return {}
    script = SCRIPT % {"modules": modules.resolve(), "spz": spz, "ply": ply, "rounds": ROUNDS}
    done = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "shared" / "data" / "splats"
    spz, ply = (folder / f"biker.{ending}" for ending in ("spz", "compressed.ply"))
    node = with_node(spz, ply, Path(sys.argv[2])) if len(sys.argv) > 2 else {}
    for path, name in ((spz, "spz"), (ply, "ply")):
        times = best_ms((ours, with_gsply), path) | ({"spz-js": node[name]} if name in node else {})
        looks = best_ms((look_at,), path)["look_at"]
        print(f"{path.name}, {look_at(path).count:,} splats, all arrays, best of {ROUNDS}; a look takes {looks:.2f} ms")
        for reader, ms in times.items():
            print(f"  {reader:12s} {ms:8.1f} ms   {ms / times['ours']:5.2f}x")


if __name__ == "__main__":
    main()
