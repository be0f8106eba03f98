"""`python -m tests.lab.sample`: trains the embedded sample run anew, fault included, and writes it to resources/sample_run."""

import shutil
import sys
from pathlib import Path

from diagnostics.optimiser.settings import OptimiserSettings
from tests.lab.faults import FAULTS
from tests.lab.plan import Plan
from tests.lab.scenes import build
from tests.lab.train import train

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "sample_run"
FAULT = "white-behind-black-photos"
SCENE, SIZE_PX = "studio", 96
README = """# The embedded sample run

A real, small training: {iterations:,} iterations on a CPU, SH degree {sh_degree}, {count:,} Gaussians, in the layout that INRIA's
trainer writes, with {saves} saved iterations and one resumable checkpoint. `{scene}/` holds its photos ({train} for training,
{test} for testing, {size} pixels wide, ray-traced) and its COLMAP model.

What is wrong with it: it was trained in front of a **white** background although its photos lie on black and its settings say
black. Dark fog fills the space before the cameras, to hide a white that no photo shows. `splatdoctor diagnose` finds that out.

Made for this project by `python -m tests.lab.sample`, and covered by the project's licence.
"""


def settings() -> OptimiserSettings:
    """Small enough to ship: few Gaussians, little colour detail, one state."""
    saves = tuple(range(150, 1_501, 150))
    return OptimiserSettings.large(
        iterations=1_500, position_lr_max_steps=1_500, sh_degree=1, sh_interval=400, densify_until_iter=900, prune_scale=0.0,
        opacity_reset_interval=400, densify_grad_threshold=2.4e-3, save_iterations=saves, test_iterations=(1, *saves),
        checkpoint_iterations=(1_500,),
    )


def plan() -> Plan:
    """The sound training, and its fault."""
    fault = FAULTS[FAULT]
    return fault.apply(Plan.of(build(SCENE, SIZE_PX), settings()), fault.strengths[0])


def write(folder: Path) -> int:
    """The whole run into `folder`, which must be new; how many Gaussians it ended with."""
    planned = plan()
    trained = train(planned, folder)
    planned.scene.write(folder / SCENE)
    told, data = planned.settings, planned.scene.data
    (folder / "README.md").write_text(README.format(
        iterations=told.iterations, sh_degree=told.sh_degree, count=trained.count, saves=len(told.save_iterations), scene=SCENE,
        train=len(data.train), test=len(data.test), size=SIZE_PX), "utf-8")
    return trained.count


if __name__ == "__main__":
    made = FOLDER.with_name(f"{FOLDER.name}.new")
    shutil.rmtree(made, ignore_errors=True)
    print(f"{write(made):,} Gaussians", file=sys.stderr)
    shutil.rmtree(FOLDER, ignore_errors=True)
    made.rename(FOLDER)
