"""What lies beside the splats in a run's folder: settings, cameras, photos, a COLMAP model."""

import io
import json
from collections.abc import Callable
from pathlib import Path

from PIL import Image

from runs.formats.cameras import colmap_binary, colmap_text
from runs.formats.cameras.cameras_json import read_cameras_json
from runs.formats.cameras.exposure import read_exposures
from runs.formats.cfg_args import read_cfg_args, read_settings_json
from runs.formats.yaml_file import read_yaml
from runs.photos import Photo
from tests.fuzz.seeds import colmap_file
from tests.fuzz.target import Target
from tests.support.files import CFG_ARGS, ring_of_cameras


def _photo(path: Path) -> None:
    photo = Photo("photo", path)
    _ = photo.size_px, photo.has_alpha


def _photos() -> tuple[bytes, ...]:
    return tuple(_encoded(kind, mode) for kind, mode in (("PNG", "RGBA"), ("JPEG", "RGB"), ("TIFF", "RGB"), ("WEBP", "RGB")))


def _encoded(kind: str, mode: str) -> bytes:
    buffer = io.BytesIO()
    Image.new(mode, (4, 3)).save(buffer, kind)
    return buffer.getvalue()


def _colmap(name: str, ending: str, *readers: Callable[[Path], object]) -> Target:
    def read(path: Path) -> None:
        for reader in readers:
            reader(path)

    return Target(f"colmap-{name}-{ending}", f"{name}.{ending}", read, lambda: (colmap_file(name, ending),))


CFG_YML = (
    b"data_dir: /data/garden\nstrategy: !!python/object:gsplat.strategy.default.DefaultStrategy\n  refine_every: 100\n"
    b"steps: &id001\n- 7000\n- 30000\nsave_steps: *id001\npath: !!python/object/apply:pathlib.PosixPath\n- /\n- tmp\n"
    b"kind: !!python/name:torch.optim.Adam ''\nbetas: !!python/tuple\n- 0.9\n- 0.999\nnothing: null\n"
)
TARGETS = (
    Target("cfg-args", "cfg_args", read_cfg_args,
           lambda: (CFG_ARGS.format(degree=3, source="C:\\data", eval=True).encode(),
                    b"Namespace(a=inf, b=[1, {'c': (2.5, None)}], d=PosixPath('/x'), e=-1e-05, f='\\x41')")),
    Target("settings-json", "args.json", read_settings_json, lambda: (b'{"a": [1, 2.5, null, NaN], "b": {"c": "\\u00e9"}}',)),
    Target("yaml", "cfg.yml", read_yaml, lambda: (CFG_YML,)),
    Target("cameras-json", "cameras.json", read_cameras_json, lambda: (json.dumps(ring_of_cameras(["a.jpg", "b"])).encode(),)),
    Target("exposure", "exposure.json", read_exposures,
           lambda: (b'{"a.jpg": [[1.0, 0, 0, 0], [0, 1, 0, 0.5], [0, 0, 1, -1e-3]]}',)),
    Target("photo-header", "photo.png", _photo, _photos),
    _colmap("cameras", "bin", colmap_binary.read_cameras),
    _colmap("images", "bin", colmap_binary.count_images, colmap_binary.read_images, colmap_binary.read_keypoints),
    _colmap("points3D", "bin", colmap_binary.read_points),
    _colmap("cameras", "txt", colmap_text.read_cameras),
    _colmap("images", "txt", colmap_text.count_images, colmap_text.read_images, colmap_text.read_keypoints),
    _colmap("points3D", "txt", colmap_text.read_points),
)
