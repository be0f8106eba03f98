"""The in-app help: what the window does, with the shortcuts that the actions really have."""

from collections.abc import Iterable
from html import escape

from PySide6.QtGui import QAction, QIcon, QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from diagnostics.book.guide import load_guide
from diagnostics.book.guide_help import help_html

GUIDE = """
<h2>Open a run</h2>
<p>Choose the folder that the trainer wrote its output to (the one with <code>point_cloud</code> or <code>cfg_args</code>), or
any file of splats; or drop either on the window. <b>File → Open address…</b> takes a folder on another machine (sftp, s3,
https). Nothing in the folder is changed, and nothing from it is executed.</p>
<p>While a training is still writing, <b>File → Follow the training</b> shows what comes: new saves, new lines of the logs. You
are taken to a new save only if you stand at the newest; <b>Look for new saves</b> looks at once.</p>
<p>The recorded path of the photos rarely exists on another machine. <b>File → Photos and COLMAP model…</b> says where they
are; without them the run still opens, and what needs photos reads “not evaluable”.</p>
<h2>Look and scrub</h2>
<p>Drag on the <b>timeline</b>, or click in a plot or drag its cursor: the Gaussians, the cursors and the run panel follow to
the nearest saved iteration. Wheel on a plot zooms, drag pans, <b>Whole run</b> shows everything again. A curve never loses a
spike, however far you zoom out.</p>
<p>Timeline marks: <b>ticks</b> are saved iterations, <b>diamonds</b> resumable states, <b>triangles</b> opacity resets, the
<b>dashed line</b> is where densification ends, the coloured bars below are findings.</p>
<p>In the <b>viewport</b>, left-drag orbits, right-drag or shift-drag pans, the wheel comes nearer, W A S D Q E fly, F frames
the scene, a double click goes to what it hits. <b>Cameras</b> shows where the photos were taken; click one to look through
it. Red dots are the Gaussians that the open finding names, however faint they are. Click a Gaussian to
read its stored and activated parameters in the inspector, its percentile among all Gaussians of that iteration, its
neighbours, what else lies under the pixel, and its history through the saves: from whom it came, when, and what became of it.</p>
<p>A moving scene (Deformable-3D-Gaussians, 4DGaussians) has a <b>slider of moments</b> below the picture. Anchors of Scaffold-GS
and plain points are drawn as points: only their positions are the trainer's.</p>
<h2>Diagnose</h2>
<p>Shift-drag on the timeline to choose a range (Escape: the whole run), then press <b>Diagnose</b>. Click a finding: the
window goes to the iteration where it was measured, tints the Gaussians it names and shades its interval in the plots. Click
it again to see every colour. <b>Not evaluable</b> lists what a pattern would need; <b>Clear</b> lists what was looked for and
not found.</p>
<p>The same diagnosis runs without a window: <code>splatdoctor diagnose RUN --json out.json --pdf out.pdf</code>.</p>
<h2>Ask a probe</h2>
<p>Files often cannot tell two causes apart; a short optimisation can. <b>Probes</b> (a tab at the right) lists the questions.
Choose one: it says at once what it would cost, or what the run lacks. <b>Run</b> works in a process of its own, with curves and
pictures as they come; <b>Pause</b> leaves the machine to you, <b>Stop</b> ends it without an answer. Nothing is written into the
run. The answer goes into the diagnosis: what was not evaluable becomes a verdict, and reports get a chapter. A finding, and the
page of a pattern, offer the probe that settles it; a fix that can be tried offers its trial.</p>
<p><b>Options</b> make the pictures smaller, allow more time or memory, repeat trainings, or look at the shown save. <b>Save
result…</b> keeps the answer for <code>splatdoctor diagnose RUN --probed FILE</code>; <code>splatdoctor probe NAME RUN</code> asks
without a window.</p>
"""


def guide_html(actions: Iterable[QAction]) -> str:
    """What the window does, the table of shortcuts, and the questions in order."""
    rows = "".join(
        f"<tr><td>{escape(action.text().replace('&', ''))}</td><td><b>{escape(keys)}</b></td></tr>"
        for action in actions if (keys := action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)))
    fixed = "".join(f"<tr><td>{what}</td><td><b>{keys}</b></td></tr>" for what, keys in (
        ("On the timeline: previous, next saved iteration", "← →"), ("On the timeline: first, last", "Home, End"),
        ("On the timeline: play or pause", "Space"), ("On the timeline: whole run", "Escape")))
    return f"{GUIDE}<h2>Shortcuts</h2><table cellspacing='4'>{rows}{fixed}</table>{help_html(load_guide())}"


class HelpDialog(QDialog):
    """Not modal: it stays beside the window while one tries things."""

    def __init__(self, actions: Iterable[QAction], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Splat Doctor help")
        self.page = QTextBrowser()
        self.page.setHtml(guide_html(actions))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.button(QDialogButtonBox.StandardButton.Close).setIcon(QIcon())
        buttons.rejected.connect(self.close)
        column = QVBoxLayout(self)
        column.addWidget(self.page)
        column.addWidget(buttons)
        self.resize(620, 640)
