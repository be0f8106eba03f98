"""COLMAP's text model files: cameras.txt, images.txt, points3D.txt."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np

from runs.advice import EXPORT_MODEL
from runs.arrays import F64
from runs.errors import UnreadableFile
from runs.formats.cameras.colmap_types import MODELS_BY_NAME, ImagePose, Intrinsics, Keypoints, PointTable, error_or_nan
from runs.formats.small_files import unreadable
from runs.storage import ensure

POINTS_AT_ONCE = 65_536
LONGEST_REASON = 120  # characters: Python quotes the whole of a word that is no number
LARGEST_ID = 2**53  # whole numbers beyond it are not exact in float64

Lines = Iterator[tuple[int, str]]  # line number from 1, text without its ends


@contextmanager
def _lines(path: Path) -> Iterator[Lines]:
    """The lines that are no comments. A line that does not parse becomes an UnreadableFile which names it."""
    number = 0

    def walk() -> Lines:
        nonlocal number
        for number, line in enumerate(file, 1):
            if not line.startswith("#"):
                yield number, line.strip()

    ensure(path)
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            yield walk()
    except (ValueError, IndexError, OverflowError) as error:
        why = str(error)[:LONGEST_REASON]
        raise UnreadableFile(f"line {number} of this COLMAP file cannot be read ({why}); {EXPORT_MODEL}", path) from error
    except OSError as error:
        raise unreadable(error, path) from error


def read_cameras(path: Path) -> dict[int, Intrinsics]:
    """By camera id. Raises UnreadableFile."""
    with _lines(path) as lines:
        return dict(_camera(text) for _, text in lines if text)


def _camera(text: str) -> tuple[int, Intrinsics]:
    camera_id, name, width, height, *params = text.split()
    model = MODELS_BY_NAME.get(name)
    if model is None or len(params) != model.params:
        raise ValueError(f"lens model {name} with {len(params)} parameters")
    return int(camera_id), Intrinsics.from_params(model, (int(width), int(height)), [float(value) for value in params])


def count_images(path: Path) -> int:
    """How many images the file holds. Raises UnreadableFile."""
    with _lines(path) as lines:
        return sum(1 for _ in _pairs(lines))


def read_images(path: Path) -> list[ImagePose]:
    """Poses and names, and how many keypoints of each image belong to a point. Raises UnreadableFile."""
    with _lines(path) as lines:
        return [_image(head, int(np.count_nonzero(_point_ids(tail) >= 0))) for head, tail in _pairs(lines)]


def read_keypoints(path: Path) -> list[tuple[str, Keypoints]]:
    """The triangulated keypoints of each image, by image name in file order. Raises UnreadableFile."""
    with _lines(path) as lines:
        return [(head.split(None, 9)[9], _keypoints(tail)) for head, tail in _pairs(lines)]


def _pairs(lines: Lines) -> Iterator[tuple[str, str]]:
    """Each image takes two lines: its pose, then its keypoints, which may be an empty line or missing at the end."""
    for _, head in lines:
        if head:
            _, tail = next(lines, (0, ""))
            yield head, tail


def _image(head: str, observations: int) -> ImagePose:
    values = head.split(None, 9)
    qw, qx, qy, qz, tx, ty, tz = (float(value) for value in values[1:8])
    return ImagePose(values[9], int(values[8]), (qw, qx, qy, qz), (tx, ty, tz), observations, int(values[0]))


def _point_ids(tail: str) -> F64:
    return np.array(tail.split()[2::3], np.float64)


def _keypoints(tail: str) -> Keypoints:
    rows = np.array(tail.split(), np.float64).reshape(-1, 3)
    used = rows[(rows[:, 2] >= 0) & (rows[:, 2] < LARGEST_ID)]
    return Keypoints(used[:, :2], used[:, 2].astype(np.int64))


def read_points(path: Path) -> PointTable:
    """All points; tracks are counted, not kept, and may be absent. Raises UnreadableFile."""
    blocks: list[F64] = []  # [n, 9]: id, xyz, rgb, error, track length
    with _lines(path) as lines:
        texts = (text for _, text in lines if text)
        while block := [_point(text) for text in islice(texts, POINTS_AT_ONCE)]:
            blocks.append(np.array(block, np.float64))
    table = np.concatenate(blocks) if blocks else np.zeros((0, 9))
    has_tracks = bool(table[:, 8].any())
    return PointTable(
        ids=table[:, 0].astype(np.int64), xyz=table[:, 1:4], rgb=table[:, 4:7].clip(0, 255).astype(np.uint8),
        error_px=error_or_nan(table[:, 7]), track_lengths=table[:, 8].astype(np.float32) if has_tracks else None,
    )


def _point(text: str) -> list[float]:
    values = text.split()
    if len(values) < 8:
        raise ValueError(f"{len(values)} values where a point needs 8")
    point_id, red, green, blue = int(values[0]), int(values[4]), int(values[5]), int(values[6])
    if not 0 <= point_id < LARGEST_ID:
        raise ValueError(f"point id {values[0]}")
    x, y, z, error = float(values[1]), float(values[2]), float(values[3]), float(values[7])
    return [point_id, x, y, z, red, green, blue, error, (len(values) - 8) // 2]
