"""Short trainings in pairs: with and without the change, from the same seed, and what came out on either side."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from diagnostics.catalogue import Pattern
from diagnostics.diagnose import whole_span
from diagnostics.evidence import Evidence
from diagnostics.optimiser.optimiser import Engine, Optimiser
from diagnostics.optimiser.step import Step
from diagnostics.probes.answer import Shot
from diagnostics.probes.bench import Bench
from diagnostics.probes.trial_record import Recording, relabelled
from diagnostics.probes.trial_sides import Side
from diagnostics.registry import DETECTORS
from diagnostics.verdict import Finding, NotEvaluable, Verdict
from render.raster.compare import psnr, ssim
from runs.arrays import F32, U8
from runs.run import Run

CONTROL, TRIAL = "control", "trial"
Named = Callable[[float, str], None]  # (0..1 of this training, what is done)


@dataclass(frozen=True, eq=False)
class Trained:
    """What one short training gave."""

    psnr: float  # dB, mean over the measured views
    ssim: float
    count: int  # Gaussians
    seconds: float  # of training alone
    verdict: Verdict  # about the finding's pattern
    picture: F32  # float32 [H, W, 3], the first measured view


@dataclass(frozen=True, eq=False)
class Pair:
    """One seed."""

    seed: int
    control: Trained
    trial: Trained


@dataclass(frozen=True, eq=False)
class First:
    """The first seed, which decides whether there is anything to try."""

    control: Trained
    pair: Pair | None  # None: the control does not show the finding
    set_only: bool  # the detector finds nothing where the control's results are told as the trial's settings and data


def first_pair(bench: Bench, sides: tuple[Side, Side], pattern: Pattern, engine: Engine, heard: tuple[Named, Named]) -> First:
    """Both sides of the first seed. Raises Cancelled, and OutOfReach where time or memory run out.

    Where the control does not show the finding, the trial is not trained.
    """
    (control, kept), seed = _trained(bench, sides[0], pattern, engine, CONTROL, heard[0]), sides[0].settings.seed
    if found(control) is None:
        return First(control, None, True)
    trial, other = _trained(bench, sides[1], pattern, engine, TRIAL, heard[1])
    moved = relabelled(kept, other).as_run(sides[1].told, bench.evidence.run)
    return First(control, Pair(seed, control, trial), not isinstance(judged(pattern, moved, bench), Finding))


def next_pair(
    bench: Bench, sides: tuple[Side, Side], seed: int, pattern: Pattern, engine: Engine, heard: tuple[Named, Named],
) -> Pair:
    """Both sides of another seed. Raises as `first_pair`."""
    control, trial = (_trained(bench, reseeded(side, seed), pattern, engine, name, named)[0]
                      for side, name, named in zip(sides, (CONTROL, TRIAL), heard, strict=True))
    return Pair(seed, control, trial)


def _trained(
    bench: Bench, side: Side, pattern: Pattern, engine: Engine, name: str, named: Named,
) -> tuple[Trained, Recording]:
    recording, started, curve = Recording(), perf_counter(), f"{name}, seed {side.settings.seed}"
    optimiser = Optimiser(side.data, side.settings, engine=engine, recorder=recording)
    optimiser.run(progress=_heard(bench, side, curve, named))
    seconds = perf_counter() - started
    named(1.0, f"{curve}: looking for the finding")
    verdict = judged(pattern, recording.as_run(side.told, bench.evidence.run), bench)
    pictures = [optimiser.render(view.camera).rgb for view in side.measured]
    pairs = [(np.clip(picture, 0, 1), view.photo) for picture, view in zip(pictures, side.measured, strict=True)]
    return Trained(
        float(np.mean([psnr(*pair) for pair in pairs])), float(np.mean([ssim(*pair) for pair in pairs])),
        optimiser.parameters.count, seconds, verdict, pairs[0][0],
    ), recording


def _heard(bench: Bench, side: Side, curve: str, named: Named) -> Callable[[Step], None]:
    """Told after each iteration; may raise Cancelled and OutOfReach."""
    part, last = "test" if side.data.test else "train", side.settings.iterations

    def told(step: Step) -> None:
        bench.beat()
        if step.evaluation:
            bench.point(curve, "dB", step.iteration, step.evaluation[part])
            named(step.iteration / last, f"{curve}: iteration {step.iteration:,} of {last:,}, {step.count:,} Gaussians")

    return told


def judged(pattern: Pattern, run: Run, bench: Bench) -> Verdict:
    """What this pattern's detector says about a run. Raises Cancelled and OutOfReach."""

    def stopped() -> bool:
        bench.beat()
        return False

    detector = DETECTORS[pattern.name]
    evidence = Evidence(run, whole_span(run), stopped)
    facts = evidence.gather(detector.needs, detector.optional)
    if isinstance(facts, NotEvaluable):
        bench.beat()  # a fact that time ran out for is missing for that reason alone
        return facts
    verdict: Verdict = evidence.wait_for(lambda: detector.judge(**facts))
    return verdict


def shot(pair: Pair, side: Side) -> Shot:
    """The first measured view: control, trial, photo, from left to right."""
    view = side.measured[0]
    row = np.concatenate([pair.control.picture, pair.trial.picture, view.photo], axis=1)
    kind = "held out" if side.data.test else "trained"
    return Shot(f"control, trial, photo ({kind}, seed {pair.seed})", _bytes(row), view.name)


def _bytes(rgb: F32) -> U8:
    return np.asarray(np.rint(np.nan_to_num(np.clip(rgb, 0, 1)) * 255), np.uint8)


def reseeded(side: Side, seed: int) -> Side:
    """The same side with another seed."""
    settings = replace(side.settings, seed=seed)
    return Side(side.data, settings, replace(side.told, settings=settings))


def found(trained: Trained) -> Finding | None:
    return trained.verdict if isinstance(trained.verdict, Finding) else None
