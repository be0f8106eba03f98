"""Faults of cameras: poses, lenses, frames, photos under the wrong names."""

from dataclasses import replace

from runs.cameras import Camera
from tests.lab.faults.fault import Fault, codes
from tests.lab.plan import Plan
from tests.lab.scenes import transforms
from tests.lab.scenes.photo_transforms import drawn, photos_swapped

# One unit of pose noise: about 1 cm and 0.4 degrees where cameras stand some four metres from the middle.
UNIT_SHIFT, UNIT_TURN_DEG = 0.0025, 0.4
FOLLOWS = "AF-01 AF-03 CF-03"  # what wrong cameras make of a scene: matter where no surface is, doubled edges, over-fitting


def _noisy(plan: Plan, units: float) -> Plan:
    """In the data, too: whoever supplied these poses knew no better ones."""
    seed = plan.settings.seed
    return plan.with_scene(transforms.perturbed_poses(plan.scene, UNIT_SHIFT * units, UNIT_TURN_DEG * units, seed=seed))


def _few_noisy(plan: Plan, share: float) -> Plan:
    names = drawn(plan.scene, share, plan.settings.seed)
    scene = transforms.perturbed_poses(plan.scene, 0.05, 6.0, names, plan.settings.seed)
    return replace(plan.with_scene(scene), guilty_cameras=names)


def _swapped(plan: Plan, share: float) -> Plan:
    names = drawn(plan.scene, share, plan.settings.seed)
    return replace(plan.with_scene(photos_swapped(plan.scene, share, plan.settings.seed)), guilty_cameras=names)


def _focal(plan: Plan, factor: float) -> Plan:
    return plan.with_scene(transforms.focal_scaled(plan.scene, factor))


def _opengl(plan: Plan, _: float) -> Plan:
    """By the trainer; the data are sound."""
    return replace(plan, data=transforms.opengl_axes(plan.scene).data)


def _inverted(plan: Plan, _: float) -> Plan:
    return replace(plan, data=transforms.poses_inverted(plan.scene).data)


def _off_centre(plan: Plan, shift: float) -> Plan:
    """Photos with a principal point off by this share of width and height, which the trainer takes for the middle."""
    scene = transforms.rebuilt(plan.scene, principal_shift=(shift, -0.6 * shift))
    return replace(plan, scene=scene, data=transforms.principal_centred(scene).data)


def _outliers(plan: Plan, extents: float) -> Plan:
    """Two cameras that were registered far away."""
    names = drawn(plan.scene, 2 / len(plan.scene.data.train), plan.settings.seed)
    extent = plan.scene.data.extent

    def thrown(camera: Camera) -> Camera:
        pose = camera.world_from_camera.copy()
        pose[:3, 3] += extents * extent * pose[:3, 0]
        return replace(camera, world_from_camera=pose)

    return replace(plan.with_scene(transforms.with_cameras(plan.scene, thrown, names)), guilty_cameras=names)


def _small_world(plan: Plan, scale: float) -> Plan:
    """Cameras nearer to the surfaces than the near plane of 0.2; the scale is told for an extent of one."""
    return plan.with_scene(transforms.moved_world(plan.scene, scale=scale / plan.scene.data.extent))


def _geographic(plan: Plan, kilometres: float) -> Plan:
    metres = 1_000 * kilometres
    return plan.with_scene(transforms.moved_world(plan.scene, (metres, 4.2 * metres, 120.0)))


FAULTS = (
    Fault(
        "poses-slightly-off", "poses", _noisy, codes("IF-04"),
        "1 cm and 0.4 degrees cost 5 dB and could pass for a hard scene; the residual shift per view is ten times the healthy "
        "one.",
        (1.0, 1.25, 1.5, 0.8), codes(FOLLOWS), codes("IF-01 N-33 OF-01"),
    ),
    Fault(
        "poses-far-off", "poses", _noisy, codes("IF-04"), "5 cm and 2 degrees: nothing fits.", (5.0, 4.0, 3.0, 6.0),
        codes(FOLLOWS + " N-20"), codes("IF-01 N-33 OF-01"),
    ),
    Fault(
        "few-poses-off", "poses", _few_noisy, codes("IF-04"),
        "A fifth of the cameras was registered wrongly; the others are sound. The cameras at fault are known.",
        (0.2, 0.25), codes("CF-04 " + FOLLOWS), codes("OF-01"),
    ),
    Fault(
        "photos-under-wrong-names", "poses", _swapped, codes("IF-04"),
        "Some photos lie under each other's names, so that each has a pose that is not its own.",
        (0.2, 0.15), codes("CF-04 " + FOLLOWS), codes("N-07 OF-01"),
    ),
    Fault(
        "focal-length-wrong", "poses", _focal, codes("N-04"),
        "Ten percent: geometry absorbs most of it (-1.3 dB), but the points no longer show the colours of the photos. An expert "
        "would look at the calibration first; who says that the cameras do not fit the photos is not wrong either.",
        (1.1, 0.92, 0.9, 1.12), codes("IF-04 " + FOLLOWS), codes("N-20 IF-01"),
    ),
    Fault(
        "focal-length-of-another-size", "poses", _focal, codes("N-04"),
        "Photos were shrunk or enlarged, the intrinsics were not.", (2.0, 0.5), codes("IF-04 N-20 " + FOLLOWS), codes("IF-03"),
    ),
    Fault(
        "cameras-look-backwards", "poses", _opengl, codes("N-20 IF-04"),
        "OpenGL's axes taken for OpenCV's: no point lies before any camera, nothing gets a gradient.",
        acceptable=codes("IF-01 TG-03 OF-03 DF-01 N-18"), wrong=codes("OF-02 N-07 IF-05"),
    ),
    Fault(
        "poses-inverted", "poses", _inverted, codes("N-20 IF-04"),
        "World-to-camera matrices taken for camera-to-world.",
        acceptable=codes("IF-01 TG-03 OF-03 DF-01 N-01 N-18 " + FOLLOWS), wrong=codes("OF-02 N-07"),
    ),
    Fault(
        "principal-point-ignored", "poses", _off_centre, codes("N-03"),
        "The photos' principal point is off-centre, the trainer takes the middle: one and the same shift in all views.",
        (0.03, 0.05, 0.06, 0.04), codes(FOLLOWS), codes("IF-04"),
    ),
    Fault(
        "cameras-far-outside", "poses", _outliers, codes("N-01 IF-04"),
        "Two cameras registered far away blow up the extent and with it the rate of the means; their poses are wrong as well.",
        (30.0, 100.0), codes("OF-01 CF-04 " + FOLLOWS), codes("N-20 DF-01"),
    ),
    Fault(
        "world-too-small", "poses", _small_world, codes("N-21"),
        "The whole scene lies before the near plane: nothing is drawn. Scaling the world is the only cure.", (0.1, 0.15),
        codes("DF-01 OF-03 DF-05 IF-03 N-18"), codes("N-20 IF-04"),
    ),
    Fault(
        "geographic-offset", "poses", _geographic, codes("N-02"),
        "At coordinates of a survey float32 steps are centimetres to decimetres: means cannot move by less.", (500.0, 1_000.0),
        codes("OF-02 OF-03 DF-05 AF-03 IF-02"), codes("IF-04 N-20"),
    ),
)
