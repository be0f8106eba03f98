"""Viewport panel: the Gaussians of the shown iteration, to fly through, colour and pick from."""

from collections.abc import Callable

import numpy as np
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app import wording
from app.lanes import Latest
from app.loading import moment_of
from app.session import SCORE_JOB, Session, Shown, State
from app.widgets import viewport_looks as looks
from app.widgets.moment_bar import MomentBar
from app.widgets.viewport_overlays import dots_of, frusta_of, marks_of, photo_frame
from app.widgets.viewport_pointer import Overlay
from app.widgets.viewport_stage import Stage
from app.widgets.viewport_surface import Scene
from app.widgets.viewport_toolbar import ViewportToolbar
from render.viewport.backend import ViewRequest
from render.viewport.choose import Choice
from render.viewport.explorer import Explorer, start
from render.viewport.navigation import fit_into
from render.viewport.picking import Contributor, contributors, strongest
from render.viewport.software import picture
from runs.arrays import F64, U8
from runs.cameras import Camera
from runs.run import Run

BLACK, WHITE = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)


class ViewportPanel(QWidget):
    """Left-drag orbits, right- or shift-drag pans, the wheel comes nearer, WASD and QE fly, F frames, a click picks.

    `choice` overrides the back-end that the display would get.
    """

    def __init__(self, session: Session, parent: QWidget | None = None, choice: Choice | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.toolbar = ViewportToolbar()
        self.stage = Stage(choice)
        self.moments = MomentBar()
        self.hidden_label = QLabel(wordWrap=True)
        self._run: Run | None = None
        self._shown: Shown | None = None
        self._cameras: tuple[Camera, ...] | None = None  # None: not read yet
        self._frusta = frusta_of(())
        self._explorer: Explorer | None = None
        self._scalar: looks.Scalar | None = None
        self._scene: Scene | None = None
        self._hovered: int | None = None
        self._closed = False
        self._camera_lane, self._colour_lane, self._pick_lane = (Latest(name, self) for name in ("cameras", "colour", "pick"))
        self._lay_out()
        self._connect()
        session.watch(self.show_run, "run")
        session.watch(self.show_moment, "shown", "time")
        session.watch(self.show_splats, "shown", "colour_by", "scores", "finding", "selected")
        session.watch(self.show_place, "camera", "iteration", "busy")

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.toolbar)
        column.addWidget(self.stage, 1)
        column.addWidget(self.moments)
        self.hidden_label.setContentsMargins(8, 4, 8, 4)
        column.addWidget(self.hidden_label)
        self.toolbar.where.setToolTip(f"Renderer: {self.stage.choice.backend}, because {self.stage.choice.why}")

    def _connect(self) -> None:
        pointer, toolbar = self.stage.pointer, self.toolbar
        pointer.orbited.connect(lambda x, y: self._move(self._free().orbited(x, y) if self._explorer else None))
        pointer.panned.connect(self._pan)
        pointer.dollied.connect(lambda notches: self._move(self._free().dollied(notches) if self._explorer else None))
        pointer.flown.connect(lambda *axes: self._move(self._free().flown(np.array(axes)) if self._explorer else None))
        pointer.framed.connect(self.frame)
        pointer.drag_ended.connect(lambda: self._draw(moving=False))
        pointer.clicked.connect(self._click)
        pointer.double_clicked.connect(self._zoom_to_pixel)
        pointer.hovered.connect(self._hover)
        toolbar.framed.connect(self.frame)
        toolbar.toggled.connect(lambda: self._draw(moving=False))
        toolbar.colour_chosen.connect(lambda name: self.session.update(colour_by=name))
        toolbar.camera_chosen.connect(self.session.look_through)
        self.moments.chosen.connect(self.session.show_moment)
        self.stage.resized.connect(lambda: self._draw(moving=False))

    # States come down.

    def show_run(self, state: State) -> None:
        if state.run is self._run or self._closed:
            return
        same_folder = self._run is not None and state.run is not None and self._run.path == state.run.path
        self._run = run = state.run
        if not same_folder:
            self._explorer = self._cameras = None
            self._frusta = frusta_of(())
            self.toolbar.show_cameras(())
        if run is None:
            self._camera_lane.cancel()
            self._draw(moving=False)
        else:
            self._camera_lane.request(lambda _task: run.cameras, self._show_cameras)

    def _show_cameras(self, cameras: tuple[Camera, ...]) -> None:
        self._cameras = cameras
        self._frusta = frusta_of(cameras)
        self.toolbar.show_cameras([camera.name for camera in cameras])
        self.toolbar.show_camera(self.session.state.camera)
        self._draw(moving=False, scene=True)  # splats that came before the cameras are not on the surface yet

    def show_moment(self, state: State) -> None:
        motion = state.shown.checkpoint.motion if state.shown is not None else None
        asked = None if state.shown is None else moment_of(state.shown.checkpoint, state.time)
        self.moments.show_moment(motion.span if motion else None, asked, state.shown.time if state.shown else None)

    def show_splats(self, state: State) -> None:
        if self._closed:
            return
        fresh = state.shown is not self._shown
        same_rows = self._has_same_rows(state.shown)
        self._shown, colour_by = state.shown, looks.chosen(state)
        self.toolbar.show_choices(looks.unusable(state.shown), trained=not looks.only_points(state.shown))
        self.toolbar.force_points(looks.only_points(state.shown))
        self.toolbar.show_colour(colour_by)
        if fresh or self._scalar is None or self._scalar.name != colour_by or colour_by in looks.SCORES:
            self._compute_scalar(state, keep=same_rows)
        self._set_scene(state)

    def _has_same_rows(self, shown: Shown | None) -> bool:
        """Another moment of the same Gaussians: the colours of the last one serve until its own are there."""
        before = self._shown
        return (shown is not None and before is not None and shown.checkpoint is before.checkpoint
                and np.array_equal(shown.splats.rows, before.splats.rows))

    def show_place(self, state: State) -> None:
        if self._closed:
            return
        self.toolbar.show_camera(state.camera)
        self._draw(moving=False)

    def _compute_scalar(self, state: State, *, keep: bool) -> None:
        shown, name, scores = state.shown, looks.chosen(state), state.scores
        self._scalar = self._scalar if keep and self._scalar is not None and self._scalar.name == name else None
        if shown is None or not looks.is_scalar(name):
            self._colour_lane.cancel()
        else:
            self._colour_lane.request(lambda _task: looks.compute(name, shown, scores), self._show_scalar)

    def _show_scalar(self, scalar: looks.Scalar | None) -> None:
        self._scalar = scalar
        self._set_scene(self.session.state)

    def _set_scene(self, state: State) -> None:
        shown = state.shown
        self.hidden_label.setText(shown.splats.hidden.sentence() if shown else "")
        self.hidden_label.setVisible(bool(self.hidden_label.text()))
        self._scene = None
        if shown is not None:
            self._scene = Scene(shown.splats, looks.marks_for(self._scalar, looks.tint_for(state, shown.splats)))
        self._draw(moving=False, scene=True)

    # Acts go up.

    def frame(self) -> None:
        """The whole scene in the picture."""
        self._move(self._free().framed() if self._explorer else None, moving=False)

    def snapshot(self, width: int, height: int) -> U8:
        """uint8 [H, W, 3]: the picture at another size, drawn on the CPU, without overlays; works without a display."""
        scene, request = self._scene, self._request((width, height))
        if scene is None or request is None:
            return np.zeros((height, width, 3), np.uint8)
        return picture(scene.splats, scene.marks, request)

    def _pan(self, right_px: float, down_px: float) -> None:
        if self._explorer is not None:
            view = self.view()
            scale = self.devicePixelRatioF() * self._free().camera.fx / view.fx if view else 1.0
            self._move(self._free().panned(right_px * scale, down_px * scale))

    def _free(self) -> Explorer:
        """The explorer, standing at the camera that was looked through; callers know that there is one."""
        assert self._explorer is not None
        through = self._through()
        return self._explorer if through is None else self._explorer.at(through)

    def _move(self, explorer: Explorer | None, moving: bool = True) -> None:
        if explorer is None:
            return
        self._explorer = explorer
        if self.session.state.camera is not None:
            self.session.look_through(None)
        self._draw(moving=moving)

    def _click(self, x: float, y: float) -> None:
        self._hover(x, y)
        if self._hovered is not None:
            name, self._hovered = self._frusta.cameras[self._hovered].name, None
            self.session.look_through(name)
            return
        self._pick(x, y, self._select)

    def _pick(self, x: float, y: float, then: Callable[[list[Contributor]], None]) -> None:
        view, scene = self.view(), self._scene
        if view is None or scene is None:
            return
        at = int(x * self.devicePixelRatioF()), int(y * self.devicePixelRatioF())
        self._pick_lane.request(lambda _task: contributors(scene.splats, view, *at), then)

    def _select(self, found: list[Contributor]) -> None:
        best, scene = strongest(found), self._scene
        if best is not None and scene is not None and self._explorer is not None:
            at = int(np.searchsorted(scene.splats.rows, best.row))
            self._explorer = self._free().turning_about(scene.splats.means[at])
        self.session.select([] if best is None else [best.row], found)

    def _zoom_to_pixel(self, x: float, y: float) -> None:
        self._pick(x, y, self._zoom_to)

    def _zoom_to(self, found: list[Contributor]) -> None:
        best, scene = strongest(found), self._scene
        if best is None or scene is None or self._explorer is None:
            return
        row = int(np.searchsorted(scene.splats.rows, best.row))
        size = float(scene.splats.scales[row].max())
        nearest = max(3 * size, 0.05 * self._explorer.sphere.radius)
        self._move(self._free().zoomed_to(scene.splats.means[row][None], nearest), moving=False)

    def _hover(self, x: float, y: float) -> None:
        frusta = self.stage.pointer.overlay.frusta
        found = self._frusta.named_under(frusta, x, y) if frusta else None
        if found != self._hovered:
            self._hovered = found
            self._show_overlay()

    # What is drawn.

    @property
    def busy(self) -> bool:
        """Whether cameras, colours or a pick are still being computed; the picture itself is `stage.surface`'s."""
        return any(lane.busy for lane in (self._camera_lane, self._colour_lane, self._pick_lane))

    def view(self) -> Camera | None:
        """The camera of the picture, at its size in device pixels; None while there is nothing to look at."""
        return self._view(self.stage.size_px)

    def _view(self, size_px: tuple[int, int]) -> Camera | None:
        if self._explorer is None and self._shown is not None and self._cameras is not None:
            self._explorer = start(self._shown.splats.means, self._cameras, size_px)
        standing = self._through() or (self._explorer.camera if self._explorer else None)
        return None if standing is None else fit_into(standing, size_px)

    def _through(self) -> Camera | None:
        """The run's camera that is looked through."""
        name = self.session.state.camera
        return next((camera for camera in self._cameras or () if camera.name == name), None)

    def _request(self, size_px: tuple[int, int]) -> ViewRequest | None:
        view, scene = self._view(size_px), self._scene
        if view is None or scene is None:
            return None
        mode = looks.mode_of(looks.chosen(self.session.state), self._scalar)
        return ViewRequest(
            view, mode=mode, points=self.toolbar.points.isChecked(),
            background=WHITE if self.toolbar.white.isChecked() else BLACK,
            tint_strength=looks.tint_strength(mode, scene.marks),
            field_scale=looks.depth_scale(scene.splats, view) if mode == "depth" else None,
        )

    def _draw(self, moving: bool, scene: bool = False) -> None:
        request = self._request(self.stage.size_px)
        if request is not None:
            self.stage.surface.show_view(request, moving)
        if scene or request is None:
            self.stage.surface.show_scene(self._scene if request else None)
        legend = looks.legend_for(request.mode, self._scalar, request.field_scale) if request else None
        self.stage.show_legend(legend)
        self._show_overlay()

    def _show_overlay(self) -> None:
        view, state = self.view(), self.session.state
        self.toolbar.where.setText(self._where(state))
        if view is None or self._scene is None:
            self.stage.pointer.show_overlay(Overlay(message=self._message(state)))
            return
        scale, through = self.devicePixelRatioF(), self._through()
        frusta: tuple[F64, ...] = self._frusta.pictured(view, scale) if self.toolbar.frusta.isChecked() else ()
        if not frusta:
            self._hovered = None
        self.stage.pointer.show_overlay(Overlay(
            frusta=frusta, test=self._frusta.test, hovered=self._hovered,
            marks=marks_of(state, self._scene.splats, view, scale),
            dots=dots_of(self._scene.marks.tint, self._scene.splats, view, scale),
            photo=photo_frame(through, view, scale) if through else None,
            message="" if len(self._scene.splats) else self._message(state), note=self._note(state),
        ))

    # What is said.

    def _where(self, state: State) -> str:
        if state.shown is None:
            return ""
        shown = state.shown.checkpoint
        return f"{wording.save(shown)} · {wording.rows(shown)}"

    def _message(self, state: State) -> str:
        """Why there is no picture."""
        if state.run is None:
            return "Open a training run to see its Gaussians"
        if not state.run.checkpoints:
            return "This run has no saved Gaussians\n\nOnly plots and settings can be looked at"
        if state.shown is not None and not len(state.shown.splats):
            checkpoint = state.shown.checkpoint
            return f"{wording.save(checkpoint)} has no {wording.ROWS[checkpoint.holds]} that can be drawn"
        return f"Reading iteration {wording.count(state.iteration)}…"

    def _note(self, state: State) -> str:
        """What the picture is, where that is not plain."""
        lines = []
        if self._hovered is not None:
            lines.append(f"Click to look through {self._frusta.cameras[self._hovered].name}")
        elif state.camera is not None:
            known = self._through()
            held = " (held out for testing)" if known is not None and known.split == "test" else ""
            lines.append(f"Through {state.camera}{held}" if known else f"The run has no camera named {state.camera}")
        if state.shown is not None and state.shown.checkpoint.iteration != state.iteration:
            lines.append(f"Reading iteration {wording.count(state.iteration)}…")
        if looks.only_points(state.shown):
            lines.append(looks.only_points(state.shown))
        if looks.is_scalar(looks.chosen(state)) and self._scalar is None:
            title = looks.CHOICES[state.colour_by]
            waiting = self._colour_lane.busy or SCORE_JOB in state.busy
            lines.append(f"{title}: computing…" if waiting else f"{title}: not available for this iteration")
        lines.append(looks.finding_note(state))
        return "\n".join(line for line in lines if line)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.close_lanes()
        super().closeEvent(event)

    def close_lanes(self) -> None:
        """Wait for every worker; the window calls it before it goes. Nothing is drawn afterwards."""
        self._closed = True
        for lane in (self._camera_lane, self._colour_lane, self._pick_lane):
            lane.close()
        self.stage.surface.close_lanes()
