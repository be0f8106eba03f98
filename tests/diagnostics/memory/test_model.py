"""The memory model against every published measurement: a wrong constant would send users to buy the wrong GPU."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.memory.fits import GIB, GSPLAT, INRIA, measured_for
from diagnostics.memory.model import MOMENTS, Photos, Setup, bytes_per_gaussian, fixed_bytes, parameter_bytes, totals, usage

TOLERANCE = 0.10  # asked for; the worst cell is 3 % off

# gsplat's evaluation, seven public Mip-NeRF 360 scenes, TITAN RTX (docs/source/tests/eval.rst): millions of Gaussians at 7,000
# and 30,000 iterations of INRIA's trainer and of gsplat, then the peak of allocated GiB of each.
SCENES = {  # name: (photos, width, height)
    "bicycle": (194, 1237, 822), "bonsai": (292, 1559, 1039), "counter": (240, 1558, 1038), "garden": (185, 1297, 840),
    "kitchen": (279, 1558, 1039), "room": (311, 1557, 1038), "stump": (125, 1245, 825),
}
COUNTS = {
    ("inria", 7): (3.57, 1.16, 1.01, 4.33, 1.63, 1.11, 3.75), ("inria", 30): (6.06, 1.24, 1.19, 5.71, 1.78, 1.55, 4.82),
    ("gsplat", 7): (3.62, 1.17, 1.02, 4.48, 1.63, 1.11, 3.71), ("gsplat", 30): (6.26, 1.25, 1.21, 5.84, 1.79, 1.59, 4.81),
}
MEASURED = {
    ("inria", 7): (7.86, 7.61, 6.47, 8.99, 8.08, 7.88, 7.23), ("inria", 30): (11.56, 7.70, 6.73, 11.04, 8.33, 8.50, 8.82),
    ("gsplat", 7): (6.10, 2.20, 1.93, 7.57, 2.89, 2.04, 6.25), ("gsplat", 30): (10.58, 2.29, 2.23, 9.88, 3.17, 2.79, 8.10),
}
CELLS = [(trainer, scene, n, gib) for (trainer, thousands), counts in COUNTS.items()
         for scene, n, gib in zip(SCENES, counts, MEASURED[trainer, thousands], strict=True)]

# Means of the seven scenes on an A100, from the same page: millions, GiB.
VARIANTS = [
    ("default", False, 3.24, 5.62), ("absolute gradients", False, 2.47, 4.40), ("antialiased", False, 3.38, 5.87),
    ("MCMC 1 million", True, 1.0, 1.98), ("MCMC 2 million", True, 2.0, 3.43), ("MCMC 3 million", True, 3.0, 4.99),
]


def setup(trainer: str, scene: str = "bicycle", *, mcmc: bool = False, degree: int = 3) -> Setup:
    """As that trainer ran on that scene: INRIA's kept twelve bytes per pixel of all photos, gsplat's none."""
    photos, width, height = SCENES[scene]
    kept = 12 if trainer == "inria" else 0
    return Setup(measured_for(trainer, mcmc=mcmc), degree, "adam", Photos(photos, photos * width * height, kept), width * height)


@pytest.mark.parametrize(("trainer", "scene", "millions", "measured"), CELLS)
def test_every_published_cell_is_met(trainer: str, scene: str, millions: float, measured: float) -> None:
    """28 cells. The counts are published to 10,000 Gaussians, which alone is worth up to 1 %."""
    assert len(CELLS) == 28
    told = usage(setup(trainer, scene), round(millions * 1e6)).gib
    assert told == pytest.approx(measured, rel=TOLERANCE)
    assert told == pytest.approx(measured, rel=0.035)  # what the model reaches today


@pytest.mark.parametrize(("name", "mcmc", "millions", "measured"), VARIANTS)
def test_other_strategies_on_another_gpu(name: str, mcmc: bool, millions: float, measured: float) -> None:
    """The default's line was fitted on a TITAN RTX and holds on an A100; MCMC has a line of its own."""
    assert usage(setup("gsplat", mcmc=mcmc), round(millions * 1e6)).gib == pytest.approx(measured, rel=0.05), name


def test_what_the_model_does_not_meet() -> None:
    """Told, so that nobody trusts it there: a training shared by four GPUs (2.0 GiB each for a quarter of 3.24 million)."""
    told = usage(setup("gsplat"), 810_000).gib
    assert told / 2.0 - 1 == pytest.approx(-0.23, abs=0.02)


def test_bytes_of_the_code() -> None:
    """236, 152, 92 and 56 bytes of parameters; four times that with gradients and Adam. The seed had 35 floats at degree 1."""
    assert [parameter_bytes(degree) for degree in (3, 2, 1, 0)] == [236, 152, 92, 56]
    assert fixed_bytes(3) == 944
    assert fixed_bytes(3, "sgd") == 472
    assert fixed_bytes(3) - fixed_bytes(3, "sgd") == 472  # Adam's two moments
    assert set(MOMENTS.values()) == {0, 2}


def test_slopes_of_the_fits() -> None:
    """1,520 bytes per Gaussian for INRIA and 1,776 for gsplat, whole and as the sum of the parts."""
    for fit, slope in ((INRIA, 1520), (GSPLAT, 1776)):
        assert fit.per_gaussian == pytest.approx(slope, abs=1)
    grown = usage(setup("inria"), 2_000_000).total - usage(setup("inria"), 1_000_000).total
    assert grown / 1e6 == pytest.approx(bytes_per_gaussian(setup("inria")))
    assert bytes_per_gaussian(setup("inria")) == pytest.approx(INRIA.per_gaussian)


def test_fewer_colours_take_about_as_much_less_as_the_list_says() -> None:
    """Derived: 1,072, 712 and 496 of 1,576 bytes at degrees 2, 1 and 0. The model may differ from that by 5 %, and says so."""
    whole = bytes_per_gaussian(setup("inria"))
    for degree, listed in ((2, 1072), (1, 712), (0, 496)):
        assert bytes_per_gaussian(setup("inria", degree=degree)) / whole == pytest.approx(listed / 1576, abs=0.02)
    assert any("derived" in doubt for doubt in usage(setup("inria", degree=1), 2_000_000).doubts)


@pytest.mark.parametrize(("count", "told"), [(300_000, True), (2_000_000, False), (10_000_000, True)])
def test_outside_of_what_was_measured_it_says_so(count: int, told: bool) -> None:
    """10 million on the line is 16.7 GiB, and nobody measured it."""
    assert any(doubt.startswith("extrapolated") for doubt in usage(setup("gsplat"), count).doubts) is told
    assert usage(setup("gsplat"), 10_000_000).gib == pytest.approx(16.7, abs=0.1)


def test_an_unmeasured_trainer_gets_a_floor_only() -> None:
    """Brush was never measured here: 944 bytes per Gaussian are certain, and the rest is not made up."""
    told = usage(setup("brush"), 1_000_000)
    assert not told.complete
    assert told.total == pytest.approx(944e6)
    assert "at least" in told.doubts[0]


def test_ordinary_tile_pairs_do_not_count_twice() -> None:
    """The measured line holds them; only a list that outgrows its share raises the total."""
    usual = replace(setup("inria"), pairs=10e6)
    covering = replace(setup("inria"), pairs=500e6)
    assert usage(usual, 1_000_000).total == usage(setup("inria"), 1_000_000).total
    assert usage(covering, 1_000_000).total - usage(usual, 1_000_000).total == pytest.approx(500e6 * 24 - 564.4e6, rel=0.01)


def test_many_counts_at_once_are_as_one_by_one() -> None:
    """Forecasts ask for tens of thousands of counts."""
    counts = np.array([0.0, 1e5, 1e6, 6e6])
    for pairs in (None, 500e6):
        one = replace(setup("inria"), pairs=pairs)
        assert totals(one, counts) == pytest.approx([usage(one, int(count)).total for count in counts])


def test_larger_views_take_more() -> None:
    """16 bytes per pixel of the view that is drawn."""
    small, large = (usage(replace(setup("gsplat"), view_pixels=pixels), 1_000_000).total for pixels in (1_000_000, 5_000_000))
    assert large - small == 16 * 4_000_000
    assert usage(setup("gsplat"), 0).total / GIB == pytest.approx(0.202, abs=0.01)
