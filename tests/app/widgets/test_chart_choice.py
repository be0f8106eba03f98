"""Which curves a user sees first, and what is said where there are none."""

import numpy as np

from app.widgets.chart import value_text
from app.widgets.chart_choice import charts, choosable, default_choice
from runs.series import Series


def series(*names: str) -> dict[str, Series]:
    return {name: Series(name, np.array([1, 10]), np.array([0.5, 2.0]), "dB" if "psnr" in name else "", "log") for name in names}


def test_defaults_take_the_best_series_that_is_there():
    """One loss, the measured qualities and the count: more would be noise, less would miss the point."""
    held = series("loss/l1", "loss/total", "loss/ssim", "test/psnr", "train/psnr", "num_gaussians", "lr/xyz")
    assert default_choice(held) == ("loss/total", "test/psnr", "train/psnr", "num_gaussians")
    assert default_choice(series("loss/l1", "view/psnr")) == ("loss/l1", "view/psnr")


def test_a_missing_default_keeps_its_chart():
    """An empty chart that says "not available" tells the user what the run lacks; a missing one tells nothing."""
    held = series("loss/l1")
    specs = charts(held, default_choice(held))
    shown = [(spec.title, [s.name for s in spec.series]) for spec in specs]
    assert shown == [("Loss", ["loss/l1"]), ("PSNR", []), ("Gaussians", [])]


def test_a_chart_that_the_user_emptied_goes():
    """Unticking a series is a choice, not a lack of the run."""
    assert [spec.title for spec in charts(series("loss/l1", "test/psnr", "num_gaussians"), ["loss/l1"])] == ["Loss"]


def test_series_of_one_kind_share_a_chart_and_its_unit():
    """Train and test PSNR can only be compared on one axis."""
    held = series("test/psnr", "train/psnr", "view/psnr", "lr/xyz")
    by_title = {spec.title: spec for spec in charts(held, held)}
    assert {s.name for s in by_title["PSNR"].series} == {"test/psnr", "train/psnr", "view/psnr"}
    assert by_title["PSNR"].unit == "dB"


def test_categories_and_marks_are_no_curves():
    """Indices of image names as a curve would be nonsense."""
    held = series("loss/l1", "opacity_reset") | {
        "train/view": Series("train/view", np.array([1]), np.array([0.0]), "", "log", labels=("a.png",))}
    assert choosable(held) == ("loss/l1",)


def test_the_readout_never_invents_a_value():
    """Between two logged points the last one is shown with its own iteration; before the first there is none."""
    iterations, values = np.array([100, 200]), np.array([1.5, np.nan])
    assert value_text(iterations, values, 100, "dB").replace("\xa0", " ") == "1.5 dB"
    assert value_text(iterations, values, 150, "").endswith("1.5 (at 100)")
    assert value_text(iterations, values, 99, "dB") == "not available"
    assert value_text(iterations, values, 200, "dB") == "NaN"
