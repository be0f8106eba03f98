"""One moment of a moving scene against the same network in torch on the CPU: `python -m benchmarks.motion [rows]`.

The bar is 3 s for 100,000 Gaussians on two idle cores: a hand that scrubs waits for it.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from benchmarks.order import best_ms
from runs.gaussians import Gaussians
from runs.motion import Motion
from runs.settings import Setting, Settings
from runs.trainers.moving import deformable_motion, four_d_motion
from tests.support.moving import Deformer, HexDeformer, canonical, trained_like

BAR_S_PER_ROW = 3 / 100_000
HEADS = Settings({name: Setting(name, name in ("no_do", "no_dshs"), "cfg_args")
                  for name in ("no_dx", "no_ds", "no_dr", "no_do", "no_dshs")})


def main(count: int) -> bool:
    """Print the times of both trainers; whether each keeps the bar."""
    still = canonical(count)
    deform, hexplane = trained_like(Deformer(blender=True), 1), trained_like(HexDeformer(depth=1, width=64, channels=32), 1)
    state = {f"deformation_net.{name}": tensor for name, tensor in hexplane.state_dict().items()}
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        paths = Path(folder) / "deform.pth", Path(folder) / "deformation.pth"
        torch.save(deform.state_dict(), paths[0])
        torch.save(state, paths[1])
        return all([
            compared("Deformable-3D-Gaussians", still, deformable_motion.read_motion(paths[0]), deform),
            compared("4DGaussians", still, four_d_motion.read_motion(paths[1], HEADS), hexplane),
        ])


def compared(name: str, still: Gaussians, motion: Motion, network: Callable[..., Any]) -> bool:
    """torch computes what the network adds and nothing more."""
    means = torch.tensor(still.means)
    ours = best_ms(lambda: motion.at(still, 0.4).means, 3)
    peer = best_ms(lambda: network(means, 0.4), 3)
    bar = 1e3 * BAR_S_PER_ROW * still.count
    print(f"{name}, {still.count:,} Gaussians: {ours:.0f} ms for a moment (bar: {bar:.0f}), torch {peer:.0f} ms, "
          f"ratio {ours / peer:.2f}")
    return ours <= bar


if __name__ == "__main__":
    sys.exit(0 if main(int(sys.argv[1] if len(sys.argv) > 1 else 100_000)) else 1)
