"""Every panel shows the session's one state, so a wrong emission is a wrong window."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.session import Session, Shown, State, nearest
from diagnostics.catalogue import Pattern
from diagnostics.diagnosis import Reported
from diagnostics.verdict import Finding, GaussianPlace
from render.splats import prepare
from runs.checkpoints import Checkpoint
from runs.gaussians import Gaussians
from runs.notes import NoteBook
from runs.run import UNKNOWN_TRAINER, Run, Sources
from runs.settings import Settings


def gaussians(count: int = 8) -> Gaussians:
    return Gaussians.from_arrays(
        means=np.arange(count * 3).reshape(count, 3), log_scales=np.full((count, 3), -2.0),
        quats_wxyz=np.tile([1.0, 0, 0, 0], (count, 1)), logit_opacities=np.zeros(count), sh0=np.zeros((count, 3)),
    )


def a_run(*iterations: int) -> Run:
    sources = Sources(tuple, Settings, dict, tuple, lambda: None, lambda: None, dict, dict)
    saved = tuple(Checkpoint(i, Path(f"{i}.ply"), 8, 0, 0, gaussians) for i in iterations)
    return Run(Path("a run"), UNKNOWN_TRAINER, saved, (), None, sources, NoteBook())


def reported(finding: Finding, iterations: tuple[int, int] = (200, 300)) -> Reported:
    pattern = Pattern("fog", "X-1", "Fog", "major", "training", "", "", {}, (), (), colour_by="opacity")
    return Reported(pattern, finding, "major", "", (), iterations, ())


@pytest.fixture
def session() -> Session:
    session = Session()
    session.open(a_run(100, 200, 300))
    return session


@pytest.fixture
def emissions(session: Session) -> list[tuple[State, State]]:
    heard: list[tuple[State, State]] = []
    session.changed.connect(lambda new, old: heard.append((new, old)))
    return heard


def test_several_changes_are_one_emission(session, emissions):
    """Two emissions would let a panel draw a state that never existed."""
    session.update(iteration=100, camera="a.png")
    assert [(new.iteration, new.camera, old.iteration, old.camera) for new, old in emissions] == [(100, "a.png", 300, None)]


def test_nothing_changed_is_silent(session, emissions):
    """A silent no-op is what keeps two panels from answering each other for ever."""
    session.update(iteration=300, span=None, camera=None)
    session.go_to(300)
    session.choose_span(None, None)
    assert emissions == []


def test_watch_shows_now_and_on_its_own_fields_only(session):
    """A panel that redraws on every change would make scrubbing slow."""
    shown: list[int] = []
    session.watch(lambda state: shown.append(state.iteration), "iteration")
    session.update(camera="a.png")
    session.go_to(100)
    assert shown == [300, 100]
    with pytest.raises(TypeError, match="no field colour"):
        session.watch(print, "colour")


def test_an_update_inside_a_slot_reaches_every_watcher(session):
    """A slot that updates the session must not hide the first change from watchers behind it."""
    cameras: list[str | None] = []
    session.watch(lambda state: session.update(colour_by="depth") if state.camera else None, "camera")
    session.watch(lambda state: cameras.append(state.camera), "camera")
    session.look_through("a.png")
    assert cameras == [None, "a.png"]


def test_go_to_lands_on_a_saved_iteration(session):
    """Only saved iterations can be shown; the plots and the viewport would disagree anywhere else."""
    session.go_to(140)
    assert session.state.iteration == 100
    session.step(5)
    assert session.state.iteration == 300
    assert nearest((100, 200), 150) == 200
    assert nearest((), 150) == 150


def test_visit_is_one_change_of_place(session, emissions):
    """The jump to a finding is the product's main gesture: everything arrives together."""
    place = GaussianPlace(np.array([2, 5]), 200, 8)
    session.visit(reported(Finding("fog", (), gaussians=place, cameras=("b.png", "c.png"))))
    assert len(emissions) == 1
    state = session.state
    assert (state.iteration, state.camera, state.colour_by) == (200, "b.png", "opacity")
    assert state.selected is not None
    assert state.selected.rows.tolist() == [2, 5]
    assert state.selected.iteration == 200


@pytest.mark.parametrize(("where", "lands"), [((150, 250), 200), (None, 300), ((210, 220), 200)])
def test_visit_without_gaussians_goes_to_the_onset(session, where, lands):
    """A finding about a curve is seen best where it begins; one about the whole range at its end."""
    session.visit(reported(Finding("spike", (), iterations=where), where or (100, 300)))
    assert session.state.iteration == lands


def test_a_finding_that_is_visited_again_is_left(session):
    """A tint that cannot be switched off hides every other colour for the rest of the session."""
    fog = reported(Finding("fog", (), gaussians=GaussianPlace(np.array([2, 5]), 200, 8)))
    session.visit_or_leave(fog)
    session.go_to(300)
    session.visit_or_leave(fog)  # looked elsewhere meanwhile: back to it
    assert (session.state.finding, session.state.iteration) == (fog, 200)
    session.visit_or_leave(fog)
    assert (session.state.finding, session.state.selected, session.state.iteration) == (None, None, 200)
    assert session.state.pattern is fog.pattern
    session.back()
    assert session.state.finding is fog


def test_leaving_a_finding_keeps_what_was_picked_by_hand(session):
    """The Gaussian that the user clicked is theirs, not the finding's."""
    session.visit(reported(Finding("fog", (), gaussians=GaussianPlace(np.array([2, 5]), 300, 8))))
    session.update(shown=Shown(session.state.run.checkpoints[-1], gaussians(), prepare(gaussians())))
    session.select([7])
    session.leave()
    assert session.state.selected.rows.tolist() == [7]


def test_a_selection_does_not_outlive_its_iteration(session):
    """Row 5 of another checkpoint is another Gaussian: showing it would be an invented fact."""
    run = session.state.run
    assert run is not None
    session.update(shown=Shown(run.checkpoints[-1], gaussians(), prepare(gaussians())))
    session.select([5])
    assert session.state.selected is not None
    assert session.state.selected.iteration == 300
    session.go_to(100)
    assert session.state.selected is None


def test_back_undoes_jumps_and_counts_a_drag_once(session):
    """A wrong click on a finding must be cheap."""
    session.choose_span(300, 100)
    session.go_to(200)
    session.go_to(100)
    session.back()
    assert (session.state.iteration, session.state.span) == (300, (100, 300))
    session.back()
    assert session.state.span is None
    session.forward()
    session.forward()
    assert (session.state.iteration, session.state.span) == (100, (100, 300))


@pytest.mark.parametrize(("asked", "shown"), [(None, 300), (100, 100), (160, 200)])
def test_a_run_that_was_named_by_one_of_its_files_opens_there(asked: int | None, shown: int) -> None:
    """Whoever opened the save of iteration 100 wants to see that one; a state between two saves shows the nearest."""
    session = Session()
    session.open(replace(a_run(100, 200, 300), asked=asked))
    assert session.state.iteration == shown


def test_another_run_starts_clean(session):
    """A finding of the last run shown over the next one would accuse the wrong training."""
    session.visit(reported(Finding("fog", (), cameras=("b.png",))))
    session.open(a_run(10, 20))
    blank = State()
    assert session.state.iteration == 20
    assert (session.state.finding, session.state.camera, session.state.colour_by) == (None, None, blank.colour_by)
    session.back()
    assert session.state.iteration == 20


def test_progress_comes_and_goes(session):
    """A progress bar that stays after the work ended would be a lie."""
    session.report("diagnose", 0.5, "half")
    assert session.state.busy == {"diagnose": (0.5, "half")}
    session.done("diagnose")
    assert not session.state.busy


def test_only_the_gui_thread_may_change_the_session(session):
    """A change from a worker would draw widgets from the wrong thread and crash."""
    with ThreadPoolExecutor(1) as pool, pytest.raises(RuntimeError, match="GUI thread"):
        pool.submit(session.update, iteration=1).result()


@pytest.mark.parametrize(("here", "saved", "there"), [
    (300, (100, 200, 300, 400), 400), (200, (100, 200, 300, 400), 200), (200, (100, 300, 400), 300), (100, (), 100),
])
def test_a_renewed_run_keeps_the_place_that_is_left(session: Session, here: int, saved: tuple[int, ...], there: int) -> None:
    """A training goes on: the newest save moves, and some trainers delete old ones under the user's eyes."""
    session.go_to(here)
    session.renew(a_run(*saved))
    assert session.state.iteration == there
