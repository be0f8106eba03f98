"""Checkpoints of nerfstudio, 3DGRUT, gaussian-splatting-lightning, splat-trainer and gsplat, and the files beside them."""

import json
from functools import partial

from runs.trainers.grut import settings as grut_settings
from runs.trainers.nerfstudio import settings as nerfstudio_settings
from runs.trainers.nerfstudio.world import read_movement
from runs.writers.torch_zip import write_torch_file
from tests.fuzz.seeds import written
from tests.fuzz.target import Target
from tests.support.nerfstudio_writer import config_yml
from tests.support.plain_states import KINDS

PARSED = """\
path: /data/garden
n_iterations: 30000
render:
  method: 3dgut
  particle_kernel_degree: 2
optimizer:
  params:
    positions: {lr: 0.00016}
strategy:
  method: GSStrategy
  densify: {frequency: 300, start_iteration: 500}
"""
MOVEMENT = json.dumps({"transform": [[1.0, 0, 0, 2], [0, 0, 1, 3], [0, -1, 0, 4]], "scale": 0.5})


def _stored(name: str) -> tuple[bytes, ...]:
    kind = KINDS[name]
    return (written(lambda path: write_torch_file(path, kind.saved), kind.file_name),)



TARGETS: tuple[Target, ...] = (
    *(Target(f"{name} checkpoint", kind.file_name, kind.read, partial(_stored, name)) for name, kind in KINDS.items()),
    Target("splatfacto settings", "config.yml", nerfstudio_settings.read_config, lambda: (config_yml("/data").encode(),)),
    Target("3dgrut settings", "parsed.yaml", grut_settings.read_config, lambda: (PARSED.encode(),)),
    Target("dataparser transforms", "dataparser_transforms.json", read_movement, lambda: (MOVEMENT.encode(),)),
)
