"""What every test needs before Qt starts."""

import os

from PySide6.QtCore import QCoreApplication, Qt

# Must be set before the first QApplication: the viewport's GL context is shared between its windows.
QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)

if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
