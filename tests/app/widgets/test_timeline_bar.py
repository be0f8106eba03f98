"""The timeline maps pixels to iterations and back; an error of one pixel must not become another checkpoint."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.panels.timeline import marks
from app.widgets.iteration_axis import IterationAxis, extent
from app.widgets.timeline_bar import Band, Mark, Scene, TimelineBar
from tests.support.runs import cloud, made_run
from tests.support.training import healthy_run


@given(st.integers(1, 100_000), st.floats(50, 4000), st.floats(0, 1))
def test_a_pixel_names_the_iteration_drawn_there(last, width, share):
    """Pressing on a tick must mean that tick: there and back is exact to the iteration."""
    axis = IterationAxis(0, last, 14, 14 + width)
    iteration = round(share * last)
    assert axis.iteration(axis.x(iteration)) == iteration
    assert axis.iteration(-1e6) == 0
    assert axis.iteration(1e6) == last


@given(st.integers(1, 10_000_000), st.floats(172, 4000))
def test_tick_labels_do_not_touch(last, width):
    """Labels that overlap cannot be read at any length of run."""
    axis = IterationAxis(0, last, 0, width)
    ticks = axis.ticks(80)
    assert ticks[0] == 0
    gaps = [axis.x(b) - axis.x(a) for a, b in itertools.pairwise(ticks)]
    assert all(gap >= 80 * 0.99 for gap in gaps)


def test_the_axis_reaches_the_last_thing_known():
    """A run that logged beyond its last save must not end at the save."""
    assert extent(made_run(series={"loss/l1": {1: 1.0, 5000: 0.5}}, checkpoints={1000: cloud()})) == (0, 5000)
    assert extent(made_run()) == (0, 1)


def test_marks_tell_resets_states_and_the_end_of_densification():
    """These three explain most jumps in the curves."""
    run = healthy_run()
    kinds = {mark.kind for mark in marks(run)}
    assert kinds == {"reset", "state", "densify end"}
    resets = run.series["opacity_reset"]
    assert [m.iteration for m in marks(run) if m.kind == "reset"] == list(resets.iterations[resets.values > 0])


def test_an_assumed_end_of_densification_says_so():
    """A default that the trainer does not store may not look like a fact of the run."""
    run = made_run(checkpoints={30_000: cloud()}, defaults={"densify_until_iter": 15_000})
    (mark,) = marks(run)
    assert "not stored" in mark.says


@pytest.fixture
def bar(qtbot):
    bar = TimelineBar()
    qtbot.addWidget(bar)
    bar.resize(1028, bar.sizeHint().height())
    return bar


def test_the_tip_names_everything_under_the_mouse(bar):
    """Ticks, marks and findings lie over each other; none may be hidden by another."""
    reset, fog = Mark(502, "reset", "Opacity reset at 502"), Band(400, 600, "#f00", "Major: fog")
    bar.show_scene(Scene((0, 1000), (500,), (reset,), (fog,), 500))
    assert bar.describe(bar.axis.x(501)).splitlines() == ["Saved iteration 500", "Opacity reset at 502", "Major: fog"]
    assert bar.describe(bar.axis.x(900)) == ""


def test_every_part_is_painted(bar):
    """Each mark must be seen: taking any of them away changes the picture."""
    happened = Mark(300, "reset", ""), Mark(800, "densify end", ""), Mark(900, "state", "")
    full = {"extent": (0, 1000), "saved": (200, 500), "marks": happened, "bands": (Band(100, 400, "#ff0000", ""),),
            "here": 500, "span": (150, 700)}
    bar.show_scene(Scene(**full))
    whole = bar.grab().toImage()
    for part, less in (("saved", (500,)), ("bands", ()), ("span", None), ("here", 200), *(
            ("marks", happened[:i] + happened[i + 1:]) for i in range(3))):
        bar.show_scene(Scene(**full | {part: less}))
        assert bar.grab().toImage() != whole, part
