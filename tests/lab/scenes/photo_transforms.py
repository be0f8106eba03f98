"""Scenes with other photos: blur, exposure, noise, backgrounds, masks, mix-ups; cameras and points stay."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from scipy import ndimage

from diagnostics.optimiser.views import View
from runs.arrays import F32
from tests.lab.scenes.scene import Scene
from tests.lab.scenes.solids import Rgb

Names = Sequence[str] | None  # of the views to change; None for all, training and test


def with_views(scene: Scene, change: Callable[[View], View], names: Names = None) -> Scene:
    """The scene with `change` applied to the named views."""
    def changed(view: View) -> View:
        return change(view) if names is None or view.name in names else view

    data = replace(scene.data, train=tuple(map(changed, scene.data.train)), test=tuple(map(changed, scene.data.test)))
    return replace(scene, data=data)


def with_photos(scene: Scene, change: Callable[[F32, np.random.Generator], F32], names: Names = None, seed: int = 0) -> Scene:
    """The scene with other pixels, clipped to 0..1; each view gets a generator of its own."""
    order = {view.name: index for index, view in enumerate(scene.views)}

    def changed(view: View) -> View:
        pixels = change(view.photo, np.random.default_rng([seed, order[view.name]]))
        return replace(view, photo=np.clip(pixels, 0, 1).astype(np.float32))

    return with_views(scene, changed, names)


def drawn(scene: Scene, share: float, seed: int = 0) -> tuple[str, ...]:
    """The names of this share of the training views, at least one, drawn at random, in their order."""
    names = [view.name for view in scene.data.train]
    count = max(1, round(share * len(names)))
    return tuple(names[i] for i in sorted(np.random.default_rng(seed).choice(len(names), count, replace=False)))


def blurred(scene: Scene, sigma_px: float, names: Names = None) -> Scene:
    """Out of focus: a Gaussian of `sigma_px`."""
    return with_photos(scene, lambda photo, _: ndimage.gaussian_filter(photo, (sigma_px, sigma_px, 0), mode="nearest"), names)


def motion_blurred(scene: Scene, length_px: float, names: Names = None, seed: int = 0) -> Scene:
    """Camera shake: the mean along a line of `length_px` in a direction of each view's own."""
    def shaken(photo: F32, rng: np.random.Generator) -> F32:
        angle = rng.uniform(0, np.pi)
        steps = np.linspace(-length_px / 2, length_px / 2, int(2 * np.ceil(length_px)) + 1)
        moved = (ndimage.shift(photo, (s * np.sin(angle), s * np.cos(angle), 0), order=1, mode="nearest") for s in steps)
        return np.asarray(sum(moved) / len(steps), np.float32)

    return with_photos(scene, shaken, names, seed)


def exposed(scene: Scene, gains: Mapping[str, float | Rgb]) -> Scene:
    """Each named photo multiplied by its gain, one number or one per channel, and clipped as a sensor does."""
    def brighter(view: View) -> View:
        return replace(view, photo=np.clip(view.photo * np.asarray(gains[view.name], np.float32), 0, 1))

    return with_views(scene, brighter, tuple(gains))


def exposure_drift(scene: Scene, spread: float, seed: int = 0) -> Scene:
    """Automatic exposure: log gains of standard deviation `spread` over all views."""
    rng = np.random.default_rng(seed)
    return exposed(scene, {view.name: float(np.exp(rng.normal(0, spread))) for view in scene.views})


def tint_drift(scene: Scene, spread: float, seed: int = 0) -> Scene:
    """Automatic white balance: log gains per channel over all views."""
    rng = np.random.default_rng(seed)
    gains = {view.name: np.exp(rng.normal(0, spread, 3)).tolist() for view in scene.views}
    return exposed(scene, {name: (gain[0], gain[1], gain[2]) for name, gain in gains.items()})


def noisy_photos(scene: Scene, sigma: float, names: Names = None, seed: int = 0) -> Scene:
    """Sensor noise of standard deviation `sigma`, 0..1."""
    return with_photos(scene, lambda photo, rng: photo + rng.normal(0, sigma, photo.shape).astype(np.float32), names, seed)


def channels_swapped(scene: Scene, names: Names = None) -> Scene:
    """BGR read as RGB."""
    return with_photos(scene, lambda photo, _: photo[..., ::-1], names)


def passers_by(scene: Scene, size: float, names: Names = None, seed: int = 0) -> Scene:
    """Something that stands elsewhere in each photo: a striped upright ellipse, `size` of the picture high."""
    return with_photos(scene, lambda photo, rng: _with_passer(photo, size, rng), names, seed)


def _with_passer(photo: F32, size: float, rng: np.random.Generator) -> F32:
    height, width = photo.shape[:2]
    rows, columns = np.mgrid[:height, :width] + 0.5
    tall, x, y = size * height / 2, rng.uniform(0.15, 0.85) * width, rng.uniform(0.35, 0.75) * height
    inside = ((rows - y) / tall) ** 2 + ((columns - x) / (0.4 * tall)) ** 2 < 1
    stripes = np.where((rows // max(1.0, tall / 3)) % 2 == 0, 1.0, 0.55)[..., None] * rng.uniform(0.1, 0.9, 3)
    return np.where(inside[..., None], stripes, photo).astype(np.float32)


def photos_swapped(scene: Scene, share: float, seed: int = 0) -> Scene:
    """Photos of a share of the training views handed round among them, so that they lie under the wrong names."""
    names = drawn(scene, share, seed)
    if len(names) < 2:
        raise ValueError("one photo alone cannot be swapped; name a larger share")
    photos = {view.name: view.photo for view in scene.views}
    given = dict(zip(names, (*names[1:], names[0]), strict=True))
    return with_views(scene, lambda view: replace(view, photo=photos[given[view.name]]), names)


def on_background(scene: Scene, background: Rgb | Literal["random"], seed: int = 0) -> Scene:
    """Cut-outs laid on a colour, or each on a colour of its own; the photos lose their alpha."""
    _needs_alpha(scene)
    rng = np.random.default_rng(seed)

    def laid(view: View) -> View:
        colour = rng.random(3) if background == "random" else np.array(background)
        return replace(view, photo=(view.photo + (1 - scene.alphas[view.name][..., None]) * colour).clip(0, 1).astype(np.float32))

    return replace(with_views(scene, laid), alphas={})


def without_alpha(scene: Scene) -> Scene:
    """Cut-outs saved on black as plain RGB."""
    return replace(scene, alphas={})


def cut_out(scene: Scene) -> Scene:
    """RGBA photos of an analytic scene: alpha is where a ray meets a surface."""
    if scene.world is None:
        raise ValueError(f"{scene.name} is a real capture: nobody cut it out")
    samples = scene.arguments["samples"]
    return replace(scene, alphas={view.name: scene.world.picture(view.camera, samples)[..., 3] for view in scene.views})


def _needs_alpha(scene: Scene) -> None:
    if not scene.alphas:
        raise ValueError(f"the photos of {scene.name} have no alpha; use cut_out first")


def masked(scene: Scene, share: float, kind: Literal["band", "patches"] = "band", names: Names = None, seed: int = 0) -> Scene:
    """Masks under which a share of each picture does not count: one band at the left, or random squares."""
    def with_mask(view: View) -> View:
        width, height = view.camera.size_px
        mask = np.ones((height, width), np.float32)
        if kind == "band":
            mask[:, : round(share * width)] = 0
            return replace(view, mask=mask)
        rng = np.random.default_rng([seed, sum(view.name.encode())])
        while 1 - mask.mean() < share:
            row, column, side = int(rng.integers(height)), int(rng.integers(width)), max(2, height // 6)
            mask[row:row + side, column:column + side] = 0
        return replace(view, mask=mask)

    return with_views(scene, with_mask, names)


def masked_by_alpha(scene: Scene, names: Names = None) -> Scene:
    """Masks of the cut-out figure: only it counts."""
    _needs_alpha(scene)
    return with_views(scene, lambda view: replace(view, mask=(scene.alphas[view.name] > 0.5).astype(np.float32)), names)
