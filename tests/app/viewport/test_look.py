"""The viewport as an eye sees it: the true picture, colours with their legend, tints, and a sentence where there is nothing."""

from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.panels.viewport import ViewportPanel
from app.session import Selection, Session
from app.widgets.legend import heading
from app.widgets.viewport_looks import CHOICES, TINT_RGB
from diagnostics.catalogue import Pattern
from diagnostics.diagnosis import Reported
from diagnostics.verdict import Finding, GaussianPlace
from render.raster.compare import psnr
from runs.arrays import U8
from tests.app.viewport.hand import LEFT, NO_KEY, SOFTWARE, lit_pixel, made_up_run, picture, settle, show
from tests.support.runs import changed, cloud, made_run


def test_the_screen_shows_what_the_rasteriser_measures(panel: ViewportPanel, qtbot: QtBot) -> None:
    """Both back-ends, on the real screen: the picture of the run, not a black or a stale one."""
    shown = picture(qtbot, panel)
    wanted = panel.snapshot(shown.shape[1], shown.shape[0])
    assert wanted.std() > 20
    assert psnr(shown / 255, wanted / 255) > 40


@pytest.mark.parametrize("name", [name for name in CHOICES if name not in ("rgb", "floater_score", "ghost_score")])
def test_every_number_has_a_legend_with_its_range(soft: ViewportPanel, qtbot: QtBot, name: str) -> None:
    """A colour without a legend is decoration."""
    plain = picture(qtbot, soft)
    soft.session.update(colour_by=name)
    assert (picture(qtbot, soft) != plain).any()
    text = soft.stage.legend.shows
    assert text is not None
    assert text.title == CHOICES[name]
    assert text.scale.low < text.scale.high
    assert soft.stage.legend.isVisible()
    assert soft.stage.legend.width() >= soft.stage.legend.fontMetrics().horizontalAdvance(heading(text))  # nothing is cut off
    soft.session.update(colour_by="rgb")
    settle(qtbot, soft)
    assert not soft.stage.legend.isVisible()


def test_depth_says_its_unit_and_scores_say_when_they_are_missing(soft: ViewportPanel, qtbot: QtBot) -> None:
    """Nothing is coloured by a number that does not exist."""
    soft.session.update(colour_by="depth")
    settle(qtbot, soft)
    assert soft.stage.legend.shows.unit == "world units"  # type: ignore[union-attr]
    plain = soft.snapshot(200, 150)
    soft.session.update(colour_by="floater_score")
    settle(qtbot, soft)
    assert "not available" in soft.stage.pointer.overlay.note
    soft.session.report("score", -1.0, "Computing the floater score")
    settle(qtbot, soft)
    assert soft.stage.pointer.overlay.note == "Floater score: computing…"
    soft.session.done("score")
    assert soft.stage.legend.shows is None
    scores = np.linspace(0, 1, 400, dtype=np.float32)
    scores[:30] = np.nan
    soft.session.update(scores={"floater_score": scores})
    settle(qtbot, soft)
    assert soft.stage.legend.shows.missing  # type: ignore[union-attr]
    assert "not available" not in soft.stage.pointer.overlay.note
    assert (soft.snapshot(200, 150) != plain).any()


def test_the_gaussians_of_a_finding_are_tinted_at_their_iteration_only(panel: ViewportPanel, qtbot: QtBot) -> None:
    """Rows of another iteration are other Gaussians."""
    reddish = np.array(TINT_RGB)
    before = picture(qtbot, panel)
    panel.session.update(finding=reported(np.arange(0, 400, 2), 200))
    tinted = picture(qtbot, panel)
    assert closeness(tinted, reddish) > closeness(before, reddish) + 0.05
    panel.session.update(finding=reported(np.arange(0, 300, 2), 100))
    np.testing.assert_array_equal(picture(qtbot, panel), before)


def test_what_a_finding_does_to_the_colours_is_said(soft: ViewportPanel, qtbot: QtBot) -> None:
    """Grey Gaussians and red dots that nobody explains look like a broken renderer."""
    soft.session.update(finding=reported(np.arange(0, 400, 2), 200))
    settle(qtbot, soft)
    assert soft.stage.pointer.overlay.note == "Red dots: Gaussians of Too many; the others are grey"
    soft.session.update(colour_by="depth")
    settle(qtbot, soft)
    assert soft.stage.pointer.overlay.note == "Red dots: Gaussians of Too many"
    soft.session.update(finding=reported(np.arange(0, 300, 2), 100))
    settle(qtbot, soft)
    assert soft.stage.pointer.overlay.note == ""


def reported(rows: np.ndarray, iteration: int) -> Reported:
    """A finding of which only the place matters here."""
    finding = Finding("many", (), gaussians=GaussianPlace(rows.astype(np.int64), iteration, 400))
    pattern = Pattern("many", "X-1", "Too many", "major", "training", "", "", {}, (), ())
    return Reported(pattern, finding, "major", "", (), (100, 200), ())


def closeness(pixels: U8, colour: np.ndarray) -> float:
    """Share of pixels whose hue is that of `colour`."""
    lit = pixels.astype(float)[pixels.max(axis=-1) > 40]
    return float((np.abs(lit / lit.max(axis=-1, keepdims=True) - colour).max(axis=-1) < 0.2).mean())


def test_large_selections_are_tinted_and_small_ones_marked(soft: ViewportPanel, qtbot: QtBot) -> None:
    """Twenty rings still tell something, two thousand hide the picture."""
    soft.session.update(selected=Selection(200, np.arange(5)))
    settle(qtbot, soft)
    assert len(soft.stage.pointer.overlay.marks) == 5  # type: ignore[arg-type]
    plain = soft.snapshot(100, 80)
    soft.session.update(selected=Selection(200, np.arange(200)))
    settle(qtbot, soft)
    assert soft.stage.pointer.overlay.marks is None
    assert (soft.snapshot(100, 80) != plain).any()


def test_points_and_white_background(panel: ViewportPanel, qtbot: QtBot) -> None:
    """Dots leave most of the background free."""
    panel.toolbar.points.setChecked(True)
    dots = picture(qtbot, panel)
    assert 0.001 < (dots.max(axis=-1) > 12).mean() < 0.3
    panel.toolbar.white.setChecked(True)
    assert (picture(qtbot, panel) == 255).all(axis=-1).mean() > 0.6


def test_hidden_rows_are_told(soft: ViewportPanel, qtbot: QtBot) -> None:
    """Rows that no renderer may see must not vanish silently."""
    broken = cloud(400, opacity=0.8)
    means = broken.means.copy()
    means[:7] = np.nan
    soft.session.open(made_up_run(changed(broken, means=means)))
    show(soft.session)
    settle(qtbot, soft)
    assert soft.hidden_label.isVisible()
    assert "7 with NaN" in soft.hidden_label.text()
    qtbot.mouseClick(soft.stage.pointer, LEFT, NO_KEY, lit_pixel(soft))
    settle(qtbot, soft)
    assert soft.session.state.selected.rows[0] >= 7  # type: ignore[union-attr]


def test_without_anything_to_draw_it_says_why(soft: ViewportPanel, qtbot: QtBot) -> None:
    """An empty black field leaves the user guessing."""
    soft.session.update(run=None, shown=None)
    settle(qtbot, soft)
    assert "Open a training run" in soft.stage.pointer.overlay.message
    soft.session.open(made_run())
    assert "no saved Gaussians" in soft.stage.pointer.overlay.message
    soft.session.open(made_up_run())
    assert "Reading iteration 200" in soft.stage.pointer.overlay.message
    nothing = changed(cloud(20), means=np.full((20, 3), np.nan))
    soft.session.open(made_run(checkpoints={5: nothing}))
    show(soft.session)
    settle(qtbot, soft)
    assert "no Gaussian that can be drawn" in soft.stage.pointer.overlay.message
    assert not soft.snapshot(40, 30).any()


def test_a_run_without_cameras_is_framed(qtbot: QtBot) -> None:
    """A bare PLY has nothing to look through and must still fill the window; far strays must not make it a dot."""
    gaussians = cloud(400, opacity=0.9)
    means = gaussians.means.copy()
    means[:20] *= 1e5
    session = Session()
    panel = ViewportPanel(session, choice=SOFTWARE)
    qtbot.addWidget(panel)
    panel.resize(400, 300)
    panel.show()
    session.open(replace(made_run(checkpoints={1: changed(gaussians, means=means)})))
    show(session)
    assert (picture(qtbot, panel).max(axis=-1) > 12).mean() > 0.1
    assert not panel.toolbar.frusta.isEnabled()
    panel.close()
