"""Exchange formats: compressed PLY, .splat, .spz, .ksplat, SOG and glTF."""

import gzip
import io
import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from runs.formats.splat_formats import look_at
from runs.gaussians import COLUMNS
from tests.fuzz.target import Target
from tests.support.exchange import FOREIGN
from tests.support.exchange_files import gltf_parts, ksplat_of, packed_spz, spz_content

COUNT = 3
AXES = struct.pack("<III", 0xADBE0003, 4, 6)  # the extension record that names a PLY's axes


def _every_column(path: Path) -> None:
    gaussians = look_at(path).read()
    for name in (*COLUMNS, "sh_rest"):
        gaussians.load(name)
    _ = gaussians.finite


def _packed(path: Path) -> None:
    """The bytes inside the gzip stream are what is fuzzed; a checksum would hide them."""
    inside = path.with_name("inside.spz")
    inside.write_bytes(gzip.compress(path.read_bytes(), 1))
    _every_column(inside)


def _compressed() -> tuple[bytes, ...]:
    """The header of a foreign file with fewer rows; the bounds of one chunk follow, and what rows there are."""
    made = []
    for name in ("transform_sh0", "gsplat_sh3"):
        head, _, body = (FOREIGN / f"{name}.compressed.ply").read_bytes().partition(b"end_header\n")
        lines = [line.split() for line in head.split(b"\n")]
        small = [b" ".join([*line[:2], b"1" if line[1] == b"chunk" else b"3"]) if line[:1] == [b"element"] else b" ".join(line)
                 for line in lines]
        made.append(b"\n".join(small) + b"end_header\n" + body[:72 + 16 * COUNT + 45 * COUNT])
    return tuple(made)


def _image(kind: str, size: tuple[int, int], pixels: bytes) -> bytes:
    out = io.BytesIO()
    Image.frombytes("RGBA", size, pixels).save(out, kind, lossless=True)
    return out.getvalue()


def _meta(version: int) -> dict[str, object]:
    """meta.json of a scene whose parts `_sog` adds."""
    common = {"quats": {"files": ["quats.webp"]}}
    files = {"means": ["means_l.webp", "means_u.webp"], "scales": ["scales.webp"], "sh0": ["sh0.webp"],
             "shN": ["palette.webp", "labels.webp"]}
    bounds = {"mins": [-1.0, -2, 0], "maxs": [1.0, 2, 3]}
    if version == 1:
        four = {"mins": [-1.0, -2, 0, -5], "maxs": [1.0, 2, 3, 5]}
        return {**common, "means": {"shape": [COUNT, 3], **bounds, "files": files["means"]},
                "scales": {**bounds, "files": files["scales"]}, "sh0": {**four, "files": files["sh0"]},
                "shN": {"mins": -1.0, "maxs": 1.0, "files": files["shN"]}}
    codes = np.linspace(-1, 1, 256).tolist()
    return {**common, "version": 2, "count": COUNT, "means": {**bounds, "files": files["means"]},
            "scales": {"codebook": codes, "files": files["scales"]}, "sh0": {"codebook": codes, "files": files["sh0"]},
            "shN": {"count": 64, "bands": 1, "codebook": codes, "files": files["shN"]}}


def _images() -> dict[str, bytes]:
    rng = np.random.default_rng(0)
    names = ("means_l", "means_u", "scales", "quats", "sh0", "labels")
    small = {f"{name}.webp": _image("WEBP", (2, 2), rng.integers(1, 4, 16, np.uint8).tobytes()) for name in names}
    return small | {"palette.webp": _image("WEBP", (192, 17), bytes(4 * 192 * 17))}


def _sog() -> tuple[bytes, ...]:
    made = []
    for version in (1, 2):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if version == 1 else zipfile.ZIP_STORED) as archive:
            for name, content in (_images() | {"meta.json": json.dumps(_meta(version)).encode()}).items():
                archive.writestr(name, content)
        made.append(out.getvalue())
    return tuple(made)


def _beside(images: dict[str, bytes]) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        for name, content in images.items():
            path.with_name(name).write_bytes(content)
        _every_column(path)

    return read


def _gltf(path: Path) -> None:
    path.with_name("a.bin").write_bytes(gltf_parts(COUNT)[1])
    _every_column(path)


def _glb() -> tuple[bytes, ...]:
    document, binary = gltf_parts(COUNT)
    del document["buffers"][0]["uri"]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return (struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks,)


TARGETS = (
    Target("compressed-ply", "scene.compressed.ply", _every_column, _compressed),
    Target("splat", "scene.splat", _every_column, lambda: ((FOREIGN / "gsplat.splat").read_bytes()[:32 * COUNT],)),
    Target("spz", "scene.spz", _every_column, lambda: (
        gzip.compress(spz_content(2, COUNT, 1), mtime=0), packed_spz(spz_content(3, COUNT), AXES),
    )),
    Target("spz-content", "content.bin", _packed, lambda: (
        spz_content(1, COUNT), spz_content(2, COUNT, 1), spz_content(3, COUNT, 2, 2) + AXES,
    )),
    Target("ksplat", "scene.ksplat", _every_column, lambda: tuple(ksplat_of(level, COUNT) for level in range(3))),
    Target("sog", "scene.sog", _every_column, _sog),
    Target("sog-meta", "meta.json", _beside(_images()), lambda: tuple(json.dumps(_meta(version)).encode() for version in (1, 2))),
    Target("glb", "scene.glb", _every_column, _glb),
    Target("gltf", "scene.gltf", _gltf, lambda: (json.dumps(gltf_parts(COUNT)[0]).encode(),)),
)
