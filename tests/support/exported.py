"""One set of Gaussians in every exchange format: small writers for tests of what is made of such files, not of their readers."""

import json
import struct
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from PIL import Image

from runs.arrays import Array
from runs.gaussians import Gaussians
from tests.support.exchange import half_turned
from tests.support.exchange_files import KHR
from tests.support.files import write_splats

SH_C0 = 0.28209479177387814


def bytes_of(shares: Array) -> Array:
    """uint8, of values 0..1; 0 and 255 for what lies beyond."""
    return np.clip(np.rint(shares * 255), 0, 255).astype(np.uint8)


def rgba(gaussians: Gaussians) -> Array:
    """uint8 [N, 4]"""
    return bytes_of(np.column_stack([0.5 + SH_C0 * gaussians.sh0, gaussians.opacities]))


def unit_quats(gaussians: Gaussians) -> Array:
    return gaussians.quats_wxyz / gaussians.quat_norms[:, None]


def splat(path: Path, gaussians: Gaussians) -> Path:
    """antimatter15's 32 bytes per row."""
    row = np.dtype([("means", "<f4", 3), ("scales", "<f4", 3), ("rgba", "u1", 4), ("quats", "u1", 4)])
    rows = np.empty(gaussians.count, row)
    rows["means"], rows["scales"], rows["rgba"] = gaussians.means, gaussians.scales, rgba(gaussians)
    rows["quats"] = np.clip(np.rint(unit_quats(gaussians) * 128 + 128), 0, 255)
    path.write_bytes(rows.tobytes())
    return path


def ksplat(path: Path, gaussians: Gaussians) -> Path:
    """One uncompressed section without harmonics."""
    row = np.dtype([("means", "<f4", 3), ("scales", "<f4", 3), ("quats", "<f4", 4), ("rgba", "u1", 4)])
    rows = np.empty(gaussians.count, row)
    rows["means"], rows["scales"], rows["quats"] = gaussians.means, gaussians.scales, unit_quats(gaussians)
    rows["rgba"] = rgba(gaussians)
    header, section = bytearray(4096), bytearray(1024)
    header[1] = 1
    struct.pack_into("<4IH", header, 4, 1, 1, gaussians.count, gaussians.count, 0)
    struct.pack_into("<2I", section, 0, gaussians.count, gaussians.count)
    path.write_bytes(bytes(header + section) + rows.tobytes())
    return path


def gltf(path: Path, gaussians: Gaussians) -> Path:
    """A .gltf with its buffer: x left, y up, z forward, half a turn about z away from the axes of training."""
    w, x, y, z = unit_quats(gaussians).T
    columns: Mapping[str, tuple[Array, str]] = {
        "POSITION": (gaussians.means * [-1, -1, 1], "VEC3"), f"{KHR}:ROTATION": (np.stack([-y, x, w, -z], axis=1), "VEC4"),
        f"{KHR}:SCALE": (gaussians.scales, "VEC3"), f"{KHR}:OPACITY": (gaussians.opacities, "SCALAR"),
        f"{KHR}:SH_DEGREE_0_COEF_0": (gaussians.sh0, "VEC3"),
    }
    parts = [np.ascontiguousarray(values, np.float32).tobytes() for values, _ in columns.values()]
    starts = np.cumsum([0, *map(len, parts)]).tolist()
    document = {
        "asset": {"version": "2.0"}, "extensionsUsed": [KHR], "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "buffers": [{"byteLength": starts[-1], "uri": "splats.bin"}],
        "bufferViews": [{"buffer": 0, "byteOffset": start, "byteLength": len(part)}
                        for start, part in zip(starts, parts, strict=False)],
        "accessors": [{"bufferView": place, "componentType": 5126, "count": gaussians.count, "type": kind}
                      for place, (_, kind) in enumerate(columns.values())],
        "meshes": [{"primitives": [{
            "attributes": {name: place for place, name in enumerate(columns)}, "mode": 0,
            "extensions": {KHR: {"kernel": "ellipse", "colorSpace": "srgb_rec709_display"}},
        }]}],
    }
    path.with_name("splats.bin").write_bytes(b"".join(parts))
    path.write_text(json.dumps(document), "utf-8")
    return path


def sog(path: Path, gaussians: Gaussians) -> Path:
    """Version 2 without harmonics, unpacked: `path` is its meta.json. Codebooks of 256 even steps."""
    side = int(np.ceil(np.sqrt(gaussians.count)))

    def save(name: str, values: Array) -> str:
        pixels = np.zeros((side * side, 4), np.uint8)
        pixels[:, 3] = 255
        pixels[:gaussians.count, :values.shape[1]] = values
        Image.fromarray(pixels.reshape(side, side, 4)).save(path.with_name(name), lossless=True, exact=True)
        return name

    def coded(values: Array) -> tuple[Array, list[float]]:
        low, high = float(values.min()), float(values.max())
        return bytes_of((values - low) / (high - low)), np.linspace(low, high, 256).tolist()

    spread = np.sign(gaussians.means) * np.log1p(np.abs(gaussians.means))
    mins, maxs = spread.min(axis=0), spread.max(axis=0)
    codes = np.rint((spread - mins) / (maxs - mins) * 65535).astype(np.int64)
    quats = unit_quats(gaussians)
    largest = np.abs(quats).argmax(axis=1)
    quats = quats * np.sign(np.take_along_axis(quats, largest[:, None], axis=1))
    three = np.array([np.delete(row, place) for row, place in zip(quats, largest, strict=True)])
    (scales, scale_codes), (colours, colour_codes) = coded(gaussians.log_scales), coded(gaussians.sh0)
    meta = {
        "version": 2, "count": gaussians.count,
        "means": {"mins": mins.tolist(), "maxs": maxs.tolist(),
                  "files": [save("means_l.webp", codes & 255), save("means_u.webp", codes >> 8)]},
        "scales": {"codebook": scale_codes, "files": [save("scales.webp", scales)]},
        "quats": {"files": [save("quats.webp", np.column_stack([bytes_of((three * np.sqrt(2) + 1) / 2), 252 + largest]))]},
        "sh0": {"codebook": colour_codes,
                "files": [save("sh0.webp", np.column_stack([colours, bytes_of(gaussians.opacities)]))]},
    }
    path.write_text(json.dumps(meta), "utf-8")
    return path


def compressed_ply(path: Path, gaussians: Gaussians) -> Path:
    """By gsply."""
    import gsply

    gsply.plywrite(str(path), gsply.plyread(str(write_splats(path.with_name("whole.ply"), gaussians))), compressed=True)
    path.with_name("whole.ply").unlink()
    return path


def spz(path: Path, gaussians: Gaussians) -> Path:
    """By gsply, which stores axes as they are, of splats turned into the format's own."""
    import gsply

    gsply.write_spz(str(path), gsply.plyread(str(write_splats(path.with_name("whole.ply"), half_turned(gaussians)))))
    path.with_name("whole.ply").unlink()
    return path


WRITERS: Mapping[str, tuple[str, Callable[[Path, Gaussians], Path]]] = {
    "PLY": ("scene.ply", write_splats), "compressed PLY": ("scene.compressed.ply", compressed_ply), "spz": ("scene.spz", spz),
    "SOG": ("meta.json", sog), "glTF": ("scene.gltf", gltf), "ksplat": ("scene.ksplat", ksplat), "splat": ("scene.splat", splat),
}
