"""One file per probe."""

from diagnostics.registry import import_all

import_all(__name__, __path__)
