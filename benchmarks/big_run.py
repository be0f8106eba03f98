"""A made-up run on disk for the benchmarks of the window: checkpoints of any size in the INRIA layout."""

from pathlib import Path

import numpy as np

NAMES = ("x", "y", "z", "nx", "ny", "nz", "f_dc_0", "f_dc_1", "f_dc_2", *(f"f_rest_{i}" for i in range(45)),
         "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3")


def write_run(folder: Path, count: int, iterations: tuple[int, ...]) -> Path:
    """Checkpoints of `count` Gaussians at SH degree 3: 248 bytes each."""
    (folder / "cfg_args").parent.mkdir(parents=True, exist_ok=True)
    (folder / "cfg_args").write_text("Namespace(sh_degree=3, white_background=False, train_test_exp=False)")
    for seed, iteration in enumerate(iterations):
        path = folder / "point_cloud" / f"iteration_{iteration}" / "point_cloud.ply"
        path.parent.mkdir(parents=True, exist_ok=True)
        header = f"ply\nformat binary_little_endian 1.0\nelement vertex {count}\n" + "".join(
            f"property float {name}\n" for name in NAMES) + "end_header\n"
        path.write_bytes(header.encode() + _rows(count, seed).tobytes())
    return folder


def _rows(count: int, seed: int) -> np.ndarray:
    """float32 [count, 62]: flat splats on a sphere's surface."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(0, 0.1, (count, len(NAMES))).astype(np.float32)
    directions = rng.normal(size=(count, 3)).astype(np.float32)
    rows[:, :3] = 4 * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    rows[:, NAMES.index("opacity")] += 1
    rows[:, NAMES.index("scale_0"):NAMES.index("scale_2") + 1] += np.array([-5.0, -5.3, -7.0], np.float32)
    rows[:, NAMES.index("rot_0")] += 1
    return rows
