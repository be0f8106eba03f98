"""Run the benchmark: print tables, write floaters.json beside this file."""

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np

from benchmarks.floaters.grown import labels
from benchmarks.floaters.models import sound, spoils_of, trained
from benchmarks.floaters.plants import FLOATERS, GHOSTS, MIXED, plant
from benchmarks.floaters.report import Result, headline, plain, table
from benchmarks.floaters.scoring import Judged, judge
from render.raster.parameters import Parameters
from tests.lab.case import HALVES, SIZES, Half, Size
from tests.lab.scenes.fox import fox_available
from tests.lab.split import CAPTURE, SCENES_OF, half_of

SCORE_OF = {"planted": "floater_score", "grown": "floater_score", "ghosts": "ghost_score"}
TITLE = {"planted": "Floaters planted into sound trainings", "grown": "Floaters that grew in spoiled trainings",
         "ghosts": "Copies of what is there"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.floaters", description=__doc__)
    parser.add_argument("--half", choices=(*HALVES, "all"), default="test", help="scores are tuned on the tuning half only")
    parser.add_argument("--size", choices=SIZES, default="large")
    parser.add_argument("--seed", type=int, default=0, help="of scenes, trainings and plants")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("floaters.json"))
    options = parser.parse_args()
    told = {}
    for half in HALVES if options.half == "all" else (options.half,):
        results = list(_measured(half, options.size, options.seed))
        told[half] = _told(half, results)
    options.out.write_text(json.dumps({"size": options.size, "seed": options.seed, "halves": told}, indent=1) + "\n", "utf-8")


def _measured(half: Half, size: Size, seed: int) -> Iterator[Result]:
    scenes = [*SCENES_OF[half], *([CAPTURE] if half_of(CAPTURE) == half and fox_available() else [])]
    for scene in scenes:
        yield from _with_strangers(scene, size, seed)
        if scene != CAPTURE:
            yield from _spoiled(scene, size, seed)


def _with_strangers(scene: str, size: Size, seed: int) -> Iterator[Result]:
    plan = sound(scene, seed, size)
    model = trained(plan)
    parameters = Parameters.of(model)
    innocent = np.ones(model.count, bool) if plan.scene.world is None else ~labels(plan, model).floating
    for kind in (*FLOATERS, MIXED, *GHOSTS):
        planted = plant(kind, plan.scene, parameters, seed)
        known = planted.guilty.copy()
        known[:model.count] |= innocent
        yield _result("ghosts" if kind in GHOSTS else "planted", kind, scene,
                      judge(plan, planted.parameters.gaussians(), planted.guilty, known))


def _spoiled(scene: str, size: Size, seed: int) -> Iterator[Result]:
    for name, spoil in spoils_of(scene).items():
        plan = spoil(sound(scene, seed, size))
        model = trained(plan)
        told = labels(plan, model)
        yield _result("grown", name, scene, judge(plan, model, told.floating, told.known))


def _result(group: str, kind: str, scene: str, judged: Judged) -> Result:
    print(f"{scene}: {kind}", flush=True)
    return Result(group, kind, scene, judged)


def _told(half: str, results: list[Result]) -> dict[str, object]:
    print(f"\n# {half} half: average precision")
    told: dict[str, object] = {"results": plain(results)}
    for group, score in SCORE_OF.items():
        ours = [result for result in results if result.group == group]
        found = headline(ours, score)
        print(f"\n## {TITLE[group]}\n\n{table(ours)}")
        if found is not None:
            print(f"\nOur {score} {found.ours:.3f}, best rule ({found.best_rule}) {found.best:.3f}: {found.ratio:.2f} times")
            told[group] = {"score": score, **asdict(found), "ratio": found.ratio}
    return told


if __name__ == "__main__":
    main()
