"""Published end points: scores of one scene by one trainer at one iteration, each with its source (no curves)."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

SCENES = "scenes.toml"
KEYS = ("dataset", "scene", "trainer", "iteration")


@dataclass(frozen=True)
class Published:
    """One row of a published table. `scores`: "psnr" (dB), "ssim", "lpips", "gaussians", "memory_gib", "gpu_mb" or "seconds"."""

    dataset: str
    scene: str
    trainer: str
    iteration: int
    scores: Mapping[str, float]
    title: str
    url: str
    split: str
    preprocessing: str
    lpips_net: str  # "vgg" or "alex"; "" where it is not told

    @property
    def psnr(self) -> float:
        return self.scores["psnr"]


@dataclass(frozen=True)
class KnownScene:
    """A published scene, and what its evaluations trained on."""

    dataset: str
    dataset_title: str
    name: str
    images: str  # folder of photos that INRIA's trainer is given
    data_factor: int  # what gsplat's trainer divides picture sizes by
    white_background: bool


@cache
def end_points() -> tuple[Published, ...]:
    """Every published row of single scenes."""
    return tuple(row for table in _tables() for row in _rows(table))


def published(scene: KnownScene, trainer: str, iteration: int) -> tuple[Published, ...]:
    """Rows of one scene by one trainer at exactly one iteration; () where nobody published any."""
    wanted = (scene.dataset, scene.name, trainer, iteration)
    return tuple(row for row in end_points() if (row.dataset, row.scene, row.trainer, row.iteration) == wanted)


@cache
def known_scenes() -> Mapping[tuple[str, str], KnownScene]:
    """By (name of the data set's folder, name of the scene's folder), both in lower case."""
    found = {}
    for dataset, told in _read(SCENES).items():
        for name, how in told["scenes"].items():
            scene = KnownScene(dataset, told["title"], name, how["images"], how["data_factor"], told["white_background"])
            found.update({(folder, name): scene for folder in told["folders"]})
    return found


def _tables() -> Iterator[Mapping[str, Any]]:
    names = sorted(entry.name for entry in (files("resources") / "reference").iterdir() if entry.name.endswith(".toml"))
    return (table for name in names if "scores" in (table := _read(name)))


def _rows(table: Mapping[str, Any]) -> Iterator[Published]:
    for row in table["scores"]:
        scores = {name: float(value) for name, value in row.items() if name not in KEYS}
        yield Published(row["dataset"], row["scene"], row["trainer"], row["iteration"], scores, table["title"], table["url"],
                        table["split"], table["preprocessing"], table["lpips_net"])


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files("resources") / "reference" / name).read_text("utf-8"))
