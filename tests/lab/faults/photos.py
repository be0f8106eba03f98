"""Faults of the photos and of what lies behind them: background, alpha, exposure, masks, blur, number, range."""

from dataclasses import replace

import numpy as np

from tests.lab.faults.fault import Fault, codes
from tests.lab.plan import Plan
from tests.lab.scenes import photo_transforms, transforms
from tests.lab.scenes.scene import Scene

BEFORE_BLACK = frozenset(("studio", "statue"))  # objects before a background that can be another one
LEVELS = np.float32(255)


def _white_behind(plan: Plan, _: float) -> Plan:
    return plan.done_otherwise(white_background=True)


def _cut_out(scene: Scene) -> Scene:
    return scene if scene.alphas else photo_transforms.cut_out(scene)


def _black_behind(plan: Plan, _: float) -> Plan:
    """Photos on white, no alpha, trained before black as the default has it."""
    return plan.with_scene(photo_transforms.on_background(_cut_out(plan.scene), (1.0, 1.0, 1.0)))


def _not_carved(plan: Plan, extents: float) -> Plan:
    """Random points, as for cut-outs without structure from motion, and a loss that leaves out what is transparent."""
    scene, seed = _cut_out(plan.scene), plan.settings.seed
    points = transforms.points_random(scene, len(scene.data.points), extents, seed)
    return replace(plan, scene=scene, data=photo_transforms.masked_by_alpha(points).data)


def _exposure(plan: Plan, spread: float) -> Plan:
    return plan.with_scene(photo_transforms.exposure_drift(plan.scene, spread, plan.settings.seed))


def _tint(plan: Plan, spread: float) -> Plan:
    return plan.with_scene(photo_transforms.tint_drift(plan.scene, spread, plan.settings.seed))


def _masks(plan: Plan, share: float) -> Plan:
    """Mask files that lie beside the photos."""
    return plan.with_scene(photo_transforms.masked(plan.scene, share))


def _silent_mask(plan: Plan, share: float) -> Plan:
    """A mask that only the trainer knows."""
    return replace(plan, data=photo_transforms.masked(plan.scene, share).data)


def _blurred(plan: Plan, sigma_px: float) -> Plan:
    names = photo_transforms.drawn(plan.scene, 0.4, plan.settings.seed)
    return replace(plan.with_scene(photo_transforms.blurred(plan.scene, sigma_px, names)), guilty_cameras=names)


def _shaken(plan: Plan, length_px: float) -> Plan:
    names = photo_transforms.drawn(plan.scene, 0.4, plan.settings.seed)
    scene = photo_transforms.motion_blurred(plan.scene, length_px, names, plan.settings.seed)
    return replace(plan.with_scene(scene), guilty_cameras=names)


def _few_views(plan: Plan, count: float) -> Plan:
    return plan.with_scene(transforms.fewer_views(plan.scene, round(count)))


def _passers_by(plan: Plan, size: float) -> Plan:
    names = photo_transforms.drawn(plan.scene, 0.6, plan.settings.seed)
    return plan.with_scene(photo_transforms.passers_by(plan.scene, size, names, plan.settings.seed))


def _in_levels(plan: Plan, _: float) -> Plan:
    """The loader forgets to divide by 255; the files are as they should be."""
    scene = photo_transforms.with_views(plan.scene, lambda view: replace(view, photo=view.photo * LEVELS))
    return replace(plan, data=scene.data)


FAULTS = (
    Fault(
        "white-behind-black-photos", "photos", _white_behind, codes("IF-05"),
        "Photos lie on black, training renders on white though the settings say black: matter is grown to hide it, "
        "held-out views lose 15 dB.", acceptable=codes("AF-01 CF-03 S-01"), wrong=codes("N-07 IF-04"), scenes=BEFORE_BLACK,
    ),
    Fault(
        "black-behind-white-photos", "photos", _black_behind, codes("IF-05"),
        "Photos lie on white and are trained before black: a white shell is grown around the object.",
        acceptable=codes("AF-01 CF-03 CF-04"), wrong=codes("N-07 IF-04"), scenes=BEFORE_BLACK,
    ),
    Fault(
        "alpha-not-carved", "photos", _not_carved, codes("N-06"),
        "What is transparent never enters the loss, so that nothing removes what stands there: leftovers keep their start.",
        (0.4, 0.5), codes("AF-01 OF-04"), codes("IF-04 TG-03"), scenes=BEFORE_BLACK,
    ),
    Fault(
        "exposure-drifts", "photos", _exposure, codes("N-07"),
        "20 % from photo to photo: the brightness ratio of render and photo varies ten times as much as in healthy runs.",
        (0.2, 0.25, 0.3, 0.22), codes("AF-01 CF-03 CF-04"), codes("IF-04 IF-05"),
    ),
    Fault(
        "white-balance-drifts", "photos", _tint, codes("N-07"), "The same per channel.", (0.2, 0.25), codes("AF-01 CF-03"),
        codes("IF-04 IF-05"),
    ),
    Fault(
        "mask-covers-nearly-all", "photos", _masks, codes("OF-04"), "Mask files under which five percent of each photo count. "
        "What lies under a mask keeps the opacity of the last reset (DF-07): no gradient lifts it.",
        (0.95, 0.9), codes("DF-01 DF-07 CF-03 AF-01 N-27"), codes("IF-01 IF-04 N-07"),
    ),
    Fault(
        "loss-masked-unasked", "photos", _silent_mask, codes("OF-04"),
        "Half of each photo is left out of the loss and no file says so. It looks like parts of the scene that nobody saw, "
        "but the photos show them.", (0.5, 0.6), codes("DF-07 CF-03 AF-01 M-04"), codes("IF-01 IF-04 N-07"),
    ),
    Fault(
        "photos-out-of-focus", "photos", _blurred, codes("N-33"), "Two photos of five are blurred; which ones is known.",
        (2.0, 1.5), codes("CF-03"), codes("IF-04 OF-02"),
    ),
    Fault(
        "photos-shaken", "photos", _shaken, codes("N-33"), "Two photos of five are smeared along a line.", (7.0, 9.0),
        codes("CF-03"), codes("IF-04 OF-02"),
    ),
    Fault(
        "three-views", "photos", _few_views, codes("CF-03 NF-03"),
        "Training views reach 39 dB, held-out ones 20: learned by heart.", (3.0, 4.0), codes("AF-01"), codes("IF-04"),
    ),
    Fault(
        "passers-by", "photos", _passers_by, codes("AF-01 AF-03"),
        "Something stands elsewhere in most photos: matter before the cameras (AF-01), seen double (AF-03).", (0.5, 0.6),
        codes("CF-03 N-07"), codes("IF-05 OF-01"),
    ),
    Fault(
        "photos-in-levels", "photos", _in_levels, codes("N-35"),
        "The trainer's photos are 0..255, its renders 0..1: L1 is far above one.",
        acceptable=codes("OF-07 DF-02 CF-05 N-18"), wrong=codes("IF-04 N-07"),
    ),
)
