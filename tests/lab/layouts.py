"""A plan that gsplat's trainer could have run: its files, and its rule for which views are held back."""

from dataclasses import replace

import numpy as np

from diagnostics.optimiser.views import View
from tests.lab.plan import Plan
from tests.lab.scenes.scene import Scene


def in_gsplat_layout(plan: Plan, *, ranks: int = 1) -> Plan:
    """Views get names of which every n-th is held back, the only split that this trainer knows."""
    return replace(plan.with_scene(_renamed(plan.scene)), layout="gsplat", ranks=ranks)


def _renamed(scene: Scene) -> Scene:
    """Test views spread evenly, the first among them."""
    new = _names(len(scene.data.train), len(scene.data.test))
    names = dict(zip((view.name for view in scene.views), new, strict=True))

    def renamed(view: View) -> View:
        return replace(view, camera=replace(view.camera, name=names[view.name]))

    data = replace(scene.data, train=tuple(map(renamed, scene.data.train)), test=tuple(map(renamed, scene.data.test)))
    tracks = scene.tracks
    if tracks is not None:
        tracks = replace(tracks, image_names=tuple(names[name] for name in tracks.image_names))
    return replace(scene, data=data, tracks=tracks, alphas={names[name]: alpha for name, alpha in scene.alphas.items()})


def _names(train: int, test: int) -> tuple[str, ...]:
    """Of the training views, then of the test views."""
    places = np.arange(train + test)
    held_back = np.zeros(train + test, bool)
    if test:
        held_back[:: -(-(train + test) // test)] = True
    order = (*places[~held_back], *places[held_back])
    return tuple(f"{place:03d}.png" for place in order)
