"""What "colour by" can show, and how a choice becomes marks, a mode and a legend."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app import wording
from app.session import Shown, State
from app.widgets.legend import LegendText
from render.colouring import Scale, colour_map, scale_for
from render.splats import Splats
from render.viewport.appearance import WHOLE, Marks
from render.viewport.backend import Mode
from runs.arrays import F32, Mask
from runs.cameras import Camera
from runs.quantities import QUANTITIES

RGB, DEPTH, ALPHA = "rgb", "depth", "alpha"
SCORES = {"floater_score": "Floater score", "ghost_score": "Ghost score"}
# Trained colours, fields of the picture, then one number per Gaussian.
CHOICES: Mapping[str, str] = {
    RGB: "Trained colour", DEPTH: "Depth", ALPHA: "Accumulated opacity",
    **{name: quantity.title for name, quantity in QUANTITIES.items()}, **SCORES,
}
MOVES = "The scene moves: no photo shows the Gaussians as they are saved"
POSITIONS_SUFFICE = (RGB, DEPTH, "neighbour_distance")
TINT_RGB = (1.0, 0.25, 0.2)
TINT_STRENGTH = 0.85  # of trained colours: some of them still shows; grey must be pure where a legend explains the colours
SAMPLED = 20_000  # splats that settle the depth range


@dataclass(frozen=True, eq=False)
class Scalar:
    """One number per splat with how it is shown."""

    name: str
    values: F32  # float32 [M]
    scale: Scale
    colours: str  # name of a colour map


def mode_of(colour_by: str, scalar: Scalar | None) -> Mode:
    """A scalar that has not been computed yet shows the trained colours."""
    if colour_by in (DEPTH, ALPHA):
        return "depth" if colour_by == DEPTH else "alpha"
    return "scalar" if scalar is not None and scalar.name == colour_by else "rgb"


def unusable(shown: Shown | None) -> Mapping[str, str]:
    """The choices that mean nothing for what is shown, each with its reason."""
    if shown is None:
        return {}
    checkpoint = shown.checkpoint
    if checkpoint.holds != "splats":
        reason = f"Of {wording.ROWS[checkpoint.holds]}s only the positions are the trainer's"
        return {name: reason for name in CHOICES if name not in POSITIONS_SUFFICE}
    return dict.fromkeys(SCORES, MOVES) if checkpoint.motion is not None else {}


def chosen(state: State) -> str:
    """What the picture is coloured by: a choice that means nothing here gives way to the plain colours."""
    return RGB if state.colour_by in unusable(state.shown) else state.colour_by


def only_points(shown: Shown | None) -> str:
    """Why nothing but dots can be drawn; empty where splats can."""
    if shown is None or shown.checkpoint.holds == "splats":
        return ""
    rows = wording.ROWS[shown.checkpoint.holds]
    becomes = "; networks that are not run here make Gaussians of them" if rows == "anchor" else ""
    return f"These are {rows}s: only their positions are the trainer's, so they are drawn as dots{becomes}"


def is_scalar(colour_by: str) -> bool:
    """Whether the choice is one number per Gaussian."""
    return colour_by in QUANTITIES or colour_by in SCORES


def compute(name: str, shown: Shown, scores: Mapping[str, F32]) -> Scalar | None:
    """Off the GUI thread: seconds for neighbours of a million. None where a score is not there yet."""
    stored = scores.get(name) if name in SCORES else QUANTITIES[name].compute(shown.drawn)
    if stored is None or len(stored) != shown.gaussians.count:
        return None
    values = np.ascontiguousarray(stored[shown.splats.rows], np.float32)
    if name in SCORES:
        return Scalar(name, values, WHOLE, "viridis")
    bounded = name == "opacity"
    return Scalar(name, values, WHOLE if bounded else scale_for(values, QUANTITIES[name].log), "viridis")


def legend_for(mode: Mode, scalar: Scalar | None, depth_scale: Scale | None) -> LegendText | None:
    """None for the trained colours."""
    if mode == "depth" and depth_scale is not None:
        return LegendText("Depth", "world units", depth_scale, colour_map())
    if mode == "alpha":
        return LegendText("Accumulated opacity", "", WHOLE, colour_map())
    if mode == "scalar" and scalar is not None:
        unit = QUANTITIES[scalar.name].unit if scalar.name in QUANTITIES else "0 to 1"
        missing = bool(np.isnan(scalar.values).any())
        return LegendText(CHOICES[scalar.name], unit, scalar.scale, colour_map(scalar.colours), missing)
    return None


def marks_for(scalar: Scalar | None, tint: Mask | None) -> Marks:
    """Scalar and tint as the back-ends take them."""
    if scalar is None:
        return Marks(tint=tint, tint_rgb=TINT_RGB)
    return Marks(scalar.values, colour_map(scalar.colours), scalar.scale, tint, TINT_RGB)


def tint_strength(mode: Mode, marks: Marks) -> float:
    """0 where nothing is tinted."""
    if marks.tint is None:
        return 0.0
    return 1.0 if mode == "scalar" else TINT_STRENGTH


def tint_for(state: State, splats: Splats) -> Mask | None:
    """bool [M]: the finding's Gaussians, or a selection too large for single marks; None where nothing is to be tinted."""
    if state.shown is None:
        return None
    here, place = state.shown.checkpoint.iteration, state.finding.finding.gaussians if state.finding else None
    rows = place.rows if place is not None and place.iteration == here else None
    if rows is None and state.selected is not None and state.selected.iteration == here and len(state.selected.rows) > 20:
        rows = state.selected.rows
    if rows is None:
        return None
    stored = np.zeros(splats.stored_count, bool)
    stored[rows[(rows >= 0) & (rows < splats.stored_count)]] = True
    return np.asarray(stored[splats.rows])


def finding_note(state: State) -> str:
    """What the red dots are, and why the rest lost its colours; empty where no Gaussian is tinted for a finding."""
    place = state.finding.finding.gaussians if state.finding else None
    if state.finding is None or place is None or state.shown is None or place.iteration != state.shown.checkpoint.iteration:
        return ""
    others = "" if state.colour_by in (DEPTH, ALPHA) else "; the others are grey"
    return f"Red dots: Gaussians of {state.finding.pattern.title}{others}"


def depth_scale(splats: Splats, camera: Camera) -> Scale:
    """The range of depths in the picture, 2nd to 98th percentile over a sample of the splats."""
    world = camera.camera_from_world
    points = splats.means[:: max(len(splats) // SAMPLED, 1)] @ world[:3, :3].T + world[:3, 3]
    x, y, z = points.T
    with np.errstate(divide="ignore", invalid="ignore"):
        u, v = camera.fx * x / z + camera.cx, camera.fy * y / z + camera.cy
    inside = (z > 0) & (u > 0) & (v > 0) & (u < camera.size_px[0]) & (v < camera.size_px[1])
    return scale_for(z[inside])
