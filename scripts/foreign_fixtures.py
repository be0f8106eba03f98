"""The Python half of foreign_fixtures.sh: the seeded source, and what gsplat and gsply write of it.

Run as `python scripts/foreign_fixtures.py source|peers FOLDER`.
"""

import json
import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from plyfile import PlyData, PlyElement

SQUARE = 289  # gsplat's PNG images are square: 17 x 17


def columns(count: int, degree: int, seed: int) -> dict[str, np.ndarray]:
    """An INRIA PLY: plausible splats, and a few at the ends of what formats can hold."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 3, count)
    logits[:4] = -14, 14, -5.6, 5.6
    scales = rng.normal(-4, 1, (count, 3))
    scales[4:7] = [[-9.9, -4, -4], [-3, -12, -3], [0.5, 0.5, -6]]
    named = dict(zip("xyz", rng.normal(0, 1.5, (count, 3)).T, strict=True))
    named |= {f"f_dc_{i}": values for i, values in enumerate(rng.normal(0, 1, (count, 3)).T)}
    rest = rng.normal(0, 0.2, (count, 3 * ((degree + 1) ** 2 - 1))).clip(-0.95, 0.95)
    named |= {f"f_rest_{i}": values for i, values in enumerate(rest.T)}
    named |= {"opacity": logits} | {f"scale_{i}": values for i, values in enumerate(scales.T)}
    return named | {f"rot_{i}": values for i, values in enumerate(rng.normal(0, 1, (count, 4)).T)}


def write_ply(path: Path, named: Mapping[str, np.ndarray]) -> None:
    table = np.empty(len(named["x"]), [(name, "f4") for name in named])
    for name, values in named.items():
        table[name] = values
    PlyData([PlyElement.describe(table, "vertex")]).write(str(path))


def source(folder: Path) -> None:
    write_ply(folder / "source.ply", columns(300, 3, 4))
    write_ply(folder / "source_sh4.ply", columns(40, 4, 5))


def peers(folder: Path) -> None:
    import gsply
    import torch
    from gsplat.exporter import export_splats

    data = gsply.plyread(str(folder / "source.ply"))
    gsply.plywrite(str(folder / "gsply_sh3.compressed.ply"), data, compressed=True)
    for version in (3, 4):
        gsply.write_spz(str(folder / f"gsply_v{version}_sh3.spz"), data, version=version)
    splats = tensors(folder / "source.ply", torch)
    for name, kind in (("gsplat_sh3.compressed.ply", "ply_compressed"), ("gsplat.splat", "splat")):
        export_splats(**splats, format=kind, save_to=str(folder / name))
    compress(folder / "gsplat_png", splats)
    sog_v1(folder / "sog_v1", splats)


def tensors(path: Path, torch: Any) -> dict[str, Any]:
    table = PlyData.read(str(path))["vertex"].data

    def stack(*names: str) -> Any:
        return torch.tensor(np.stack([table[name] for name in names], axis=1))

    rest = stack(*[f"f_rest_{i}" for i in range(45)]).reshape(len(table), 3, 15).permute(0, 2, 1).contiguous()
    return {
        "means": stack("x", "y", "z"), "scales": stack("scale_0", "scale_1", "scale_2"),
        "quats": stack("rot_0", "rot_1", "rot_2", "rot_3"), "opacities": stack("opacity")[:, 0],
        "sh0": stack("f_dc_0", "f_dc_1", "f_dc_2")[:, None], "shN": rest,
    }


def compress(folder: Path, splats: Mapping[str, Any]) -> None:
    """gsplat's PngCompression. TorchPQ, which needs CUDA, is replaced by a k-means that gives each splat its own cluster."""
    import torch

    class KMeans:
        def __init__(self, **_options: object) -> None:
            self.centroids = torch.empty(0)

        def fit(self, rows: Any) -> Any:
            self.centroids = rows.flip(1)
            return torch.arange(rows.shape[1]).flip(0)

    sys.modules["torchpq"] = types.ModuleType("torchpq")
    sys.modules["torchpq.clustering"] = types.ModuleType("torchpq.clustering")
    sys.modules["torchpq.clustering"].KMeans = KMeans  # type: ignore[attr-defined]
    from gsplat.compression.png_compression import PngCompression

    folder.mkdir(exist_ok=True)
    few = {name: values[:SQUARE].clone() for name, values in splats.items()}
    PngCompression(use_sort=False, verbose=False).compress(str(folder), few)


def sog_v1(folder: Path, splats: Mapping[str, Any]) -> None:
    """Version 1 as splat-transform's read-sog-v1 reads it."""
    folder.mkdir(exist_ok=True)
    count, side = 300, 20
    raw = {name: values.numpy() for name, values in splats.items()}

    def save(name: str, values: np.ndarray, wide: int = side, high: int = 16) -> str:
        pixels = np.full((wide * high, 4), 255, np.uint8)
        pixels[:len(values), :values.shape[1]] = values
        Image.fromarray(pixels.reshape(high, wide, 4)).save(folder / name, lossless=True, exact=True)
        return name

    def even(values: np.ndarray, top: int) -> tuple[np.ndarray, list[float], list[float]]:
        low, high = values.min(0), values.max(0)
        return np.rint((values - low) / (high - low) * top).astype(np.int64), low.tolist(), high.tolist()

    means, mins, maxs = even(np.sign(raw["means"]) * np.log1p(np.abs(raw["means"])), 65535)
    meta: dict[str, Any] = {"means": {
        "shape": [count, 3], "mins": mins, "maxs": maxs,
        "files": [save("means_l.webp", means & 255), save("means_u.webp", means >> 8)],
    }}
    scales, mins, maxs = even(raw["scales"], 255)
    meta["scales"] = {"shape": [count, 3], "mins": mins, "maxs": maxs, "files": [save("scales.webp", scales)]}
    meta["quats"] = {"shape": [count, 4], "encoding": "quaternion_packed", "files": [save("quats.webp", packed(raw["quats"]))]}
    colours, mins, maxs = even(np.column_stack([raw["sh0"][:, 0], raw["opacities"]]), 255)
    meta["sh0"] = {"shape": [count, 1, 4], "mins": mins, "maxs": maxs, "files": [save("sh0.webp", colours)]}
    rest = raw["shN"].reshape(count, -1)
    bytes_, low, high = even(rest.reshape(-1, 1), 255)
    labels = np.arange(count)[::-1]
    palette = np.zeros((320 * 15, 3), np.int64)
    palette[:count * 15] = bytes_.reshape(count, 15, 3)[::-1].reshape(-1, 3)
    meta["shN"] = {
        "shape": [count, 15, 3], "mins": low[0], "maxs": high[0], "quantization": 8,
        "files": [save("shN_centroids.webp", palette, 960, 5),
                  save("shN_labels.webp", np.column_stack([labels & 255, labels >> 8]))],
    }
    (folder / "meta.json").write_text(json.dumps(meta), encoding="utf-8")


def packed(quats: np.ndarray) -> np.ndarray:
    """Three bytes of the smaller components of wxyz, and 252 + the index of the largest."""
    unit = quats / np.linalg.norm(quats, axis=1, keepdims=True)
    largest = np.abs(unit).argmax(axis=1)
    unit = unit * np.sign(unit[np.arange(len(unit)), largest])[:, None]
    three = np.array([np.delete(row, place) for row, place in zip(unit, largest, strict=True)])
    return np.column_stack([np.rint((three * np.sqrt(2) + 1) / 2 * 255), 252 + largest]).astype(np.int64)


if __name__ == "__main__":
    {"source": source, "peers": peers}[sys.argv[1]](Path(sys.argv[2]))
