"""Valid files for mutations to start from, made by the writers that the tests have."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.support.colmap_writer import Image, Lens, Model, Point, write_binary, write_text


def written(write: Callable[[Path], object], name: str) -> bytes:
    """What `write` puts at a path of this name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(path)
        return path.read_bytes()


def colmap_file(name: str, ending: str) -> bytes:
    """One of the three files of a small model: two lenses, two images, two points."""
    model = Model(
        (Lens(1, 1, "PINHOLE", (640, 480), (500.0, 510.0, 320.0, 240.0)),
         Lens(2, 4, "OPENCV", (64, 48), (50.0, 51.0, 32.0, 24.0, 0.1, 0.2, 0.0, -0.1))),
        (Image(1, (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 2.0), 1, "a.jpg", ((1.5, 2.5, 7), (3.0, 4.0, -1))),
         Image(2, (0.5, 0.5, -0.5, 0.5), (1.0, 0.0, 2.0), 2, "b/c é.png", ())),
        (Point(7, (0.0, 1.0, 2.0), (1, 2, 255), 0.5, ((1, 0), (2, 1))), Point(8, (3.0, 1.0, -2.0), (0, 0, 0), 1.5, ())),
    )
    write = write_binary if ending == "bin" else write_text
    return written(lambda path: path.write_bytes((write(model, path.parent / "model") / f"{name}.{ending}").read_bytes()), "x")
