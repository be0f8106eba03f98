"""Whole trainings on one core: `python -m benchmarks.training [mini|large]`; the bars are 2.5 and 12 seconds of processor time.

Processor time of this thread is counted, so that other busy processes blur it less. The first training, which compiles the
kernels or reads them from the cache, is not counted.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from diagnostics.optimiser.optimiser import Optimiser
from diagnostics.optimiser.recipe import Recipe
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.views import TrainingData
from render.raster import differentiable
from tests.lab.scenes import build

PRESETS = {"mini": (OptimiserSettings.mini, 64, 2.5), "large": (OptimiserSettings.large, 96, 12.0)}


def main(size: str) -> None:
    """Print time, speed, where the time goes, and what was reached, for both strategies."""
    preset, size_px, bar = PRESETS[size]
    data = build("studio", size_px=size_px).data
    _trained(data, OptimiserSettings.mini(iterations=220))
    for strategy in ("default", "mcmc"):
        settings = preset(strategy=strategy)
        spent, optimiser, scores = _trained(data, settings)
        total = spent.pop("all")
        parts = ", ".join(f"{part} {1000 * seconds / settings.iterations:.2f}" for part, seconds in spent.items())
        speed = settings.iterations / total
        print(f"{size} {strategy}: {total:.2f} s (bar {bar:g}), {speed:.0f} it/s; ms per iteration: {parts}; "
              f"{optimiser.parameters.count:,} Gaussians, PSNR train {scores['train']:.2f} dB, test {scores['test']:.2f} dB")


def _trained(data: TrainingData, settings: OptimiserSettings) -> tuple[dict[str, float], Optimiser, dict[str, float]]:
    """Seconds by part, the trained optimiser, and its last PSNRs."""
    spent: dict[str, float] = {}

    def engine(*given: Any, **how: Any) -> Any:
        rendered = _timed(spent, "forward", differentiable.render)(*given, **how)
        object.__setattr__(rendered, "backward", _timed(spent, "backward", rendered.backward))
        return rendered

    recipe = replace(Recipe(), loss=_timed(spent, "loss", Recipe().loss))
    optimiser = Optimiser(data, settings, recipe, engine=engine)
    optimiser.adam.step = _timed(spent, "Adam", optimiser.adam.step)  # type: ignore[method-assign]
    outcome = _timed(spent, "all", optimiser.run)()
    spent["rest"] = spent["all"] - sum(seconds for part, seconds in spent.items() if part != "all")
    return spent, optimiser, outcome.evaluations.get(settings.iterations, {})


def _timed(spent: dict[str, float], part: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def measured(*given: Any, **how: Any) -> Any:
        start = time.thread_time()
        try:
            return function(*given, **how)
        finally:
            spent[part] = spent.get(part, 0.0) + time.thread_time() - start
    return measured


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "mini")
