"""Held-out views and as many training views of one save, drawn with every degree of harmonics and scored against their photos."""

from dataclasses import dataclass

import numpy as np

from diagnostics.optimiser.views import View
from diagnostics.probes.answer import Shot
from diagnostics.probes.bench import Bench, OutOfReach
from diagnostics.probes.engines import chosen_engine
from diagnostics.probes.material import views
from diagnostics.probes.sh_cost import costs
from diagnostics.probes.sh_drawn import Drawn
from diagnostics.probes.sh_pictures import beside
from diagnostics.probes.sh_scores import FEWEST_VIEWS, Scores
from render.raster.compare import psnr
from render.raster.parameters import Parameters
from render.raster.picture import Picture
from runs.arrays import F64
from runs.cameras import Camera

LONGEST_PX = 512  # differences between degrees are a matter of colour, not of detail
MOST_VIEWS = 16
MIDDLE = 3  # the middle one of three parts of either side
CUTTING_SHARE = 0.85  # of the work; the rest asks which Gaussians it was
MOST_BLAMED = 4  # held-out views that are asked it: gradients of a million Gaussians take ten seconds a view


@dataclass(frozen=True, eq=False)
class Cut:
    """What cutting degrees does to one save."""

    drawn: Drawn
    train: Scores
    held_out: Scores
    shown: tuple[View, ...]  # the held-out views
    angles_deg: F64  # float64 [n], of each held-out camera from the nearest training camera, seen from what it looks at


def cut_at(bench: Bench, drawn: Drawn) -> Cut:
    """Raises OutOfReach without harmonics or without held-out views."""
    degree = drawn.splats.sh_degree
    if degree == 0:
        raise OutOfReach("colours that depend on the direction (harmonics of degree 1 or more)")
    background = drawn.source.background
    held_out = views(bench, drawn.source.test, background, MOST_VIEWS)
    if len(held_out) < FEWEST_VIEWS:
        raise OutOfReach(f"at least {FEWEST_VIEWS} held-out views with photos (there are {len(held_out)}; training views cannot "
                         "tell: their photos are what the harmonics were fitted to)")
    train = views(bench, drawn.source.train, background, max(FEWEST_VIEWS, len(held_out)))
    total = (len(held_out) + len(train)) * (degree + 1)
    pictures: list[Picture] = []
    tests = _scores(bench, drawn, held_out, "held-out views", (0, total), pictures)
    trained = _scores(bench, drawn, train, "training views", (len(held_out) * (degree + 1), total), [])
    angles = [_angle(view.camera, picture, drawn.source.train) for view, picture in zip(held_out, pictures, strict=True)]
    return Cut(drawn, trained, tests, held_out, np.array(angles))


def _scores(
    bench: Bench, drawn: Drawn, shown: tuple[View, ...], what: str, place: tuple[int, int], full: list[Picture],
) -> Scores:
    """`place`: pictures drawn before, of all; `full` is given the pictures with every degree."""
    before, total = place
    found = np.empty((len(shown), drawn.splats.sh_degree + 1))
    for degree in range(found.shape[1]):
        for i, view in enumerate(shown):
            part = (before + degree * len(shown) + i) / total
            bench.progress(CUTTING_SHARE * part, f"{what} with harmonics up to degree {degree}")
            picture, counted = drawn.picture(view.camera, degree), drawn.counted(view)
            found[i, degree] = psnr(drawn.corrected(picture, view.camera)[counted], view.photo[counted])
            if degree == found.shape[1] - 1:
                full.append(picture)
        bench.point(f"PSNR of {what} by degree", "dB", degree, float(found[:, degree].mean()))
    return Scores(tuple(view.name for view in shown), found)


def _angle(camera: Camera, picture: Picture, others: tuple[Camera, ...]) -> float:
    """Degrees from the nearest of the others, seen from the surface in the middle of the picture; NaN where there is none."""
    rows, columns = (slice(side // MIDDLE, side - side // MIDDLE) for side in picture.mode_depth.shape)
    depths = picture.mode_depth[rows, columns]
    depths = depths[np.isfinite(depths)]
    if len(depths) == 0:
        return float("nan")
    at = camera.centre + camera.forward * float(np.median(depths))
    mine, theirs = camera.centre - at, np.array([other.centre - at for other in others])
    cosine = theirs @ mine / (np.linalg.norm(theirs, axis=1) * np.linalg.norm(mine))
    return float(np.degrees(np.arccos(np.clip(cosine.max(), -1, 1))))


def costs_of(bench: Bench, cut: Cut, degree: int) -> F64:
    """float64 [N], by row of the save: squared error that bands above `degree` make in the held-out views which gain most by the
    cut; 0 where hidden."""
    drawn, engine = cut.drawn, chosen_engine(bench.wish.engine)
    model = Parameters.of(drawn.checkpoint.gaussians.take(drawn.splats.rows))
    total = np.zeros(drawn.splats.stored_count)
    worst = np.argsort(-cut.held_out.change(degree))[:MOST_BLAMED]
    for place, view in enumerate(cut.shown[i] for i in worst):
        bench.progress(CUTTING_SHARE + (1 - CUTTING_SHARE) * place / len(worst), f"whose harmonics make {view.name} worse")
        total[drawn.splats.rows] += costs(
            model, view, degree, engine.render, background=drawn.background, counted=drawn.counted(view),
            correction=drawn.learned.of(view.name))
    return total


def shot_of(cut: Cut, degree: int) -> Shot:
    """The held-out view that gains most by the cut, or loses least."""
    view = cut.shown[int(cut.held_out.change(degree).argmax())]
    full, less = (cut.drawn.corrected(cut.drawn.picture(view.camera, each), view.camera) for each in (None, degree))
    return Shot(f"{view.name}, held out: harmonics up to degree {cut.held_out.degree} | up to degree {degree} | photo",
                beside(full, less, view.photo), view.name)
