"""Data sets and remote runs: transforms files, lists of test photos, addresses, records of the cache."""

import json
import tempfile
from pathlib import Path

from runs.formats.cameras.cameras_json import read_camera_file
from runs.formats.cameras.split_files import declared_split
from runs.formats.cameras.transforms import read_transforms
from runs.remote.addresses import Address, parse, place_of
from runs.remote.blocks import BLOCK_BYTES, StandIn, Version
from tests.fuzz.target import Target
from tests.support.files import ring_of_cameras

OPENGL = [[0, 0, -1, 1], [-1, 0, 0, 2], [0, 1, 0, 3], [0, 0, 0, 1]]
FRAME = {"file_path": "./train/r_0", "transform_matrix": OPENGL, "time": 0.5, "mask_path": "m.png", "depth_file_path": "d.png"}
TOP = {"w": 64, "h": 48, "fl_x": 60, "fl_y": 60, "cx": 32, "cy": 24, "k1": 0.1, "k2": 0.0, "p1": 0.0, "p2": 0.0,
       "camera_model": "OPENCV", "ply_file_path": "points.ply", "applied_transform": OPENGL[:3], "applied_scale": 2.0,
       "train_filenames": ["./train/r_0"], "test_filenames": []}


def _lists(path: Path) -> None:
    declared_split((path.parent,), ("a.png", "left/b.png", "c"))("a.png")


def _address(path: Path) -> None:
    found = place_of(path.read_bytes().decode("latin-1"))
    parsed = parse(found) if isinstance(found, str) else found
    if isinstance(parsed, Address):
        _ = parsed.shown, parsed.name, parsed.cache_name


def _record(path: Path) -> None:
    """A record that does not describe its stand-in counts for nothing."""
    with tempfile.TemporaryDirectory() as folder:
        standin = StandIn(Path(folder) / "a.ply", path)
        standin.path.write_bytes(bytes(3 * BLOCK_BYTES))
        if standin.version is not None:
            list(standin.missing(0, 3 * BLOCK_BYTES))


def _records() -> tuple[bytes, ...]:
    with tempfile.TemporaryDirectory() as folder:
        standin = StandIn(Path(folder) / "a.ply", Path(folder) / "a.json")
        standin.make(Version(3 * BLOCK_BYTES, "etag", 1.7e9))
        standin.fill(0, bytes(BLOCK_BYTES))
        return (standin.record.read_bytes(),)


def _transforms() -> tuple[bytes, ...]:
    blender = {"camera_angle_x": 0.7, "frames": [FRAME]}
    return tuple(json.dumps(stored).encode() for stored in ({**TOP, "frames": [FRAME]}, blender, {"frames": [{**TOP, **FRAME}]}))


def _cameras() -> tuple[bytes, ...]:
    more = {"cx": 30.0, "cy": 20.0, "exposure": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], "ground_truth_image_path": "a.jpg"}
    return (json.dumps([{**entry, **more} for entry in ring_of_cameras(["a.jpg", "b.jpg"])]).encode(),)


TARGETS: tuple[Target, ...] = (
    Target("transforms", "transforms.json", read_transforms, _transforms),
    Target("camera-file", "cameras.json", read_camera_file, _cameras),
    Target("split-list", "test_list.txt", _lists, lambda: (b"a.png\nleft/b.png\n",)),
    Target("address", "address.txt", _address, lambda: (b"sftp://ada:secret@host:22/run", b"https://h/a?x=1", b"s3://b/c")),
    Target("cache-record", "a.ply.json", _record, _records),
)
