"""The viewport panel on a small run, on both back-ends."""

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.panels.viewport import ViewportPanel
from app.session import Session
from app.widgets.graphics_probe import graphics
from render.viewport.choose import Choice
from tests.app.viewport.hand import GL, SOFTWARE, made_up_run, settle, show


def no_gl() -> bool:
    """Whether this Qt platform cannot show a GL widget (Xvfb with xcb can, offscreen cannot)."""
    return graphics().renderer is None


@pytest.fixture(params=["software", "gl"])
def panel(request: pytest.FixtureRequest, qtbot: QtBot) -> Iterator[ViewportPanel]:
    """A panel on a small run, its first picture drawn; every test runs on both back-ends."""
    if request.param == "gl" and no_gl():
        pytest.skip(f"the Qt platform {QGuiApplication.platformName()} offers no OpenGL window (Xvfb with xcb does)")
    yield from opened(qtbot, GL if request.param == "gl" else SOFTWARE)


@pytest.fixture
def soft(qtbot: QtBot) -> Iterator[ViewportPanel]:
    """A panel on the software back-end, where the back-end does not matter."""
    yield from opened(qtbot, SOFTWARE)


def opened(qtbot: QtBot, choice: Choice) -> Iterator[ViewportPanel]:
    session = Session()
    made = ViewportPanel(session, choice=choice)
    made.resize(420, 330)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    canvas = getattr(made.stage.surface, "canvas", None)
    if canvas is not None:
        canvas.events.draw.ignore_callback_errors = False  # else vispy only logs what goes wrong while drawing
    session.open(made_up_run())
    show(session)
    settle(qtbot, made)
    yield made
    made.close()
