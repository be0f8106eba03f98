"""The views of one save whose photos are held against their renders, and the colour correction that each photo asks for."""

from dataclasses import dataclass

import numpy as np

from diagnostics.probes.answer import Shot
from diagnostics.probes.bench import Bench, OutOfReach
from diagnostics.probes.exposure_fit import Correction, Pixels, comparable, correction, mapped, robust_spread, shared
from diagnostics.probes.material import views
from diagnostics.probes.sh_drawn import Drawn
from diagnostics.probes.sh_pictures import beside
from runs.arrays import F64
from runs.cameras import Camera

LONGEST_PX = 512  # exposure is a matter of whole pictures; twice the size changed no spread by more than 0.001
MOST_VIEWS = 24
FEWEST_VIEWS = 6


@dataclass(frozen=True, eq=False)
class Spread:
    """How the corrections of several photos differ."""

    each: tuple[Correction, ...]

    @property
    def logs(self) -> F64:
        """float64 [n, 3]: logarithms of the gains, less the median of each channel."""
        gains = np.log([one.gains for one in self.each])
        return np.asarray(gains - np.median(gains, axis=0))

    @property
    def gains(self) -> float:
        """Robust standard deviation of the log gain, over photos and channels."""
        return robust_spread(self.logs)

    @property
    def tint(self) -> float:
        """The same of single channels against their mean: white balance."""
        return robust_spread(self.logs - self.logs.mean(axis=1, keepdims=True))

    @property
    def brightness(self) -> float:
        """The same of the channels' mean."""
        return robust_spread(self.logs.mean(axis=1, keepdims=True))

    @property
    def offsets(self) -> float:
        """Robust standard deviation of what corrections make of black, colours 0..1."""
        return robust_spread(np.array([one.offsets for one in self.each]))

    def median(self, name: str) -> float:
        return float(np.median([getattr(one, name) for one in self.each]))


@dataclass(frozen=True, eq=False)
class Compared:
    """What the photos of one save ask for."""

    drawn: Drawn
    common: F64  # float64 [4, 3], the correction that all training photos share
    unexplained: float  # what is left with a correction per photo, over the photos' own variance: 1 for a flat colour
    brightness: float  # 0..1, mean of the photos where they are compared
    train: Spread
    held_out: Spread


def compared(bench: Bench, drawn: Drawn) -> Compared:
    """Draws every chosen view once. Raises OutOfReach where too little can be compared, or nothing was learned."""
    train, held_out = (_pixels(bench, drawn, cameras, first) for cameras, first in
                       ((drawn.source.train, 0.0), (drawn.source.test, 0.5)))
    if len(train) < FEWEST_VIEWS:
        raise OutOfReach(f"at least {FEWEST_VIEWS} training photos that show enough of an opaque model (there are {len(train)})")
    common = shared(train)
    spreads = []
    for name, pixels in (("training views", train), ("held-out views", held_out)):
        each = []
        for place, view in enumerate(pixels):
            bench.beat()
            each.append(correction(view, common))
            bench.point(f"gain of photo over render, {name}", "", place, float(each[-1].gains.mean()))
        spreads.append(Spread(tuple(each)))
    brightness = float(np.mean([view.wanted.mean() for view in train]))
    return Compared(drawn, common, _unexplained(train, spreads[0]), brightness, spreads[0], spreads[1])


def _pixels(bench: Bench, drawn: Drawn, cameras: tuple[Camera, ...], done: float) -> tuple[Pixels, ...]:
    found = []
    chosen = views(bench, cameras, drawn.source.background, MOST_VIEWS)
    for place, view in enumerate(chosen):
        bench.progress(done + 0.45 * place / len(chosen), f"photo and render of {view.camera.name}")
        picture = drawn.picture(view.camera)
        pixels = comparable(view.camera.name, drawn.corrected(picture, view.camera), picture.alpha, view.photo)
        if pixels is not None:
            found.append(pixels)
    return tuple(found)


def _unexplained(views: tuple[Pixels, ...], found: Spread) -> float:
    wanted = np.concatenate([view.wanted for view in views])
    varied = float(((wanted - wanted.mean(axis=0)) ** 2).mean())
    return float(np.mean([one.after for one in found.each])) / varied if varied > 0 else float("inf")


def shot_of(bench: Bench, found: Compared, group: Spread) -> Shot | None:
    """The view of the group whose photo differs most: its render, the render corrected, the photo."""
    worst = group.each[int(np.abs(group.logs).max(axis=1).argmax())]
    source = found.drawn.source
    cameras = tuple(camera for camera in (*source.train, *source.test) if camera.name == worst.name)
    for view in views(bench, cameras, source.background):
        rgb = found.drawn.corrected(found.drawn.picture(view.camera), view.camera)
        corrected = mapped(worst.matrix, rgb.reshape(-1, 3).astype(np.float64)).reshape(rgb.shape)
        return Shot(f"{worst.name}: render | render with the photo's own correction | photo", beside(rgb, corrected, view.photo),
                    worst.name)
    return None
