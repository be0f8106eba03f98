"""One save drawn as its trainer compared it with photos: background, its own colour corrections, and which pixels counted."""

from dataclasses import dataclass

import numpy as np

from diagnostics.optimiser.views import View
from diagnostics.probes.bench import Bench
from diagnostics.probes.exposure_learned import Learned, learned_by
from diagnostics.probes.material import Source, background_of, checkpoint_of, source_of
from render.raster.cpu import rasterise
from render.raster.picture import Picture
from render.splats import Splats, prepare
from runs.arrays import F32, Mask
from runs.cameras import Camera
from runs.checkpoints import Checkpoint


@dataclass(frozen=True, eq=False)
class Drawn:
    """A save and the views that it may be drawn for."""

    checkpoint: Checkpoint
    splats: Splats
    source: Source
    learned: Learned
    trains_on_halves: bool  # held-out photos, too, were trained on, by their left halves (INRIA's train_test_exp)

    @property
    def background(self) -> tuple[float, float, float]:
        return background_of(self.source.background)

    def picture(self, camera: Camera, sh_degree: int | None = None) -> Picture:
        return rasterise(self.splats, camera, background=self.background, sh_degree=sh_degree)

    def corrected(self, picture: Picture, camera: Camera) -> F32:
        """float32 [H, W, 3], with the correction that the trainer itself learned for this photo."""
        return self.learned.over(picture.rgb, camera.name)

    def counted(self, view: View) -> Mask:
        """bool [H, W]: pixels by which a view is scored; of a held-out one those that were not trained on."""
        height, width = view.photo.shape[:2]
        counts = np.ones((height, width), bool)
        if self.trains_on_halves and view.camera.split == "test":
            counts[:, : width // 2] = False
        return counts

    def told(self, **more: object) -> dict[str, object]:
        """How it was drawn, for the answer."""
        width, height = self.source.train[0].size_px
        return {
            **more, "picture": f"{width} × {height} px",
            "background": f"{self.source.background}{' (assumed)' if self.source.assumed_background else ''}",
            "the trainer's own corrections": "applied first" if self.learned.any else "none",
        }


def drawn_at(bench: Bench, longest_px: int) -> Drawn:
    """The save that was asked for. Raises OutOfReach without a save, cameras or photos that may be compared."""
    source = source_of(bench, bench.wish.longest_px or longest_px)
    checkpoint, run = checkpoint_of(bench), bench.evidence.run
    return Drawn(checkpoint, prepare(checkpoint.gaussians), source, learned_by(run), run.settings.value("train_test_exp") is True)
