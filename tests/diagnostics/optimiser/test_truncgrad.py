"""The method's options must do what they are told in the phases they belong to, and nothing where they are off."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from diagnostics.optimiser import phases
from diagnostics.optimiser.optimiser import Optimiser
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.strategies import Growth
from diagnostics.optimiser.truncgrad import TruncGrad
from render.raster.parameters import GROUPS
from render.raster.truncated import CODE_CONTOUR, PAPER_CONTOUR
from tests.diagnostics.optimiser.made_up import quick, tiny_scene


def of_30k(options: TruncGrad) -> OptimiserSettings:
    return phases.in_truncgrad(OptimiserSettings(), options)


def trained(settings: OptimiserSettings) -> bytes:
    optimiser = Optimiser(tiny_scene(), settings)
    optimiser.run()
    return b"".join(getattr(optimiser.parameters, name).tobytes() for name in GROUPS)


def test_phases_of_the_code() -> None:
    """Growth until 3,150, then 5,000 of surrogates and 3,150 of growth in turn, from 25,000 surrogates only."""
    settings = of_30k(TruncGrad.of_code(quiet_after_reset=0))
    pulling = [phases.pulls(iteration, settings) for iteration in range(1, 30_001)]
    turns = [k + 1 for k in range(1, len(pulling)) if pulling[k] != pulling[k - 1]]
    assert turns == [3_150, 8_150, 11_300, 16_300, 19_450, 24_450, 25_000]
    assert pulling[-1]
    assert not pulling[0]


def test_prunes_of_the_code_are_the_last_five_densifications() -> None:
    settings = of_30k(TruncGrad.of_code())
    events = {iteration: phases.growth_at(iteration, settings) for iteration in range(1, 30_001)}
    assert [at for at, growth in events.items() if growth and growth.prunes] == [24_500, 24_600, 24_700, 24_800, 24_900]
    splits = [at for at, growth in events.items() if growth == Growth(clones=False, prunes=False)]
    assert splits[:2] == [3_200, 3_400]
    assert splits[-1] == 26_800


def test_resets_keep_the_surrogate_quiet() -> None:
    """All that a reset reached count as dead: 6,000 lies in a phase of surrogates."""
    settings = of_30k(TruncGrad.of_code())
    there = [at for at in range(5_900, 6_200) if phases.truncation_at(at, settings, (1430, 900)) is not None]
    assert there == [*range(5_900, 6_001), *range(6_101, 6_200)]


def test_pull_falls_in_thirds_and_padding_follows_the_picture() -> None:
    settings = of_30k(TruncGrad.of_code())
    falls = [phases.truncation_at(at, settings, (1430, 900)) for at in (8_000, 15_000, 29_000)]
    assert [truncation and truncation.fall for truncation in falls] == pytest.approx([3e-7, 2e-7, 1e-7])
    large, small = (phases.truncation(TruncGrad(), size) for size in ((1430, 900), (143, 90)))
    assert (large.padding_px, large.padded_below_px, large.dead_opacity) == (96, 32, 0.01)
    assert (small.padding_px, small.padded_below_px) == pytest.approx((9.6, phases.LEAST_LIMIT_PX))
    raw = phases.truncation(TruncGrad(of_picture_px=0.0), (143, 90))
    assert (raw.padding_px, raw.padded_below_px) == (96, 32)


@pytest.mark.parametrize(("change", "field", "value"), [
    ({"padding": False}, "padding_px", 0.0), ({"dead_filter": False}, "dead_opacity", 1.0),
    ({"sign_filter": False}, "by_sign", False), ({"tail": False}, "by_centre", False),
    ({"opacity_gradients": False}, "by_opacity", False),
    ({"colour_gradients": False}, "by_colour", False),
])
def test_each_switch_takes_its_part_out(change: dict[str, Any], field: str, value: object) -> None:
    with_it, without = (phases.truncation(TruncGrad(**options), (64, 48)) for options in ({}, change))
    assert getattr(with_it, field) != value
    assert replace(without, **{field: getattr(with_it, field)}).by_centre == with_it.by_centre
    assert getattr(without, field) == value


def test_paper_and_code_differ_where_they_do() -> None:
    paper, code = TruncGrad.of_paper(), TruncGrad.of_code()
    assert (paper.dead_opacity, paper.contour, paper.pulls) == (0.005, PAPER_CONTOUR, (1.0,))
    assert (code.dead_opacity, code.contour, code.pulls) == (0.01, CODE_CONTOUR, (3.0, 2.0, 1.0))
    assert paper.without_surrogate() == replace(paper, tail=False)


def test_every_switch_off_is_the_plain_training() -> None:
    """To the last bit: the method may not change what it is not asked to change."""
    assert trained(quick(truncgrad=TruncGrad.off())) == trained(quick())


def test_the_method_trains_and_is_another_training() -> None:
    """Every part at once, on a training with resets, in phases of both kinds."""
    settings = phases.in_truncgrad(quick(densification_interval=5), TruncGrad.of_code())
    with_it = trained(settings)
    assert with_it != trained(replace(settings, truncgrad=TruncGrad.of_code().without_surrogate()))
    assert with_it != trained(replace(settings, truncgrad=TruncGrad.of_code(colour_gradients=False)))
    assert np.isfinite(np.frombuffer(with_it, np.float32)).all()
    assert with_it == trained(settings)


def test_another_renderer_is_refused() -> None:
    class Elsewhere:
        rgb = np.zeros((20, 24, 3), np.float32)

        def backward(self, gradient: Any) -> Any:
            return gradient

    settings = quick(truncgrad=TruncGrad(interleaved=False))
    with pytest.raises(ValueError, match="on the CPU only"):
        Optimiser(tiny_scene(), settings, engine=lambda *_, **__: Elsewhere()).step()  # type: ignore[arg-type, return-value]


def test_recorded_only_where_it_is_used() -> None:
    assert not any(name.startswith("truncgrad") for name in OptimiserSettings().as_mapping())
    told = OptimiserSettings(truncgrad=TruncGrad(slope=2e-7)).as_mapping()
    assert told["truncgrad_slope"] == 2e-7
    assert "truncgrad" not in told


@pytest.mark.parametrize(("change", "says"), [
    ({"slope": -1.0}, "slope is -1.0"), ({"dead_opacity": 1.0}, "dead_opacity is 1.0"), ({"pulls": ()}, "at least one number"),
    ({"switches": (5, 4)}, "switches rise"), ({"contour": float("nan")}, "contour is nan"),
])
def test_refuses_nonsense(change: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        TruncGrad(**change)
    with pytest.raises(ValueError, match="default strategy"):
        OptimiserSettings(strategy="mcmc", cap_max=9, truncgrad=TruncGrad())
