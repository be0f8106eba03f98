"""Theme: two palettes, dark and light, that follow the system; panels that paint take their colours here."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from diagnostics.verdict import Severity


@dataclass(frozen=True)
class Theme:
    """Colours as #rrggbb. Text colours reach 4.5:1 on `window`, `panel` and `raised` (WCAG 2.2, 1.4.3)."""

    name: str
    window: str  # behind everything
    panel: str  # lists, plots, pages
    raised: str  # buttons, cards
    line: str  # borders, grids
    text: str
    muted: str  # secondary text
    accent: str  # cursor, links, the primary button
    on_accent: str  # text on accent
    critical: str
    major: str
    minor: str
    info: str
    good: str
    curves: tuple[str, ...]  # Okabe-Ito, told apart by colour-blind readers; adapted to the background

    def severity(self, severity: Severity) -> str:
        """The colour beside the severity's word, never instead of it."""
        return str(getattr(self, severity))


DARK = Theme(
    name="dark", window="#1b1e24", panel="#22262d", raised="#2d323b", line="#3d444f", text="#e8eaed", muted="#a3acb8",
    accent="#5aa9ff", on_accent="#0b1a2b", critical="#ff8080", major="#ffab5e", minor="#ffd95a", info="#7cc4ff", good="#6fd99a",
    curves=("#56b4e9", "#e69f00", "#2fc79a", "#f0e442", "#e08bbd", "#ff7f50"),
)
LIGHT = Theme(
    name="light", window="#f1f3f5", panel="#ffffff", raised="#e9ecf0", line="#c9cfd6", text="#1b1f24", muted="#545d69",
    accent="#0b5fc0", on_accent="#ffffff", critical="#b42121", major="#964700", minor="#6f5a00", info="#115a9e", good="#1d6b37",
    curves=("#0072b2", "#b35a00", "#007a5a", "#7a6a00", "#a6467f", "#b33a00"),
)


CHOSEN, FOLLOWS = "splatdoctor_theme", "splatdoctor_follows_system"  # properties of the application


def theme_of(widget: QWidget) -> Theme:
    """The theme that a widget is drawn in, from its palette; ask again on QEvent.PaletteChange."""
    return DARK if widget.palette().color(QPalette.ColorRole.Window).lightness() < 128 else LIGHT


def after_event(widget: QWidget, act: Callable[[], None]) -> None:
    """Do `act` when the present event is over: Qt crashes where a widget deletes others while it is told of a new palette."""
    QTimer.singleShot(0, widget, act)


def system_theme() -> Theme:
    """What the desktop asks for; dark where it does not say, because colours are judged best on it."""
    light = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Light
    return LIGHT if light else DARK


def named(name: str) -> Theme | None:
    """"dark", "light"; None for "system" and anything unknown."""
    return {"dark": DARK, "light": LIGHT}.get(name)


def apply(app: QApplication, theme: Theme | None = None) -> None:
    """Dress the application; with no theme given, the system's, now and whenever it changes."""
    app.setStyle("Fusion")
    app.setProperty(CHOSEN, theme)
    if not app.property(FOLLOWS):
        app.setProperty(FOLLOWS, True)
        QGuiApplication.styleHints().colorSchemeChanged.connect(lambda _: _dress(app, app.property(CHOSEN) or system_theme()))
    _dress(app, theme or system_theme())


def _dress(app: QApplication, theme: Theme) -> None:
    app.setPalette(_palette(theme))
    app.setStyleSheet(_style(theme))


def _palette(theme: Theme) -> QPalette:
    role, palette = QPalette.ColorRole, QPalette()
    colours = {
        role.Window: theme.window, role.WindowText: theme.text, role.Base: theme.panel, role.AlternateBase: theme.window,
        role.Text: theme.text, role.Button: theme.raised, role.ButtonText: theme.text, role.BrightText: theme.critical,
        role.ToolTipBase: theme.raised, role.ToolTipText: theme.text, role.PlaceholderText: theme.muted,
        role.Highlight: theme.accent, role.HighlightedText: theme.on_accent,
        role.Link: theme.accent, role.LinkVisited: theme.accent,
        role.Light: theme.raised, role.Mid: theme.line, role.Dark: theme.line, role.Shadow: theme.window,
    }
    for which, colour in colours.items():
        palette.setColor(which, QColor(colour))
    for which in (role.Text, role.WindowText, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, QColor(theme.muted))
    return palette


def _icon(name: str) -> str:
    """A file that a style sheet can name; its grey reaches 3:1 on the windows of both themes (WCAG 2.2, 1.4.11)."""
    return Path(str(files("resources") / "icons" / f"{name}.svg")).as_posix()


def _style(theme: Theme) -> str:
    return f"""
    QToolTip {{ color: {theme.text}; background: {theme.raised}; border: 1px solid {theme.line}; padding: 4px; }}
    QDockWidget {{ titlebar-close-icon: url("{_icon("close")}"); titlebar-normal-icon: url("{_icon("float")}"); }}
    QDockWidget::close-button, QDockWidget::float-button {{ border: 1px solid transparent; border-radius: 4px; padding: 0; }}
    QDockWidget::close-button:hover, QDockWidget::float-button:hover {{ border-color: {theme.accent}; }}
    QDockWidget::title {{ background: {theme.window}; padding: 6px 8px; text-align: left; }}
    QMainWindow::separator {{ background: {theme.window}; width: 5px; height: 5px; }}
    QTreeView, QTextBrowser, QScrollArea {{ border: 1px solid {theme.line}; border-radius: 4px; background: {theme.panel}; }}
    QTreeView::item {{ padding: 2px 0; }}
    QHeaderView::section {{ background: {theme.window}; color: {theme.muted}; border: none;
        border-bottom: 1px solid {theme.line}; padding: 4px 3px; }}
    QToolButton {{ background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 4px; }}
    QPushButton {{ background: {theme.raised}; border: 1px solid {theme.line}; border-radius: 4px; padding: 5px 12px; }}
    QPushButton:hover, QToolButton:hover {{ border-color: {theme.accent}; }}
    QPushButton:focus, QToolButton:focus, QTreeView:focus, QTextBrowser:focus {{ border-color: {theme.accent}; }}
    QPushButton:disabled {{ color: {theme.muted}; background: {theme.window}; }}
    QPushButton#primary {{ background: {theme.accent}; color: {theme.on_accent}; border-color: {theme.accent};
        font-weight: 600; }}
    QPushButton#primary:focus {{ border-color: {theme.text}; }}
    QPushButton#primary:disabled {{ background: {theme.raised}; color: {theme.muted}; border-color: {theme.line}; }}
    QProgressBar {{ background: {theme.raised}; border: none; border-radius: 3px; height: 6px; }}
    QProgressBar::chunk {{ background: {theme.accent}; border-radius: 3px; }}
    QStatusBar::item {{ border: none; }}
    QFrame#noticeBar {{ background: {theme.raised}; border-bottom: 2px solid {theme.critical}; }}
    QFrame#noticeBar[kind="done"] {{ border-bottom-color: {theme.good}; }}
    QFrame#card {{ background: {theme.raised}; border: 1px solid {theme.line}; border-radius: 6px; }}
    QFrame#card:hover, QFrame#card:focus {{ border-color: {theme.accent}; }}
    QFrame#card[chosen="true"] {{ border: 2px solid {theme.accent}; }}
    QLabel[role="muted"] {{ color: {theme.muted}; }}
    QLabel[role="heading"] {{ font-weight: 600; }}
    """
