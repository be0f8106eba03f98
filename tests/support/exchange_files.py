"""Small files of exchange formats put together byte by byte, for what no tool writes: odd versions, flags and damage."""

import struct
from itertools import pairwise
from typing import Any

import numpy as np
import zstandard

KHR = "KHR_gaussian_splatting"
KSPLAT_ROW = {0: 44, 1: 24, 2: 24}  # bytes without SH


def spz_content(version: int = 2, count: int = 2, degree: int = 0, flags: int = 0, bits: int = 12) -> bytes:
    """What the gzip stream of .spz 1 to 3 holds: a header and streams of zeros."""
    terms = 3 * ((degree + 1) ** 2 - 1)
    per_splat = (6 if version == 1 else 9) + 7 + (4 if version > 2 else 3) + terms
    return struct.pack("<4sIIBBBB", b"NGSP", version, count, degree, bits, flags, 0) + bytes(count * per_splat)


def packed_spz(content: bytes, records: bytes = b"") -> bytes:
    """The streams of a version-3 file of degree 0 as version 4 packs them, behind extension records."""
    count = int.from_bytes(content[8:12], "little")
    sizes = [9 * count, count, 3 * count, 3 * count, 4 * count]
    streams = [zstandard.compress(content[a:b]) for a, b in pairwise(np.cumsum([16, *sizes]))]
    flags = content[14] | (2 if records else 0)
    head = struct.pack("<4sIIBBBBI12x", b"NGSP", 4, count, 0, content[13], flags, len(sizes), 32 + len(records))
    table = b"".join(struct.pack("<QQ", len(stream), size) for stream, size in zip(streams, sizes, strict=True))
    return head + records + table + b"".join(streams)


def ksplat_of(level: int, count: int) -> bytes:
    """One section of degree 1, with one bucket that is not full; the headers are cut to what is needed by `level`."""
    row = KSPLAT_ROW[level] + 9 * (4, 2, 1)[level]
    header = bytearray(4096)
    header[1] = 1
    struct.pack_into("<4IH", header, 4, 1, 1, count, count, level)
    section = bytearray(1024)
    quantised = level > 0
    struct.pack_into("<4IfHxxI4xIIH", section, 0, count, count, 256 * quantised, int(quantised), 5.0 * quantised,
                     12 * quantised, 32767 * quantised, 0, int(quantised), 1)
    buckets = struct.pack("<I3f", count, 1.0, 2.0, 3.0) if quantised else b""
    return bytes(header + section) + buckets + bytes(row * count)


def gltf_parts(count: int) -> tuple[dict[str, Any], bytes]:
    """A .gltf description of `count` splats of degree 1 under one node, and its buffer."""
    widths = {"POSITION": 3, f"{KHR}:ROTATION": 4, f"{KHR}:SCALE": 3, f"{KHR}:OPACITY": 1, f"{KHR}:SH_DEGREE_0_COEF_0": 3}
    widths |= {f"{KHR}:SH_DEGREE_1_COEF_{n}": 3 for n in range(3)}
    values = np.random.default_rng(0).random(count * sum(widths.values())).astype(np.float32)
    starts = np.cumsum([0, *(4 * count * width for width in widths.values())]).tolist()
    document = {
        "asset": {"version": "2.0"}, "extensionsUsed": [KHR], "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"children": [1], "translation": [1, 2, 3]}, {"mesh": 0, "rotation": [0, 0, 0.6, 0.8], "scale": [2, 2, 2]}],
        "buffers": [{"byteLength": values.nbytes, "uri": "a.bin"}],
        "bufferViews": [{"buffer": 0, "byteOffset": a, "byteLength": b - a} for a, b in pairwise(starts)],
        "accessors": [
            {"bufferView": place, "componentType": 5126, "count": count, "type": "SCALAR" if width == 1 else f"VEC{width}"}
            for place, width in enumerate(widths.values())
        ],
        "meshes": [{"primitives": [{
            "attributes": {name: place for place, name in enumerate(widths)}, "mode": 0,
            "extensions": {KHR: {"kernel": "ellipse", "colorSpace": "srgb_rec709_display"}},
        }]}],
    }
    return document, values.tobytes()
