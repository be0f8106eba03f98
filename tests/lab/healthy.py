"""Healthy controls: sound trainings over scenes, seeds, sizes, strategies and mild settings, to be left alone."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.lab.case import HALVES
from tests.lab.faults.mcmc import mcmc
from tests.lab.layouts import in_gsplat_layout
from tests.lab.plan import Plan
from tests.lab.scenes import photo_transforms, transforms
from tests.lab.split import CAPTURE, SCENES_OF

Change = Callable[[Plan], Plan]


@dataclass(frozen=True)
class Healthy:
    """One sound training: the usual plan, and what is different about it."""

    name: str
    scene: str
    seed: int = 0
    change: Change = lambda plan: plan


def _set(plan: Plan, **changes: Any) -> Plan:
    return plan.settings_changed(**changes)


def _times(plan: Plan, *, name: str, times: float) -> Plan:
    return plan.settings_changed(**{name: getattr(plan.settings, name) * times})


def _scene(plan: Plan, *, change: Callable[..., Any], **arguments: Any) -> Plan:
    return plan.with_scene(change(plan.scene, **arguments))


def _both(plan: Plan, *, changes: tuple[Change, ...]) -> Plan:
    for change in changes:
        plan = change(plan)
    return plan


def _stock(plan: Plan, *, without: tuple[str, ...]) -> Plan:
    """The folder of a trainer without our log: what matches is not there."""
    return replace(plan, edit=partial(_removed, patterns=without))


def _removed(run: Path, _seed: int, *, patterns: tuple[str, ...]) -> None:
    for pattern in patterns:
        for path in run.glob(pattern):
            path.unlink()


def _on_white(plan: Plan) -> Plan:
    scene = plan.scene if plan.scene.alphas else photo_transforms.cut_out(plan.scene)
    return plan.with_scene(photo_transforms.on_background(scene, (1.0, 1.0, 1.0))).settings_changed(white_background=True)


OWN_LOG = ("metrics.jsonl", "opt_args.json")
MILD: Mapping[str, Change] = {
    "position-rate-doubled": partial(_set, position_lr_init=3.2e-4, position_lr_final=3.2e-6),
    "position-rate-halved": partial(_set, position_lr_init=0.8e-4, position_lr_final=0.8e-6),
    "colour-rate-doubled": partial(_times, name="feature_lr", times=2.0),
    "colour-rate-halved": partial(_times, name="feature_lr", times=0.5),
    "opacity-rate-doubled": partial(_times, name="opacity_lr", times=2.0),
    "opacity-rate-halved": partial(_times, name="opacity_lr", times=0.5),
    "scale-rate-doubled": partial(_times, name="scaling_lr", times=2.0),
    "scale-rate-halved": partial(_times, name="scaling_lr", times=0.5),
    "threshold-doubled": partial(_times, name="densify_grad_threshold", times=2.0),
    "threshold-halved": partial(_times, name="densify_grad_threshold", times=0.5),
    "structure-weighs-less": partial(_set, lambda_dssim=0.1),
    "structure-weighs-more": partial(_set, lambda_dssim=0.3),
    "harmonics-degree-1": partial(_set, sh_degree=1),
    "harmonics-degree-3": partial(_set, sh_degree=3),
    "harmonics-degree-0": partial(_set, sh_degree=0),
    "more-views": partial(_scene, change=transforms.rebuilt, views=40),
    "fewer-views": partial(_scene, change=transforms.rebuilt, views=16),
    "more-points": partial(_scene, change=transforms.rebuilt, points=3_000),
    "smaller-photos": partial(_scene, change=transforms.rebuilt, size_px=48),
    "larger-photos": partial(_scene, change=transforms.rebuilt, size_px=80),
    "without-held-out-views": partial(_scene, change=transforms.without_test),
    "other-units": partial(_scene, change=transforms.moved_world, scale=12.0, turn_deg=(20.0, -35.0, 70.0)),
    "sensor-noise": partial(_scene, change=photo_transforms.noisy_photos, sigma=0.01),
    "noisy-points": partial(_scene, change=transforms.points_noisy, sigma=0.003),
    "mcmc": mcmc,
    "gsplat-layout": in_gsplat_layout,
    "gsplat-layout-mcmc": partial(_both, changes=(mcmc, in_gsplat_layout)),
    "gsplat-layout-two-ranks": partial(in_gsplat_layout, ranks=2),
    "stock-log": partial(_stock, without=OWN_LOG),
    "stock-without-states": partial(_stock, without=(*OWN_LOG, "chkpnt*.pth")),
    "text-only": partial(_stock, without=(*OWN_LOG, "events.out.tfevents*", "chkpnt*.pth")),
}
# On which scene of each half a mild change is tried: one after the other, so that all scenes get their share.
ON_WHITE = ("studio", "statue")


def _all() -> Iterator[Healthy]:
    for scenes in SCENES_OF.values():
        for scene in scenes:
            yield Healthy(f"usual-{scene}-0", scene)
            yield Healthy(f"usual-{scene}-1", scene, 1)
    for place, (name, change) in enumerate(MILD.items()):
        half = HALVES[place % 2]
        scene = SCENES_OF[half][place // 2 % 3]
        yield Healthy(f"{name}-{scene}", scene, 2, change)
    yield from (Healthy(f"on-white-{scene}", scene, 3, _on_white) for scene in ON_WHITE)
    for scene in SCENES_OF["test"]:  # false alarms are told of thirty runs, none of which was tuned on
        yield Healthy(f"usual-{scene}-4", scene, 4)
        yield Healthy(f"mcmc-{scene}-5", scene, 5, mcmc)
    yield Healthy(f"usual-{CAPTURE}", CAPTURE)
    yield Healthy(f"mcmc-{CAPTURE}", CAPTURE, 1, mcmc)


HEALTHY: Mapping[str, Healthy] = MappingProxyType({control.name: control for control in _all()})
