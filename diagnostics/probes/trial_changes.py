"""Changes: what a fix would have the trainer do otherwise, as far as the compact trainer can do it too; else why it cannot."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from diagnostics.diagnosis import Reported
from diagnostics.measures.backgrounds import BLACK, COLOURS, WHITE
from diagnostics.practice.tables import practice_of
from diagnostics.probes.own_settings import fitting, our_name
from diagnostics.verdict import Fix
from runs.run import Run

Deed = Literal["leave out", "points", "model poses", "background", "principal point", "focal"]
# Fixes without a setting: name of the pattern -> how the fix begins, and what it does.
DEEDS: Mapping[str, tuple[tuple[str, Deed], ...]] = {
    "views-converge-unequally": (("Train without these views", "leave out"),),
    "wrong-camera-poses": (("Leave out the ", "leave out"), ("Train with the poses of the COLMAP model", "model poses")),
    "blurred-photos": (("Leave out the ", "leave out"),),
    "non-finite-input": (("Leave out the cameras", "leave out"),),
    "extent-inflated-by-outlier-cameras": (("Remove the ", "leave out"),),
    "far-initialisation": (("Start from the points of the COLMAP model", "points"),),
    "random-initialisation": (("Start from the points of the COLMAP model", "points"),),
    "sparse-sfm-points": (("Start from the structure-from-motion points", "points"),),
    "uniform-initial-colours": (("Colour the points from the photos", "points"),),
    "cloud-and-cameras-in-different-frames": (("Use the point cloud of the same COLMAP model", "points"),),
    "wrong-background": (("Train on ", "background"),),
    "principal-point-ignored": (("Or keep the photos and put cx and cy", "principal point"),
                                ("Or train with a rasteriser that honours cx", "principal point")),
    "intrinsics-do-not-fit-photos": (("Multiply fx and fy by", "focal"),),
}
FEWEST_LEFT = 3  # training views, below which nothing can be said about a scene
LENGTH = "iterations"  # both sides train equally long, so that this cannot be what differs
UNLIKE_PHOTOS = "random_background"  # photos would have to be laid over each iteration's colour, too
MCMC_ALONE = frozenset({"noise_lr", "growth_factor"})
TRAINED_KINDS = frozenset({"training", "data"})  # of patterns whose fixes change what a training gives
NO_MODEL = "the COLMAP model (give the data folder with --data)"


@dataclass(frozen=True)
class Change:
    """What is done otherwise on one side of the trial; exactly one of these differs from its default."""

    label: str  # what is changed, such as "densify_grad_threshold" as the trainer spells it, or "training views"
    proposed: Any
    settings: Mapping[str, Any] = field(default_factory=dict)  # our names -> values on the run's own scale of iterations
    without: tuple[str, ...] = ()  # cameras
    model_points: bool = False  # start from the points of the COLMAP model
    model_poses: bool = False  # train with the poses of the COLMAP model
    background: str = ""  # "black" or "white"
    principal_point: bool = False  # draw around it instead of the middle of the picture
    focal: float = 1.0  # × fx and fy


def triable(reported: Reported, run: Run) -> tuple[int, ...]:
    """Which fixes of a finding can be tried, counted from 1. Nothing is read but settings and cameras."""
    return tuple(number for number in range(1, len(reported.fixes) + 1) if isinstance(change_of(reported, number, run), Change))


def change_of(reported: Reported, number: int, run: Run) -> Change | str:
    """What the fix of that number (from 1) changes, or in words why it cannot be tried."""
    if not 1 <= number <= len(reported.fixes):
        return f"a fix with the number {number} (the finding has {len(reported.fixes)})"
    fix = reported.fixes[number - 1]
    if reported.pattern.kind not in TRAINED_KINDS:
        return f"a finding about the training itself: {reported.pattern.code} is about {_about(reported.pattern.kind)}"
    return _of_setting(fix, run) if fix.setting else _of_deed(reported, fix, run)


def _about(kind: str) -> str:
    return {"file": "the saved files", "environment": "the machine and its programs", "memory": "memory",
            "measurement": "how the run is measured"}.get(kind, kind)


def _of_setting(fix: Fix, run: Run) -> Change | str:
    name = our_name(run, fix.setting)
    if fix.proposed is None:
        return f"a value to try: the fix proposes none for {fix.setting}"
    if name is None or name in (LENGTH, UNLIKE_PHOTOS):
        return f"a change that the compact trainer can make: it has no {fix.setting}, or both sides must share it"
    if name == "white_background":
        colour = WHITE if fix.proposed is True else BLACK
        return Change(fix.setting, fix.proposed, background=colour)
    value, why = fitting(name, fix.proposed)
    if why:
        return f"a value that can be trained with: {why}"
    practice = practice_of(run)
    if name in MCMC_ALONE and (practice is None or practice.strategy != "mcmc"):
        return f"a run of the MCMC strategy: no other reads {fix.setting}"
    return Change(fix.setting, fix.proposed, settings={name: value})


def _of_deed(reported: Reported, fix: Fix, run: Run) -> Change | str:
    for begins, deed in DEEDS.get(reported.pattern.name, ()):
        if fix.do.startswith(begins):
            return next(_done(deed, reported, run))
    return "a fix that changes a setting or the data: this one asks for a look, for other data, or for other code"


def _done(deed: Deed, reported: Reported, run: Run) -> Iterator[Change | str]:
    finding = reported.finding
    if deed == "leave out":
        named = finding.cameras
        yield _left(named, {camera.name for camera in run.cameras if camera.split != "test"})
    if deed == "points":
        yield NO_MODEL if run.data is None else Change("start", "points of the COLMAP model", model_points=True)
    if deed == "model poses":
        yield NO_MODEL if run.data is None else Change("poses", "those of the COLMAP model", model_poses=True)
    if deed == "background":
        colour = finding.facts.get("photos")
        yield (Change("background", colour, background=str(colour)) if colour in COLOURS
               else "one colour behind the photos: the finding tells none")
    if deed == "principal point":
        yield Change("principal point", "that of the cameras", principal_point=True)
    if deed == "focal":
        yield _longer(finding.facts.get("repair"))


def _left(named: tuple[str, ...], trained: set[str]) -> Change | str:
    if not named:
        return "names of cameras: the finding tells none"
    if len(trained - set(named)) < FEWEST_LEFT:
        return f"at least {FEWEST_LEFT} training views that stay ({len(named)} of {len(trained)} are named)"
    return Change("training views", f"without the {len(named)} named", without=named)


def _longer(repair: Any) -> Change | str:
    try:
        factor = float(repair)
    except (TypeError, ValueError):
        return "a factor for the focal length: the finding tells none"
    return Change("focal length", f"× {factor:.4g}", focal=factor)
