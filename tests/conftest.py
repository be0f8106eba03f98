"""What every test needs before Qt starts."""

import os

from hypothesis import settings
from PySide6.QtCore import QCoreApplication, Qt

# Must be set before the first QApplication: the viewport's GL context is shared between its windows.
QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)

if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# A busy neighbour on the machine must not fail a property: how long things take is measured in benchmarks/.
# In CI the examples are the same at each run: a verdict on a change must not depend on luck. Elsewhere they are new ones.
settings.register_profile("untimed", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("untimed")
