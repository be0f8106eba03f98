"""What the images of each kind of SOG scene mean: PlayCanvas version 2, version 1, and the PNG folders of gsplat."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.advice import EXPORT_SPLATS
from runs.arrays import F32, U8, Array
from runs.errors import UnreadableFile
from runs.formats.exchange.quantised import SQRT2, logits_of_bytes, with_largest
from runs.formats.exchange.sog_images import between, means_of, picture, pixels, width
from runs.formats.exchange.sog_meta import Meta, files, group, numbers, rows_of, whole
from runs.formats.exchange.sog_parts import Parts
from runs.formats.npz import read_npz

TERMS_OF_DEGREE = (0, 3, 8, 15)
PALETTE_COLUMNS = 64  # entries of the palette in each row of its image
CODES = 256
LARGEST_TAG, IDENTITY = 252, np.array([1, 0, 0, 0], np.float32)
BUNDLE_IMAGES = {"means": 2, "scales": 1, "quats": 1, "sh0": 1}  # files of each part
PNG_IMAGES = ("means_l", "means_u", "scales", "quats", "opacities", "sh0")


@dataclass(frozen=True)
class Layout:
    """How one kind of scene is read; `meta` is its parsed meta.json."""

    name: str
    count: Callable[[Meta, Path], int]
    parts: Callable[[Meta, Path], list[str]]
    sh_degree: Callable[[Parts, Meta], int]
    splats: Callable[[Parts, Meta, int], dict[str, F32]]
    sh_rest: Callable[[Parts, Meta, int], F32]  # for scenes with a degree above 0


def layout_of(meta: Meta, path: Path) -> Layout:
    """Raises UnreadableFile for a scene of another version."""
    version = meta.get("version")
    if version is None:
        return VERSION_1 if "files" in group(meta, "means", path) else PNG_FOLDER
    if version != 2:
        raise UnreadableFile(f"this SOG scene has version {str(version)[:9]}, which is not known here; {EXPORT_SPLATS}", path)
    return VERSION_2


def _bundle_parts(meta: Meta, path: Path) -> list[str]:
    wanted = BUNDLE_IMAGES | ({"shN": 2} if "shN" in meta else {})
    return [name for part, count in wanted.items() for name in files(meta, part, count, path)]


def _means(parts: Parts, meta: Meta, count: int, names: list[str]) -> F32:
    low, high = (pixels(parts, name, count)[:, :3] for name in names)
    return means_of(low, high, *(numbers(meta, "means", key, 3, parts.path) for key in ("mins", "maxs")))


def _tagged_quats(rgba: U8) -> F32:
    """float32 [N, 4] wxyz: alpha 252..255 names the largest component; a row with another alpha has no rotation."""
    three = np.asarray((rgba[:, :3] / np.float32(255) * 2 - 1) / SQRT2, np.float32)
    tags = rgba[:, 3]
    known = tags >= LARGEST_TAG
    quats = with_largest(three, np.where(known, tags - LARGEST_TAG, 0).astype(np.uint8))
    quats[~known] = IDENTITY
    return quats


def _splats_2(parts: Parts, meta: Meta, count: int) -> dict[str, F32]:
    scales = numbers(meta, "scales", "codebook", CODES, parts.path)
    colours = numbers(meta, "sh0", "codebook", CODES, parts.path)
    rgba = pixels(parts, files(meta, "sh0", 1, parts.path)[0], count)
    return {
        "means": _means(parts, meta, count, files(meta, "means", 2, parts.path)),
        "log_scales": scales[pixels(parts, files(meta, "scales", 1, parts.path)[0], count)[:, :3]],
        "quats_wxyz": _tagged_quats(pixels(parts, files(meta, "quats", 1, parts.path)[0], count)),
        "logit_opacities": logits_of_bytes(rgba[:, 3]), "sh0": colours[rgba[:, :3]],
    }


def _splats_1(parts: Parts, meta: Meta, count: int) -> dict[str, F32]:
    """Scales and colours lie evenly between bounds; the fourth channel of sh0 is the logit of the opacity, likewise."""
    rgba = _even(parts, meta, "sh0", count, 4, files(meta, "sh0", 1, parts.path)[0])
    return {
        "means": _means(parts, meta, count, files(meta, "means", 2, parts.path)),
        "log_scales": _even(parts, meta, "scales", count, 3, files(meta, "scales", 1, parts.path)[0]),
        "quats_wxyz": _tagged_quats(pixels(parts, files(meta, "quats", 1, parts.path)[0], count)),
        "logit_opacities": np.ascontiguousarray(rgba[:, 3]), "sh0": np.ascontiguousarray(rgba[:, :3]),
    }


def _even(parts: Parts, meta: Meta, part: str, count: int, channels: int, name: str) -> F32:
    """float32 [N, channels] between meta[part].mins and .maxs."""
    shares = np.asarray(pixels(parts, name, count)[:, :channels] / np.float32(255), np.float32)
    return between(shares, *(_bounds(meta, part, key, channels, parts.path) for key in ("mins", "maxs")))


def _bounds(meta: Meta, part: str, key: str, channels: int, path: Path) -> F32:
    """The DC coefficients of gsplat have the shape [1, 3]."""
    values = group(meta, part, path).get(key)
    if isinstance(values, list) and len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    return numbers({part: {key: values}}, part, key, channels, path)


def _palette(parts: Parts, meta: Meta, count: int, terms: int, values: F32) -> F32:
    """float32 [N, terms, 3]: each splat's entry of the palette; `values` [256] are what its bytes mean."""
    palette_name, labels_name = files(meta, "shN", 2, parts.path)
    palette = picture(parts, palette_name, PALETTE_COLUMNS * terms)
    if palette.shape[1] != PALETTE_COLUMNS * terms:
        says = f"the image {palette_name} is not {PALETTE_COLUMNS * terms} pixels wide"
        raise UnreadableFile(f"{says}; {EXPORT_SPLATS}", parts.path)
    entries = palette.reshape(-1, terms, 4)[:, :, :3]
    labels = pixels(parts, labels_name, count).astype(np.int64)
    return values[entries[_within(labels[:, 0] + 256 * labels[:, 1], len(entries), parts.path)]]


def _within(labels: Array, entries: int, path: Path) -> Array:
    if len(labels) and int(labels.max()) >= entries:
        raise UnreadableFile(f"this SOG scene points beyond the {entries:,} entries of its palette; {EXPORT_SPLATS}", path)
    return labels


def _degree_2(parts: Parts, meta: Meta) -> int:
    return whole(group(meta, "shN", parts.path).get("bands"), "SH degree", parts.path, 3) if "shN" in meta else 0


def _degree_1(parts: Parts, meta: Meta) -> int:
    """Only the width of the palette's image tells."""
    if "shN" not in meta:
        return 0
    name = files(meta, "shN", 2, parts.path)[0]
    terms = width(parts, name) / PALETTE_COLUMNS
    if terms not in TERMS_OF_DEGREE[1:]:
        raise UnreadableFile(f"the width of {name} fits no SH degree; {EXPORT_SPLATS}", parts.path)
    return TERMS_OF_DEGREE.index(int(terms))


def _rest_2(parts: Parts, meta: Meta, count: int) -> F32:
    codes = numbers(meta, "shN", "codebook", CODES, parts.path)
    return _palette(parts, meta, count, TERMS_OF_DEGREE[_degree_2(parts, meta)], codes)


def _rest_1(parts: Parts, meta: Meta, count: int) -> F32:
    low, high = (numbers(meta, "shN", key, 1, parts.path) for key in ("mins", "maxs"))
    codes = between(np.asarray(np.arange(CODES) / 255, np.float32), low, high)
    return _palette(parts, meta, count, TERMS_OF_DEGREE[_degree_1(parts, meta)], codes)


def _png_parts(meta: Meta, _path: Path) -> list[str]:
    return [f"{name}.png" for name in PNG_IMAGES] + (["shN.npz"] if "shN" in meta else [])


def _png_splats(parts: Parts, meta: Meta, count: int) -> dict[str, F32]:
    """Every image lies evenly between bounds: quaternions as wxyz, opacities as logits."""
    return {
        "means": _means(parts, meta, count, ["means_l.png", "means_u.png"]),
        "log_scales": _even(parts, meta, "scales", count, 3, "scales.png"),
        "quats_wxyz": _even(parts, meta, "quats", count, 4, "quats.png"),
        "logit_opacities": _even(parts, meta, "opacities", count, 1, "opacities.png")[:, 0],
        "sh0": _even(parts, meta, "sh0", count, 3, "sh0.png"),
    }


def _png_degree(parts: Parts, meta: Meta) -> int:
    if "shN" not in meta:
        return 0
    shape = group(meta, "shN", parts.path).get("shape")
    if not isinstance(shape, list) or len(shape) != 3 or shape[1] not in TERMS_OF_DEGREE or shape[2] != 3:
        raise UnreadableFile(f"`shN.shape` of this PNG folder fits no SH degree; {EXPORT_SPLATS}", parts.path)
    return TERMS_OF_DEGREE.index(shape[1])


def _png_rest(parts: Parts, meta: Meta, count: int) -> F32:
    """Clusters in `quantization` bits between bounds, coefficient-major, and the cluster of each splat."""
    bits = whole(group(meta, "shN", parts.path).get("quantization"), "number of bits", parts.path, 16)
    low, high = (numbers(meta, "shN", key, 1, parts.path) for key in ("mins", "maxs"))
    arrays = read_npz(parts.path.with_name("shN.npz"))
    terms = TERMS_OF_DEGREE[_png_degree(parts, meta)]
    clusters, labels = arrays.get("centroids"), arrays.get("labels")
    if clusters is None or labels is None or clusters.shape[1:] != (3 * terms,) or labels.shape != (count,):
        raise UnreadableFile(f"the shN.npz of this PNG folder does not fit its meta.json; {EXPORT_SPLATS}", parts.path)
    entries = between(np.asarray(clusters / np.float32(2**bits - 1), np.float32), low, high).reshape(-1, terms, 3)
    return entries[_within(labels.astype(np.int64), len(entries), parts.path)]


VERSION_2 = Layout(
    "SOG", lambda meta, path: whole(meta.get("count"), "number of splats", path), _bundle_parts, _degree_2, _splats_2, _rest_2,
)
VERSION_1 = Layout("SOG", lambda meta, path: rows_of(meta, "means", path), _bundle_parts, _degree_1, _splats_1, _rest_1)
PNG_FOLDER = Layout(
    "PNG folder", lambda meta, path: rows_of(meta, "means", path), _png_parts, _png_degree, _png_splats, _png_rest,
)
