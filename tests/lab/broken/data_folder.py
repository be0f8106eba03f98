"""What a data folder tells that training did not heed: the lens of its photos, and photos that have no pose."""

import shutil
from pathlib import Path

import numpy as np

DATA = "data"  # the folder beside the run's


def lens_told(run: Path, _seed: int, *, k1: float) -> None:
    """cameras.txt names the lens that bent the photos: OPENCV with k1."""
    path = run.parent / DATA / "sparse" / "0" / "cameras.txt"
    lines = [line.replace("PINHOLE", "OPENCV") + f" {k1} 0 0 0" for line in path.read_text("utf-8").splitlines()]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def photos_added(run: Path, seed: int, *, registered: float) -> None:
    """Photos that structure from motion lost lie among the others, so that only a part of all is registered."""
    folder = run.parent / DATA / "images"
    photos = sorted(folder.iterdir())
    for index in range(round(len(photos) / registered) - len(photos)):
        chosen = photos[int(np.random.default_rng([seed, index]).integers(len(photos)))]
        shutil.copyfile(chosen, folder / f"lost_{index:03d}{chosen.suffix}")
